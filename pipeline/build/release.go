package build

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
)

// releaseFormat changes when the same nodes would give other release files.
const releaseFormat = "6"

// gcPercent is the heap growth between two collections while a release is put together:
// its records live long, and the usual headroom would double them.
const gcPercent = 40

// writeRelease writes the release of finished nodes, unless it is there.
func writeRelease(ctx context.Context, reg *pipeline.Registry, st store.Store, cfg *config.Config, nodes []engine.NodeRun, opt Options) (release.Written, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	spec := cfg.Plan.Release
	kept := ancestors(spec.From, nodes)
	if err := partial(kept); err != nil && !opt.AllowPartial {
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
	dir, ok, err := release.Existing(root, spec.Name, key)
	if err != nil {
		return release.Written{}, err
	}
	if ok {
		return release.Written{Dir: dir, Version: filepath.Base(dir)}, nil
	}
	in, shown, err := assemble(ctx, reg, st, cfg.Plan, nodes)
	if err != nil {
		return release.Written{}, err
	}
	in.Lock, in.BuildKey, in.Derivations = lock, key, reg.Derivations()
	return release.Write(ctx, st, root, in, release.Options{AllowUnlicensed: opt.AllowUnlicensed, Gallery: shown, Scratch: st.ScratchRoot()})
}

func assemble(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, plan engine.Plan, nodes []engine.NodeRun) (release.Input, []release.GalleryImage, error) {
	c, err := newCollector(ctx, reg, st, plan.Release.From, nodes)
	if err != nil {
		return release.Input{}, nil, err
	}
	digest, err := plan.Digest()
	if err != nil {
		return release.Input{}, nil, err
	}
	notes, err := c.notes(ctx)
	if err != nil {
		return release.Input{}, nil, err
	}
	in := release.Input{
		Spec: plan.Release, Seed: plan.Seed, Config: digest, Tools: c.tools(),
		Sources: c.sources(), Funnel: c.funnel(notes), Models: c.asked(), Gates: c.gates(),
	}
	notes.onto(in.Sources)
	if in.Rejections, err = c.rejections(ctx); err != nil {
		return in, nil, err
	}
	recs, err := c.records(ctx, plan.Release.From)
	if err != nil {
		return in, nil, err
	}
	in.Stream = c.stream(ctx)
	if in.Judged, err = c.judged(recs); err != nil {
		return in, nil, err
	}
	if err := c.stand(ctx, &in, recs); err != nil {
		return in, nil, err
	}
	shown, err := cards(ctx, reg, st, in.Records)
	return in, shown, err
}

// stand gives a release the records that can stand in it, and what gates judged of
// the others.
func (c *collector) stand(ctx context.Context, in *release.Input, recs []pipeline.Record) error {
	in.Tables = c.tables()
	w, err := c.rested(recs, in.Spec.From, in.Sources, in.Rejections)
	if err != nil {
		return fmt.Errorf("release: %w", err)
	}
	in.Rejections = append(in.Rejections, w.lost...)
	if in.Records, err = w.records(); err != nil {
		return err
	}
	f, err := c.forms(ctx, in.Records, w.unused)
	in.Flagged, in.FlaggedRecords, in.Rejections = f.questions, f.others, append(in.Rejections, f.lost...)
	return err
}

// buildKey digests everything that determines the release.
func buildKey(plan engine.Plan, nodes []engine.NodeRun, lock []byte, derivations map[string]string) (string, error) {
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
