package cli

import (
	"cmp"
	"context"
	"runtime"

	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/media"
)

// expectations forecasts a build beside it, for who is told how long it will take:
// headers of local videos are read for that. The channel is closed without a word
// where there is no forecast. forget ends it.
func expectations(e *env, cfg *config.Config) (when <-chan progress.Expectation, forget func()) {
	ctx, cancel := context.WithCancel(e)
	out := make(chan progress.Expectation, 1)
	go func() {
		defer close(out)
		workers := cmp.Or(cfg.Run.Workers, runtime.NumCPU())
		b, err := forecast.Estimate(ctx, cfg.Plan, e.reg, workers, forecast.MeasureFiles(cfg.Dir, media.Lazy()))
		if err == nil {
			out <- expectation(cfg, b)
		}
	}()
	return out, func() {
		cancel()
		for range out { // until it is closed
		}
	}
}

// expectation is what a forecast says of how long a build takes.
func expectation(cfg *config.Config, b forecast.Build) progress.Expectation {
	x := progress.Expectation{Nodes: map[string]progress.Expected{}, After: b.Release.CPU, Limits: assemble.Limits(cfg.Run)}
	for _, n := range b.Nodes {
		if n.Forecast != nil {
			x.Nodes[n.Name] = progress.Expected{In: n.In, Seconds: n.Forecast.CPU}
		}
	}
	return x
}
