package pipeline

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/schemas"
)

// Kind of a plugin and of a step.
type Kind string

// The three kinds.
const (
	KindSource Kind = "source"
	KindStage  Kind = "stage"
	KindGate   Kind = "gate"
)

// Registry binds plugin names to versions, typed configurations and
// constructors. It is a value: an out-of-tree build fills its own.
type Registry struct {
	plugins           map[Kind]map[string]*Plugin
	tools             map[string]ToolVersion
	rules             map[string]builtIn
	derive            map[string]Derivation
	checks            map[string]questionCheck
	sourceFileReaders map[string]SourceFileReader
	// disclosures say what of records that gates judged stands in a release.
	disclosures map[string]Disclosure
	tables      map[string]Table // by schema
	types       map[string]QuestionType
	criteria    map[string][]ReviewCriterion
	terms       map[string]Terms
	errs        []error
	// extensions hold, by kind and name, what packages above this one know.
	extensions map[string]map[string]any
	// versions is shared by copies of the registry.
	versions *versions
}

// ToolVersion reports the version of an external tool whose bytes it shapes.
type ToolVersion func(context.Context) (string, error)

// Plugin is one registered source, stage or gate.
type Plugin struct {
	Kind    Kind
	Name    string
	Version string
	// Summary is one line for `memforge stages list`.
	Summary string
	// NewConfig returns a pointer to a configuration with its defaults set.
	NewConfig func() any
	// construct checks *C and builds the plugin; it does no I/O.
	construct func(cfg any) (any, error)
}

// Defaulter is implemented by configurations that have defaults.
type Defaulter interface{ SetDefaults() }

// NewRegistry returns a registry without plugins. It has the tables that families
// share.
func NewRegistry() *Registry {
	r := &Registry{
		plugins:           map[Kind]map[string]*Plugin{KindSource: {}, KindStage: {}, KindGate: {}},
		tools:             map[string]ToolVersion{},
		rules:             map[string]builtIn{},
		derive:            map[string]Derivation{},
		checks:            map[string]questionCheck{},
		criteria:          map[string][]ReviewCriterion{},
		terms:             map[string]Terms{},
		sourceFileReaders: map[string]SourceFileReader{}, disclosures: map[string]Disclosure{},
		tables: map[string]Table{},
		types:  map[string]QuestionType{},

		extensions: map[string]map[string]any{},

		versions: &versions{known: map[string]string{}},
	}
	addSharedTables(r)
	return r
}

// AddSource registers a source. C is its configuration, a struct whose fields
// carry json names, which are also those of its keys in YAML, and a doc tag.
func AddSource[C any](r *Registry, name, version, summary string, build func(C) (Source, error)) {
	add(r, KindSource, name, version, summary, build)
}

// AddStage registers a stage, which must be a Map or a Fold. Defaults, applied in
// order after those of C itself, may rest on all that is registered.
func AddStage[C any](r *Registry, name, version, summary string, build func(C) (Stage, error), defaults ...func(*C)) {
	add(r, KindStage, name, version, summary, func(c C) (Stage, error) {
		s, err := build(c)
		if err != nil {
			return nil, err
		}
		_, isMap := s.(Map)
		_, isFold := s.(Fold)
		if isMap == isFold {
			return nil, fmt.Errorf("stage %q must implement exactly one of Map and Fold", name)
		}
		return s, nil
	}, defaults...)
}

// AddGate registers a gate. Defaults are as for a stage.
func AddGate[C any](r *Registry, name, version, summary string, build func(C) (Gate, error), defaults ...func(*C)) {
	add(r, KindGate, name, version, summary, build, defaults...)
}

func add[C, P any](r *Registry, kind Kind, name, version, summary string, build func(C) (P, error), defaults ...func(*C)) {
	if name == "" || version == "" || strings.ContainsAny(name, " \t\n:") {
		r.errs = append(r.errs, fmt.Errorf("register %s %q version %q: a plugin needs a name without spaces and a version", kind, name, version))
		return
	}
	if _, taken := r.plugins[kind][name]; taken {
		r.errs = append(r.errs, fmt.Errorf("register %s %q: the name is taken", kind, name))
		return
	}
	r.plugins[kind][name] = &Plugin{
		Kind: kind, Name: name, Version: version, Summary: summary,
		NewConfig: func() any {
			c := new(C)
			if d, ok := any(c).(Defaulter); ok {
				d.SetDefaults()
			}
			for _, set := range defaults {
				set(c)
			}
			return c
		},
		construct: func(cfg any) (any, error) {
			c, ok := cfg.(*C)
			if !ok {
				return nil, fmt.Errorf("%s %q: configuration is %T, want %T", kind, name, cfg, new(C))
			}
			return build(*c)
		},
	}
}

