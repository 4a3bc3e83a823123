package testkit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/schemas"
)

// Subject is a plugin under test and a small input it works on.
type Subject struct {
	// Register adds the plugin and the tools it names.
	Register func(*pipeline.Registry)
	// Use is the plugin's registered name.
	Use string
	// Config is a value of the plugin's configuration type; nil means its
	// defaults.
	Config any
	// Seed of the plan; 0 means 1.
	Seed uint64
	// Inputs of a stage or gate, in any order. A source has none.
	Inputs []pipeline.Record
	// Assets of a source.
	Assets []pipeline.Asset
	// Blobs are the bytes that Inputs and Assets name by digest.
	Blobs [][]byte
	// Types checks the data of output schemas that the package schemas does
	// not know; see Typed.
	Types map[string]func(pipeline.Record) error
	// Roles and Models give roles that the plugin asks to other models than the
	// built-in one; see ModelServer.Live.
	Roles  map[string]pipeline.ModelIdentity
	Models pipeline.Models
	// Faults bounds how many writes are made to fail, one at a time, the first and
	// the last among them; 0 is 4. Each costs a run or two: a slow plugin may ask
	// for 2.
	Faults int64
	// Golden is the expected "<plugin version> <digest of the
	// results>": bytes that change without a new version fail. Leave it empty
	// where a tool's version shapes the bytes.
	Golden string
	// Unpinned says why there is no Golden, where there cannot be one: another
	// version of a tool gives other bytes. With neither the suite fails.
	Unpinned string
}

