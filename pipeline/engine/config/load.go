package config

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

var (
	releaseName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)
	semver      = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)
)

// loader turns a decoded file into a plan.
type loader struct {
	file     file
	tree     *node
	reg      *pipeline.Registry
	problems *problems
	drafts   map[string]*draftStep
	warnings []string
	// absent are the places of names that no step has.
	absent map[string][]place
	// over are the steps that show more than a model takes, by kind and name.
	over []Fit
}

// draftStep is a step on its way into the plan.
type draftStep struct {
	engine.Step
	section string
	tree    *node
	spec    pipeline.Spec
	// sound says that spec is known, each that it judges item by item.
	sound, each bool
	// licenses are those that a source states of its files.
	licenses []string
}

// Load reads the file at path, applies overrides of the form
// "stages.probe.with.fps=25" and checks everything against the registry. The
// error is an *Error unless the file cannot be read.
func Load(path string, reg *pipeline.Registry, sets []string) (*Config, error) {
	b, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return decide(path, b, reg, sets, true)
}

func readFile(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read configuration: %w; name another file with --file", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return b, nil
}

// Parse is Load on the bytes of a file, which includes no others. name is what
// messages call it; Dir stays empty.
func Parse(name string, b []byte, reg *pipeline.Registry, sets []string) (*Config, error) {
	return decide(name, b, reg, sets, false)
}

// decide parses a configuration, checks it and makes a plan of it.
func decide(name string, b []byte, reg *pipeline.Registry, sets []string, isFile bool) (*Config, error) {
	p := &problems{main: name}
	tree := parse(name, b, p)
	if tree == nil {
		return nil, p.err()
	}
	var c Config
	if isFile {
		c.Dir, c.File = filepath.Dir(name), name
		if err := include(name, tree, p); err != nil {
			return nil, err
		}
	}
	if tree.get("include") != nil {
		p.add(tree.keyAt("include"), "only a configuration that is a file includes others")
	}
	for _, s := range sets {
		override(tree, s, p)
	}
	f := defaultFile()
	decoder{p}.value(tree, reflect.ValueOf(&f).Elem())
	l := loader{file: f, tree: tree, reg: reg, problems: p}
	l.header()
	l.run()
	l.reference()
	l.steps()
	c.Plan = l.plan()
	l.panels()
	l.checkReachable()
	if err := p.err(); err != nil {
		return nil, err
	}
	f = l.file
	c.Run, c.Models, c.Roles, c.Panels, c.Reference = f.Run, f.Models, liveRoles(f.Roles), f.Panels, f.Reference
	c.Warnings, c.Fits, c.tree = l.warnings, l.over, tree
	c.VersionRule = release.VersionRule(f.Release.VersionRule)
	return &c, nil
}

// LoadModels reads a configuration for a command that asks models and builds
// nothing. Besides a whole one, it takes a file with models, roles, panels and run
// alone.
func LoadModels(path string, reg *pipeline.Registry, sets []string) (*Config, error) {
	b, err := readFile(path)
	if err != nil {
		return nil, err
	}
	p := &problems{main: path}
	tree := parse(path, b, p)
	if tree == nil {
		return nil, p.err()
	}
	if !hasOnlyModels(tree) {
		return decide(path, b, reg, sets, true)
	}
	for _, s := range sets {
		override(tree, s, p)
	}
	c, err := decodeModels(tree, p)
	if err != nil {
		return nil, err
	}
	c.Dir, c.File = filepath.Dir(path), path
	return c, nil
}

// ParseModels is LoadModels on the bytes of a file with models, roles, panels and run
// alone.
func ParseModels(name string, b []byte) (*Config, error) {
	p := &problems{main: name}
	tree := parse(name, b, p)
	if tree == nil {
		return nil, p.err()
	}
	return decodeModels(tree, p)
}

func hasOnlyModels(tree *node) bool {
	known := []string{"version", "models", "roles", "panels", "run"}
	return tree.kind == mapping && len(tree.fields) > 0 && !slices.ContainsFunc(tree.keyNames(), func(k string) bool { return !slices.Contains(known, k) })
}

