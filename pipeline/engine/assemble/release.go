package assemble

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime/debug"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/store"
)

// releaseFormat changes when the same nodes would give other release files.
const releaseFormat = "8"

// gcPercent is the heap growth between two collections while a release is put together:
// what it holds lives long, and the usual headroom would double it.
const gcPercent = 40

// writeRelease writes the release of finished nodes, unless it is there.
func writeRelease(ctx context.Context, reg *pipeline.Registry, st store.Store, cfg *config.Config, nodes []engine.StepRun, opt Options) (release.Written, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	spec := cfg.Plan.Release
	kept := ancestors(spec.From, nodes)
	if err := checkPartial(kept); err != nil && !opt.AllowPartial {
		return release.Written{}, err
	}
	lock, err := readLock(cfg)
	if err != nil {
		return release.Written{}, fmt.Errorf("read the lock file: %w", err)
	}
	key, err := buildKey(cfg.Plan, kept, lock, reg.Derivations())
	if err != nil {
		return release.Written{}, err
	}
	root := cfg.ReleasesDir()
	dir, ok, err := release.FindBuilt(root, spec.Name, key)
	if err != nil {
		return release.Written{}, err
	}
	if ok {
		return release.Written{Dir: dir, Version: filepath.Base(dir)}, nil
	}
	c := newCollector(ctx, reg, st, spec.From, nodes, st.ScratchRoot())
	rows := c.rows
	in, w, err := c.assemble(ctx, cfg.Plan)
	if err != nil {
		return release.Written{}, errors.Join(err, rows.Close())
	}
	in.Lock, in.BuildKey, in.Derivations = lock, key, reg.Derivations()
	in, shown, err := w.release(ctx, in)
	if err != nil {
		return release.Written{}, errors.Join(err, rows.Close())
	}
	done, err := release.Write(ctx, st, root, in, release.Options{AllowUnlicensed: opt.AllowUnlicensed, Gallery: shown, Scratch: st.ScratchRoot()})
	return done, errors.Join(err, rows.Close())
}

// assemble gives what the release is made of besides its records, and what of these can
// stand in it.
func (c *collector) assemble(ctx context.Context, plan engine.Plan) (release.Input, *walk, error) {
	digest, err := plan.Digest()
	if err != nil {
		return release.Input{}, nil, err
	}
	notes, err := c.notes(ctx)
	if err != nil {
		return release.Input{}, nil, err
	}
	in := release.Input{
		Spec: plan.Release, Seed: plan.Seed, Config: digest, Tools: c.tools(), Tables: c.tables(),
		Sources: c.sources(), RecordCounts: c.funnel(notes), Models: c.asked(), Gates: c.gates(),
	}
	notes.onto(in.Sources)
	if plan.Release.Reviewed {
		in.Reviewed = c.reviewed()
	}
	if in.Rejections, err = c.rejections(ctx); err != nil {
		return in, nil, err
	}
	recs, counts := c.counting(c.records(ctx, plan.Release.From))
	w, err := c.rested(recs, in.Spec.From, in.Sources, in.Rejections)
	if err != nil {
		return in, nil, fmt.Errorf("release: %w", err)
	}
	in.GateCounts = counts.rows()
	clear(c.inputs) // nobody asks any more where a record comes from
	return in, w, nil
}

// release gives what a release is made of, with the records that can stand in it. They
// are read as they are asked for. Those that turn out to be against a rule are withheld
// with what rests on them.
func (w *walk) release(ctx context.Context, in release.Input) (release.Input, []release.GalleryImage, error) {
	c, all := w.c, in
	f, err := c.forms(ctx, w)
	if err = errors.Join(err, c.failed); err != nil {
		return in, nil, err
	}
	clear(c.outputs)
	in.Flagged, in.FlaggedRecords = f.questions, f.others
	withheld := slices.Concat(w.lost, f.lost)
	in.RecordCounts = withWithheld(in.RecordCounts, withheld)
	in.Rejections = slices.Concat(in.Rejections, withheld)
	in.Stream = c.released(ctx, w)
	in.Exclude = func(ctx context.Context, broken []release.Violation) (release.Input, []release.GalleryImage, error) {
		if err := w.withhold(broken); err != nil {
			return in, nil, err
		}
		return w.release(ctx, all)
	}
	shown, err := drawCards(ctx, c.reg, c.store, w.released(ctx))
	return in, shown, err
}

// reviewed are the draws that people must have decided about.
func (c *collector) reviewed() (out []review.SampleMark) {
	for _, n := range c.nodes {
		if d := n.Step.Spec.ReviewSample; d != nil {
			out = append(out, review.SampleMark{Step: n.Step.Name, ReviewSample: *d})
		}
	}
	return out
}

// released gives the records of the release.
func (c *collector) released(ctx context.Context, w *walk) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		for _, part := range []iter.Seq2[pipeline.Record, error]{w.released(ctx), c.stream(ctx)} {
			for r, err := range part {
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

// buildKey digests everything that determines the release.
func buildKey(plan engine.Plan, nodes []engine.StepRun, lock []byte, derivations map[string]string) (string, error) {
	type node struct {
		Name     string
		Identity pipeline.Identity
		Units    pipeline.Digest
	}
	all := struct {
		Format      string
		Plan        engine.Plan
		Nodes       []node
		Lock        pipeline.Digest
		Derivations map[string]string
	}{Format: releaseFormat, Plan: plan, Lock: pipeline.DigestOf(lock), Derivations: derivations}
	for _, n := range nodes {
		all.Nodes = append(all.Nodes, node{Name: n.Step.Name, Identity: n.Step.Identity, Units: n.Units})
	}
	b, err := pipeline.Canonical(all)
	if err != nil {
		return "", fmt.Errorf("key of the release: %w", err)
	}
	return string(pipeline.DigestOf(b)), nil
}