// DecodeAll are the records of a schema, by their type.
func DecodeAll[T any](t *testing.T, schema string, rs []pipeline.Record) []T {
	t.Helper()
	var out []T
	for _, r := range rs {
		if r.Schema != schema {
			continue
		}
		v, err := pipeline.Decode[T](r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// DecodesTo checks that a record decodes strictly to T.
func DecodesTo[T any](r pipeline.Record) error {
	_, err := pipeline.Decode[T](r)
	return err
}

// decoders are the record types of package schemas.
var decoders = map[string]func(pipeline.Record) error{
	schemas.NameFilm:         DecodesTo[schemas.Film],
	schemas.NameVideo:        DecodesTo[schemas.Video],
	schemas.NamePair:         DecodesTo[schemas.Pair],
	schemas.NameComposition:  DecodesTo[schemas.Composition],
	schemas.NameTrial:        DecodesTo[schemas.Trial],
	schemas.NameQuestion:     DecodesTo[schemas.Question],
	schemas.NameTask:         DecodesTo[schemas.Task],
	schemas.NameMedia:        DecodesTo[schemas.Media],
	schemas.NameStatements:   DecodesTo[schemas.Statements],
	schemas.NameVerdict:      DecodesTo[schemas.Verdict],
	schemas.NameProbes:       DecodesTo[schemas.Probes],
	schemas.NameSession:      DecodesTo[schemas.Session],
	schemas.NameReview:       DecodesTo[schemas.Review],
	schemas.NameSampled:      DecodesTo[schemas.Sampled],
	schemas.NameProposal:     DecodesTo[schemas.Proposal],
	schemas.NameFlagged:      DecodesTo[schemas.Flagged],
	schemas.NameEvidenceItem: DecodesTo[schemas.EvidenceItem],
	schemas.NameProfile:      DecodesTo[schemas.Profile],
}

// fixture is a subject made ready: its task and the registry to run it with.
type fixture struct {
	Subject
	registry *pipeline.Registry
	plugin   *pipeline.Plugin
	spec     pipeline.Spec
	task     pipeline.Task
}

func newFixture(t *testing.T, kind pipeline.Kind, s Subject) *fixture {
	t.Helper()
	f := &fixture{Subject: s, registry: pipeline.NewRegistry()}
	s.Register(f.registry)
	if err := f.registry.Err(); err != nil {
		t.Fatal(err)
	}
	plugin, ok := f.registry.Plugin(kind, s.Use)
	if !ok {
		t.Fatalf("Register adds no %s called %q", kind, s.Use)
	}
	f.plugin = plugin
	step := f.resolve(t)
	f.spec = step.Spec
	f.task = pipeline.Task{Step: step.Name, Identity: step.Identity, Each: step.Each, Assets: s.Assets}
	for _, r := range s.Inputs {
		ref, err := r.Ref()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(f.spec.Accepts, r.Schema) {
			t.Fatalf("input %q has schema %q, which the plugin does not accept", r.ID, r.Schema)
		}
		f.task.Inputs = append(f.task.Inputs, ref)
	}
	slices.SortFunc(f.task.Inputs, func(a, b pipeline.Ref) int { return strings.Compare(a.ID, b.ID) })
	return f
}

func (f *fixture) resolve(t *testing.T) engine.Step {
	t.Helper()
	cfg := f.Config
	if cfg == nil {
		cfg = f.plugin.NewConfig()
	}
	raw, err := pipeline.Canonical(cfg)
	if err != nil {
		t.Fatal(err)
	}
	plan := engine.Plan{Seed: cmp.Or(f.Seed, 1), Models: f.Roles, Steps: []engine.Step{{
		Name: "subject", Kind: f.plugin.Kind, Use: f.Use, Version: f.plugin.Version, Config: raw, OnFail: "drop",
	}}}
	steps, err := plan.Resolve(t.Context(), f.registry)
	if err != nil {
		t.Fatal(err)
	}
	return steps[0]
}

// inputsKey is the key under which the inputs are committed.
var inputsKey = pipeline.Key(pipeline.DigestOf([]byte("pipelinetest inputs")))

// newStore makes a disk store that holds the inputs.
func (f *fixture) newStore(t *testing.T) store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	in := pipeline.Committed{Result: pipeline.Result{Key: inputsKey, Outputs: f.task.Inputs}}
	for _, b := range f.Blobs {
		blob, err := st.PutBlob(t.Context(), bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		in.Result.Blobs = append(in.Result.Blobs, blob.Digest)
	}
	slices.Sort(in.Result.Blobs)
	in.Records = slices.SortedFunc(slices.Values(f.Inputs), func(a, b pipeline.Record) int { return strings.Compare(a.ID, b.ID) })
	if err := st.Commit(t.Context(), []pipeline.Committed{in}); err != nil {
		t.Fatal(err)
	}
	return st
}

func (f *fixture) execute(ctx context.Context, t *testing.T, st pipeline.Store, task pipeline.Task) ([]pipeline.Result, error) {
	t.Helper()
	return engine.Execute(ctx, engine.Runtime{Registry: f.registry, Store: st, Models: f.Models, TempRoot: t.TempDir()}, task)
}

// must executes the subject's task and fails the test on an error.
func (f *fixture) must(t *testing.T, st pipeline.Store) []pipeline.Result {
	t.Helper()
	results, err := f.execute(t.Context(), t, st, f.task)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// outputs reads the records that results name.
func outputs(t *testing.T, st pipeline.Store, results []pipeline.Result) []pipeline.Record {
	t.Helper()
	var ds []pipeline.Digest
	for _, r := range results {
		for _, ref := range r.Outputs {
			ds = append(ds, ref.Digest)
		}
	}
	records, err := st.Records(t.Context(), ds)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// check decodes a record as its schema says.
func (f *fixture) check(r pipeline.Record) error {
	types := maps.Clone(decoders)
	maps.Copy(types, f.Types)
	decode, ok := types[r.Schema]
	if !ok {
		return errors.New("no type is known for schema " + r.Schema + "; name it in Subject.Types")
	}
	return decode(r)
}

// resultText shows results so that equal ones are equal.
func resultText(t *testing.T, results []pipeline.Result) string {
	t.Helper()
	b, err := json.MarshalIndent(results, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
