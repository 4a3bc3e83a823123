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
	Store  string         `placeholder:"URL" help:"The store that all machines share, instead of run.store."`
	Ledger string         `placeholder:"URL" help:"The ledger that all machines share, instead of run.ledger; without either the database of the store."`
	Queues []string       `default:"cpu,ffmpeg,model,network,driver" placeholder:"NAMES" help:"What this worker does: tasks that compute (cpu), run ffmpeg, ask models (model) or download (network), and driving builds (${default})."`
	Slots  map[string]int `mapsep:"," placeholder:"NAME=N,..." help:"How many tasks run at once, by queue; one per processor for cpu and ffmpeg, 8 for model, 4 for network without it."`
}

// Help is shown below the flags.
func (workerCmd) Help() string {
	return `Takes tasks of builds that were ordered with memforge build --on, until it is told
to end (Ctrl-C or SIGTERM): then tasks at work are given back and done elsewhere. Keys of
models are read from the environment, as for a build.

All workers of a build run the same version of memforge and of ffmpeg: others serve other
queues, and memforge doctor says so. Where --on, --store or --ledger are not given, they
are those of the configuration.

Examples:
  memforge worker --on temporal://temporal.example:7233/default --store 'postgres://memforge@db.example/memforge?bucket=s3://blobs'
  memforge worker --queues ffmpeg --slots ffmpeg=16`
}

// Run serves queues.
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
	ctx, cancel := drainContext(e)
	defer cancel()
	w, err := cluster.NewWorker(ctx, cluster.WorkerOptions{
		Registry: e.reg, Store: st, Board: b, Engine: eng, Ledger: c.Ledger, Slots: slots, Drives: drives,
		Getenv: modelKeys(e.getenv), Code: exitCode, Log: slog.New(slog.NewTextHandler(e.err, nil)),
	})
	if err != nil {
		return err
	}
	return w.Run(ctx)
}

// modelKeys reads the environment for orders, which come from the database: the keys of
// the servers that hold everything together are none of a model's.
func modelKeys(getenv func(string) string) func(string) string {
	others := []string{"PG", "AWS_", "AZURE_", "GOOGLE_", "TEMPORAL_", "MEMFORGE_"}
	return func(name string) string {
		if slices.ContainsFunc(others, func(prefix string) bool { return strings.HasPrefix(strings.ToUpper(name), prefix) }) {
			return ""
		}
		return getenv(name)
	}
}

// drainContext is a context that the first Ctrl-C ends.
func drainContext(e *env) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(e)
	drain := e.stop.Drain()
	go func() {
		select {
		case <-drain:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// fillFromConfig takes from the configuration what the flags do not say.
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

// databaseOf is the URL of a shared store without what only a store has.
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

// offeredSlots is what the flags say that this worker does.
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
			return nil, false, &usageError{fmt.Errorf("--queues %s: there are cpu, ffmpeg, model, network and driver", q)}
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

// formatSlots lists slots, by resource.
func formatSlots(slots map[pipeline.Resource]int) string {
	var parts []string
	for _, r := range slices.Sorted(maps.Keys(slots)) {
		parts = append(parts, fmt.Sprintf("%s=%d", r, slots[r]))
	}
	return strings.Join(parts, ",")
}
