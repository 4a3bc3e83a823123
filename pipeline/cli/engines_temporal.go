//go:build temporal

package cli

import (
	"context"
	"log/slog"

	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/cluster/temporal"
)

func temporalEngine() engineDialer {
	return func(ctx context.Context, url string, getenv func(string) string, log *slog.Logger) (cluster.Engine, error) {
		return temporal.Dial(ctx, url, getenv, temporal.Options{Log: log.Handler(), Drain: drainTime})
	}
}