func decodeModels(tree *node, p *problems) (*Config, error) {
	l := loader{file: file{modelBlocks: modelBlocks{Run: DefaultRun()}}, tree: tree, problems: p}
	decoder{p}.value(tree, reflect.ValueOf(&l.file.modelBlocks).Elem())
	l.run()
	models := l.models()
	l.panels()
	if err := p.err(); err != nil {
		return nil, err
	}
	f := l.file
	return &Config{Plan: engine.Plan{Models: models}, Run: f.Run, Models: f.Models, Roles: liveRoles(f.Roles), Panels: f.Panels, tree: tree}, nil
}

// header checks everything above the steps.
func (l *loader) header() {
	if l.tree.kind != mapping {
		return
	}
	top := l.tree
	switch {
	case isMisspelt(top, "version"):
	case top.get("version") == nil:
		l.problems.add(top.at, "the file needs \"version: 1\"")
	case l.file.Version != 1 && top.get("version").kind == whole:
		l.problems.add(top.where("version"), "version %d is not known; this memforge reads version 1", l.file.Version)
	}
	l.checkShare("max_loss", l.file.MaxLoss, top.where("max_loss"))
	if most := l.file.MaxInsufficient; most != nil {
		l.checkShare("max_insufficient", *most, top.where("max_insufficient"))
	}
	l.reviseBlock()
	if top.get("release") == nil {
		if !isMisspelt(top, "release") {
			l.problems.add(top.at, "the file needs a release block with name and from")
		}
		return
	}
	r, at := l.file.Release, top.get("release")
	if at.kind != mapping {
		return
	}
	if given := at.get("name"); (given == nil || given.kind == text) && !releaseName.MatchString(r.Name) {
		l.problems.add(at.where("name"), "release name %q: want 1 to 64 of a-z 0-9 . _ -, starting with a letter or digit", shorten(r.Name))
	}
	if r.Version != "auto" && !semver.MatchString(r.Version) {
		l.problems.add(at.where("version"), "release version %q: want \"auto\" or a semantic version such as 1.0.0", shorten(r.Version))
	}
	if len(r.From) == 0 && !isMisspelt(at, "from") {
		l.problems.add(at.where("from"), "the release needs from: a list of the steps it is made of")
	}
}

func (l *loader) reference() {
	r, at := l.file.Reference, l.tree.get("reference")
	if r == nil || at.kind != mapping {
		return
	}
	if r.Name == "" {
		l.problems.add(at.where("name"), "the reference needs a name: what the build is compared with")
	}
	if !(r.Hours >= 0) || r.Videos < 0 || r.Questions < 0 {
		l.problems.add(at.at, "hours %g, videos %d and questions %d of the reference: none may be below 0", r.Hours, r.Videos, r.Questions)
	}
}

func (l *loader) checkShare(key string, share float64, at place) {
	if share < 0 || share > 1 {
		l.problems.add(at, "%s %v: want a share from 0 to 1", key, share)
	}
}

func (l *loader) run() {
	r, at := l.file.Run, l.tree.get("run")
	if at == nil {
		return
	}
	counts := map[string]int{"cpu": r.Limits.CPU, "ffmpeg": r.Limits.FFmpeg, "model": r.Limits.Model, "network": r.Limits.Network}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if counts[name] < 0 {
			l.problems.add(at.where("limits", name), "limit %s is %d: want at least 1, or 0 for the default", name, counts[name])
		}
	}
	if r.Workers < 0 {
		l.problems.add(at.where("workers"), "workers is %d: want at least 1, or 0 for one per processor", r.Workers)
	}
	if r.MaxCost != nil && *r.MaxCost < 0 {
		l.problems.add(at.where("max_cost"), "max_cost is %g: want an amount, 0 to spend nothing, or leave it out for no bound", *r.MaxCost)
	}
	if r.Grace < 0 {
		l.problems.add(at.where("grace"), "grace is %s: want a time such as 20s, or 0s to wait for nothing", r.Grace)
	}
	for _, name := range []string{"store", "out", "ledger"} {
		if v := at.get(name); v != nil && v.kind == text && v.scalar == "" {
			l.problems.add(v.at, "%s must name a folder", name)
		}
	}
	l.mediaDirs(r.MediaDirs, at)
	l.endpoints(r.Endpoints, at)
}

