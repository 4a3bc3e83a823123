package gates

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// sessionGoldens are the versions of the gates of sessions and the digests of
// what they give.
var sessionGoldens = map[string]string{
	"point-coverage":             "1 06546db5fbff7bb33f7468b4f461e9ebdafa3ce88b197cc2fac21b654c178202",
	"caption-coverage":           "1 8a3198d7aecb82882d31d2ae03aa98ce5b110e1eca91483f0bbb1e91cb143724",
	"interference-detectability": "1 80acf1d0e1b5531bff16c818998f85af74afc65c304d4fb56c30afba5b007c84",
	"update-chain":               "1 2f9ce41cffecbba7e0486c1319bdf51bb31b37fc2214fa34012315e21b11782f",
	"update-history":             "1 95499113ac2ebe25427af1006085f472d02071317d43ab042b201445460dbc6c",
}

func TestSessionConformance(t *testing.T) {
	server := pipelinetest.NewModelServer(t, competent)
	roles, models := server.Live(t, roleJudge)
	judge := roles[roleJudge]
	judge.Host = "judge.example" // a test's server has another port each time
	roles[roleJudge] = judge
	subject := pipelinetest.Subject{Register: Register, Roles: roles, Models: models}
	blobs := map[string][]byte{}
	first, second := newLife(t, 0, blobs).live()
	all := []schemas.Session{first, second}
	for i, name := range []string{"never said", "unknown turn", "caption tells", "joke in earnest", "superseded twice"} {
		_, s := newLife(t, 1+i, blobs).live()
		for _, d := range defects {
			if d.name == name {
				d.plant(&s)
			}
		}
		all = append(all, s)
	}
	for _, s := range all {
		subject.Inputs = append(subject.Inputs, sessionRecord(t, s))
	}
	for _, b := range blobs {
		subject.Blobs = append(subject.Blobs, b)
	}
	for use, golden := range sessionGoldens {
		s := subject
		s.Use, s.Golden = use, golden
		t.Run(use, func(t *testing.T) { pipelinetest.Gate(t, s) })
	}
}

// TestSessionPrompts shows what a judge is asked about one session. Read a
// change as the judge will; -update takes it over.
func TestSessionPrompts(t *testing.T) {
	_, s := newLife(t, 0, map[string][]byte{}).live()
	asked := map[string]sessions.Inquiry{
		"gate.point_coverage": sessions.AskCoverage(s), "gate.caption_coverage": sessions.AskCaptions(s),
		"gate.interference": sessions.AskInterference(s, noShuffle),
	}
	for task, q := range asked {
		p, err := prompts.Get(task)
		if err != nil {
			t.Fatal(err)
		}
		q.Sight.Problem = "statement 1: turn 3 does not have the words \"I moved\""
		system, user, err := p.Render(q.Sight)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("[system]\n%s\n[user]\n%s\n", system, user)
		file := filepath.Join("testdata", "prompts", task+".golden")
		if *update {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(want) != got {
			t.Errorf("%s renders differently; look at the change and run the test with -update\n%s", task, got)
		}
	}
}
