package cli

import (
	"context"
	"log/slog"

	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// engineDialer connects to the engine of a cluster.
type engineDialer func(ctx context.Context, url string, getenv func(string) string, log *slog.Logger) (cluster.Engine, error)

// engines are the engines by the scheme of their URLs, nil for one that this program
// was built without.
func engines() map[string]engineDialer {
	return map[string]engineDialer{"temporal": temporalEngine(), "river": riverEngine()}
}
