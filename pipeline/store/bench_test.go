package store

import (
	"context"
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

const benchSize = 100_000

// smallOutcomes gives n results of one record of some 300 bytes each.
func smallOutcomes(tb testing.TB, n int) []pipeline.Committed {
	tb.Helper()
	out := make([]pipeline.Committed, n)
	for i := range out {
		out[i] = storetest.Outcome(tb, fmt.Sprint("bench", i))
	}
	return out
}

// benchEachKind measures every kind of store; see kinds.
func benchEachKind(b *testing.B, bench func(*testing.B, kind)) {
	for _, k := range kinds() {
		b.Run(k.name, func(b *testing.B) { bench(b, k) })
	}
}

func BenchmarkCommit100k(b *testing.B) { benchEachKind(b, benchCommit100k) }

func benchCommit100k(b *testing.B, k kind) {
	all := smallOutcomes(b, benchSize)
	for b.Loop() {
		storetest.CommitAll(b, k.open(b), all)
	}
}

func BenchmarkResults100k(b *testing.B) { benchEachKind(b, benchResults100k) }

func benchResults100k(b *testing.B, k kind) {
	all := smallOutcomes(b, benchSize)
	d := k.open(b)
	storetest.CommitAll(b, d, all)
	keys := make([]pipeline.Key, len(all))
	for i, o := range all {
		keys[i] = o.Result.Key
	}
	for b.Loop() {
		got, err := d.Results(context.Background(), keys)
		if err != nil || len(got) != len(keys) {
			b.Fatalf("%d of %d results: %v", len(got), len(keys), err)
		}
	}
}

func BenchmarkRecords100k(b *testing.B) { benchEachKind(b, benchRecords100k) }

func benchRecords100k(b *testing.B, k kind) {
	all := smallOutcomes(b, benchSize)
	d := k.open(b)
	storetest.CommitAll(b, d, all)
	digests := make([]pipeline.Digest, len(all))
	for i, o := range all {
		digests[i] = o.Result.Outputs[0].Digest
	}
	for b.Loop() {
		got, err := d.Records(context.Background(), digests)
		if err != nil || len(got) != len(digests) {
			b.Fatalf("%d of %d records: %v", len(got), len(digests), err)
		}
	}
}

func BenchmarkGC100k(b *testing.B) { benchEachKind(b, benchGC100k) }

func benchGC100k(b *testing.B, k kind) {
	all := smallOutcomes(b, benchSize)
	d := k.open(b)
	storetest.CommitAll(b, d, all)
	units := make([]pipeline.Unit, len(all)/2)
	for i := range units {
		units[i] = pipeline.Unit{Key: all[i].Result.Key, Out: all[i].Result.Outputs}
	}
	body, err := engine.EncodeUnits(units)
	storetest.MustDo(b, err)
	digest := storetest.Put(b, d, string(body))
	storetest.MustDo(b, d.SaveBuild(context.Background(), pipeline.Build{Steps: []pipeline.BuildStep{{UnitList: digest}}}))
	for b.Loop() {
		if _, err := d.GC(context.Background(), 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenNew(b *testing.B) {
	for b.Loop() {
		open(b, b.TempDir())
	}
}

func BenchmarkPutSmallBlob(b *testing.B) {
	d := open(b, b.TempDir())
	for i := 0; b.Loop(); i++ {
		storetest.Put(b, d, fmt.Sprint(i))
	}
}
