package lifelong_test

import (
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
)

// byRule is what the two rules say of a session, by the gate that asks a judge.
func byRule(s schemas.Session) map[string]pipeline.Judgement {
	return map[string]pipeline.Judgement{"point-coverage": sessions.CoverageByRule(s), "caption-coverage": sessions.CaptionsByRule(s)}
}

// TestRulesPassSoundSessions: of sound sessions, of people and of agents, the rules see
// every point where it should stand, and say that they are rules.
func TestRulesPassSoundSessions(t *testing.T) {
	t.Parallel()
	runs, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 7, Config: simulators()}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	n := map[string]int{}
	for _, b := range []built{made(t), buildOf(t, 7, runs)} {
		for _, all := range b.sessions {
			for _, s := range all {
				for gate, j := range byRule(s) {
					n[gate+" "+string(j.Outcome)]++
					if j.Outcome != pipeline.Pass && j.Outcome != pipeline.NotApplicable {
						t.Errorf("%s: %s is %s: %s", s.SessionID, gate, j.Outcome, j.Reason)
					}
					if j.Outcome == pipeline.Pass && j.Reason[:8] != "by rule:" {
						t.Errorf("%s: %s does not say that a rule judged it: %q", s.SessionID, gate, j.Reason)
					}
				}
			}
		}
	}
	t.Logf("%v", n)
}

// TestRulesLetNoDefectPass plants the defects of both gates: no rule passes what its gate
// fails, and one fails only what is structural or has a value that stands nowhere.
func TestRulesLetNoDefectPass(t *testing.T) {
	t.Parallel()
	b := made(t)
	absent := map[string]bool{"never said": true, "not in the picture": true}
	structural := map[string]bool{"unknown-turn": true, "no-turn": true, "same-id": true, "no-caption": true, "same-caption": true}
	each, planted := testsize.Choose(2, 5), 0
	for _, d := range defects {
		if d.gate != "point-coverage" && d.gate != "caption-coverage" {
			continue
		}
		want, n := pipeline.Insufficient, 0
		if absent[d.name] || structural[d.code] {
			want = pipeline.Fail
		}
		for _, task := range []string{"academic", "software", "health", "finance", "life"} {
			for _, s := range b.sessions["lifelong/"+task+"-0000"][1:] {
				bad := copied(t, s)
				if n == each || !d.plant(&bad) {
					continue
				}
				n, planted = n+1, planted+1
				if j := byRule(bad)[d.gate]; j.Outcome != want {
					t.Errorf("%s in %s: %s, want %s: %s", d.name, s.SessionID, j.Outcome, want, j.Reason)
				}
			}
		}
		if n < each {
			t.Errorf("%s: %d sessions have a place for it, want %d", d.name, n, each)
		}
	}
	t.Logf("%d defects", planted)
}