// AddTool registers how to learn the version of a tool that a Spec names.
func (r *Registry) AddTool(name string, version ToolVersion) {
	if _, taken := r.tools[name]; taken {
		r.errs = append(r.errs, fmt.Errorf("register tool %q: the name is taken", name))
		return
	}
	r.tools[name] = version
}

// ToolNames lists the registered tools, sorted.
func (r *Registry) ToolNames() []string {
	return slices.Sorted(maps.Keys(r.tools))
}

// Tool finds how to learn a tool's version.
func (r *Registry) Tool(name string) (ToolVersion, bool) {
	v, ok := r.tools[name]
	return v, ok
}

// Err reports everything that went wrong while registering.
func (r *Registry) Err() error { return errors.Join(r.errs...) }

// Plugin finds a plugin.
func (r *Registry) Plugin(kind Kind, name string) (*Plugin, bool) {
	p, ok := r.plugins[kind][name]
	return p, ok
}

// Names lists the plugins of a kind, sorted.
func (r *Registry) Names(kind Kind) []string {
	var names []string
	for n := range r.plugins[kind] {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// DefaultSpec returns the Spec of a plugin under its defaults. It is false where this
// program has none of the name, or the defaults do not suffice.
func (r *Registry) DefaultSpec(kind Kind, name string) (Spec, bool) {
	p, ok := r.Plugin(kind, name)
	if !ok {
		return Spec{}, false
	}
	built, err := p.Build(p.NewConfig())
	if err != nil {
		return Spec{}, false
	}
	s, ok := built.(Built)
	if !ok {
		return Spec{}, false
	}
	return s.Spec(), true
}

// Build constructs the plugin from a configuration made by NewConfig: a
// Source, Stage or Gate according to its kind.
func (p *Plugin) Build(cfg any) (any, error) { return p.construct(cfg) }

// BuildRaw constructs the plugin from the canonical configuration of a Task.
func (p *Plugin) BuildRaw(raw RawConfig) (any, error) {
	cfg := p.NewConfig()
	if err := decodeStrict(raw, cfg); err != nil {
		return nil, fmt.Errorf("%s %q: configuration: %w", p.Kind, p.Name, err)
	}
	return p.construct(cfg)
}

// Built is a constructed Source, Map, Fold or Gate.
type Built interface{ Spec() Spec }

// Build constructs the plugin that an identity names and checks that the identity
// was made for it.
func (r *Registry) Build(id Identity) (Built, error) {
	plugin, ok := r.Plugin(id.Kind, id.Use)
	if !ok {
		return nil, fmt.Errorf("no %s is called %q; `memforge %ss list` shows those there are", id.Kind, id.Use, id.Kind)
	}
	if plugin.Version != id.Version {
		return nil, fmt.Errorf("%s %q has version %s here, the task was made for %s; run both with one build of memforge", id.Kind, id.Use, plugin.Version, id.Version)
	}
	built, err := plugin.BuildRaw(id.Config)
	if err != nil {
		return nil, err
	}
	s, ok := built.(Built)
	if !ok {
		return nil, fmt.Errorf("%s %q has no Spec method", id.Kind, id.Use)
	}
	return s, nil
}

// Gate constructs the gate that an identity describes. ErrOtherPlugin says that
// this program has none of that name and version.
func (r *Registry) Gate(id Identity) (Gate, error) {
	if p, ok := r.Plugin(KindGate, id.Use); !ok || p.Version != id.Version {
		return nil, fmt.Errorf("gate %s of version %s: %w", id.Use, id.Version, ErrOtherPlugin)
	}
	id.Kind = KindGate
	built, err := r.Build(id)
	if err != nil {
		return nil, err
	}
	g, ok := built.(Gate)
	if !ok {
		return nil, fmt.Errorf("%q is registered as a gate and is none", id.Use)
	}
	return g, nil
}

// ErrOtherPlugin says that a plugin is unknown to this program, or known in
// another version.
var ErrOtherPlugin = errors.New("this program does not have it")

// Extend registers something of a kind that this package knows nothing of, such as
// an export format. The package that knows it wraps Extend and Extensions with its
// type; others call these.
func (r *Registry) Extend(kind, name string, v any) {
	if name == "" {
		r.errs = append(r.errs, fmt.Errorf("register %s: it needs a name", kind))
		return
	}
	if _, taken := r.extensions[kind][name]; taken {
		r.errs = append(r.errs, fmt.Errorf("register %s %q: the name is taken", kind, name))
		return
	}
	if r.extensions[kind] == nil {
		r.extensions[kind] = map[string]any{}
	}
	r.extensions[kind][name] = v
}

// Extensions returns what was registered of a kind, by name.
func Extensions[T any](r *Registry, kind string) (out []T) {
	for _, name := range slices.Sorted(maps.Keys(r.extensions[kind])) {
		if v, ok := r.extensions[kind][name].(T); ok {
			out = append(out, v)
		}
	}
	return out
}

// Identify completes an identity of which plugin, configuration and models are
// decided with what this program and this machine add: versions of tools, digests
// of prompts, versions of built-in rules and of question checks.
func (r *Registry) Identify(ctx context.Context, id Identity) (Identity, error) {
	built, err := r.Build(id)
	if err != nil {
		return id, err
	}
	return id, r.Complete(ctx, &id, built.Spec())
}

// Complete is Identify with the plugin's Spec at hand.
func (r *Registry) Complete(ctx context.Context, id *Identity, spec Spec) error {
	id.Tools, id.Prompts, id.Rules = nil, nil, nil
	for _, name := range spec.Tools {
		version, err := r.toolVersion(ctx, name)
		if err != nil {
			return err
		}
		id.Tools = setEntry(id.Tools, name, version)
	}
	for _, a := range spec.Asks {
		if a.Prompt != "" {
			id.Prompts = setEntry(id.Prompts, a.Task, a.Prompt)
		}
		if _, live := id.Models[a.Role]; live {
			continue
		}
		rule, ok := r.rules[a.Task]
		if !ok && a.Optional {
			continue
		}
		if !ok {
			return fmt.Errorf("it asks the role %q for %q, which the built-in model cannot answer; give the role to a model in the roles block%s", a.Role, a.Task, otherwiseText(a))
		}
		id.Rules = setEntry(id.Rules, a.Task, rule.version)
	}
	r.resolveChecks(id, spec)
	return nil
}

// versions are those of tools that were asked: a tool is asked once, since every
// task names its version.
type versions struct {
	mu    sync.Mutex
	known map[string]string
}

func (r *Registry) toolVersion(ctx context.Context, name string) (string, error) {
	ask, ok := r.tools[name]
	if !ok {
		return "", fmt.Errorf("it uses the tool %q, which is not registered", name)
	}
	r.versions.mu.Lock()
	defer r.versions.mu.Unlock()
	if v, ok := r.versions.known[name]; ok {
		return v, nil
	}
	v, err := ask(ctx)
	if err != nil {
		return "", fmt.Errorf("tool %s: %w", name, err)
	}
	r.versions.known[name] = v
	return v, nil
}

// Versions returns those of all that this program and this machine bring to a build: of
// plugins, built-in rules, question checks and tools, by kind and name. A tool that is
// not there has the version "none".
func (r *Registry) Versions(ctx context.Context) map[string]string {
	out := map[string]string{}
	for family, version := range r.Derivations() {
		out["derivation "+family] = version
	}
	for kind, plugins := range r.plugins {
		for name, p := range plugins {
			out[string(kind)+" "+name] = p.Version
		}
	}
	for task, rule := range r.rules {
		out["rule "+task] = rule.version
	}
	for family, c := range r.checks {
		out["check "+family] = c.version
	}
	for name := range r.tools {
		version, err := r.toolVersion(ctx, name)
		if err != nil {
			version = "none"
		}
		out["tool "+name] = version
	}
	return out
}

// SourceFile is what a record says of itself to people who look for their file.
type SourceFile struct {
	// File is the path, as in Asset, of the file that the record was read from.
	File string
	// Notes are what is odd about it, although it was taken.
	Notes []schemas.Note
}

// SourceFileReader reads that off a record of one schema. It is pure.
type SourceFileReader func(Record) (SourceFile, error)

// AddSourceFileReader registers the teller of a schema.
func (r *Registry) AddSourceFileReader(schema string, tell SourceFileReader) {
	if _, taken := r.sourceFileReaders[schema]; taken || schema == "" || tell == nil {
		r.errs = append(r.errs, fmt.Errorf("register teller of %q: it needs a schema without one and a function", schema))
		return
	}
	r.sourceFileReaders[schema] = tell
}

// HasSourceFile reports whether records of a schema say something of themselves.
func (r *Registry) HasSourceFile(schema string) bool { return r.sourceFileReaders[schema] != nil }

// SourceFile asks a record; one of a schema without a teller says nothing.
func (r *Registry) SourceFile(rec Record) (SourceFile, error) {
	tell := r.sourceFileReaders[rec.Schema]
	if tell == nil {
		return SourceFile{}, nil
	}
	t, err := tell(rec)
	if err != nil {
		return SourceFile{}, fmt.Errorf("record %s: %w", rec.ID, err)
	}
	return t, nil
}
