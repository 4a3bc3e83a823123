package assemble

import (
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/release"
)

// checkForecast ends a build that is bound to miss a number that its configuration
// asks for, or to make more than a release holds, before it has done any work. A node that may lose everything is left
// to do so.
func checkForecast(ctx context.Context, reg *pipeline.Registry, cfg *config.Config) error {
	b, err := forecast.Estimate(ctx, cfg.Plan, reg, 1, forecast.CountFiles(cfg.Dir))
	if err != nil {
		return err
	}
	var short []string
	if why := release.TooManyMedia(b.Media); why != "" {
		return &pipeline.SettingError{Setting: "release.from", Problem: why}
	}
	for i, n := range cfg.Plan.Steps {
		if f := b.Nodes[i].Forecast; f != nil && f.Short != "" && n.MaxLoss < 1 {
			short = append(short, n.Name+": "+f.Short)
		}
	}
	if len(short) == 0 {
		return nil
	}
	return &pipeline.ShortageError{Short: short}
}