func (l *loader) mediaDirs(dirs map[string]string, at *node) {
	sources := slices.Collect(maps.Keys(l.file.Sources))
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		where := at.where("media_dirs", name)
		if !slices.Contains(sources, name) {
			l.problems.add(where, "media_dirs: no source is called %q%s", shorten(name), suggest(name, sources, "there are"))
		} else if dirs[name] == "" {
			l.problems.add(where, "media_dirs: %s must name a folder", name)
		}
	}
}

func (l *loader) endpoints(e Endpoints, at *node) {
	check := func(address string, path ...string) {
		u, err := url.Parse(address)
		if err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil {
			return
		}
		l.problems.add(at.where(append([]string{"endpoints"}, path...)...), "endpoint %s: want an http or https address without credentials", path[len(path)-1])
	}
	for name, address := range map[string]string{
		"hub": e.Hub, "github_api": e.GitHubAPI, "github_raw": e.GitHubRaw, "github_lfs": e.GitHubLFS,
	} {
		if address != "" {
			check(address, name)
		}
	}
	for prefix, mirror := range e.HTTP {
		check(mirror, "http", prefix)
	}
}

// steps drafts every step and constructs its plugin.
func (l *loader) steps() {
	l.drafts, l.absent = map[string]*draftStep{}, map[string][]place{}
	type written struct {
		section string
		step    engine.Step
		sourceNode
	}
	var all []written
	for _, name := range slices.Sorted(maps.Keys(l.file.Sources)) {
		all = append(all, written{"sources", engine.Step{Name: name, Kind: pipeline.KindSource}, l.file.Sources[name]})
	}
	for _, name := range slices.Sorted(maps.Keys(l.file.Stages)) {
		s := l.file.Stages[name]
		all = append(all, written{"stages", engine.Step{Name: name, Kind: pipeline.KindStage, From: s.From}, s.sourceNode})
	}
	for _, name := range slices.Sorted(maps.Keys(l.file.Gates)) {
		g := l.file.Gates[name]
		if g.MaxInsufficient != nil {
			l.checkShare("max_insufficient", *g.MaxInsufficient, l.tree.where("gates", name, "max_insufficient"))
		}
		step := engine.Step{Name: name, Kind: pipeline.KindGate, From: g.From, OnFail: g.OnFail, KeepBecause: g.KeepBecause, MaxInsufficient: cmp.Or(g.MaxInsufficient, l.file.MaxInsufficient)}
		all = append(all, written{"gates", step, g.sourceNode})
	}
	for _, w := range all {
		d := &draftStep{Step: w.step, section: w.section, tree: l.tree.get(w.section).get(w.step.Name)}
		d.Use, d.MaxLoss = w.Use, l.file.MaxLoss
		nameAt := l.tree.get(w.section).keyAt(w.step.Name)
		if !pipeline.IsWrittenStepName(w.step.Name) {
			l.problems.add(nameAt, "step name %q: want 1 to 64 of a-z 0-9 _ -, starting with a letter or digit", shorten(w.step.Name))
		}
		if other, taken := l.drafts[w.step.Name]; taken {
			l.problems.add(nameAt, "the name %q is taken by one of the %s; names are shared by sources, stages and gates", w.step.Name, other.section)
			continue
		}
		l.drafts[w.step.Name] = d
		if share := w.MaxLoss; share != nil {
			d.MaxLoss = *share
			l.checkShare("max_loss", *share, d.tree.where("max_loss"))
		}
		if d.tree.kind == mapping || d.tree.kind == null {
			l.construct(d, nameAt, w.With)
		}
	}
}

