package engine

import (
	"bytes"
	"os"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

func someUnits() []pipeline.Unit {
	d := pipeline.DigestOf([]byte("x"))
	return []pipeline.Unit{
		{Key: pipeline.Key(d)},
		{In: pipeline.Ref{ID: "a<b>&", Schema: "video", Digest: d}, Key: pipeline.Key(d), Out: []pipeline.Ref{{ID: "é", Schema: "pair", Digest: d}}},
		{In: pipeline.Ref{ID: "ab", Schema: "pair", Digest: d}, Key: pipeline.Key(d), Out: []pipeline.Ref{{ID: "ab", Schema: "pair", Digest: d}, {ID: "ab/2", Schema: "video", Digest: d}}},
		{In: pipeline.Ref{ID: "b", Schema: "video", Digest: d}, Key: pipeline.Key(d), Rejections: []pipeline.Rejection{{ID: "b", Code: "c", Reason: "r\n", Flagged: true}}},
	}
}

func decodeUnits(b []byte) (units []pipeline.Unit, err error) {
	for u, err := range ReadUnits(bytes.NewReader(b)) {
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

func TestUnitsRoundTrip(t *testing.T) {
	for _, want := range [][]pipeline.Unit{nil, someUnits()[:1], someUnits()} {
		b, err := EncodeUnits(want)
		if err != nil {
			t.Fatal(err)
		}
		again, err := EncodeUnits(want)
		if err != nil || !bytes.Equal(b, again) {
			t.Fatalf("second encoding differs (%v)", err)
		}
		got, err := decodeUnits(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

// TestUnitsOfBeforeAreRead: stores keep lists that were written as gzipped JSON.
func TestUnitsOfBeforeAreRead(t *testing.T) {
	b, err := os.ReadFile("testdata/units1.gz")
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeUnits(b)
	if err != nil || !reflect.DeepEqual(got, someUnits()) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestUnitsThatNoListHolds(t *testing.T) {
	for name, u := range map[string]pipeline.Unit{
		"a key that is no digest":    {Key: "k"},
		"an output without a digest": {Key: someUnits()[0].Key, Out: []pipeline.Ref{{ID: "a", Schema: "s"}}},
		"an input of half a digest":  {Key: someUnits()[0].Key, In: pipeline.Ref{ID: "a", Schema: "s", Digest: "00"}},
	} {
		if _, err := EncodeUnits([]pipeline.Unit{u}); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestDecodeUnitsRefusesDamage(t *testing.T) {
	good, err := EncodeUnits(someUnits())
	if err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile("testdata/units1.gz")
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(old)
	flipped[len(flipped)-6] ^= 1 // inside the checksum of the gzip trailer
	huge := append([]byte(unitsMark), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)
	for name, b := range map[string][]byte{
		"empty":             nil,
		"neither":           []byte("{}\n"),
		"the mark alone":    []byte(unitsMark),
		"too many":          huge,
		"cut":               good[:len(good)-4],
		"trailing":          append(bytes.Clone(good), 'x'),
		"of before flipped": flipped,
		"of before cut":     old[:len(old)-4],
		"of before, more":   append(bytes.Clone(old), 'x'),
	} {
		if units, err := decodeUnits(b); err == nil {
			t.Errorf("%s: decoded to %d units without an error", name, len(units))
		}
	}
}

func FuzzDecodeUnits(f *testing.F) {
	good, err := EncodeUnits(someUnits())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("\x1f\x8b"))
	f.Add([]byte(unitsMark + "\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		units, err := decodeUnits(b)
		if err != nil {
			return
		}
		l, err := newUnitList(bytes.NewReader(b), int64(len(b)))
		if err != nil || l != nil && l.count != len(units) {
			t.Fatalf("%d units are another list (%v)", len(units), err)
		}
		if l == nil {
			return // of the first format
		}
		for i, u := range units {
			if got, err := l.unit(i); err != nil || !reflect.DeepEqual(got, u) {
				t.Fatalf("unit %d is %+v, in the list %+v (%v)", i, u, got, err)
			}
		}
		back, err := EncodeUnits(units)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decodeUnits(back)
		if err != nil || len(again) != len(units) {
			t.Fatalf("%d units became %d (%v)", len(units), len(again), err)
		}
	})
}
