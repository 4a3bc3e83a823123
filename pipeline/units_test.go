package pipeline

import (
	"bytes"
	"reflect"
	"testing"
)

func someUnits() []Unit {
	d := DigestOf([]byte("x"))
	return []Unit{
		{Key: Key(d)},
		{In: Ref{ID: "a<b>&", Schema: "video", Digest: d}, Key: Key(d), Out: []Ref{{ID: "é", Schema: "pair", Digest: d}}},
		{In: Ref{ID: "b", Schema: "video", Digest: d}, Key: Key(d), Rejections: []Rejection{{ID: "b", Code: "c", Reason: "r\n", Flagged: true}}},
	}
}

func TestUnitsRoundTrip(t *testing.T) {
	for _, want := range [][]Unit{nil, someUnits()[:1], someUnits()} {
		b, err := EncodeUnits(want)
		if err != nil {
			t.Fatal(err)
		}
		again, err := EncodeUnits(want)
		if err != nil || !bytes.Equal(b, again) {
			t.Fatalf("second encoding differs (%v)", err)
		}
		got, err := DecodeUnits(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}

func TestDecodeUnitsRefusesDamage(t *testing.T) {
	good, err := EncodeUnits(someUnits())
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-6] ^= 1 // inside the checksum of the gzip trailer
	for name, b := range map[string][]byte{
		"empty":    nil,
		"not gzip": []byte("{}\n"),
		"cut":      good[:len(good)-4],
		"flipped":  flipped,
		"trailing": append(bytes.Clone(good), 'x'),
	} {
		if units, err := DecodeUnits(b); err == nil {
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
	f.Fuzz(func(t *testing.T, b []byte) {
		units, err := DecodeUnits(b)
		if err != nil {
			return
		}
		back, err := EncodeUnits(units)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeUnits(back)
		if err != nil || len(again) != len(units) {
			t.Fatalf("%d units became %d (%v)", len(units), len(again), err)
		}
	})
}
