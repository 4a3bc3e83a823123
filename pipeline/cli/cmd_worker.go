package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/store/storeurl"
)

type workerCmd struct {
	On     string         `placeholder:"URL" help:"The engine of the cluster, instead of run.cluster.on: temporal://host:port/namespace or river://user@host/database."`
	Store  string         `placeholder:"URL" help:"The shared store, instead of run.store."`
	Ledger string         `placeholder:"URL" help:"The shared ledger, instead of run.ledger; by default in the database of the store."`
	Queues []string       `default:"cpu,ffmpeg,model,network,driver" placeholder:"NAMES" help:"What this worker runs: tasks that compute (cpu), run ffmpeg, ask models (model) or download (network), and the scheduling of builds (driver) (${default})."`
	Slots  map[string]int `mapsep:"," placeholder:"NAME=N,..." help:"How many tasks run at once, by queue; by default one per processor for cpu and ffmpeg, 8 for model, 4 for network."`
}

func (workerCmd) Help() string {
	return `Runs tasks of builds that were started with memforge build --on, until it is stopped
(Ctrl-C or SIGTERM): then other workers run its unfinished tasks. Keys of models come
from the environment, as for a build.

All workers of a build must run the same version of memforge and of ffmpeg, and their
queues together must include all that the build needs; memforge doctor reports what is
missing. --on, --store and --ledger default to the configuration.

Examples:
  memforge worker --on temporal://temporal.example:7233/default --store 'postgres://memforge@db.example/memforge?bucket=s3://blobs'
  memforge worker --queues ffmpeg --slots ffmpeg=16`
}

func (c workerCmd) Run(e *env) (err error) {
	slots, drives, err := c.offeredSlots()
	if err != nil {
		return err
	}
	if err := c.fillFromConfig(e); err != nil {
		return err
	}
	b, err := clusterstate.Open(e, c.Store)
	if err != nil {
		return err
	}
	defer b.Close()
	eng, err := connectEngine(e, c.On)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, eng.Close()) }()
	st, err := storeurl.Open(e, c.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	ctx, cancel := drainContext(e, e.stop.Drain(), nil)
	defer cancel(nil)
	w, err := cluster.NewWorker(ctx, cluster.WorkerOptions{
		Registry: e.reg, Store: st, State: b, Engine: eng, Ledger: c.Ledger, Slots: slots, Drives: drives,
		Getenv: modelKeys(e.getenv), Code: exitCode, Log: slog.New(slog.NewTextHandler(e.err, nil)),
	})
	if err != nil {
		return err
	}
	return w.Run(ctx)
}

// modelKeys reads the environment for orders, which come from the database: credentials
// of the servers that hold the cluster together are withheld.
func modelKeys(getenv func(string) string) func(string) string {
	others := []string{"PG", "AWS_", "AZURE_", "GOOGLE_", "TEMPORAL_", "MEMFORGE_"}
	return func(name string) string {
		if slices.ContainsFunc(others, func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) }) {
			return ""
		}
		return getenv(name)
	}
}

// drainContext returns a context that the first Ctrl-C ends, for a cause or nil.
func drainContext(parent context.Context, drain <-chan struct{}, cause error) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	go func() {
		select {
		case <-drain:
			cancel(cause)
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// fillFromConfig takes from the configuration what the flags do not set.
func (c *workerCmd) fillFromConfig(e *env) error {
	if c.On == "" || c.Store == "" {
		cfg, err := e.load()
		if err != nil {
			return err
		}
		c.On = cmp.Or(c.On, cfg.Run.Cluster.On)
		if c.Store == "" {
			c.Store = cfg.StoreDir()
			c.Ledger = cmp.Or(c.Ledger, cfg.Run.Ledger)
		}
	}
	if c.Ledger != "" {
		return nil
	}
	var err error
	c.Ledger, err = databaseOf(c.Store)
	return err
}

// databaseOf returns the URL of a shared store without the parts that only a store
// uses.
func databaseOf(place string) (string, error) {
	u, err := url.Parse(place)
	if err != nil {
		return "", &usageError{errors.New("the URL of the store is not valid")} // which may hold a password
	}
	q := u.Query()
	for _, own := range []string{"bucket", "cache", "cache_mb"} {
		q.Del(own)
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

func (c workerCmd) offeredSlots() (slots map[pipeline.Resource]int, drives bool, err error) {
	processors := runtime.NumCPU()
	usual := map[string]int{"cpu": processors, "ffmpeg": processors, "model": 8, "network": 4}
	slots = map[pipeline.Resource]int{}
	for _, q := range c.Queues {
		if q == "driver" {
			drives = true
			continue
		}
		n, ok := usual[q]
		if !ok {
			return nil, false, &usageError{fmt.Errorf("--queues %s: the queues are cpu, ffmpeg, model, network and driver", q)}
		}
		slots[pipeline.Resource(q)] = n
	}
	for q, n := range c.Slots {
		r := pipeline.Resource(q)
		if _, ok := slots[r]; !ok || n < 1 {
			return nil, false, &usageError{fmt.Errorf("--slots %s=%d: want at least one slot of a queue that --queues names", q, n)}
		}
		slots[r] = n
	}
	return slots, drives, nil
}

func formatSlots(slots map[pipeline.Resource]int) string {
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(slots)) {
		parts = append(parts, fmt.Sprintf("%s=%d", r, slots[r]))
	}
	return strings.Join(parts, ",")
}
