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
	"point-coverage":             "3 1281b1917dca38dca564acc7b52e574b970d3a683991842bb80858e14f65bba7",
	"caption-coverage":           "3 b9d8dda2e6cebf0ceb6f81a76effcf1e8ea29231960785f03303c6c8aaf2ad59",
	"interference-detectability": "3 7b757e02b8e3d43319d87ed29c1cf57e631f701d6ab7e08521553d2491850de1",
	"update-chain":               "1 c67219005c85dc8edcdf0be0d4e8071a32dca143a8967cea5f656cd94702cf81",
	"update-history":             "1 e0b1c899b4892278fdce886d7d70739eb445b647b73c24a32260bc6ad8d3785c",
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
