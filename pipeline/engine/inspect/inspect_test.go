package inspect_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/explain"
	"github.com/memforge/memforge/pipeline/engine/inspect"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

// TestInspector: of every step the last run is shown, of a trial too, with what it gave and lost.
func TestInspector(t *testing.T) {
	ctx := t.Context()
	st, err := store.Open(ctx, t.TempDir())
	storetest.MustDo(t, err)
	defer st.Close()
	if _, err := inspect.Open(ctx, st); !errors.Is(err, explain.ErrNoBuild) {
		t.Errorf("without a build: %v", err)
	}
	refs := map[string]pipeline.Ref{}
	for _, name := range []string{"a", "b", "c"} {
		o := storetest.Outcome(t, name)
		storetest.CommitAll(t, st, []pipeline.Committed{o})
		refs[name] = o.Result.Outputs[0]
	}
	units := func(list ...pipeline.Unit) pipeline.Digest {
		b, err := engine.EncodeUnits(list)
		storetest.MustDo(t, err)
		blob, err := st.PutBlob(ctx, bytes.NewReader(b))
		storetest.MustDo(t, err)
		return blob.Digest
	}
	key := storetest.KeyOf("k")
	lost := []pipeline.Rejection{{ID: "b", Code: "odd", Reason: "it is odd"}}
	read := units(pipeline.Unit{Key: key, Out: []pipeline.Ref{refs["a"], refs["b"]}})
	passed := units(
		pipeline.Unit{In: refs["a"], Key: key, Out: []pipeline.Ref{refs["a"], refs["c"]}}, pipeline.Unit{In: refs["b"], Key: key, Rejections: lost}, pipeline.Unit{In: refs["c"], Key: key, Out: []pipeline.Ref{refs["c"]}})
	storetest.Put(t, st, "no units")
	older := units(pipeline.Unit{Key: key, Out: []pipeline.Ref{refs["c"]}})
	storetest.MustDo(t, st.SaveBuild(ctx, pipeline.Build{Steps: []pipeline.BuildStep{{Name: "read", UnitList: older}, {Name: "old", UnitList: older}, {Name: "pass", UnitList: older}}}))
	storetest.MustDo(t, st.SaveBuild(ctx, pipeline.Build{Steps: []pipeline.BuildStep{{Name: "read", UnitList: read}}, Trial: "of some records"}))
	storetest.MustDo(t, st.SaveBuild(ctx, pipeline.Build{Steps: []pipeline.BuildStep{{Name: "pass", UnitList: passed}, {Name: "lost", UnitList: pipeline.DigestOf([]byte("no units"))}}}))
	b, err := inspect.Open(ctx, st)
	storetest.MustDo(t, err)

	for name, want := range map[string]string{"read": "of some records", "pass": "", "old": "", "lost": ""} {
		if n, ok := b.Step(name); !ok || n.Name != name || n.Trial != want {
			t.Errorf("step %s: %+v, %t", name, n, ok)
		}
	}
	if _, ok := b.Step("other"); ok {
		t.Error("a step is found that no build made")
	}
	for name, want := range map[string]string{"read": "a b", "pass": "a c", "old": "c"} {
		for range 2 { // the second time from memory
			out, err := b.Outputs(ctx, name)
			var ids []string
			for _, r := range out {
				ids = append(ids, r.ID)
			}
			if strings.Join(ids, " ") != want || err != nil {
				t.Errorf("step %s gives %v, %v; want %s", name, ids, err, want)
			}
		}
	}
	if got, err := b.Rejections(ctx, "pass"); fmt.Sprint(got) != fmt.Sprint(lost) || err != nil {
		t.Errorf("lost: %v, %v", got, err)
	}
	recs, err := b.Records(ctx, []pipeline.Ref{refs["c"], refs["a"]})
	if err != nil || len(recs) != 2 || recs[0].ID != "c" || recs[1].ID != "a" {
		t.Errorf("records %v, %v", recs, err)
	}
	for name, want := range map[string]string{"other": "no build has made step other", "lost": "step lost: "} {
		_, err1 := b.Units(ctx, name)
		_, err2 := b.Outputs(ctx, name)
		_, err3 := b.Rejections(ctx, name)
		for _, err := range []error{err1, err2, err3} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("step %s: %v, want %q", name, err, want)
			}
		}
	}
	if _, err := b.Records(ctx, []pipeline.Ref{{ID: "x", Digest: pipeline.DigestOf([]byte("x"))}}); err == nil {
		t.Error("a record that is not there is loaded")
	}
	if _, err := b.PlacesOf(ctx, "a"); err == nil || !strings.HasPrefix(err.Error(), "step lost: ") {
		t.Errorf("places with a step that cannot be read: %v", err)
	}

	// Without the lost step each record has its places.
	storetest.MustDo(t, st.SaveBuild(ctx, pipeline.Build{Steps: []pipeline.BuildStep{{Name: "pass", UnitList: passed}, {Name: "lost", UnitList: older}}}))
	b, err = inspect.Open(ctx, st)
	storetest.MustDo(t, err)
	for id, want := range map[string]string{
		"a": "pass gives, reads; read gives", "b": "pass loses, reads; read gives", "c": "pass gives; pass gives, reads; lost gives; old gives", "x": "",
	} {
		places, err := b.PlacesOf(ctx, id)
		var got []string
		for _, p := range places {
			var does []string
			if p.Given != nil && p.Given.ID == id {
				does = append(does, "gives")
			}
			if p.Lost != nil && p.Lost.ID == id {
				does = append(does, "loses")
			}
			if p.Read {
				does = append(does, "reads")
			}
			got = append(got, p.Node.Name+" "+strings.Join(does, ", "))
		}
		var unknown *explain.NotFoundError
		if strings.Join(got, "; ") != want || errors.As(err, &unknown) != (want == "") {
			t.Errorf("%s: %q, %v; want %q", id, got, err, want)
		}
	}
}
