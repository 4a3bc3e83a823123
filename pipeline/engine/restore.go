package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
)

// fetchAll fetches the files of every source before anything runs, so that a
// build that cannot get its input fails before it spends anything.
func (d *Scheduler) fetchAll(ctx context.Context, fetch pipeline.Fetcher) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, d.opt.ConcurrentFetches))
	for i := range d.nodes {
		n := &d.nodes[i]
		if len(n.Step.Needs) == 0 {
			continue
		}
		g.Go(func() error {
			assets, err := fetch.Fetch(ctx, n.Step.Name, n.Step.Needs)
			if err != nil {
				return fmt.Errorf("source %s: %w", n.Step.Name, err)
			}
			n.Assets = assets
			return nil
		})
	}
	return g.Wait()
}

// Sources are the tasks of the sources that have to run. They are handed out
// once, before Next.
func (d *Scheduler) Sources() (tasks []pipeline.Task) {
	for _, n := range d.nodes {
		if n.Step.Kind == pipeline.KindSource && n.Units == "" {
			d.state.Begin(n.Step.Name)
			tasks = append(tasks, pipeline.Task{Step: n.Step.Name, Identity: n.Step.Identity, Assets: n.Assets, LastKey: d.last[n.Step.Name].key})
		}
	}
	return tasks
}

// restore completes every node whose whole run is remembered and whose
// upstreams' are. Units are only read where a node that has to run needs them.
func (d *Scheduler) restore(ctx context.Context) error {
	remembered, err := d.recallAll(ctx)
	if err != nil {
		return err
	}
	for i := range d.nodes {
		if n := &d.nodes[i]; !remembered[i] {
			if err := d.loadLastRun(ctx, n); err != nil {
				return fmt.Errorf("node %s: recall its last units: %w", n.Step.Name, err)
			}
		}
	}
	// Downstream first, so that a restored node is offered nothing.
	for i := len(d.nodes) - 1; i >= 0; i-- {
		if !remembered[i] {
			continue
		}
		n := &d.nodes[i]
		done, err := d.state.Restore(n.Step.Name, n.Summary, d.unitsNeeded(ctx, i, remembered))
		if err != nil {
			return err
		}
		n.Summary.Reused = n.Summary.Units
		for _, name := range done { // nothing is left to do for them
			if err := d.complete(ctx, name); err != nil {
				return err
			}
		}
	}
	return d.listManyInputs(ctx)
}

// recallAll says of each node whether its run is remembered and those that it reads.
func (d *Scheduler) recallAll(ctx context.Context) ([]bool, error) {
	remembered := make([]bool, len(d.nodes))
	for i := range d.nodes {
		known := true
		for _, from := range d.nodes[i].Step.From {
			known = known && remembered[d.index[from]]
		}
		if !known {
			continue
		}
		ok, err := d.recall(ctx, &d.nodes[i])
		if err != nil {
			return nil, fmt.Errorf("node %s: recall its last run: %w", d.nodes[i].Step.Name, err)
		}
		remembered[i] = ok
	}
	return remembered, nil
}

func (d *Scheduler) recall(ctx context.Context, n *StepRun) (bool, error) {
	if d.isLimitedSource(n.Step) {
		return false, nil
	}
	key, err := d.memoryKey(*n)
	if err != nil {
		return false, err
	}
	memory, _, err := d.memory(ctx, key)
	if memory == nil || err != nil {
		return false, err
	}
	if n.Step.Kind == pipeline.KindGate && memory.Summary.Verdicts == nil {
		return false, nil // remembered by a version that did not count verdicts
	}
	n.Summary, n.Units = memory.Summary, memory.Units
	return true, d.checkLosses(n)
}

// memory reads what is remembered under a key, and the blobs that it rests on; it is
// nil where nothing is.
func (d *Scheduler) memory(ctx context.Context, key pipeline.Key) (*Memory, []pipeline.Digest, error) {
	found, err := d.rt.Store.Results(ctx, []pipeline.Key{key})
	if err != nil {
		return nil, nil, err
	}
	res, ok := found[key]
	if !ok {
		return nil, nil, nil
	}
	if len(res.Outputs) != 1 {
		return nil, nil, errors.New("the stored result is not the memory of a run; run `memforge store check`")
	}
	recs, err := d.rt.Store.Records(ctx, []pipeline.Digest{res.Outputs[0].Digest})
	if err != nil {
		return nil, nil, err
	}
	memory, err := pipeline.Decode[Memory](recs[0])
	return &memory, res.Blobs, err
}

// unitsNeeded are the units of a remembered node, if a node that has to run reads it.
func (d *Scheduler) unitsNeeded(ctx context.Context, i int, remembered []bool) iter.Seq2[pipeline.Unit, error] {
	name := d.nodes[i].Step.Name
	if slices.ContainsFunc(d.nodes, func(n StepRun) bool {
		return slices.Contains(n.Step.From, name) && !remembered[d.index[n.Step.Name]]
	}) {
		return StoredUnits(ctx, d.rt.Store, d.nodes[i].Units)
	}
	return func(func(pipeline.Unit, error) bool) {}
}

// LoadUnits reads the units of a finished node.
func LoadUnits(ctx context.Context, st pipeline.Store, d pipeline.Digest) (units []pipeline.Unit, err error) {
	for u, err := range StoredUnits(ctx, st, d) {
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// StoredUnits gives the units of a finished node one by one, as often as one asks. An
// error is the last thing that comes.
func StoredUnits(ctx context.Context, st pipeline.Store, d pipeline.Digest) iter.Seq2[pipeline.Unit, error] {
	return storedUnits(ctx, st, d, func() *unitReader { return &unitReader{} })
}

func storedUnits(ctx context.Context, st pipeline.Store, d pipeline.Digest, reader func() *unitReader) iter.Seq2[pipeline.Unit, error] {
	return func(yield func(pipeline.Unit, error) bool) {
		f, err := st.OpenBlob(ctx, d)
		if err != nil {
			yield(pipeline.Unit{}, fmt.Errorf("units %s: %w", d, err))
			return
		}
		defer f.Close()
		readUnits(f, reader())(yield)
	}
}
