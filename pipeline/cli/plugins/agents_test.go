package plugins_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
)

// released builds a configuration of docs/ with some settings, and reads the release. It
// takes a copy, for a lock file is written beside a configuration.
func released(t *testing.T, file string, sets ...string) (*pipeline.Registry, release.Contents) {
	t.Helper()
	reg := plugins.Registry()
	text, err := os.ReadFile("../../../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(copied, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(copied, reg, append(sets, "run.out="+t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{Getenv: os.Getenv, AllowUnlicensed: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), res.Release.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return reg, c
}

// sessionsAndPoints are how many of them a release has.
func sessionsAndPoints(t *testing.T, c release.Contents) (sessions, points int) {
	t.Helper()
	all, err := release.DecodeTable[schemas.Session](c, "sessions")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		points += len(s.Points)
	}
	return len(all), points
}

// soundly wants an audit to find all of a release as it states it, and gold of one
// family with all questions and tasks worked out again.
func soundly(t *testing.T, reg *pipeline.Registry, c release.Contents, family string) {
	t.Helper()
	r, err := audit.Run(t.Context(), reg, c)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range r.Gold {
		if g.Family != family || g.Derived != len(c.Questions) || g.Questions != len(c.Questions) || g.TasksDerived != len(c.Tasks) {
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

// TestRunsOfAgents takes ALFRED's real runs through docs/trajectories.yaml into a release
// that an audit finds as it states it. The counts are those of docs/worldmemarena.md.
func TestRunsOfAgents(t *testing.T) {
	runs := testfiles.Real(t, "alfred")
	reg, c := released(t, "trajectories.yaml", "sources.houses.with.path="+runs)
	sessions, points := sessionsAndPoints(t, c)
	if len(c.Tasks) != 12 || sessions != 116 || points != 93 || len(c.Questions) != 24 {
		t.Errorf("%d tasks, %d sessions, %d points, %d questions", len(c.Tasks), sessions, points, len(c.Questions))
	}
	soundly(t, reg, c, "alfred")
}
