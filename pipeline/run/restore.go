package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
)

// fetchAll fetches the files of every source before anything runs, so that a
// build that cannot get its input fails before it spends anything.
func (r *runner) fetchAll(ctx context.Context, fetch pipeline.Fetcher) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, r.opt.Limits[pipeline.Network]))
	for i := range r.nodes {
		n := &r.nodes[i]
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

func (r *runner) startSources(ctx context.Context) {
	if r.draining {
		return
	}
	for _, n := range r.nodes {
		if n.Step.Kind != pipeline.KindSource || n.Units != "" {
			continue
		}
		r.state.Begin(n.Step.Name)
		r.start(ctx, pipeline.Task{Node: n.Step.Name, Identity: n.Step.Identity, Assets: n.Assets})
	}
}

// restore completes every node whose whole run is remembered and whose
// upstreams' are. Units are only read where a node that has to run needs them.
func (r *runner) restore(ctx context.Context) error {
	remembered := make([]bool, len(r.nodes))
	for i := range r.nodes {
		known := true
		for _, from := range r.nodes[i].Step.From {
			known = known && remembered[r.index[from]]
		}
		if !known {
			continue
		}
		ok, err := r.recall(ctx, &r.nodes[i])
		if err != nil {
			return fmt.Errorf("node %s: recall its last run: %w", r.nodes[i].Step.Name, err)
		}
		remembered[i] = ok
	}
	// Downstream first, so that a restored node is offered nothing.
	for i := len(r.nodes) - 1; i >= 0; i-- {
		if !remembered[i] {
			continue
		}
		units, err := r.unitsNeeded(ctx, i, remembered)
		if err != nil {
			return err
		}
		n := &r.nodes[i]
		if _, err := r.state.Restore(n.Step.Name, n.Summary, units); err != nil {
			return err
		}
		n.Summary.Reused = n.Summary.Units
	}
	return nil
}

func (r *runner) recall(ctx context.Context, n *Node) (bool, error) {
	if r.forgets(n.Step) {
		return false, nil
	}
	key, err := r.memoryKey(*n)
	if err != nil {
		return false, err
	}
	found, err := r.rt.Store.Results(ctx, []pipeline.Key{key})
	if err != nil {
		return false, err
	}
	res, ok := found[key]
	if !ok {
		return false, nil
	}
	if len(res.Outputs) != 1 {
		return false, errors.New("the stored result is not the memory of a run; run `memforge store check`")
	}
	recs, err := r.rt.Store.Records(ctx, []pipeline.Digest{res.Outputs[0].Digest})
	if err != nil {
		return false, err
	}
	memory, err := pipeline.Decode[pipeline.Memory](recs[0])
	if err != nil {
		return false, err
	}
	if n.Step.Kind == pipeline.KindGate && memory.Summary.Verdicts == nil {
		return false, nil // remembered by a version that did not count verdicts
	}
	n.Summary, n.Units = memory.Summary, memory.Units
	return true, r.bounded(n)
}

func (r *runner) unitsNeeded(ctx context.Context, i int, remembered []bool) ([]pipeline.Unit, error) {
	name := r.nodes[i].Step.Name
	needed := slices.ContainsFunc(r.nodes, func(n Node) bool {
		return slices.Contains(n.Step.From, name) && !remembered[r.index[n.Step.Name]]
	})
	if !needed {
		return nil, nil
	}
	return Units(ctx, r.rt.Store, r.nodes[i].Units)
}

// Units reads the units of a finished node.
func Units(ctx context.Context, st pipeline.Store, d pipeline.Digest) ([]pipeline.Unit, error) {
	f, err := st.OpenBlob(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("units %s: %w", d, err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("units %s: %w", d, err)
	}
	return pipeline.DecodeUnits(b)
}
