//go:build river

package cli

import (
	"context"
	"log/slog"

	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/cluster/river"
)

func riverEngine() engineDialer {
	return func(ctx context.Context, url string, _ func(string) string, log *slog.Logger) (cluster.Engine, error) {
		return river.Dial(ctx, url, log.Handler(), drainTime)
	}
}
