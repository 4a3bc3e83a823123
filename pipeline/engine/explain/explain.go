// Package explain says why things were rebuilt: it compares the newest build
// in a store's history with the one before it, step by step and record by
// record, and names the field of the key that differs.
package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// ErrNoBuild says that no build has finished a step in the store yet.
var ErrNoBuild = errors.New("no build has finished a step here yet; run `memforge build`, which says what is wrong if it fails")

// StepReport compares one step of two builds.
type StepReport struct {
	Name          string
	Reused, Built int
	// Added, Changed and Removed count units against the build before.
	Added, Changed, Removed int
	// Identity lists the fields of the key, shared by all units, that differ.
	Identity []string
	// Verdicts are those of a gate; nil for what is none.
	Verdicts *engine.VerdictCounts
}

// history is the newest whole build, or a trial where there is none, and, if there
// is one, the one of the kind before.
type history struct {
	store     pipeline.Store
	now, then *view
}

// view is a build with its units read at need.
type view struct {
	build pipeline.Build
	units map[string][]pipeline.Unit
}

func load(ctx context.Context, st pipeline.Store) (*history, error) {
	builds, err := st.Builds(ctx, maxBuilds)
	if err != nil {
		return nil, fmt.Errorf("read the build history: %w", err)
	}
	if len(builds) == 0 {
		return nil, ErrNoBuild
	}
	// Trials are confined each in its own way: whole builds come first.
	newest := max(0, slices.IndexFunc(builds, func(b pipeline.Build) bool { return b.Trial == "" }))
	h := &history{store: st, now: &view{build: builds[newest], units: map[string][]pipeline.Unit{}}}
	for _, b := range builds[newest+1:] {
		if b.Trial == h.now.build.Trial {
			h.then = &view{build: b, units: map[string][]pipeline.Unit{}}
			break
		}
	}
	return h, nil
}

// maxBuilds is how far back a build to compare is looked for.
const maxBuilds = 100

func (v *view) node(name string) (pipeline.BuildStep, bool) {
	if v == nil {
		return pipeline.BuildStep{}, false
	}
	i := slices.IndexFunc(v.build.Steps, func(n pipeline.BuildStep) bool { return n.Name == name })
	if i < 0 {
		return pipeline.BuildStep{}, false
	}
	return v.build.Steps[i], true
}

func (h *history) unitsOf(ctx context.Context, v *view, name string) ([]pipeline.Unit, error) {
	if u, ok := v.units[name]; ok {
		return u, nil
	}
	n, ok := v.node(name)
	if !ok {
		return nil, nil
	}
	units, err := engine.LoadUnits(ctx, h.store, n.UnitList)
	if err != nil {
		return nil, fmt.Errorf("units of step %s: %w", name, err)
	}
	v.units[name] = units
	return units, nil
}

// Steps compares the steps of the newest build with the build before it.
func Steps(ctx context.Context, st pipeline.Store) ([]StepReport, error) {
	h, err := load(ctx, st)
	if err != nil {
		return nil, err
	}
	var reports []StepReport
	for _, n := range h.now.build.Steps {
		r, err := h.compareNode(ctx, n)
		if err != nil {
			return nil, err
		}
		if n.Identity.Kind == pipeline.KindGate {
			if r.Verdicts, err = engine.CountVerdicts(ctx, st, engine.StoredUnits(ctx, st, n.UnitList)); err != nil {
				return nil, fmt.Errorf("step %s: %w", n.Name, err)
			}
		}
		reports = append(reports, r)
	}
	return reports, nil
}

func (h *history) compareNode(ctx context.Context, n pipeline.BuildStep) (StepReport, error) {
	r := StepReport{Name: n.Name, Reused: n.Reused, Built: n.Built}
	before, ok := h.then.node(n.Name)
	if !ok {
		r.Added = n.Reused + n.Built
		return r, nil
	}
	if n.UnitList == before.UnitList {
		return r, nil
	}
	r.Identity = DiffIdentity(before.Identity, n.Identity)
	now, err := h.unitsOf(ctx, h.now, n.Name)
	if err != nil {
		return r, err
	}
	then, err := h.unitsOf(ctx, h.then, n.Name)
	if err != nil {
		return r, err
	}
	old := map[string]pipeline.Key{}
	for _, u := range then {
		old[u.In.ID] = u.Key
	}
	for _, u := range now {
		key, known := old[u.In.ID]
		delete(old, u.In.ID)
		switch {
		case !known:
			r.Added++
		case key != u.Key:
			r.Changed++
		}
	}
	r.Removed = len(old)
	return r, nil
}

// DiffIdentity names the fields that differ, as "field: before -> now".
func DiffIdentity(before, now pipeline.Identity) []string {
	var diffs []string
	add := func(field, a, b string) {
		if a != b {
			diffs = append(diffs, fmt.Sprintf("%s: %s -> %s", field, a, b))
		}
	}
	add("plugin", before.Use, now.Use)
	add("version", before.Version, now.Version)
	add("on_fail", before.OnFail, now.OnFail)
	add("seed", fmt.Sprint(before.Seed), fmt.Sprint(now.Seed))
	diffs = append(diffs, diffJSON("config", before.Config, now.Config)...)
	for _, t := range unionKeys(before.Tools, now.Tools) {
		add("tool "+t, before.Tools[t], now.Tools[t])
	}
	for _, task := range unionKeys(before.Prompts, now.Prompts) {
		add("prompt "+task, orAbsent(string(before.Prompts[task])), orAbsent(string(now.Prompts[task])))
	}
	for _, family := range unionKeys(before.Checks, now.Checks) {
		add("question check of "+family, orAbsent(before.Checks[family]), orAbsent(now.Checks[family]))
	}
	for _, task := range unionKeys(before.Rules, now.Rules) {
		add("built-in rule "+task, orAbsent(before.Rules[task]), orAbsent(now.Rules[task]))
	}
	for _, role := range unionKeys(before.Models, now.Models) {
		a, b := before.Models[role], now.Models[role]
		add("model of "+role, orAbsent(a.Model), orAbsent(b.Model))
		add("host of "+role, orAbsent(a.Host), orAbsent(b.Host))
		if a.Model != "" && b.Model != "" {
			diffs = append(diffs, diffJSON("sampling of "+role, a.Sampling, b.Sampling)...)
			diffs = append(diffs, diffJSON("form of "+role, a.Form, b.Form)...)
		}
	}
	add("corrected answers", orAbsent(string(before.Corrections)), orAbsent(string(now.Corrections)))
	return diffs
}

func orAbsent(s string) string {
	if s == "" {
		return "absent"
	}
	return s
}

// diffJSON lists the paths at which two JSON values differ.
func diffJSON(path string, before, now json.RawMessage) []string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(before, &a) == nil && json.Unmarshal(now, &b) == nil && a != nil && b != nil {
		var diffs []string
		for _, k := range unionKeys(a, b) {
			diffs = append(diffs, diffJSON(path+"."+k, a[k], b[k])...)
		}
		return diffs
	}
	if string(before) == string(now) {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s -> %s", path, shorten(before), shorten(now))}
}

func shorten(raw json.RawMessage) string {
	const limit = 80
	s := strings.ToValidUTF8(string(raw), "?")
	if s == "" {
		return "absent"
	}
	if len(s) > limit {
		return strings.ToValidUTF8(s[:limit], "") + "…"
	}
	return s
}

func unionKeys[V any](a, b map[string]V) []string {
	keys := map[string]bool{}
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
