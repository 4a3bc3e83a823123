package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/memforge/memforge/pipeline/cluster"
)

// dial connects to the engine of a cluster.
type dial func(ctx context.Context, url string, getenv func(string) string, log *slog.Logger) (cluster.Engine, error)

// drain is how long parcels may go on that a worker has at work when it is told to end:
// the usual run.grace, in which models answer what they were asked, and some seconds.
const drain = 25 * time.Second

// engines are those that this program was built with, by the scheme of their URLs. One
// that it was built without is nil.
func engines() map[string]dial {
	return map[string]dial{"temporal": temporalEngine(), "river": riverEngine()}
}
