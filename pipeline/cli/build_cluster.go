package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/storeurl"
)

// engineError says that an engine cannot be used.
type engineError struct{ err error }

func (e *engineError) Error() string { return e.err.Error() }
func (e *engineError) Unwrap() error { return e.err }

// connectEngine connects to the engine that a URL names.
func connectEngine(e *env, url string) (cluster.Engine, error) {
	if url == "" {
		return nil, &usageError{errors.New("name the engine of the cluster: --on temporal://host:port/namespace or river://user@host/database, or run.cluster.on")}
	}
	scheme, _, _ := strings.Cut(url, "://")
	open, ok := engines()[scheme]
	if ok && open == nil {
		return nil, &usageError{fmt.Errorf("this memforge was built without %s; build it with `go build -tags %s -o bin/memforge .`", scheme, scheme)}
	}
	if !ok {
		return nil, &usageError{fmt.Errorf("--on: no engine has URLs that begin with %q; write temporal://host:port/namespace or river://user@host/database", scheme+"://")}
	}
	eng, err := open(e, url, e.getenv, slog.New(slog.NewTextHandler(e.err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return nil, &engineError{err}
	}
	return eng, nil
}

// connectCluster connects to the board of a configuration's store, and to the engine.
func connectCluster(e *env, cfg *config.Config) (cluster.Client, func() error, error) {
	b, err := clusterstate.Open(e, cfg.StoreDir())
	if err != nil {
		return cluster.Client{}, nil, err
	}
	eng, err := connectEngine(e, cfg.Run.Cluster.On)
	if err != nil {
		b.Close()
		return cluster.Client{}, nil, err
	}
	return cluster.Client{Board: b, Engine: eng}, func() error { b.Close(); return eng.Close() }, nil
}

// buildOnCluster has the workers carry a build out and writes its release here. attach
// is the id of one that was ordered before, or empty.
func buildOnCluster(e *env, cfg *config.Config, opt assemble.Options, attach string) (res assemble.Result, err error) {
	c, end, err := connectCluster(e, cfg)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, end()) }()
	st, err := storeurl.Open(e, cfg.StoreDir())
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	id := attach
	if id == "" {
		id, err = orderBuild(e, c, cfg, st, opt)
	} else {
		opt, err = attachOptions(e, c, cfg, id, opt)
	}
	if err != nil {
		return res, err
	}
	out, err := awaitBuild(e, c, id, opt)
	if err != nil {
		return res, err
	}
	if err = out.Err(); err == nil {
		res, err = assemble.FinishBuild(e, e.reg, cfg, st, out.Runs, opt)
	}
	res.PerStep, res.Models = out.Spent, cluster.Total(out.Spent)
	return res, err
}

// attachOptions holds what a build was ordered with against the configuration at hand, and
// gives the options with what it is confined to.
func attachOptions(e *env, c cluster.Client, cfg *config.Config, id string, opt assemble.Options) (assemble.Options, error) {
	o, err := c.Spec(e, id)
	if err != nil {
		return opt, err
	}
	opt.Limit, opt.Only = o.Limit, o.Only
	same, err := o.Matches(cfg, opt)
	if err == nil && !same {
		err = &usageError{fmt.Errorf("--attach %s: that build was ordered with another configuration; take the one of then, or leave --attach out", id)}
	}
	return opt, err
}

// orderBuild has the workers begin, and says under which id.
func orderBuild(e *env, c cluster.Client, cfg *config.Config, st store.Store, opt assemble.Options) (string, error) {
	program, err := cluster.ProgramOf(e, e.reg, c.Board)
	if err != nil {
		return "", err
	}
	o, err := assemble.PrepareBuild(e, e.reg, cfg, st, opt)
	if err != nil {
		return "", err
	}
	o.Program = program.Name
	id, err := c.Submit(e, cfg.Plan.Release.Name, o)
	if err != nil {
		return id, err
	}
	text := fmt.Sprintf("build %s is ordered; Ctrl-C ends the waiting, not the build\n", id)
	lacks, err := c.Missing(e, program, neededResources(e, cfg))
	if err != nil {
		return id, err
	}
	if lacks != "" {
		text += lacks + "\n"
	}
	return id, e.emit(e.err, "ordered", map[string]any{"id": id, "lacks": lacks}, text)
}

// neededResources are the resources of a plan's nodes, sorted.
func neededResources(e *env, cfg *config.Config) (all []pipeline.Resource) {
	steps, err := cfg.Plan.Resolve(e, e.reg)
	if err != nil {
		return nil // the build says it
	}
	for _, s := range steps {
		all = append(all, s.Spec.Resource)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// detachedError says that the waiting ended and the build goes on.
type detachedError struct{ id string }

func (e *detachedError) Error() string {
	return fmt.Sprintf("the build goes on without this command; `memforge build --attach %s` waits for it, --cancel ends it", e.id)
}

// Unwrap makes the exit code that of an interruption.
func (e *detachedError) Unwrap() error { return context.Canceled }

// awaitBuild waits for the build, or for the first Ctrl-C.
func awaitBuild(e *env, c cluster.Client, id string, opt assemble.Options) (cluster.Outcome, error) {
	ctx, stop := context.WithCancelCause(e)
	defer stop(nil)
	detached := &detachedError{id}
	go func() {
		select {
		case <-opt.Drain:
			stop(detached)
		case <-ctx.Done():
		}
	}()
	var spent atomic.Pointer[client.Total]
	spent.Store(&client.Total{})
	opt.Spending(func() client.Total { return *spent.Load() })
	return c.Wait(ctx, id, func(p cluster.Progress) {
		total := cluster.Total(p.Spent)
		spent.Store(&total)
		opt.Observe(p.Counts())
	})
}

// cancelBuild ends a build of the cluster.
func cancelBuild(e *env, cfg *config.Config, id string) (err error) {
	c, end, err := connectCluster(e, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	if err := c.Cancel(e, id); err != nil {
		return err
	}
	return e.emit(e.out, "cancelled", map[string]any{"id": id}, fmt.Sprintf("build %s is told to end; what is finished is kept\n", id))
}
