package assemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/gallery"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// releaseFormat changes when the same steps would give other release files.
const releaseFormat = "10"

// gcPercent is the heap growth between two collections while a release is put together:
// what it holds lives long, and the usual headroom would double it.
const gcPercent = 40

func writeRelease(ctx context.Context, reg *pipeline.Registry, st store.Store, cfg *config.Config, nodes []engine.StepRun, opt Options) (release.Written, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	spec := cfg.Plan.Release
	read := cfg.Plan.Upstream(spec.From)
	kept := slices.DeleteFunc(slices.Clone(nodes), func(n engine.StepRun) bool { return !read[n.Step.Name] })
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
	c := newCollector(ctx, reg, st, kept, st.ScratchRoot())
	rows := c.rows
	in, l, err := c.collect(ctx, cfg.Plan)
	if err != nil {
		return release.Written{}, errors.Join(err, rows.Close())
	}
	in.BuildKey, in.Derivations, in.Terms = key, reg.Derivations(), reg.Terms()
	if in.Recipe, err = recipe(ctx, reg, cfg, nodes, lock, opt); err != nil {
		return release.Written{}, errors.Join(err, rows.Close())
	}
	if c.licensed {
		if in.Hydration, err = c.hydrationSteps(ctx); err != nil {
			return release.Written{}, errors.Join(fmt.Errorf("release: %w", err), rows.Close())
		}
	}
	in, shown, err := l.input(ctx, in)
	if err != nil {
		return release.Written{}, errors.Join(err, rows.Close())
	}
	done, err := release.Write(ctx, st, root, in, release.Options{AllowUnlicensed: opt.AllowUnlicensed, VersionRule: cfg.VersionRule, Gallery: shown, Scratch: st.ScratchRoot(), Original: opt.Original})
	return done, errors.Join(err, rows.Close())
}

