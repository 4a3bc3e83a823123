package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// TestSeenIsATable whatever order records come in, and has one digest.
func TestSeenIsATable(t *testing.T) {
	for name, order := range map[string]func(r *rand.Rand, i int) string{
		"in order":      func(_ *rand.Rand, i int) string { return fmt.Sprintf("n%03d", i) },
		"by turns":      func(_ *rand.Rand, i int) string { return []string{"z/", ""}[i%2] + fmt.Sprintf("n%03d", i/2) },
		"backwards":     func(_ *rand.Rand, i int) string { return fmt.Sprintf("n%03d", 999-i) },
		"in parts":      func(_ *rand.Rand, i int) string { return fmt.Sprintf("n%03d", (i/50^1)*50+i%50) },
		"by lot":        func(r *rand.Rand, _ int) string { return fmt.Sprintf("n%03d", r.IntN(400)) },
		"many at turns": func(_ *rand.Rand, i int) string { return fmt.Sprintf("%d/%03d", i%9, i/9) },
	} {
		r := rand.New(rand.NewPCG(1, 2))
		s, want := recordIndex{expect: 10}, map[string]pipeline.Digest{}
		for i := range 500 {
			id, d := order(r, i), pipeline.DigestOf(fmt.Append(nil, i))
			before, known := s.add(id, d)
			if old, ok := want[id]; ok != known || before != old {
				t.Fatalf("%s: %q is %v, %v; want %v, %v", name, id, before, known, old, ok)
			}
			if !known {
				want[id] = d
			}
		}
		h := sha256.New()
		for _, id := range slices.Sorted(maps.Keys(want)) {
			fmt.Fprintf(h, "%s\x00%s\n", id, want[id])
		}
		if s.len() != len(want) || s.digest() != pipeline.Digest(hex.EncodeToString(h.Sum(nil))) {
			t.Errorf("%s: %d records with digest %s, want %d", name, s.len(), s.digest(), len(want))
		}
	}
	if none := (&recordIndex{}); none.digest() != pipeline.DigestOf(nil) || none.len() != 0 {
		t.Errorf("nothing has the digest %s", none.digest())
	}
}

func TestWhatATaskGaveLastIsStored(t *testing.T) {
	ref := func(id string, n int) pipeline.Ref {
		return pipeline.Ref{ID: id, Schema: "s", Digest: pipeline.DigestOf(fmt.Append(nil, n))}
	}
	last := []pipeline.Ref{ref("a", 1), ref("b", 2), ref("c", 3)}
	for name, tc := range map[string]struct {
		items []pipeline.Ref
		after int
		out   pipeline.Ref
		want  bool
	}{
		"in its place":                 {nil, 1, ref("b", 2), true},
		"changed in its place":         {nil, 1, ref("b", 9), false},
		"moved":                        {nil, 2, ref("b", 2), true},
		"after all of them":            {nil, 7, ref("a", 1), true},
		"new":                          {nil, 1, ref("x", 9), false},
		"an item":                      {[]pipeline.Ref{ref("x", 8)}, 5, ref("x", 8), true},
		"an item changed in its place": {[]pipeline.Ref{ref("b", 8)}, 1, ref("b", 8), true},
	} {
		s := storedOutputs{last: last, items: tc.items}
		if got := s.has(tc.after, tc.out); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
