package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// drawnUnits are units of inputs 0 to 39, sorted, in which each part is drawn.
func drawnUnits(r *rand.Rand) (units []pipeline.Unit) {
	for i := range 40 {
		if r.IntN(4) == 0 {
			continue
		}
		u := pipeline.Unit{In: drawnRef(r, fmt.Sprintf("in-%02d", i))}
		u.Key = pipeline.Key(pipeline.DigestOf([]byte(u.In.Digest)))
		for k := range r.IntN(3) {
			u.Out = append(u.Out, drawnRef(r, fmt.Sprintf("out-%02d-%d", i, k)))
		}
		if r.IntN(3) == 0 {
			u.Out = append(u.Out, u.In)
		}
		if r.IntN(5) == 0 {
			u.Rejections = []pipeline.Rejection{{ID: u.In.ID, Code: "c", Reason: "é <r>"}}
		}
		units = append(units, u)
	}
	return units
}

func drawnRef(r *rand.Rand, id string) pipeline.Ref {
	return pipeline.Ref{ID: id, Schema: string(rune('a' + r.IntN(4))), Digest: pipeline.DigestOf(fmt.Append(nil, r.IntN(1<<20)))}
}

// listOf is the list of units as it is stored.
func listOf(t testing.TB, units []pipeline.Unit) *unitList {
	t.Helper()
	b, err := EncodeUnits(units)
	if err != nil {
		t.Fatal(err)
	}
	l, err := openUnitList(t.Context(), storeOf(t, b), pipeline.DigestOf(b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.close() })
	return l
}

// oneBlob is a store with one blob.
type oneBlob struct {
	pipeline.Store
	path string
}

func storeOf(t testing.TB, b []byte) oneBlob {
	t.Helper()
	path := filepath.Join(t.TempDir(), "blob")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return oneBlob{path: path}
}

func (o oneBlob) BlobPath(context.Context, pipeline.Digest) (string, error) { return o.path, nil }

// TestAListIsWrittenFromAnother with the bytes that it has without one.
func TestAListIsWrittenFromAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		last := drawnUnits(r)
		d, err := NewScheduler(t.Context(), Runtime{Store: noResults{}, TempRoot: t.TempDir()}, []Step{step("src", false), step("map", true, "src")}, nil, SchedulerOptions{MaxHeld: 1 + r.IntN(2)<<10})
		if err != nil {
			t.Fatal(err)
		}
		n, made := d.state.index["map"], d.steps[1].Step
		n.last = listOf(t, last)
		keep := func(u pipeline.Unit) {
			if err := d.keep(made, u); err != nil {
				t.Fatal(err)
			}
		}
		var all []pipeline.Unit
		for i, u := range last {
			switch r.IntN(3) {
			case 0:
				n.reused, all = append(n.reused, int32(i)), append(all, u)
			case 1:
				u.In = drawnRef(r, u.In.ID)
				keep(u)
				all = append(all, u)
			}
			if more := u; r.IntN(9) == 0 {
				more.In = drawnRef(r, u.In.ID+"+")
				keep(more)
				all = append(all, more)
			}
		}
		want, err := EncodeUnits(all)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		d.rt.Store = blobWriter{&got, nil}
		if _, err := d.storeUnits(t.Context(), &StepRun{Step: made}); err != nil || !bytes.Equal(got.Bytes(), want) {
			t.Fatalf("%d units, %v of %d from the last run, give other bytes (%v)", len(all), n.reused, len(last), err)
		}
		gone := 0
		for u, err := range n.last.except(n.reused) {
			if err != nil || slices.ContainsFunc(n.reused, func(i int32) bool { return last[i].In == u.In }) {
				t.Fatalf("%s is among the others (%v)", u.In.ID, err)
			}
			gone++
		}
		if gone+len(n.reused) != len(last) {
			t.Fatalf("%d others and %d of %d", gone, len(n.reused), len(last))
		}
	}
}

// blobWriter is a store that writes the bytes of a blob.
type blobWriter struct {
	io.Writer
	pipeline.Store
}

func (w blobWriter) PutBlob(_ context.Context, r io.Reader) (pipeline.Blob, error) {
	_, err := io.Copy(w, r)
	return pipeline.Blob{}, err
}

// noResults is a store that remembers nothing.
type noResults struct{ pipeline.Store }

func (noResults) Results(context.Context, []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	return nil, nil
}

// TestAnInputIsKnown if it is that of a unit, in whatever order inputs come.
func TestAnInputIsKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	units := drawnUnits(r)
	for range 50 {
		n := &stepState{last: listOf(t, units)}
		asked := slices.Clone(units)
		if r.IntN(2) == 0 {
			r.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
		}
		known := 0
		for _, want := range asked {
			in, changed := want.In, r.IntN(3)
			switch changed {
			case 0:
				in = drawnRef(r, in.ID)
			case 1:
				in.ID += "+"
			}
			got, ok, err := n.lookUpLast(in)
			if err != nil || ok != (changed == 2) || ok && !reflect.DeepEqual(got, want) {
				t.Fatalf("%+v gave %+v, %v, %v", in, got, ok, err)
			}
			if ok {
				known++
			}
		}
		if len(n.reused) != known {
			t.Fatalf("%d of %d are noted", len(n.reused), known)
		}
	}
	none := &stepState{}
	if _, ok, err := none.lookUpLast(units[0].In); ok || err != nil {
		t.Errorf("without a list it is known (%v)", err)
	}
}

// TestAListOfBeforeIsNotKnown: what it names is looked up in the store, one by one.
func TestAListOfBeforeIsNotKnown(t *testing.T) {
	b, err := os.ReadFile("testdata/units1.gz")
	if err != nil {
		t.Fatal(err)
	}
	if l, err := openUnitList(t.Context(), storeOf(t, b), pipeline.DigestOf(b)); l != nil || err != nil {
		t.Errorf("%v, %v", l, err)
	}
}

// TestAListThatGoesAwayIsAnError and not one without the units.
func TestAListThatGoesAwayIsAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var units []pipeline.Unit
	for i := range 2000 { // more than is read at once
		units = append(units, pipeline.Unit{In: drawnRef(r, fmt.Sprintf("in-%04d", i)), Key: pipeline.Key(pipeline.DigestOf(nil))})
	}
	l := listOf(t, units)
	if u, err := l.unit(1500); err != nil || !reflect.DeepEqual(u, units[1500]) {
		t.Fatalf("%+v, %v", u, err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	n := &stepState{last: l}
	if _, ok, err := n.lookUpLast(units[10].In); ok || !errors.Is(err, os.ErrClosed) {
		t.Errorf("known %t, %v", ok, err)
	}
}

func TestADamagedListIsNotKnown(t *testing.T) {
	good, err := EncodeUnits(someUnits())
	if err != nil {
		t.Fatal(err)
	}
	many := append([]byte(unitsMark), 0xff, 0xff, 0xff, 0xff, 0x7f)
	for name, b := range map[string][]byte{"cut": good[:len(good)-4], "trailing": append(bytes.Clone(good), 'x'), "too many": many, "neither": []byte("{}")} {
		if l, err := newUnitList(bytes.NewReader(b), int64(len(b))); err == nil {
			t.Errorf("%s: a list of %d units", name, l.count)
		}
	}
}
