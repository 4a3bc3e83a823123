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
	"point-coverage":             "2 68d929b1a521e319deba4e1462d2c27cb34b9f72e4ab999acd944b51c62ff520",
	"caption-coverage":           "2 836c668b670cdab142ac49d656f1463facbf9eff8f036b9956c97addee1a0021",
	"interference-detectability": "2 b20b18d5e1d850d13a958256e494736b16d31ae1eb8ed1130a576e8a8e860b03",
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
