package defects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// TestMain lets garbage wait: the tests make much of it and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}

// ffmpeg tells its version for every gate that is run.
var ffmpeg = testkit.CacheVersion(media.Lazy().Version)

// tally counts verdicts against what was planted.
type tally struct{ found, missed, invented, left int }

func count(planted, flagged []bool) (n tally) {
	for i, p := range planted {
		switch {
		case p && flagged[i]:
			n.found++
		case p:
			n.missed++
		case flagged[i]:
			n.invented++
		default:
			n.left++
		}
	}
	return n
}

func (n tally) recall() float64 { return ratio(n.found, n.found+n.missed) }

func (n tally) precision() float64 { return ratio(n.found, n.found+n.invented) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

func (n tally) String() string {
	return fmt.Sprintf("%d of %d planted are flagged, and %d of %d others", n.found, n.found+n.missed, n.invented, n.invented+n.left)
}

// house holds items and runs gates on them as a build does.
type house struct {
	store store.Store
	refs  []pipeline.Ref
	// models answers the roles, when they are given to other models than the
	// built-in one.
	roles  map[string]pipeline.ModelIdentity
	models pipeline.Models
}

func newHouse(t testing.TB, items []pipeline.Record, blobs [][]byte) *house {
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
	h := &house{store: st}
	in := pipeline.Committed{Result: pipeline.Result{Key: pipeline.Key(pipeline.DigestOf([]byte("planted")))}, Records: items}
	for _, b := range blobs {
		blob, err := st.PutBlob(t.Context(), bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		in.Result.Blobs = append(in.Result.Blobs, blob.Digest)
	}
	slices.Sort(in.Result.Blobs)
	in.Result.Blobs = slices.Compact(in.Result.Blobs)
	for _, r := range items {
		ref, err := r.Ref()
		if err != nil {
			t.Fatal(err)
		}
		h.refs = append(h.refs, ref)
	}
	in.Result.Outputs = h.refs
	if err := st.Commit(t.Context(), []pipeline.Committed{in}); err != nil {
		t.Fatal(err)
	}
	return h
}

// judged is what a gate said of each item, in order of the items, and what it
// asked.
type judged struct {
	verdicts []schemas.Verdict
	probes   [][]schemas.Probe
}

// judge runs a gate on all items. change may edit its configuration.
func (h *house) judge(t testing.TB, gate string, change func(config map[string]any)) judged {
	t.Helper()
	reg := pipeline.NewRegistry()
	register(reg)
	reg.AddTool("ffmpeg", ffmpeg)
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	step := h.step(t, reg, gate, change)
	task := pipeline.Task{Step: gate, Identity: step.Identity, Each: step.Each, Inputs: h.refs}
	results, err := engine.Execute(t.Context(), engine.Runtime{Registry: reg, Store: h.store, Models: h.models, TempRoot: t.TempDir()}, task)
	if err != nil {
		t.Fatalf("%s: %v", gate, err)
	}
	return h.collect(t, results)
}

// viewer is the gate as judge runs it.
func (h *house) viewer(t testing.TB, gate string, change func(config map[string]any)) pipeline.Viewer {
	t.Helper()
	reg := pipeline.NewRegistry()
	register(reg)
	reg.AddTool("ffmpeg", ffmpeg)
	plugin, _ := reg.Plugin(pipeline.KindGate, gate)
	built, err := plugin.BuildRaw(h.step(t, reg, gate, change).Identity.Config)
	if err != nil {
		t.Fatal(err)
	}
	return built.(pipeline.Viewer)
}

func (h *house) step(t testing.TB, reg *pipeline.Registry, gate string, change func(map[string]any)) engine.Step {
	t.Helper()
	plugin, ok := reg.Plugin(pipeline.KindGate, gate)
	if !ok {
		t.Fatalf("no gate is called %s", gate)
	}
	raw, err := pipeline.Canonical(plugin.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		raw = edited(t, raw, change)
	}
	plan := engine.Plan{Seed: 1, Models: h.roles, Steps: []engine.Step{{
		Name: gate, Kind: pipeline.KindGate, Use: gate, Version: plugin.Version, Config: raw, OnFail: "keep",
	}}}
	steps, err := plan.Resolve(t.Context(), reg)
	if err != nil {
		t.Fatalf("%s: %v", gate, err)
	}
	return steps[0]
}

// collect sorts verdicts and probes by item.
func (h *house) collect(t testing.TB, results []pipeline.Result) judged {
	t.Helper()
	at := map[string]int{}
	for i, r := range h.refs {
		at[r.ID] = i
	}
	out := judged{make([]schemas.Verdict, len(h.refs)), make([][]schemas.Probe, len(h.refs))}
	var digests []pipeline.Digest
	for _, r := range results {
		for _, ref := range r.Outputs {
			digests = append(digests, ref.Digest)
		}
	}
	recs, err := h.store.Records(t.Context(), digests)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		switch r.Schema {
		case schemas.NameVerdict:
			v, err := pipeline.Decode[schemas.Verdict](r)
			if err != nil {
				t.Fatal(err)
			}
			out.verdicts[at[v.Item]] = v
		case schemas.NameProbes:
			asked, err := pipeline.Decode[schemas.Probes](r)
			if err != nil {
				t.Fatal(err)
			}
			out.probes[at[asked.Probes[0].Item]] = asked.Probes
		}
	}
	for i, v := range out.verdicts {
		if v.Item == "" {
			t.Fatalf("no verdict on %s: %+v", h.refs[i].ID, rejections(results))
		}
	}
	return out
}

func rejections(results []pipeline.Result) string {
	var lines []string
	for _, r := range results {
		for _, x := range r.Rejections {
			lines = append(lines, x.ID+": "+x.Reason)
		}
	}
	return strings.Join(lines[:min(3, len(lines))], "; ")
}

func edited(t testing.TB, raw []byte, change func(map[string]any)) []byte {
	t.Helper()
	config := map[string]any{}
	if err := json.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	change(config)
	raw, err := pipeline.Canonical(config)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func itemOf(q *schemas.Question) *pipeline.Item {
	return pipeline.NewItem(schemas.NameQuestion, q.QuestionID, q)
}
