package all_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/all"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/build"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestRunsOfAgents takes ALFRED's real runs through docs/trajectories.yaml into a release
// that an audit finds as it states it. The counts are those of docs/worldmemarena.md.
func TestRunsOfAgents(t *testing.T) {
	pipelinetest.Real(t, "README.md")
	runs, err := filepath.Abs("../../../shared/fixtures/alfred")
	if err != nil {
		t.Fatal(err)
	}
	reg := all.Registry()
	cfg, err := config.Load("../../docs/trajectories.yaml", reg, []string{"sources.houses.with.path=" + runs, "run.out=" + t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	res, err := build.Build(t.Context(), reg, cfg, build.Options{Getenv: os.Getenv})
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := release.RowsOf[schemas.Session](c, "sessions")
	if err != nil {
		t.Fatal(err)
	}
	points := 0
	for _, s := range sessions {
		points += len(s.Points)
	}
	if len(c.Tasks) != 12 || len(sessions) != 116 || points != 93 || len(c.Questions) != 24 {
		t.Errorf("%d tasks, %d sessions, %d points, %d questions", len(c.Tasks), len(sessions), points, len(c.Questions))
	}
	r, err := audit.Run(t.Context(), reg, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Gold {
		if g.Family != "alfred" || g.Derived != 24 || g.Questions != 24 || g.TasksDerived != 12 {
			t.Errorf("audit: gold %+v", g)
		}
	}
	if len(r.Gold) != 1 {
		t.Errorf("gold of %d families", len(r.Gold))
	}
	for _, p := range r.Parts {
		if p.State == audit.Differs || p.State == audit.Errored {
			t.Errorf("audit: %s: %v", p.Name, p.State)
		}
	}
	if len(r.Gates) == 0 {
		t.Error("no gate was worked out again")
	}
	for _, g := range r.Gates {
		if g.State == audit.Differs || g.State == audit.Errored {
			t.Errorf("audit: gate %s: %v", g.Name, g.State)
		}
	}
}
