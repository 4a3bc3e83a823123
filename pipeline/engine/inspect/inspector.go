// Package inspect lays open what steps gave and lost: the records and rejections of
// the newest build that made each of them, trials included.
package inspect

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/explain"
)

// maxBuilds is how far back the last run of a step is looked for.
const maxBuilds = 100

// Inspector is the last run of every step.
type Inspector struct {
	store pipeline.Store
	nodes []Step
	units map[string][]pipeline.Unit
}

// Step is the last run of one step, and of which build.
type Step struct {
	pipeline.BuildStep
	// Trial is that of the build.
	Trial string
}

// Open reads the history of builds. Without any it is explain.ErrNoBuild.
func Open(ctx context.Context, st pipeline.Store) (*Inspector, error) {
	builds, err := st.Builds(ctx, maxBuilds)
	if err != nil {
		return nil, fmt.Errorf("read the build history: %w", err)
	}
	if len(builds) == 0 {
		return nil, explain.ErrNoBuild
	}
	b := &Inspector{store: st, units: map[string][]pipeline.Unit{}}
	for _, build := range builds {
		for _, n := range build.Steps {
			if _, ok := b.Step(n.Name); !ok {
				b.nodes = append(b.nodes, Step{BuildStep: n, Trial: build.Trial})
			}
		}
	}
	return b, nil
}

// Step finds the last run of a step.
func (b *Inspector) Step(name string) (Step, bool) {
	i := slices.IndexFunc(b.nodes, func(n Step) bool { return n.Name == name })
	if i < 0 {
		return Step{}, false
	}
	return b.nodes[i], true
}

// Units of a step, sorted by input.
func (b *Inspector) Units(ctx context.Context, name string) ([]pipeline.Unit, error) {
	if u, ok := b.units[name]; ok {
		return u, nil
	}
	n, ok := b.Step(name)
	if !ok {
		return nil, fmt.Errorf("no build has made step %s", name)
	}
	u, err := engine.LoadUnits(ctx, b.store, n.BuildStep.UnitList)
	if err != nil {
		return nil, fmt.Errorf("step %s: %w", name, err)
	}
	b.units[name] = u
	return u, nil
}

// Outputs lists what a step gave, each record once, sorted by id within its unit.
func (b *Inspector) Outputs(ctx context.Context, name string) ([]pipeline.Ref, error) {
	units, err := b.Units(ctx, name)
	if err != nil {
		return nil, err
	}
	var out []pipeline.Ref
	seen := map[string]bool{}
	for _, u := range units {
		for _, r := range u.Out {
			if !seen[r.ID] {
				seen[r.ID] = true
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// Rejections lists what a step lost or flagged.
func (b *Inspector) Rejections(ctx context.Context, name string) ([]pipeline.Rejection, error) {
	units, err := b.Units(ctx, name)
	if err != nil {
		return nil, err
	}
	var out []pipeline.Rejection
	for _, u := range units {
		out = append(out, u.Rejections...)
	}
	return out, nil
}

// Records loads records by reference.
func (b *Inspector) Records(ctx context.Context, refs []pipeline.Ref) ([]pipeline.Record, error) {
	ds := make([]pipeline.Digest, len(refs))
	for i, r := range refs {
		ds[i] = r.Digest
	}
	recs, err := b.store.Records(ctx, ds)
	if err != nil {
		return nil, fmt.Errorf("load records: %w", err)
	}
	return recs, nil
}

// Place is one unit of a step that has to do with a record.
type Place struct {
	Node Step
	Unit pipeline.Unit
	// Given is the record as the step gave it, if it did.
	Given *pipeline.Ref
	// Lost is why the step rejected it, if it did.
	Lost *pipeline.Rejection
	// Read says that the unit is about this record alone: a map or a gate at work
	// on it.
	Read bool
}

// PlacesOf lists the places of a record in the order of steps; a step that merely
// had it among all its input is not among them. Without any the error is an
// *explain.NotFoundError.
func (b *Inspector) PlacesOf(ctx context.Context, id string) ([]Place, error) {
	var out []Place
	for _, n := range b.nodes {
		units, err := b.Units(ctx, n.Name)
		if err != nil {
			return nil, err
		}
		for _, u := range units {
			p := Place{Node: n, Unit: u, Read: u.In.ID == id}
			if i := slices.IndexFunc(u.Out, func(r pipeline.Ref) bool { return r.ID == id }); i >= 0 {
				p.Given = &u.Out[i]
			}
			if i := slices.IndexFunc(u.Rejections, func(r pipeline.Rejection) bool { return r.ID == id }); i >= 0 {
				p.Lost = &u.Rejections[i]
			}
			if p.Given != nil || p.Lost != nil || p.Read {
				out = append(out, p)
			}
		}
	}
	if len(out) == 0 {
		return nil, &explain.NotFoundError{ID: id}
	}
	return out, nil
}
