package assemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/storeurl"
)

// licensedFetcher returns the fetcher of a build and checks the licences that are stated
// already: a repository may state that of its files itself. With AllowUnlicensed there is
// nothing to check, nor for a trial.
func licensedFetcher(cfg *config.Config, steps []engine.Step, st store.Store, opt Options) (pipeline.Fetcher, error) {
	f, err := newFetcher(cfg, st, opt)
	if err != nil || opt.AllowUnlicensed || opt.trial() != "" {
		return f, err
	}
	l := &licenseChecker{Fetcher: f, wanted: cfg.Plan.Release.License, licensed: cfg.Plan.Release.Media == pipeline.LicensedMedia, steps: map[string]engine.Step{}, parts: map[string][]string{}}
	released := cfg.Plan.Upstream(cfg.Plan.Release.From)
	for _, s := range slices.Backward(steps) {
		if s.Kind != pipeline.KindSource || !released[s.Name] {
			continue
		}
		l.steps[s.Name] = s
		var stated []string
		if len(s.Needs) == 0 {
			stated = append(stated, s.Spec.License)
		}
		for i, n := range s.Needs {
			mayState := n.From == fetch.Hub || n.From == fetch.GitHub
			if n.License != "" || !mayState {
				stated = append(stated, assetLicense(s, pipeline.Asset{Need: i}))
			}
		}
		l.add(s.Name, stated)
	}
	if len(l.parts) == 0 {
		return l, nil
	}
	return l, l.check()
}

// newFetcher loads the lock file beside the configuration.
func newFetcher(cfg *config.Config, st store.Store, opt Options) (*fetch.Fetcher, error) {
	lock, err := fetch.LoadLock(LockPath(cfg))
	if err != nil {
		return nil, err
	}
	endpoints, err := endpointsOf(cfg.Run.Endpoints, opt.getenv)
	if err != nil {
		return nil, err
	}
	var sources []string
	for _, n := range cfg.Plan.Steps {
		if n.Kind == pipeline.KindSource {
			sources = append(sources, n.Name)
		}
	}
	return fetch.New(st, lock, fetch.Options{
		BaseDir: cmp.Or(opt.Inputs, cfg.Dir), MediaDirs: cfg.Run.MediaDirs, TempDir: cfg.PartialDir(),
		Offline: opt.Offline || cfg.Run.Offline, Relock: opt.Relock, AllowPartial: opt.AllowPartial, Sources: sources,
		Endpoints: endpoints, Token: tokens(opt.getenv), Concurrency: Limits(cfg.Run)[pipeline.Network],
		Progress: opt.Fetched,
	}), nil
}

// LockPath returns the lock file of a configuration: pipeline.lock.yaml stands
// beside pipeline.yaml.
func LockPath(cfg *config.Config) string {
	base := filepath.Base(cfg.File)
	return filepath.Join(cfg.Dir, strings.TrimSuffix(base, filepath.Ext(base))+".lock.yaml")
}

func readLock(cfg *config.Config) ([]byte, error) {
	b, err := os.ReadFile(LockPath(cfg))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// endpointsOf lays the run block's mirrors over the environment's.
func endpointsOf(set config.Endpoints, getenv func(string) string) (fetch.Endpoints, error) {
	e, err := fetch.EndpointsFromEnv(getenv)
	if err != nil {
		return e, err
	}
	e.Hub = cmp.Or(set.Hub, e.Hub)
	e.GitHubAPI = cmp.Or(set.GitHubAPI, e.GitHubAPI)
	e.GitHubRaw = cmp.Or(set.GitHubRaw, e.GitHubRaw)
	e.GitHubLFS = cmp.Or(set.GitHubLFS, e.GitHubLFS)
	if len(set.HTTP) > 0 {
		e.HTTP = maps.Clone(e.HTTP)
		if e.HTTP == nil {
			e.HTTP = map[string]string{}
		}
		maps.Copy(e.HTTP, set.HTTP)
	}
	return e, e.Check()
}

// tokens reads credentials when they are needed and keeps them nowhere.
func tokens(getenv func(string) string) func(kind string) string {
	return func(kind string) string {
		switch kind {
		case fetch.Hub:
			return getenv("HF_TOKEN")
		case fetch.GitHub:
			return getenv("GITHUB_TOKEN")
		}
		return ""
	}
}

// licenseChecker is a fetcher that ends a build whose release could not be published
// as soon as that is known, instead of after all its work: most licences stand
// in the configuration, others come with the files.
type licenseChecker struct {
	pipeline.Fetcher
	wanted   string
	licensed bool                   // media may be referenced
	steps    map[string]engine.Step // sources that the release is made of
	mu       sync.Mutex
	parts    map[string][]string
}

func (l *licenseChecker) add(source string, ids []string) {
	for _, id := range ids {
		if part := "source " + source; !slices.Contains(l.parts[id], part) {
			l.parts[id] = append(l.parts[id], part)
		}
	}
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
	if l.add(source, ids); len(l.parts) > 0 {
		err = l.check()
	}
	return assets, err
}

// check decides on what is known. Where media may be referenced, parts that must not be
// shipped are for the release to judge, which knows what came of them.
func (l *licenseChecker) check() error {
	parts := maps.Clone(l.parts)
	maps.DeleteFunc(parts, func(id string, _ []string) bool { return l.licensed && !license.AllowsShipping(id) })
	if len(parts) == 0 {
		return nil
	}
	_, err := license.Decide(parts, l.wanted, false)
	return err
}

func assetLicense(s engine.Step, a pipeline.Asset) string {
	if a.Need >= 0 && a.Need < len(s.Needs) && s.Needs[a.Need].License != "" {
		return s.Needs[a.Need].License
	}
	if a.License != "" {
		return a.License
	}
	return s.Spec.License
}

// Fetch brings all upstream files of the plan into the store and the lock.
func Fetch(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, opt Options) (map[string][]pipeline.Asset, error) {
	steps, err := cfg.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	st, err := storeurl.Open(ctx, cfg.StoreDir())
	if err != nil {
		return nil, err
	}
	var assets map[string][]pipeline.Asset
	fetcher, err := newFetcher(cfg, st, opt)
	if err == nil {
		assets, err = fetchAll(ctx, steps, fetcher)
	}
	return assets, errors.Join(err, st.Close())
}

func fetchAll(ctx context.Context, steps []engine.Step, fetcher pipeline.Fetcher) (map[string][]pipeline.Asset, error) {
	assets := map[string][]pipeline.Asset{}
	for _, s := range steps {
		if len(s.Needs) == 0 {
			continue
		}
		var err error
		if assets[s.Name], err = fetcher.Fetch(ctx, s.Name, s.Needs); err != nil {
			return nil, fmt.Errorf("source %s: %w", s.Name, err)
		}
	}
	return assets, nil
}