// checkPartial returns a *PartialError where steps lost records to causes that may pass.
func checkPartial(nodes []engine.StepRun) error {
	var e PartialError
	for _, n := range nodes {
		if n.Summary.Transient > 0 {
			e.Steps, e.Lost = append(e.Steps, n.Step.Name), append(e.Lost, n.Summary.Transient)
		}
	}
	if len(e.Steps) == 0 {
		return nil
	}
	return &e
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

// collect returns what the release is made of besides its records, and which of these can
// stand in it.
func (c *collector) collect(ctx context.Context, plan engine.Plan) (release.Input, *closure, error) {
	digest, err := plan.Digest()
	if err != nil {
		return release.Input{}, nil, err
	}
	c.licensed = plan.Release.Media == pipeline.LicensedMedia
	in := release.Input{Spec: plan.Release, Seed: plan.Seed, Config: digest, Tables: c.tables()}
	c.describeModels(&in)
	if err := c.describeSteps(ctx, &in); err != nil {
		return in, nil, err
	}
	for _, n := range c.steps {
		lost, err := c.lostBy(ctx, n, true)
		if err != nil {
			return in, nil, err
		}
		in.Rejections = append(in.Rejections, lost...)
	}
	if err := c.collectReferences(plan.Release.From); err != nil {
		return in, nil, err
	}
	counts := c.newGateCounter()
	l, err := c.close(ctx, in.Spec.From, in.Sources, in.Rejections, counts)
	if err != nil {
		return in, nil, fmt.Errorf("release: %w", err)
	}
	in.GateCounts = counts.rows()
	clear(c.inputs) // origins are known by now
	return in, l, nil
}

// tables returns those declared ones whose records the steps may give, and those that
// these refer to.
func (c *collector) tables() []pipeline.Table {
	all, wanted := c.reg.Tables(), map[string]bool{}
	var want func(schema string)
	want = func(schema string) {
		if wanted[schema] {
			return
		}
		wanted[schema] = true
		for _, t := range all {
			for _, ref := range t.References {
				for _, o := range all {
					if t.Schema == schema && slices.Contains(ref.Tables, o.Name) {
						want(o.Schema)
					}
				}
			}
		}
	}
	for _, n := range c.steps {
		for _, schema := range n.Step.Spec.Emits {
			want(schema)
		}
	}
	return slices.DeleteFunc(all, func(t pipeline.Table) bool { return !wanted[t.Schema] })
}

// describeModels fills in who answered what the steps asked, and what it takes to run each
// gate again.
func (c *collector) describeModels(in *release.Input) {
	in.Models = []manifest.StepModels{}
	for _, n := range c.steps {
		id := n.Step.Identity
		if n.Step.Kind == pipeline.KindGate {
			gate := manifest.GateInfo{Name: n.Step.Name, Use: id.Use, Summary: n.Step.Summary, Version: id.Version, Config: id.Config, OnFail: id.OnFail, KeepBecause: n.Step.KeepBecause}
			for role, m := range id.Models {
				if gate.Models == nil {
					gate.Models = map[string]string{}
				}
				gate.Models[role] = m.Model
			}
			in.Gates = append(in.Gates, gate)
		}
		if len(n.Step.Spec.Asks) == 0 {
			continue
		}
		row := manifest.StepModels{Step: n.Step.Name, Kind: string(n.Step.Kind), Use: n.Step.Use}
		for _, role := range slices.Sorted(maps.Keys(id.Models)) {
			m := id.Models[role]
			row.Models = append(row.Models, manifest.ModelUse{Role: role, Model: m.Model, Host: m.Host, Sampling: m.Sampling})
		}
		versions := map[string]string{}
		for _, a := range n.Step.Spec.Asks {
			versions[a.Task] = cmp.Or(a.Version, versions[a.Task])
		}
		for _, task := range slices.Sorted(maps.Keys(id.Prompts)) {
			row.Prompts = append(row.Prompts, manifest.PromptUse{Task: task, Version: versions[task], Digest: id.Prompts[task]})
		}
		for _, task := range slices.Sorted(maps.Keys(id.Rules)) {
			row.Rules = append(row.Rules, manifest.RuleUse{Task: task, Version: id.Rules[task]})
		}
		in.Models = append(in.Models, row)
	}
}

// describeSteps fills in what the manifest and the table of sources say of steps: tools,
// record counts, samples that people must have decided about, and the files that were
// fetched, with what their records say of them.
func (c *collector) describeSteps(ctx context.Context, in *release.Input) error {
	notes, err := c.notes(ctx)
	if err != nil {
		return err
	}
	in.Tools, in.Plugins = map[string]string{}, map[string]string{}
	for _, n := range c.steps {
		if n.Step.Kind != pipeline.KindGate && n.Step.Summary != "" {
			in.Plugins[n.Step.Use] = n.Step.Summary
		}
		maps.Copy(in.Tools, n.Step.Identity.Tools)
		if sample := n.Step.Spec.ReviewSample; sample != nil && in.Spec.Reviewed {
			in.Reviewed = append(in.Reviewed, review.SampleMark{Step: n.Step.Name, ReviewSample: *sample})
		}
		s := n.Summary
		row := manifest.RecordCounts{
			Step: n.Step.Name, From: n.Step.From, Kind: string(n.Step.Kind), Use: n.Step.Use,
			In: int64(s.In), Out: int64(s.Out), Lost: int64(s.Lost), Flagged: int64(s.Flagged), Revised: int64(s.Revised),
		}
		for _, code := range s.ReasonCodes() {
			row.Reasons = append(row.Reasons, manifest.ReasonCount{Code: code, Count: int64(s.Reasons[code])})
		}
		row.Notes = codes(notes.found[n.Step.Name]).sorted()
		in.RecordCounts = append(in.RecordCounts, row)
		if n.Step.Kind != pipeline.KindSource {
			continue
		}
		source := schemas.Source{
			ID: n.Step.Name, Kind: n.Step.Use, License: n.Step.Spec.License,
			Records: int64(s.Out), Losses: int64(s.Lost),
		}
		if len(n.Assets) == 0 { // it makes its records itself
			in.Sources = append(in.Sources, source)
		}
		for _, a := range n.Assets {
			source.URL, source.Path, source.Revision, source.SHA256, source.Bytes = a.URL, a.Path, a.Revision, string(a.Blob), a.Size
			source.License = assetLicense(n.Step, a)
			in.Sources = append(in.Sources, source)
		}
	}
	notes.addTo(in.Sources)
	return nil
}

// drawCards draws the cards of the report: their families say how. A referenced medium is
// not to be seen.
func (c *collector) drawCards(ctx context.Context, recs iter.Seq2[pipeline.Record, error]) ([]release.GalleryImage, error) {
	chosen, media, err := chooseCards(recs)
	if err != nil {
		return nil, err
	}
	out := make([]release.GalleryImage, len(chosen))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, q := range chosen {
		out[i].QuestionID = q.QuestionID
		card, found := gallery.CardOf(c.reg, q.Family)
		shown := mediaOf(q, media)
		if !found || c.licensed && slices.ContainsFunc(shown, func(m schemas.Media) bool { return !license.AllowsShipping(m.License) }) {
			continue
		}
		work.Go(func() (err error) {
			if out[i].Data, err = card.Render(ctx, q, shown, c.store.BlobPath); err != nil {
				return fmt.Errorf("report: card of question %s: %w", q.QuestionID, err)
			}
			return nil
		})
	}
	return out, work.Wait()
}

func mediaOf(q schemas.Question, media map[string]schemas.Media) (out []schemas.Media) {
	for _, id := range q.Media {
		if m, there := media[id]; there {
			out = append(out, m)
		}
	}
	return out
}

// chooseCards returns the questions of the cards, and the media that these are about: what
// is not released must not be seen.
func chooseCards(recs iter.Seq2[pipeline.Record, error]) ([]schemas.Question, map[string]schemas.Media, error) {
	var choice gallery.Choice
	for r, err := range recs {
		if err != nil {
			return nil, nil, err
		}
		if r.Schema == schemas.NameQuestion {
			q, err := pipeline.Decode[schemas.Question](r)
			if err != nil {
				return nil, nil, err
			}
			choice.Add(q)
		}
	}
	chosen, shown, media := choice.Questions(), map[string]bool{}, map[string]schemas.Media{}
	for _, q := range chosen {
		for _, id := range q.Media {
			shown[id] = true
		}
	}
	if len(shown) == 0 {
		return chosen, media, nil
	}
	for r, err := range recs {
		if err != nil {
			return nil, nil, err
		}
		if r.Schema == schemas.NameMedia {
			m, err := pipeline.Decode[schemas.Media](r)
			if err != nil {
				return nil, nil, err
			}
			if shown[m.MediaID] {
				media[m.MediaID] = m
			}
		}
	}
	return chosen, media, nil
}
