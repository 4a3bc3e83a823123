package assemble

import (
	"context"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/store"
)

// licenseChecker is a fetcher that ends a build whose release could not be published
// as soon as that is known, instead of after all its work: most licences stand
// in the configuration, others come with the files.
type licenseChecker struct {
	pipeline.Fetcher
	wanted string
	steps  map[string]engine.Step // sources that the release is made of
	mu     sync.Mutex
	parts  map[string][]string
}

// licensedFetcher returns the fetcher of a build and checks the licences that are stated
// already. With AllowUnlicensed there is nothing to check, nor for a trial.
func licensedFetcher(cfg *config.Config, steps []engine.Step, st store.Store, opt Options) (pipeline.Fetcher, error) {
	f, err := newFetcher(cfg, st, opt)
	if err != nil || opt.AllowUnlicensed || opt.trial() != "" {
		return f, err
	}
	l := &licenseChecker{Fetcher: f, wanted: cfg.Plan.Release.License, steps: map[string]engine.Step{}, parts: map[string][]string{}}
	read := map[string]bool{}
	for _, from := range cfg.Plan.Release.From {
		read[from] = true
	}
	for _, s := range slices.Backward(steps) {
		if !read[s.Name] {
			continue
		}
		for _, up := range s.From {
			read[up] = true
		}
		if s.Kind == pipeline.KindSource {
			l.steps[s.Name] = s
			l.add(s.Name, statedLicenses(s))
		}
	}
	return l, l.check()
}

// statedLicenses lists the licences that a source is known to have before it is fetched.
// A repository may state that of its files itself.
func statedLicenses(s engine.Step) (ids []string) {
	if len(s.Needs) == 0 {
		return []string{s.Spec.License}
	}
	for i, n := range s.Needs {
		mayState := n.From == fetch.Hub || n.From == fetch.GitHub
		if n.License != "" || !mayState {
			ids = append(ids, assetLicense(s, pipeline.Asset{Need: i}))
		}
	}
	return ids
}

func (l *licenseChecker) add(source string, ids []string) {
	for _, id := range ids {
		if part := "source " + source; !slices.Contains(l.parts[id], part) {
			l.parts[id] = append(l.parts[id], part)
		}
	}
}

func (l *licenseChecker) check() error {
	if len(l.parts) == 0 {
		return nil
	}
	_, err := license.Decide(l.parts, l.wanted, false)
	return err
}

// Fetch implements pipeline.Fetcher.
func (l *licenseChecker) Fetch(ctx context.Context, source string, needs []pipeline.Need) ([]pipeline.Asset, error) {
	assets, err := l.Fetcher.Fetch(ctx, source, needs)
	step, ok := l.steps[source]
	if err != nil || !ok {
		return assets, err
	}
	var ids []string
	for _, a := range assets {
		ids = append(ids, assetLicense(step, a))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(source, ids)
	return assets, l.check()
}
