package video

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// anySource pairs the clips of a bench, each of which has a source of its own.
const anySource = `{"within": ["category"], "min_similarity": 0}`

func pairWith(edit func(*PairConfig)) PairConfig {
	var c PairConfig
	c.SetDefaults()
	edit(&c)
	return c
}

// badPairs are configurations of video.pair to be refused.
func badPairs() []any {
	return []any{
		PairConfig{}, pairWith(func(c *PairConfig) { c.MaxUse = 0 }), pairWith(func(c *PairConfig) { c.MinSimilarity = 2 }),
		pairWith(func(c *PairConfig) { c.Within = []string{"title"} }), pairWith(func(c *PairConfig) { c.Within = []string{"source", "source"} }),
		pairWith(func(c *PairConfig) { c.Clusters = "demand" }), pairWith(func(c *PairConfig) { c.By = "vectors" }),
		pairWith(func(c *PairConfig) { c.Neighbours = 0 }), pairWith(func(c *PairConfig) { c.PoolPerKind = -1 }),
		pairWith(func(c *PairConfig) { c.Turns = [][]string{{"riddle"}} }), pairWith(func(c *PairConfig) { c.Turns = [][]string{{}} }),
	}
}

// edited changes the video of a record.
func (b *bench) edited(r pipeline.Record, edit func(*schemas.Video)) pipeline.Record {
	b.t.Helper()
	v, err := pipeline.Decode[schemas.Video](r)
	if err != nil {
		b.t.Fatal(err)
	}
	edit(&v)
	if r, err = pipeline.NewRecord(schemas.NameVideo, r.ID, v); err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) pairNames(patch string, in ...pipeline.Record) []string {
	b.t.Helper()
	out, _ := b.run("video.pair", patch, in...)
	var names []string
	for _, p := range testkit.DecodeAll[schemas.Pair](b.t, schemas.NamePair, out) {
		names = append(names, p.A.Name+"-"+p.B.Name)
	}
	slices.Sort(names)
	return names
}

func TestPairWithinAndClusters(t *testing.T) {
	b := newBench(t)
	var in []pipeline.Record
	for i, text := range []string{"red kettle", "red kettle", "tall crane", "tall crane"} {
		in = append(in, b.edited(b.clip(fmt.Sprint(i), ""), func(v *schemas.Video) {
			v.Description, v.SourceID = text, "one"
			if i%2 == 1 {
				v.SourceID = "two"
			}
			if i == 1 || i == 2 {
				v.Clusters = []string{"tuple"}
			}
		}))
	}
	tests := map[string]string{
		``:                         "[]", // nothing in common: hardly to be confused
		`{"min_similarity": 0}`:    "[0-2 1-3]",
		`{"within": ["category"]}`: "[1-2]",
		anySource:                  "[0-3 1-2]",
		`{"within": ["category"], "clusters": "ignore"}`:                        "[0-1 2-3]",
		`{"within": ["category"], "clusters": "require"}`:                       "[1-2]",
		`{"within": [], "clusters": "ignore", "max_use": 3}`:                    "[0-1 0-2 0-3 1-2 1-3 2-3]",
		`{"within": [], "clusters": "ignore", "by": "embeddings"}`:              "[0-1 2-3]",
		`{"within": ["source"], "min_similarity": 0.5}`:                         "[]",
		`{"within": ["category"], "min_similarity": 0.5, "clusters": "prefer"}`: "[1-2]",
	}
	for patch, want := range tests {
		if got := fmt.Sprint(b.pairNames(patch, in...)); got != want {
			t.Errorf("%s: pairs %s, want %s", patch, got, want)
		}
	}
}

// TestPairEmbeds wants every text embedded once, in calls of at most 128.
func TestPairEmbeds(t *testing.T) {
	b := newBench(t)
	var in []pipeline.Record
	for i := range 300 {
		in = append(in, b.edited(b.clip(fmt.Sprint(i), ""), func(v *schemas.Video) { v.Description = fmt.Sprintf("subject%d of many", i/2) }))
	}
	out, lost := b.run("video.pair", `{"within": [], "by": "embeddings"}`, in...)
	if len(out) != 150 || len(lost) != 0 {
		t.Fatalf("%d pairs, lost %v", len(out), lost)
	}
	for _, p := range testkit.DecodeAll[schemas.Pair](t, schemas.NamePair, out) {
		if p.A.Description != p.B.Description {
			t.Errorf("%q with %q", p.A.Description, p.B.Description)
		}
	}
	again, _ := b.run("video.pair", `{"within": [], "by": "embeddings"}`, in...)
	if !bytes.Equal(encodeAll(t, out), encodeAll(t, again)) {
		t.Error("two runs differ")
	}
}

// TestPairsTakeTurns composes scripted films that are asked one type a pair: another pair
// another one, and nothing else.
func TestPairsTakeTurns(t *testing.T) {
	b := newBench(t)
	b.seed = 5
	turns := [][]string{{schemas.TypeTemporalGrounding}, {schemas.TypeSourceMemory, schemas.TypeFalseMemory}}
	dealt := 0
	_, compositions := b.composeScripted(8, func(*schemas.Video) {}, func(p schemas.Pair) []schemas.Composition {
		p.Types = turns[dealt%2]
		dealt++
		return everyLayout(p)[len(everyLayout(p))-1:]
	})
	out, lost := b.run("video.ask", "", compositions...)
	asked := map[string]map[string]bool{}
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
		of := q.Labels[schemas.LabelPair]
		if asked[of] == nil {
			asked[of] = map[string]bool{}
		}
		asked[of][q.Type] = true
	}
	if len(lost) > 0 || len(asked) != 4 {
		t.Fatalf("%d pairs are asked, lost %v", len(asked), lost)
	}
	for pair, types := range asked {
		if types[schemas.TypeTemporalGrounding] == types[schemas.TypeSourceMemory] || types[schemas.TypeOrderUnderstanding] {
			t.Errorf("pair %s is asked %v", pair, types)
		}
	}

	var clips []pipeline.Record
	for i := range 6 {
		clips = append(clips, b.edited(b.clip(fmt.Sprint(i), ""), func(*schemas.Video) {}))
	}
	pairs, _ := b.run("video.pair", `{"within": ["category"], "min_similarity": 0, "turns": [["interference"], ["source_identification"]]}`, clips...)
	counts := map[string]int{}
	for _, p := range testkit.DecodeAll[schemas.Pair](t, schemas.NamePair, pairs) {
		counts[fmt.Sprint(p.Types)]++
	}
	if counts["[interference]"] != 2 || counts["[source_identification]"] != 1 {
		t.Errorf("turns of three pairs: %v", counts)
	}
}
