package lifelong_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine"
	settings "github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

func simulators() lifelong.SimulatorsConfig {
	var c lifelong.SimulatorsConfig
	c.SetDefaults()
	c.Size = simulate.Size{Sessions: 8, Facts: 3, Pictures: 2, Interference: 1, Chatter: 1, Screens: 60}
	return c
}

// TestSimulatedRuns replays simulated runs in every application and place: the same
// state, superseded points and answers, and no fault of sessions.
func TestSimulatedRuns(t *testing.T) {
	t.Parallel()
	lives, lost, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 7, Config: simulators()}.Read(t)
	if err != nil || len(lost) > 0 || len(lives) != len(simulate.Agentic()) {
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
	testkit.ConformSource(t, testkit.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Config: c, Types: recordTypes(), Golden: "10 d0b74df0e7bd65a720716487de97bfea3d86e2b02b8de78fe42169123915f81d"})
}

// TestAgenticDensity makes runs as long as the published ones, without drawing them:
// they are as dense as docs/worldmemarena.md says, and the replay agrees.
func TestAgenticDensity(t *testing.T) {
	t.Parallel()
	var c lifelong.SimulatorsConfig
	c.SetDefaults()
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 5, Config: c}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	holdsDensity(t, lives, map[string][2]float64{
		"sessions": {17, 17}, "turns": {8, 13}, "pictures": {1.6, 1.8}, "points": {3.4, 5.5}, "questions": {42, 55}, "evidence": {1, 3}, "updates": {0.2, 0.6}, "interference": {0.8, 1},
	})
}

// TestPicturesByRegime reads two runs a domain of the configuration of the published size:
// sessions a task and pictures a session are, by regime, those of the published data
// (4,074 sessions and 5,755 pictures over 203 tasks, 3,075 and 6,437 over 220), and no
// screen shows what one before it showed.
func TestPicturesByRegime(t *testing.T) {
	t.Parallel()
	cfg, err := settings.Load("../../configs/worldmemarena-agents.yaml", plugins.Registry(), nil)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(cfg.Plan.Steps, func(n engine.Step) bool { return n.Use == "lifelong.simulators" })
	var c lifelong.SimulatorsConfig
	if err := json.Unmarshal(cfg.Plan.Steps[at].Config, &c); err != nil {
		t.Fatal(err)
	}
	c.Counts, c.Count = nil, 2
	runs, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.simulators", Seed: 9, Config: c}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	sessions, pictures, tasks := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, l := range testkit.DecodeAll[lifelong.Simulation](t, "lifelong.life", runs) {
		regime := simulate.Regime(l.World.Domain)
		tasks[regime]++
		sessions[regime] += float64(len(l.Rounds))
		pictures[regime] += float64(len(l.World.Pictures))
		seen := map[string]bool{}
		for _, x := range l.World.Pictures {
			shows := fmt.Sprint(x.Title, x.Rows)
			if seen[shows] {
				t.Errorf("%s shows %s twice", l.ID, shows)
			}
			seen[shows] = true
		}
	}
	for regime, want := range map[string][2]float64{simulate.GUI: {4074. / 203, 5755. / 4074}, simulate.Embodied: {3075. / 220, 6437. / 3075}} {
		long, dense := sessions[regime]/tasks[regime], pictures[regime]/sessions[regime]
		t.Logf("%s: %.2f sessions a task, %.2f pictures a session; published are %.2f and %.2f", regime, long, dense, want[0], want[1])
		if math.Abs(long-want[0]) > 0.1 || math.Abs(dense-want[1]) > 0.05 {
			t.Errorf("%s: %.2f sessions a task and %.2f pictures a session, want %.2f and %.2f", regime, long, dense, want[0], want[1])
		}
	}
}

// TestBoardsKeepTheirRows: a screen shows each aspect that one of the same thing before it
// showed, unless something ended it since.
func TestBoardsKeepTheirRows(t *testing.T) {
	t.Parallel()
	again, readings := 0, 0
	for _, k := range manyTasks(t) {
		w := k.life.World
		if simulate.Regime(w.Domain) == "" {
			continue
		}
		told := simulate.ToldAspects(w.Domain)
		shown := slices.Clone(w.Pictures)
		slices.SortFunc(shown, func(a, b simulate.Picture) int {
			return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Round, b.Round))
		})
		last := map[string]simulate.Picture{}
		for _, x := range shown {
			before, seen := last[x.Thing]
			last[x.Thing] = x
			if !seen {
				continue
			}
			again++
			for _, r := range before.Rows {
				has := slices.ContainsFunc(x.Rows, func(o [2]string) bool { return o[0] == r[0] })
				ended := slices.ContainsFunc(w.Events, func(e simulate.Event) bool {
					since := e.Session > before.Session || e.Session == before.Session && e.Round > before.Round
					return since && e.Op == simulate.OpDelete && e.Key.Entity == x.Thing && e.Key.Aspect == r[0]
				})
				if !has && !ended {
					t.Errorf("%s: the screen of %s in session %d, step %d, lost the %s", k.life.ID, x.Thing, x.Session, x.Round, r[0])
				}
				if has && !slices.Contains(told, r[0]) {
					readings++
				}
			}
		}
	}
	if again < 50 || readings < 50 {
		t.Errorf("%d screens of things that were shown before, %d readings on them", again, readings)
	}
}

// TestAgentsCountWhatTheyChanged: where an agent says how much it has changed in a session,
// that is what the world has changed, and nothing that was refused.
func TestAgentsCountWhatTheyChanged(t *testing.T) {
	t.Parallel()
	count := regexp.MustCompile(`\b(no|one|\d+) changes?\b`)
	seen, refused := 0, 0
	for _, k := range manyTasks(t) {
		w := k.life.World
		if simulate.Regime(w.Domain) == "" {
			continue
		}
		for n, s := range k.all {
			for i, turn := range s.Turns {
				said := count.FindStringSubmatch(turn.Observation)
				if said == nil {
					continue
				}
				seen++
				done := 0
				for _, e := range w.Events {
					if e.Session != n || e.Round >= i || !slices.Contains(w.Things, e.Key.Entity) {
						continue
					}
					switch {
					case e.Op == simulate.OpPlan:
						refused++
					case !simulate.Interferes(e.Op) && e.Picture < 0:
						done++
					}
				}
				want := map[int]string{0: "no", 1: "one"}[done]
				if said[1] != cmp.Or(want, fmt.Sprint(done)) {
					t.Errorf("%s says %q after %d changes", turn.TurnID, turn.Observation, done)
				}
			}
		}
	}
	if seen < 50 || refused == 0 {
		t.Errorf("%d counts were looked at, %d times after something was refused", seen, refused)
	}
}
