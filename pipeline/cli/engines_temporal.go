//go:build temporal

package cli

import (
	"context"
	"log/slog"

	"github.com/memforge/memforge/pipeline/cluster"
	"github.com/memforge/memforge/pipeline/temporal"
)

// engines are those that this program was built with, by the scheme of their URLs.
func engines() map[string]dial {
	return map[string]dial{
		"temporal": func(ctx context.Context, url string, getenv func(string) string, log *slog.Logger) (cluster.Engine, error) {
			return temporal.Dial(ctx, url, getenv, temporal.Options{Log: log.Handler()})
		},
	}
}
