package gates

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// roleJudge is asked about sessions.
const roleJudge = "judge"

// bench runs gates over sessions through a model server.
type bench struct {
	t        testing.TB
	registry *pipeline.Registry
	store    store.Store
	roles    map[string]pipeline.ModelIdentity
	models   *client.Client
	refs     []pipeline.Ref
}

func newBench(t testing.TB, server *testkit.ModelServer, all []schemas.Session, blobs map[string][]byte) *bench {
	t.Helper()
	var records []pipeline.Record
	for _, s := range all {
		records = append(records, sessionRecord(t, s))
	}
	return newBenchOf(t, server, records, blobs)
}

// newBenchOf is a bench over records; without a server the built-in model plays all roles.
func newBenchOf(t testing.TB, server *testkit.ModelServer, records []pipeline.Record, blobs map[string][]byte) *bench {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	b := &bench{t: t, registry: pipeline.NewRegistry(), store: st}
	Register(b.registry)
	if server != nil {
		b.roles, b.models = server.Live(t, roleJudge)
	}
	in := pipeline.Committed{Result: pipeline.Result{Key: pipeline.Key(pipeline.DigestOf([]byte("sessions")))}}
	for _, id := range slices.Sorted(maps.Keys(blobs)) {
		blob, err := st.PutBlob(t.Context(), bytes.NewReader(blobs[id]))
		if err != nil {
			t.Fatal(err)
		}
		in.Result.Blobs = append(in.Result.Blobs, blob.Digest)
	}
	slices.Sort(in.Result.Blobs)
	for _, r := range records {
		ref, err := r.Ref()
		if err != nil {
			t.Fatal(err)
		}
		b.refs = append(b.refs, ref)
		in.Records = append(in.Records, r)
		in.Result.Outputs = append(in.Result.Outputs, ref)
	}
	if err := st.Commit(t.Context(), []pipeline.Committed{in}); err != nil {
		t.Fatal(err)
	}
	return b
}

func sessionRecord(t testing.TB, s schemas.Session) pipeline.Record {
	t.Helper()
	var blobs []pipeline.Digest
	for _, turn := range s.Turns {
		for _, a := range turn.Attachments {
			if d, err := pipeline.ParseDigest(a.MediaID); err == nil && !slices.Contains(blobs, d) {
				blobs = append(blobs, d)
			}
		}
	}
	r, err := pipeline.NewRecord(schemas.NameSession, s.SessionID, s, blobs...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verdictOf is what a gate says of a session, with its probes.
type verdictOf struct {
	schemas.Verdict
	probes []schemas.Probe
}

// run judges every session under one gate.
func (b *bench) run(gate string) (map[string]verdictOf, []pipeline.Rejection, error) {
	b.t.Helper()
	p, _ := b.registry.Plugin(pipeline.KindGate, gate)
	raw, err := pipeline.Canonical(p.NewConfig())
	if err != nil {
		b.t.Fatal(err)
	}
	plan := engine.Plan{Seed: 1, Models: b.roles, Steps: []engine.Step{{
		Name: gate, Kind: pipeline.KindGate, Use: gate, Version: p.Version, Config: raw, OnFail: "drop",
	}}}
	steps, err := plan.Resolve(b.t.Context(), b.registry)
	if err != nil {
		b.t.Fatal(err)
	}
	results, err := engine.Execute(b.t.Context(), engine.Runtime{Registry: b.registry, Store: b.store, Models: b.models, TempRoot: b.t.TempDir()},
		pipeline.Task{Step: gate, Each: steps[0].Each, Identity: steps[0].Identity, Inputs: b.refs})
	if err != nil {
		return nil, nil, err
	}
	out, lost := map[string]verdictOf{}, []pipeline.Rejection{}
	for _, r := range results {
		lost = append(lost, r.Rejections...)
		b.collect(out, r)
	}
	return out, lost, nil
}

func (b *bench) collect(out map[string]verdictOf, r pipeline.Result) {
	b.t.Helper()
	var ds []pipeline.Digest
	for _, ref := range r.Outputs {
		ds = append(ds, ref.Digest)
	}
	recs, err := b.store.Records(b.t.Context(), ds)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, rec := range recs {
		switch rec.Schema {
		case schemas.NameVerdict:
			v, err := pipeline.Decode[schemas.Verdict](rec)
			if err != nil {
				b.t.Fatal(err)
			}
			out[v.Item] = verdictOf{v, out[v.Item].probes}
		case schemas.NameProbes:
			asked, err := pipeline.Decode[schemas.Probes](rec)
			if err != nil {
				b.t.Fatal(err)
			}
			item := asked.Probes[0].Item
			out[item] = verdictOf{out[item].Verdict, asked.Probes}
		}
	}
}

// must is run for a gate that cannot fail.
func (b *bench) must(gate string) map[string]verdictOf {
	b.t.Helper()
	out, _, err := b.run(gate)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

func openLedger(t testing.TB) *ledger.Ledger {
	t.Helper()
	book, err := ledger.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	return book
}