// construct finds the plugin, decodes its configuration and asks its Spec.
func (l *loader) construct(d *draftStep, nameAt place, with *node) {
	if d.Use == "" {
		if u := d.tree.get("use"); u == nil && !isMisspelt(d.tree, "use") || u != nil && (u.kind == text || u.kind == null) {
			l.problems.add(nameAt, "%s %q needs use: the name of a plugin; `memforge %s list` shows them", d.Kind, d.Name, d.section)
		}
		return
	}
	plugin, ok := l.reg.Plugin(d.Kind, d.Use)
	if !ok {
		l.problems.add(d.tree.where("use"), "no %s plugin is called %q%s (`memforge %s list` shows all)",
			d.Kind, shorten(d.Use), l.nearPlugin(d), d.section)
		return
	}
	d.Version = plugin.Version
	cfg := plugin.NewConfig()
	withAt := d.tree.where("use")
	if with != nil {
		withAt = d.tree.keyAt("with")
		before := len(l.problems.list)
		decoder{l.problems}.value(with, reflect.ValueOf(cfg).Elem())
		if len(l.problems.list) > before {
			return
		}
	}
	built, err := plugin.Build(cfg)
	if err == nil {
		d.Config, err = encode(plugin, cfg)
	}
	if err == nil {
		if s, ok := built.(pipeline.Built); ok {
			d.spec, d.sound, d.licenses = s.Spec(), true, statedLicenses(d.Kind, built)
			d.each = d.Kind == pipeline.KindGate && !d.spec.Whole
			err = l.fit(d, plugin, built)
		} else {
			err = fmt.Errorf("the plugin %q has no Spec method", d.Use)
		}
	}
	if err != nil {
		l.problems.addError(withAt, fmt.Errorf("%s %q: %w", d.Kind, d.Name, err))
	}
}

// encode returns the canonical configuration and makes sure that reading it
// back, as every task does, gives the same.
func encode(plugin *pipeline.Plugin, cfg any) (pipeline.RawConfig, error) {
	raw, err := pipeline.Canonical(cfg)
	if err != nil {
		return nil, err
	}
	again := plugin.NewConfig()
	if err := json.Unmarshal(raw, again); err != nil {
		return nil, fmt.Errorf("the configuration of plugin %q does not survive JSON: %w", plugin.Name, err)
	}
	back, err := pipeline.Canonical(again)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(raw, back) {
		return nil, fmt.Errorf("the configuration of plugin %q changes when read back from JSON (a default behind an omitempty tag?): %s became %s", plugin.Name, raw, back)
	}
	return raw, nil
}

// isMisspelt reports whether a mapping has, instead of a key, one that looks
// like it: the decoder has said so.
func isMisspelt(n *node, name string) bool {
	if n.get(name) != nil {
		return false
	}
	return slices.ContainsFunc(n.keyNames(), func(k string) bool {
		near, _ := words.NearestWord(k, []string{name})
		return near == name
	})
}

// nearPlugin suggests a plugin of the step's kind, or one of another kind
// that has exactly this name.
func (l *loader) nearPlugin(d *draftStep) string {
	for _, k := range []pipeline.Kind{pipeline.KindSource, pipeline.KindStage, pipeline.KindGate} {
		if _, ok := l.reg.Plugin(k, d.Use); ok {
			return fmt.Sprintf("; there is a %s of that name", k)
		}
	}
	return nearest(d.Use, l.reg.Names(d.Kind))
}

