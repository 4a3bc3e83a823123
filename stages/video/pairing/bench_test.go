package pairing

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

func defaults() Limits {
	return Limits{MaxUse: 1, Within: []string{Source, Category}, Clusters: Prefer, Neighbours: 16}
}

func cpu(t testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkMatchWords pairs 100,000 described videos of one category.
func BenchmarkMatchWords(b *testing.B) {
	b.Run("essays", func(b *testing.B) { benchmark(b, essays(100_000, rand.New(rand.NewPCG(1, 1)))) })
	b.Run("scenes", func(b *testing.B) { benchmark(b, scenes(100_000, rand.New(rand.NewPCG(1, 1)))) })
}

// BenchmarkMatchVectors pairs 100,000 embedded videos of one category.
func BenchmarkMatchVectors(b *testing.B) {
	b.Run("384", func(b *testing.B) { benchmark(b, vectors(100_000, 384, rand.New(rand.NewPCG(1, 1)))) })
}

// BenchmarkHostile pairs 100,000 videos that were made to defeat the search.
func BenchmarkHostile(b *testing.B) {
	for _, name := range []string{"identical", "one word"} {
		b.Run(name, func(b *testing.B) {
			cs := hostileOf(100_000, hostile()[name])
			for b.Loop() {
				c0, w0 := cpu(b), time.Now()
				b.ReportMetric(float64(len(match(b, cs, defaults()))), "pairs")
				b.ReportMetric((cpu(b) - c0).Seconds(), "CPU-s")
				b.ReportMetric(time.Since(w0).Seconds(), "wall-s")
			}
		})
	}
}

// benchmark reports CPU and wall seconds of a whole matching, the heap it adds,
// and how its candidates compare with brute force for 200 videos: how often the
// best one is found, and what share of its similarity the best found one has.
func benchmark(b *testing.B, cs []Candidate) {
	heap := heapInUse()
	for b.Loop() {
		c0, w0, peak := cpu(b), time.Now(), watchHeap()
		links := match(b, cs, defaults())
		grown := peak() - heap
		b.ReportMetric((cpu(b) - c0).Seconds(), "CPU-s")
		b.ReportMetric(time.Since(w0).Seconds(), "wall-s")
		b.ReportMetric(float64(max(grown, 0))/1e6, "heap-MB")
		b.ReportMetric(float64(len(links)), "pairs")
	}
	b.StopTimer()
	recall, ratio := quality(b, cs)
	b.ReportMetric(recall, "recall@1")
	b.ReportMetric(ratio, "similarity-ratio")
}

func heapInUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// watchHeap looks at the heap until the function it returns is called, which
// gives the most that was seen.
func watchHeap() func() int64 {
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		var m runtime.MemStats
		var seen int64
		for {
			runtime.ReadMemStats(&m)
			seen = max(seen, int64(m.HeapAlloc))
			select {
			case <-stop:
				most <- seen
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}

// quality compares what a search finds with what brute force finds.
func quality(t testing.TB, cs []Candidate) (recall, ratio float64) {
	t.Helper()
	const asked = 200
	b, err := newBlock(t.Context(), cs, groupCandidates(cs, nil)[0], defaults(), 1)
	if err != nil {
		t.Fatal(err)
	}
	among := allMembers(len(cs))
	found := make([]float64, len(cs))
	links, err := b.searchLinks(t.Context(), among, true, 0, b.space.index)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		found[l.i], found[l.j] = max(found[l.i], l.similarity), max(found[l.j], l.similarity)
	}
	sample := make([]int32, asked)
	for q := range sample {
		sample[q] = int32(q * len(cs) / asked)
	}
	exactly, err := b.findNeighbours(t.Context(), exhaustive(among), sample, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for q, i := range sample {
		best := exactly[q][0].score
		if found[i] >= best {
			recall += 1. / asked
		}
		ratio += found[i] / best / asked
	}
	return recall, ratio
}

// TestQuality holds the search to what brute force finds, at a size at which
// both matter.
func TestQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("compares 200 videos with thousands of others; run without -short")
	}
	for name, make := range corpora() {
		if name == "essays" {
			continue // found by the rarest words alone
		}
		recall, ratio := quality(t, make(testsize.Choose(3_000, 20_000), rand.New(rand.NewPCG(2, 2))))
		if recall < 0.95 || ratio < 0.99 {
			t.Errorf("%s: recall@1 %.3f, similarity ratio %.4f; want 0.95 and 0.99", name, recall, ratio)
		}
	}
}
