package crosssource_test

import (
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
)

// keptSubject reads an environment, a copy of it and a file that is none.
func keptSubject(t *testing.T) testkit.Subject {
	t.Helper()
	b, err := os.ReadFile("written/testdata/environment.json")
	if err != nil {
		t.Fatal(err)
	}
	s := testkit.Subject{Register: crosssource.Register, Use: "crosssource.kept", Types: recordTypes()}
	for i, text := range []string{string(b), string(b), "{}"} {
		s.Assets = append(s.Assets, pipeline.Asset{Path: string(rune('a'+i)) + ".json", Blob: pipeline.DigestOf([]byte(text)), Size: int64(len(text))})
		s.Blobs = append(s.Blobs, []byte(text))
	}
	return s
}

func TestKeptConforms(t *testing.T) {
	s := keptSubject(t)
	s.Golden = "1 0f8017cfddf631f2e91362bdb7432acf2ea56d2c0f32f57a475532ae0ecb62ff"
	testkit.ConformSource(t, s)
}

// TestKeptEnvironmentsAreAsked: an environment goes through placement and its gate to a
// question of each task, marked as written and with the votes of its readers.
func TestKeptEnvironmentsAreAsked(t *testing.T) {
	records, lost, err := keptSubject(t).Read(t)
	if err != nil || len(lost) != 2 || lost[0].Code != "bad-environment" || !strings.Contains(lost[0].Reason+lost[1].Reason, "another file has the environment") {
		t.Fatalf("lost %v, %v", lost, err)
	}
	items := of(schemas.NameEvidenceItem, records)
	if len(items) != 5 || len(of(schemas.NameSession, records)) != 5 {
		t.Fatalf("%d items, %d sessions", len(items), len(of(schemas.NameSession, records)))
	}
	placed, _ := run(t, "crosssource.place", 0, nil, append(of("crosssource.placed", records), bareAll(items)...)...)
	verdicts := testkit.Subject{Register: crosssource.Register, Use: "placement", Config: crosssource.PlacementConfig{Gap: 1}, Inputs: placed}.Verdicts(t)
	for _, v := range verdicts {
		if v.Outcome != schemas.Pass {
			t.Errorf("%+v", v)
		}
	}
	questions, _ := run(t, "crosssource.ask", 0, nil, append(placed, bareAll(items)...)...)
	if len(questions) != 5 || len(verdicts) != 5 {
		t.Fatalf("%d questions, %d verdicts", len(questions), len(verdicts))
	}
	gold := map[string]string{}
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, questions) {
		gold[q.Labels["task"]] = q.AnswerText + q.AnswerCall
		if q.Labels["origin"] != "written" || q.Labels["dataset"] != "crosssource.kept" {
			t.Errorf("labels %v", q.Labels)
		}
		switch q.Labels["task"] {
		case schemas.TaskMultiHop:
			if q.Labels["readings"] != "2 of 3" {
				t.Errorf("readings %q", q.Labels["readings"])
			}
		case schemas.TaskConflict:
			if e := q.Evidence; len(e) != 2 || e[0].Role != schemas.RoleSuperseded || e[1].Role != schemas.RoleUpdate {
				t.Errorf("evidence %+v", e)
			}
		case schemas.TaskSingleHop:
			if e := q.Evidence; len(e) != 2 || e[0].Media+e[1].Media == "" || !strings.HasPrefix(q.Question, "See Fig. ") && !strings.Contains(q.Question, "Fig. ") {
				t.Errorf("a picture: %q, %+v", q.Question, e)
			}
		}
	}
	for task, want := range map[string]string{
		schemas.TaskSingleHop: "cod", schemas.TaskMultiHop: "Thursday", schemas.TaskConflict: "71", schemas.TaskPreference: "chilled pea soup",
		schemas.TaskFunctionCall: `{"arguments":{"dealer":"Bremner & Daughters","kilos":22},"name":"order_fish"}`,
	} {
		if gold[task] != want {
			t.Errorf("%s: %q, want %q", task, gold[task], want)
		}
	}
}

func bareAll(list []pipeline.Record) (out []pipeline.Record) {
	for _, r := range list {
		out = append(out, bare(r))
	}
	return out
}
