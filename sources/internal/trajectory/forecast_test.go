package trajectory_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// TestForecastOfARepository: what a repository holds is what somebody counted there, and
// unknown of any other; max_items bounds both.
func TestForecastOfARepository(t *testing.T) {
	local := pipeline.Volume{pipeline.VolumeFileOf(0): {Records: 4}}
	for name, tc := range map[string]struct {
		path, repo string
		held, most int
		in         pipeline.Volume
		want       float64 // runs; -1: nobody knows
	}{
		"counted":            {"", "", 15, 0, nil, 15},
		"counted, fewer":     {"", "", 15, 3, nil, 3},
		"counted, less":      {"", "", 15, 30, nil, 15},
		"another":            {"", "c/d", 15, 0, nil, -1},
		"another, at most":   {"", "c/d", 15, 30, nil, 30},
		"never counted":      {"", "", 0, 0, nil, -1},
		"a folder":           {"runs", "", 15, 0, local, 4},
		"a folder, at most":  {"runs", "", 15, 2, local, 2},
		"a folder with none": {"runs", "", 15, 0, pipeline.Volume{}, 0},
	} {
		cfg := trajectory.Config{}
		cfg.SetDefaults()
		cfg.Path, cfg.Repo, cfg.MaxItems = tc.path, tc.repo, tc.most
		s, err := trajectory.Layout{From: fetch.GitHub, Repo: "a/b", Held: tc.held}.Open(cfg)
		if err != nil {
			t.Fatal(err)
		}
		f := s.(pipeline.Forecaster).Forecast(tc.in)
		got := f.Out[schemas.NameTask].Records
		if f.Unknown != "" {
			got = -1
		}
		if got != tc.want || got >= 0 && f.Out[schemas.NameSession].Records != 7*got || got < 0 && !strings.Contains(f.Unknown, "max_items") {
			t.Errorf("%s: %g runs, want %g; %+v", name, got, tc.want, f)
		}
	}
}
