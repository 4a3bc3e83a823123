package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// StepPreview says what a build would find of a step in the store, and what it would make.
type StepPreview struct {
	Step string `json:"step"`
	// Cached counts tasks with a result in the store, ToMake those without.
	Cached int `json:"cached"`
	ToMake int `json:"to_make"`
	// Open says that more inputs may come of what is to be made first.
	Open bool `json:"open,omitempty"`
	// Problem says why the files of a source are not known.
	Problem string `json:"problem,omitempty"`
}

// Preview looks up, step by step, what a build would find in the store. Nothing runs and
// nothing is written. A step whose whole run is remembered costs one look-up; of other
// steps the tasks are looked up whose inputs are known.
func Preview(ctx context.Context, st pipeline.Store, steps []Step, fetch pipeline.Fetcher) ([]StepPreview, error) {
	p := previewer{scheduler: Scheduler{rt: Runtime{Store: st}, index: map[string]int{}}, known: map[string]previewed{}}
	var out []StepPreview
	for _, step := range steps {
		seen, err := p.step(ctx, step, fetch)
		if err != nil {
			return nil, fmt.Errorf("look up step %s: %w", step.Name, err)
		}
		out = append(out, seen)
	}
	return out, nil
}

type previewer struct {
	scheduler Scheduler // whose memory of runs is read
	known     map[string]previewed
}

// previewed is what is known of a step's output.
type previewed struct {
	whole   bool            // the run is remembered: outputs is their digest, units their list
	outputs pipeline.Digest // of a whole run
	units   pipeline.Digest
	some    []pipeline.Ref // else, those of results in the store
	open    bool           // there may be more
}

func (p *previewer) step(ctx context.Context, step Step, fetch pipeline.Fetcher) (StepPreview, error) {
	out := StepPreview{Step: step.Name}
	var assets []pipeline.Asset
	if step.Kind == pipeline.KindSource && len(step.Needs) > 0 {
		var err error
		if assets, err = fetch.Fetch(ctx, step.Name, step.Needs); err != nil {
			if ctx.Err() != nil {
				return out, ctx.Err()
			}
			out.ToMake, out.Problem = 1, err.Error()
			p.known[step.Name] = previewed{open: true}
			return out, nil
		}
	}
	var upstream []pipeline.Digest
	whole := true
	for _, from := range step.From {
		whole, out.Open = whole && p.known[from].whole, out.Open || p.known[from].open
		upstream = append(upstream, p.known[from].outputs)
	}
	if whole {
		key, err := runKey(step.Identity, upstream, assets)
		if err != nil {
			return out, err
		}
		memory, _, err := p.scheduler.memory(ctx, key)
		if err != nil {
			return out, err
		}
		if memory != nil {
			out.Cached = memory.Summary.Units
			p.known[step.Name] = previewed{whole: true, outputs: memory.Summary.Outputs, units: memory.Units}
			return out, nil
		}
	}
	t := pipeline.Task{Step: step.Name, Identity: step.Identity, Each: step.Each, Assets: assets}
	if step.Each {
		return p.each(ctx, step, t, out)
	}
	return p.one(ctx, step, t, out)
}

// one looks up a step that is one task: with inputs missing it is to be made.
func (p *previewer) one(ctx context.Context, step Step, t pipeline.Task, out StepPreview) (StepPreview, error) {
	var found map[pipeline.Key]pipeline.Result
	var keys []pipeline.Key
	if !out.Open {
		for in, err := range p.inputs(ctx, step) {
			if err != nil {
				return out, err
			}
			t.Inputs = append(t.Inputs, in)
		}
		sortRefs(t.Inputs)
		t.Inputs = slices.Compact(t.Inputs)
		var err error
		if keys, err = TaskKeys(t); err != nil {
			return out, err
		}
		if found, err = p.scheduler.rt.Store.Results(ctx, keys); err != nil {
			return out, err
		}
	}
	out.Open = false // one task, whatever comes
	if len(found) == 0 {
		out.ToMake = 1
		p.known[step.Name] = previewed{open: true}
		return out, nil
	}
	out.Cached = 1
	p.known[step.Name] = previewed{some: found[keys[0]].Outputs}
	return out, nil
}

// each looks up the tasks of a step with one for each record.
func (p *previewer) each(ctx context.Context, step Step, t pipeline.Task, out StepPreview) (StepPreview, error) {
	var known previewed
	lookUp := func() error {
		keys, err := TaskKeys(t)
		if err != nil {
			return err
		}
		found, err := p.scheduler.rt.Store.Results(ctx, keys)
		if err != nil {
			return err
		}
		for _, k := range keys {
			r, ok := found[k]
			if !ok {
				out.ToMake++
				continue
			}
			out.Cached++
			known.some = append(known.some, r.Outputs...)
		}
		t.Inputs = t.Inputs[:0]
		return nil
	}
	for in, err := range p.inputs(ctx, step) {
		if err != nil {
			return out, err
		}
		if t.Inputs = append(t.Inputs, in); len(t.Inputs) == maxBatch {
			if err := lookUp(); err != nil {
				return out, err
			}
		}
	}
	err := lookUp()
	known.open = out.Open || out.ToMake > 0
	p.known[step.Name] = known
	return out, err
}

// inputs yields the records that are known to reach a step, each once.
func (p *previewer) inputs(ctx context.Context, step Step) iter.Seq2[pipeline.Ref, error] {
	return func(yield func(pipeline.Ref, error) bool) {
		var read recordSet
		for _, from := range step.From {
			for r, err := range p.outputs(ctx, p.known[from], step.Spec.Accepts) {
				known := false
				if err == nil {
					known, err = read.add(r)
				}
				if errors.Is(err, errDuplicate) {
					known, err = true, nil // for the build to report
				}
				if known {
					continue
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

func (p *previewer) outputs(ctx context.Context, of previewed, accepts []string) iter.Seq2[pipeline.Ref, error] {
	if of.whole {
		return outputsOf(ctx, p.scheduler.rt.Store, of.units, accepts)
	}
	return func(yield func(pipeline.Ref, error) bool) {
		for _, r := range of.some {
			if slices.Contains(accepts, r.Schema) && !yield(r, nil) {
				return
			}
		}
	}
}
