package lifelong_test

import (
	"regexp"
	"testing"

	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

func simulators() lifelong.SimulatorsConfig {
	var c lifelong.SimulatorsConfig
	c.SetDefaults()
	c.Size = worlds.Size{Sessions: 8, Facts: 3, Pictures: 2, Interference: 1, Chatter: 1}
	return c
}

// TestSimulatedRuns replays simulated runs in every application and place: the same
// state, superseded points and answers, and no fault of sessions.
func TestSimulatedRuns(t *testing.T) {
	lives, lost, err := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 7, Config: simulators()}.Read(t)
	if err != nil || len(lost) > 0 || len(lives) != len(worlds.Agentic()) {
		t.Fatalf("%d runs, lost %v, %v", len(lives), lost, err)
	}
	b := buildOf(t, 7, lives)
	allAgree(t, b)
	passes(t, b)
	steps, failed, mended := 0, 0, 0
	failure := regexp.MustCompile(`^(Failed|Error)`)
	for task, all := range b.sessions {
		for _, s := range all[1:] {
			if s.Kind != schemas.KindTrajectory {
				t.Errorf("%s is a %s", s.SessionID, s.Kind)
			}
			for i, turn := range s.Turns {
				if turn.Role != schemas.TurnAgent {
					continue
				}
				steps++
				if turn.Observation == "" || turn.Reasoning == "" || turn.Action == "" || turn.Feedback == "" {
					t.Errorf("a step of %s says nothing somewhere: %+v", task, turn)
				}
				if failure.MatchString(turn.Feedback) {
					failed++
					if i+1 < len(s.Turns) && s.Turns[i+1].Role == schemas.TurnAgent && !failure.MatchString(s.Turns[i+1].Feedback) {
						mended++
					}
				}
			}
		}
	}
	if failed*50 < steps || mended*2 < failed {
		t.Errorf("of %d steps %d fail, and after %d of them the next succeeds", steps, failed, mended)
	}
	t.Logf("%d steps, %d fail, after %d of them the next succeeds", steps, failed, mended)
}

// TestSimulatorsConform runs the suite of sources on one short run.
func TestSimulatorsConform(t *testing.T) {
	c := simulators()
	c.Domains, c.Size.Sessions = []string{"household"}, 4
	pipelinetest.Source(t, pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Config: c, Types: recordTypes(), Golden: "3 b9bbadbde1cab4022d4e5a5dae23ceeb4a47c396c45da886fb59e4775c510a07"})
}

// TestAgenticDensity makes runs as long as the published ones, without drawing them:
// they are as dense as docs/worldmemarena.md says, and the replay agrees.
func TestAgenticDensity(t *testing.T) {
	var c lifelong.SimulatorsConfig
	c.SetDefaults()
	lives, _, err := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 5, Config: c}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	holdsDensity(t, lives, map[string][2]float64{
		"sessions": {17, 17}, "turns": {8, 13}, "pictures": {0.9, 1.1}, "points": {3.4, 5.5}, "questions": {45, 55}, "evidence": {1, 3}, "updates": {0.2, 0.6}, "interference": {0.8, 1},
	})
}