func schemaList(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// plan checks how the steps hang together and puts them in order.
func (l *loader) plan() engine.Plan {
	names := slices.Sorted(maps.Keys(l.drafts))
	l.setDefaultOnFail(names)
	for _, name := range names {
		l.edges(l.drafts[name], names)
		l.onFail(l.drafts[name])
	}
	if at := l.tree.get("release").get("from"); at != nil {
		l.upstreams("release", l.file.Release.From, at, names)
	}
	l.reportAbsent(names)
	if len(names) == 0 && l.tree.kind == mapping {
		l.problems.add(l.tree.at, "the file has no steps; add sources and stages")
	}
	nodes := l.order(names)
	l.types(nodes)
	l.release(nodes)
	if len(l.problems.list) == 0 && l.unroll() {
		nodes = l.order(slices.Sorted(maps.Keys(l.drafts)))
	}
	models := l.models()
	l.warnSharedModels(nodes, models)
	return engine.Plan{Seed: l.file.Seed, Steps: nodes, Models: models, Release: l.file.Release.Release}
}

func (l *loader) edges(d *draftStep, names []string) {
	if d.Kind == pipeline.KindSource || d.tree.kind != mapping {
		return
	}
	from := d.tree.get("from")
	if isMisspelt(d.tree, "from") {
		return
	}
	if from == nil || from.kind == list && len(from.items) == 0 {
		l.problems.add(d.tree.where("from"), "%s %q needs from: a list of the steps it reads", d.Kind, d.Name)
		return
	}
	for i, up := range l.upstreams(d.Name, d.From, from, names) {
		if up != nil {
			l.checkSchemas(d, up, from.items[i].at)
		}
	}
}

func (l *loader) upstreams(reader string, from []string, at *node, names []string) []*draftStep {
	if at.kind != list || len(at.items) != len(from) {
		return nil
	}
	ups := make([]*draftStep, len(from))
	for i, name := range from {
		where := at.items[i].at
		switch up, ok := l.drafts[name]; {
		case at.items[i].kind != text:
			// The decoder has complained.
		case !ok:
			l.absent[name] = append(l.absent[name], where)
		case name == reader:
			l.problems.add(where, "step %q reads itself", name)
		case slices.Index(from, name) < i:
			l.problems.add(where, "step %q is named twice", name)
		default:
			ups[i] = up
		}
	}
	return ups
}

// reportAbsent names each step that is read and is not there once, where it is first
// read: there is one mistake, however many read it. Where the key of a whole block
// is misspelt, all that would stand there is absent, and that has been said.
func (l *loader) reportAbsent(names []string) {
	if slices.ContainsFunc([]string{"sources", "stages", "gates"}, func(block string) bool { return isMisspelt(l.tree, block) }) {
		return
	}
	for name, places := range l.absent {
		first := slices.MinFunc(places, func(a, b place) int {
			return cmp.Or(strings.Compare(a.source, b.source), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
		})
		more := ""
		if n := len(places) - 1; n > 0 {
			more = fmt.Sprintf(" (read in %d more places)", n)
		}
		l.problems.add(first, "no step is called %q%s%s", shorten(name), suggest(name, names, "there are"), more)
	}
}

// checkSchemas makes sure that something of what up gives is accepted by d.
func (l *loader) checkSchemas(d, up *draftStep, at place) {
	if !d.sound || !up.sound {
		return
	}
	emits := up.spec.Emits
	if up.Kind == pipeline.KindGate {
		emits = append(slices.Clone(up.spec.Accepts), schemas.NameVerdict, schemas.NameProbes)
		if up.OnFail == pipeline.OnFailRevise {
			emits = append(emits, schemas.NameFlagged)
		}
	}
	for _, s := range d.spec.Accepts {
		if slices.Contains(emits, s) {
			return
		}
	}
	l.problems.add(at, "%s %q accepts %s, but %q gives %s: nothing would reach it",
		d.Kind, d.Name, schemaList(d.spec.Accepts), up.Name, schemaList(emits))
}

// order sorts topologically, by name where the order is free. Steps on a cycle
// are reported and left out.
func (l *loader) order(names []string) []engine.Step {
	var nodes []engine.Step
	placed := map[string]bool{}
	ready := func(name string) bool {
		waits := func(up string) bool { return l.drafts[up] != nil && !placed[up] }
		return !placed[name] && !slices.ContainsFunc(l.drafts[name].From, waits)
	}
	for {
		i := slices.IndexFunc(names, ready)
		if i < 0 {
			break
		}
		placed[names[i]] = true
		nodes = append(nodes, l.drafts[names[i]].Step)
	}
	if len(placed) < len(names) {
		l.cycle(names, placed)
	}
	return nodes
}

func (l *loader) cycle(names []string, placed map[string]bool) {
	stuck := func(name string) bool { return l.drafts[name] != nil && !placed[name] }
	at := names[slices.IndexFunc(names, stuck)]
	var path []string
	for !slices.Contains(path, at) {
		path = append(path, at)
		from := l.drafts[at].From
		at = from[slices.IndexFunc(from, stuck)]
	}
	path = path[slices.Index(path, at):]
	if len(path) == 1 {
		return // reported as a step that reads itself
	}
	slices.Reverse(path)
	// Begin at the first name, so that the message does not depend on the way
	// the cycle was entered.
	least := slices.Index(path, slices.Min(path))
	path = append(path[least:], path[:least]...)
	d := l.drafts[path[0]]
	l.problems.add(d.tree.where("from"), "the steps form a cycle: %s", strings.Join(append(path, path[0]), " -> "))
}
