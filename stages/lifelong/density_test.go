package lifelong_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// renderWithoutPixels is an album whose pictures have names and no pixels, and what they show.
func renderWithoutPixels(t *testing.T, life pipeline.Record) (pipeline.Record, map[string]oracle.Picture) {
	t.Helper()
	l, err := pipeline.Decode[lifelong.Simulation](life)
	if err != nil {
		t.Fatal(err)
	}
	album, shown := lifelong.RenderedSimulation{Simulation: l}, map[string]oracle.Picture{}
	for i, x := range l.World.Pictures {
		id := fmt.Sprintf("%064x", i)
		album.MediaIDs = append(album.MediaIDs, id)
		shown[id] = oracle.Picture{Title: x.Title, Rows: x.Rows}
	}
	r, err := pipeline.NewRecord("lifelong.album", life.ID, album)
	if err != nil {
		t.Fatal(err)
	}
	return r, shown
}

// TestFullSize makes tasks as long as the published ones, without drawing them: they
// are as dense as docs/worldmemarena.md says, and the replay agrees on every answer and
// on what holds after every session. A small run takes some of them.
func TestFullSize(t *testing.T) {
	t.Parallel()
	var c lifelong.WorldsConfig
	c.SetDefaults()
	lives, _, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Seed: 5, Config: c}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	var some []pipeline.Record
	for n := testsize.Choose(3, 9); len(some) < n; {
		some = append(some, lives[len(some)*len(lives)/n])
	}
	holdsDensity(t, some, map[string][2]float64{
		"sessions": {30, 30}, "turns": {24, 29}, "pictures": {2.8, 3}, "points": {10, 14}, "questions": {50, 55}, "evidence": {1, 3}, "updates": {0.2, 0.6}, "interference": {0.8, 1},
	})
}

// holdsDensity replays tasks that are not drawn, and wants their figures within bounds.
func holdsDensity(t *testing.T, lives []pipeline.Record, bounds map[string][2]float64) {
	t.Helper()
	n := map[string]float64{}
	for _, life := range lives {
		album, shown := renderWithoutPixels(t, life)
		given := run(t, "lifelong.sessions", 5, nil, album)
		all := testkit.DecodeAll[schemas.Session](t, schemas.NameSession, given)
		for _, s := range all {
			count(n, s)
		}
		checks := map[string]schemas.Checkpoint{}
		for _, c := range testkit.DecodeAll[schemas.Checkpoint](t, schemas.NameCheckpoint, given) {
			checks[c.CheckpointID] = c
		}
		questions := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, run(t, "lifelong.ask", 5, nil, album))
		agrees(t, all, shown, checks, questions)
		for _, q := range questions {
			n["questions"]++
			for _, e := range q.Evidence {
				if e.Role == schemas.RoleClue || e.Role == schemas.RoleUpdate || e.Role == schemas.RoleSuperseded {
					n["evidence"]++
				}
			}
		}
	}
	tasks, sessions := float64(len(lives)), n["sessions"]
	have := map[string]float64{
		"sessions": sessions / tasks, "turns": n["turns"] / sessions, "pictures": n["pictures"] / sessions, "points": n["points"] / sessions, "questions": n["questions"] / tasks,
		"evidence": n["evidence"] / n["questions"], "updates": n["updates"] / n["points"], "interference": n["interference"] / sessions,
	}
	for name, b := range bounds {
		t.Logf("%s %.2f", name, have[name])
		if have[name] < b[0] || have[name] > b[1] {
			t.Errorf("%s is %.2f, want %g to %g", name, have[name], b[0], b[1])
		}
	}
}

func count(n map[string]float64, s schemas.Session) {
	n["sessions"]++
	n["turns"] += float64(len(s.Turns))
	n["points"] += float64(len(s.Points))
	for _, turn := range s.Turns {
		n["pictures"] += float64(len(turn.Attachments))
	}
	for _, p := range s.Points {
		if p.IsUpdate {
			n["updates"]++
		}
		if p.IsInterference {
			n["interference"]++
		}
	}
}

// TestBadWorlds wants configurations that cannot be built to say so.
func TestBadWorlds(t *testing.T) {
	t.Parallel()
	reg := pipeline.NewRegistry()
	lifelong.Register(reg)
	plugin, ok := reg.Plugin(pipeline.KindSource, "lifelong.worlds")
	if !ok {
		t.Fatal("there is no source lifelong.worlds")
	}
	for name, spoil := range map[string]func(*lifelong.WorldsConfig){
		"domain": func(c *lifelong.WorldsConfig) { c.Domains = []string{"law"} }, "count": func(c *lifelong.WorldsConfig) { c.Count = -1 },
		"counts": func(c *lifelong.WorldsConfig) { c.Counts = map[string]int{"law": 2} }, "size": func(c *lifelong.WorldsConfig) { c.Size.Sessions = 3 },
		"sizes": func(c *lifelong.WorldsConfig) { c.Sizes = map[string]simulate.Size{"life": {Sessions: 9}} },
	} {
		c := config()
		spoil(&c)
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plugin.BuildRaw(raw); err == nil || !strings.Contains(err.Error(), name[:4]) && !strings.Contains(err.Error(), "law") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
