package cli

import (
	"context"
	"log/slog"

	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// engineDialer connects to the engine of a cluster.
type engineDialer func(ctx context.Context, url string, getenv func(string) string, log *slog.Logger) (cluster.Engine, error)

// engines are those that this program was built with, by the scheme of their URLs. One
// that it was built without is nil.
func engines() map[string]engineDialer {
	return map[string]engineDialer{"temporal": temporalEngine(), "river": riverEngine()}
}
