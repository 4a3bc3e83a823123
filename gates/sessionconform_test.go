package gates

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

// sessionGoldens are the versions of the gates of sessions and the digests of
// what they give.
var sessionGoldens = map[string]string{
	"point-coverage":             "7 54fba35e1d0455b9503a17d6b49082459546e9a5b38e20a41efa814b669fcc4e",
	"caption-coverage":           "7 38134f1338c9132374d430eb5a85e764a2a3f78108418890a4fe1cc14c7b13ef",
	"interference-detectability": "7 5fb3b88a24d0ae2101142221ba7b4a0d82a8bffe77996787edb94732292691b8",
	"point-coverage-by-rule":     "2 dd82160d5ffc71a7ced1b34d82036e68ab1ad868a5b92026a7a941021890a86a",
	"caption-coverage-by-rule":   "2 40e73d9db97ed08a580dff91e56b02e829bc78ceecb4ec1f71f47a6858717a61",
	"session-structure":          "1 3af639e70089a46f640cb82c3a5b0c9051706ab38b41a899ff9dfa86c35cdd8d",
	"update-chain":               "3 d2d338f6e510880910505db034eed1100df6458a9281d0acc7fc5d75119d872f",
	"update-history":             "2 b7bb5f986306c83ae9ca177cd54ae8bd4e1ea5234bba6026f4faa41ce1e5b033",
}

func TestSessionConformance(t *testing.T) {
	server := testkit.NewModelServer(t, competent)
	roles, models := server.Live(t, roleJudge)
	judge := roles[roleJudge]
	judge.Host = "judge.example" // a test's server has another port each time
	roles[roleJudge] = judge
	subject := testkit.Subject{Register: Register, Roles: roles, Models: models}
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
		t.Run(use, func(t *testing.T) { testkit.ConformGate(t, s) })
	}
}

// TestSessionPrompts shows what a judge is asked about one session. Read a
// change as the judge will; -update takes it over.
func TestSessionPrompts(t *testing.T) {
	_, s := newLife(t, 0, map[string][]byte{}).live()
	asked := map[string]sessions.Inquiry{
		"gate.point_coverage": sessions.AskCoverage(s), "gate.caption_coverage": sessions.AskCaptions(s),
		"gate.interference": sessions.AskInterference(s, func(int, func(int, int)) {}),
	}
	for task, q := range asked {
		p, err := prompts.Get(task)
		if err != nil {
			t.Fatal(err)
		}
		q.Input.Problem = "statement 1: turn 3 does not have the words \"I moved\""
		system, user, err := p.Render(q.Input)
		if err != nil {
			t.Fatal(err)
		}
		golden.Check(t, "prompts/"+task, fmt.Sprintf("[system]\n%s\n[user]\n%s\n", system, user))
	}
}
