package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
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

// listOf is the list of units, in memory or in a file.
func listOf(t testing.TB, units []pipeline.Unit, large int) *unitList {
	t.Helper()
	b, err := EncodeUnits(units)
	if err != nil {
		t.Fatal(err)
	}
	l, err := loadList(t.Context(), oneBlob{b: b}, pipeline.DigestOf(b), t.TempDir(), large)
	if err != nil || (l.file != nil) != (len(b) > large) {
		t.Fatalf("%d bytes, in a file %t, %v", len(b), l != nil && l.file != nil, err)
	}
	t.Cleanup(func() { l.close() })
	return l
}

// oneBlob is a store with one blob.
type oneBlob struct {
	pipeline.Store
	b []byte
}

func (o oneBlob) OpenBlob(context.Context, pipeline.Digest) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(o.b)), nil
}

// TestAListIsWrittenFromAnother with the bytes that it has without one.
func TestAListIsWrittenFromAnother(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		last := drawnUnits(r)
		f := StepResult{known: listOf(t, last, r.IntN(2)<<20)}
		var all []pipeline.Unit
		for i, u := range last {
			switch r.IntN(3) {
			case 0:
				f.again, all = append(f.again, int32(i)), append(all, u)
			case 1:
				u.In = drawnRef(r, u.In.ID)
				f.New, all = append(f.New, u), append(all, u)
			}
			if more := u; r.IntN(9) == 0 {
				more.In = drawnRef(r, u.In.ID+"+")
				f.New, all = append(f.New, more), append(all, more)
			}
		}
		want, err := EncodeUnits(all)
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Encode()
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d new units and %v of %d give other bytes (%v)", len(f.New), f.again, len(last), err)
		}
		for _, before := range [][]string{{"a"}, {"d", "b"}} {
			if got, want := amongOthers(t, f, before), amongOthers(t, StepResult{New: all}, before); !bytes.Equal(got, want) {
				t.Fatalf("after %q %d new units and %v of %d give other bytes", before, len(f.New), f.again, len(last))
			}
		}
		gone := 0
		for u, err := range f.known.others(f.again) {
			if err != nil || slices.ContainsFunc(f.again, func(i int32) bool { return last[i].In == u.In }) {
				t.Fatalf("%s is among the others (%v)", u.In.ID, err)
			}
			gone++
		}
		if gone+len(f.again) != len(last) {
			t.Fatalf("%d others and %d of %d", gone, len(f.again), len(last))
		}
	}
}

// amongOthers writes units as a state does: after those of other nodes, which mentioned
// schemas before.
func amongOthers(t *testing.T, f StepResult, schemas []string) []byte {
	t.Helper()
	w := unitWriter{schemas: map[string]uint64{}, agreed: 1}
	for i, s := range schemas {
		w.schemas[s] = uint64(i)
	}
	if err := w.units(f); err != nil {
		t.Fatal(err)
	}
	return w.b
}

// TestAnInputIsKnown if it is that of a unit, in whatever order inputs come.
func TestAnInputIsKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	units := drawnUnits(r)
	for range 50 {
		n := &stepState{lastUnits: listOf(t, units, r.IntN(2)<<20)}
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
		if len(n.again) != known {
			t.Fatalf("%d of %d are noted", len(n.again), known)
		}
	}
	none := &stepState{}
	if _, ok, err := none.lookUpLast(units[0].In); ok || err != nil {
		t.Errorf("without a list it is known (%v)", err)
	}
}

func TestAListOfBeforeIsKnown(t *testing.T) {
	b, err := os.ReadFile("testdata/units1.gz")
	if err != nil {
		t.Fatal(err)
	}
	l, err := newList(b)
	if err != nil || l.len() != len(someUnits()) {
		t.Fatalf("%d units, %v", l.len(), err)
	}
	for i, want := range someUnits() {
		if got, err := l.unit(i); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("unit %d is %+v, %v", i, got, err)
		}
	}
}

// TestAListThatGoesAwayIsAnError and not one without the units.
func TestAListThatGoesAwayIsAnError(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	var units []pipeline.Unit
	for i := range 2000 { // more than is read at once
		units = append(units, pipeline.Unit{In: drawnRef(r, fmt.Sprintf("in-%04d", i)), Key: pipeline.Key(pipeline.DigestOf(nil))})
	}
	l := listOf(t, units, 0)
	if u, err := l.unit(1500); err != nil || !reflect.DeepEqual(u, units[1500]) {
		t.Fatalf("%+v, %v", u, err)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	n := &stepState{lastUnits: l}
	if _, ok, err := n.lookUpLast(units[10].In); ok || !errors.Is(err, os.ErrClosed) {
		t.Errorf("known %t, %v", ok, err)
	}
	if _, err := l.raw(10); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestADamagedListIsNotKnown(t *testing.T) {
	good, err := EncodeUnits(someUnits())
	if err != nil {
		t.Fatal(err)
	}
	many := append([]byte(unitsMark), 0xff, 0xff, 0xff, 0xff, 0x7f)
	for name, b := range map[string][]byte{"cut": good[:len(good)-4], "trailing": append(bytes.Clone(good), 'x'), "too many": many, "neither": []byte("{}")} {
		if l, err := newList(b); err == nil {
			t.Errorf("%s: a list of %d units", name, l.len())
		}
		dir := t.TempDir()
		if l, err := newFileList(bytes.NewReader(b), dir); err == nil {
			t.Errorf("%s: a list of %d units in a file", name, l.len())
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%s: %d files are left (%v)", name, len(left), err)
		}
	}
}
