package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/store"
)

// cachedStep is a step against the build cache.
type cachedStep struct {
	engine.StepPreview
	// Because lists what changed in the step since the newest whole build.
	Because []string `json:"because,omitempty"`
	// Calls is how many calls of models are left by the forecast, Cost what they cost by
	// currency; nil where that is not known.
	Calls *float64           `json:"model_calls"`
	Cost  map[string]float64 `json:"cost,omitempty"`
}

// cacheView is a configuration against its build cache.
type cacheView struct {
	Steps []cachedStep `json:"steps"`
	// Last is the newest whole build, or nil.
	Last *pipeline.Build `json:"-"`
	// Gone are steps of it that the configuration lacks.
	Gone []string `json:"gone,omitempty"`
}

// compareWithCache looks up what a build would find in the store. build, the forecast,
// may be nil.
func compareWithCache(e *env, cfg *config.Config, st store.Store, build *forecast.Build) (cacheView, error) {
	steps, seen, err := assemble.Preview(e, e.reg, cfg, st, assemble.Options{Getenv: e.getenv})
	if err != nil {
		return cacheView{}, err
	}
	v := cacheView{}
	if v.Last, err = lastWhole(e, st); err != nil {
		return v, err
	}
	for i, step := range steps {
		c := cachedStep{StepPreview: seen[i]}
		if was, ok := stepOf(v.Last, step.Name); !ok && v.Last != nil {
			c.Because = []string{"it is new"}
		} else if ok {
			c.Because = explain.DiffIdentity(was.Identity, step.Identity)
			if !slices.Equal(was.From, step.From) {
				c.Because = append(c.Because, fmt.Sprintf("from: %s -> %s", strings.Join(was.From, ", "), strings.Join(step.From, ", ")))
			}
			if step.Kind == pipeline.KindSource && len(c.Because) == 0 && c.ToMake > 0 && c.Problem == "" {
				c.Because = []string{"its files changed"}
			}
		}
		if c.Problem != "" {
			c.Because = append(c.Because, c.Problem)
		}
		var forecasts []forecast.Step
		if build != nil {
			forecasts = build.Steps
		}
		c.addCalls(forecasts, step, cfg)
		v.Steps = append(v.Steps, c)
	}
	if v.Last != nil {
		for _, was := range v.Last.Steps {
			if !slices.ContainsFunc(steps, func(s engine.Step) bool { return s.Name == was.Name }) {
				v.Gone = append(v.Gone, was.Name)
			}
		}
	}
	return v, nil
}

// lastWhole returns the newest build that was neither a trial nor failed, or nil.
func lastWhole(e *env, st store.Store) (*pipeline.Build, error) {
	const most = 100
	builds, err := st.Builds(e, most)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(builds, func(b pipeline.Build) bool { return b.Trial == "" })
	if i < 0 {
		return nil, nil
	}
	return &builds[i], nil
}

func stepOf(b *pipeline.Build, name string) (pipeline.BuildStep, bool) {
	if b == nil {
		return pipeline.BuildStep{}, false
	}
	i := slices.IndexFunc(b.Steps, func(s pipeline.BuildStep) bool { return s.Name == name })
	if i < 0 {
		return pipeline.BuildStep{}, false
	}
	return b.Steps[i], true
}

// addCalls takes of the forecast the share that is to be made. Where more inputs may come,
// that is all the forecast expects and the store has not.
func (c *cachedStep) addCalls(all []forecast.Step, step engine.Step, cfg *config.Config) {
	i := slices.IndexFunc(all, func(s forecast.Step) bool { return s.Name == c.Step })
	none := 0.0
	if c.ToMake == 0 && !c.Open || len(step.Identity.Models) == 0 {
		c.Calls = &none
		return
	}
	if i < 0 || all[i].Forecast == nil || all[i].Unpriced {
		return
	}
	f, share := all[i].Forecast, 1.0
	if step.Each && all[i].In > 0 {
		tasks := float64(c.ToMake)
		if c.Open {
			tasks = math.Max(tasks, all[i].In-float64(c.Cached))
		}
		share = math.Min(1, tasks/all[i].In)
	}
	calls := f.Calls * share
	c.Calls, c.Cost = &calls, map[string]float64{}
	for _, m := range step.Identity.Models {
		if p := cfg.Models[m.Name].Price; p != nil {
			part := share / float64(len(step.Identity.Models))
			c.Cost[p.Currency] += part * (f.TokensIn*p.Input + f.TokensOut*p.Output) / 1e6
		}
	}
}

// upToDate reports whether a build would make nothing.
func (v cacheView) upToDate() bool {
	return !slices.ContainsFunc(v.Steps, func(c cachedStep) bool { return c.ToMake > 0 || c.Open })
}

// toMake describes what is to be made of a step.
func (c cachedStep) toMake() string {
	switch {
	case c.Open && c.ToMake == 0:
		return "what comes"
	case c.Open:
		return fmt.Sprintf("%d and what comes", c.ToMake)
	case c.ToMake == 0:
		return "-"
	}
	return fmt.Sprint(c.ToMake)
}

func (c cachedStep) calls() string {
	switch {
	case c.Calls == nil:
		return "?"
	case *c.Calls == 0:
		return "-"
	}
	return fmt.Sprintf("%.0f", *c.Calls)
}

func (c cachedStep) cost() string {
	var parts []string
	for _, currency := range slices.Sorted(maps.Keys(c.Cost)) {
		parts = append(parts, fmt.Sprintf("%.2f %s", c.Cost[currency], currency))
	}
	return cmp.Or(strings.Join(parts, ", "), "-")
}

// printCache prints what a build would find in the store, if there is one.
func printCache(e *env, cfg *config.Config, build *forecast.Build) error {
	v, err := cacheOf(e, cfg, build)
	if err != nil {
		_, err := fmt.Fprintf(e.out, "\nbuild cache: %v\n", err)
		return err
	}
	if v == nil {
		return nil
	}
	return v.print(e)
}

// cacheOf is compareWithCache on the store of a configuration; nil if there is none.
func cacheOf(e *env, cfg *config.Config, build *forecast.Build) (v *cacheView, err error) {
	st, err := readStore(e, cfg)
	if hasType[*inputError](err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	seen, err := compareWithCache(e, cfg, st, build)
	return &seen, err
}

func (v cacheView) print(e *env) error {
	if v.upToDate() {
		_, err := fmt.Fprintln(e.out, "\nbuild cache: has everything, a build makes nothing")
		return err
	}
	fmt.Fprintln(e.out)
	w := &columns{out: e.out}
	fmt.Fprintln(w, "BUILD CACHE\tCACHED\tTO MAKE\tMODEL CALLS\tCOST\tBECAUSE")
	for _, c := range v.Steps {
		safetext.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%s\n", c.Step, c.Cached, c.toMake(), c.calls(), c.cost(), strings.Join(c.Because, "; "))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(e.out, "What comes is what a step before gives anew: of it, what is the same as before is found again. Recorded answers of models cost nothing.")
	return err
}
