package nback

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func seeded(seed uint64) func(...string) *rand.Rand {
	return func(labels ...string) *rand.Rand {
		h := fnv.New64a()
		fmt.Fprint(h, labels)
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	}
}

// paper is M3Eval's design: 26 questions a sequence.
func paper(sequences int, repeat bool) Design {
	return Design{
		Sequences: sequences, Length: 12, LabelsPerSequence: 4, AllowRepeat: repeat,
		N: []int{1, 2, 3, 4}, K: []int{2, 3, 4, 5, 6, 8, 10, 12},
	}
}

// clips makes n clips of each of k labels.
func clips(k, n int) []string {
	var out []string
	for i := range k * n {
		out = append(out, fmt.Sprint("label", i%k))
	}
	return out
}

func TestThePapersGridHas26Questions(t *testing.T) {
	if n := paper(2, false).Questions(); n != 26 {
		t.Errorf("%d questions, want 26", n)
	}
	if n := (Design{N: []int{3}, K: []int{2, 3, 4}}).Questions(); n != 1 {
		t.Errorf("%d questions of lag 3 in up to 4 clips, want 1", n)
	}
}

type cell struct{ n, k int }

// TestPlanProperties checks, over seeds, decks and grids: answers are true of
// the labels, one trial per length serves every lag, cells and sequences are
// balanced, no clip repeats without leave, a match is another clip where there
// is one, and lures are even.
func TestPlanProperties(t *testing.T) {
	odd := Design{Sequences: 6, Length: 9, LabelsPerSequence: 2, N: []int{1, 5, 3}, K: []int{9, 3, 6, 4}}
	small := Design{Sequences: 2, Length: 2, LabelsPerSequence: 4, N: []int{1}, K: []int{2}}
	large := Design{Sequences: 4, Length: 30, LabelsPerSequence: 3, N: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, K: []int{4, 13, 30}}
	alone := paper(16, false)
	alone.Independent = true
	decks := []struct {
		name   string
		labels []string
		design Design
	}{
		{"the paper's four groups of three", clips(4, 3), paper(32, false)},
		{"the same for two sequences", clips(4, 3), paper(2, false)},
		{"more clips", clips(8, 4), paper(8, false)},
		{"two labels", append(clips(2, 12), "lonely"), paper(8, false)},
		{"uneven", append(clips(2, 3), clips(1, 9)...), paper(8, false)},
		{"single clips", clips(12, 1), paper(8, true)},
		{"two single clips", clips(2, 1), paper(8, true)},
		{"twice two", clips(2, 2), paper(4, true)},
		{"lonely may repeat", append(clips(3, 3), "lonely"), paper(8, true)},
		{"gaps between lags", clips(2, 5), odd},
		{"one cell", clips(4, 2), small},
		{"many lags", clips(3, 10), large},
		{"independent answers", clips(8, 5), alone},
	}
	for _, deck := range decks {
		for seed := range uint64(40) {
			plan, err := Plan(deck.labels, deck.design, seeded(seed))
			if err != nil {
				t.Fatalf("%s: %v", deck.name, err)
			}
			checkBalance(t, deck.design, plan)
			for _, trials := range plan {
				for _, tr := range trials {
					checkTrial(t, deck.labels, deck.design, tr)
				}
			}
			again, _ := Plan(deck.labels, deck.design, seeded(seed))
			if !reflect.DeepEqual(plan, again) {
				t.Fatalf("%s seed %d: two plans differ", deck.name, seed)
			}
			if t.Failed() {
				t.Fatalf("%s seed %d", deck.name, seed)
			}
		}
	}
}

func checkBalance(t *testing.T, d Design, plan [][]Trial) {
	t.Helper()
	cells, near := map[cell]int{}, map[cell]int{}
	for _, trials := range plan {
		yes := 0
		for _, tr := range trials {
			for _, q := range tr.Lags {
				at := cell{q.N, tr.K}
				cells[at] += 0
				if q.Match {
					yes++
					cells[at]++
				}
				if q.Near {
					near[at] += map[bool]int{true: 1, false: -1}[q.Match]
				}
			}
		}
		if n := d.Questions(); abs(2*yes-n) > 1 && !d.Independent {
			t.Errorf("a sequence has %d yes of %d", yes, n)
		}
	}
	for at, yes := range cells {
		if yes != len(plan)/2 {
			t.Errorf("cell %v has %d yes of %d", at, yes, len(plan))
		}
	}
	if sum := len(cells); sum != d.Questions() {
		t.Errorf("%d cells, want %d", sum, d.Questions())
	}
	if len(d.N) > 4 || len(plan)%4 != 0 || d.Independent {
		return // too many patterns to even out, or twos of sequences to do it with
	}
	for at, e := range near {
		if e != 0 {
			t.Errorf("cell %v has %d more near lures among yes than among no", at, e)
		}
	}
}

func checkTrial(t *testing.T, labels []string, d Design, tr Trial) {
	t.Helper()
	count := map[string]int{}
	for _, l := range labels {
		count[l]++
	}
	last := tr.Clips[tr.K-1]
	var lags []int
	for _, q := range tr.Lags {
		lags = append(lags, q.N)
		asked := tr.Clips[tr.K-1-q.N]
		if len(tr.Clips) != tr.K || (labels[last] == labels[asked]) != q.Match {
			t.Errorf("trial %+v: last %s, asked %s", tr, labels[last], labels[asked])
		}
		want := NoMatch
		if q.Match {
			want = OtherClip
			if last == asked {
				want = SameClip
			}
		}
		if q.Kind != want || (q.Kind == SameClip && count[labels[last]] > 1) {
			t.Errorf("trial %+v: kind %s, want %s, with %d clips of the label", tr, q.Kind, want, count[labels[last]])
		}
	}
	if !slices.Equal(lags, d.lags(tr.K)) {
		t.Errorf("trial %+v asks lags %v, want %v", tr, lags, d.lags(tr.K))
	}
	if !d.AllowRepeat && len(slices.Compact(slices.Sorted(slices.Values(tr.Clips)))) != tr.K {
		t.Errorf("trial %+v repeats a clip without leave", tr)
	}
}

// TestFewFiles checks that a sequence is eight videos, that videos of the
// paper's deck differ between sequences, and that each longer one is asked
// about with yes and with no.
func TestFewFiles(t *testing.T) {
	for seed := range uint64(20) {
		plan, err := Plan(clips(4, 3), paper(32, false), seeded(seed))
		if err != nil {
			t.Fatal(err)
		}
		files := map[string]bool{}
		for _, trials := range plan {
			if len(trials) != 8 {
				t.Fatalf("a sequence has %d videos, want 8", len(trials))
			}
			for _, tr := range trials {
				files[fmt.Sprint(tr.Clips)] = true
				yes := 0
				for _, q := range tr.Lags {
					if q.Match {
						yes++
					}
				}
				if tr.K > 3 && (yes == 0 || yes == len(tr.Lags)) {
					t.Errorf("trial %+v has one answer to everything", tr)
				}
			}
		}
		if len(files) != 256 {
			t.Errorf("seed %d: %d different videos, want 256", seed, len(files))
		}
	}
}

// TestClipsAreUsedEvenly checks that no clip and no last label is preferred.
func TestClipsAreUsedEvenly(t *testing.T) {
	labels := clips(8, 6)
	plan, err := Plan(labels, paper(32, false), seeded(3))
	if err != nil {
		t.Fatal(err)
	}
	used, ended := map[int]int{}, map[string]int{}
	for _, trials := range plan {
		seen := map[int]bool{}
		for _, tr := range trials {
			for _, c := range tr.Clips {
				seen[c] = true
			}
			ended[labels[tr.Clips[tr.K-1]]]++
		}
		for c := range seen {
			used[c]++
		}
	}
	for c, n := range used {
		if n < 6 || n > 10 {
			t.Errorf("clip %d is in %d sequences, want about 8", c, n)
		}
	}
	for l, n := range ended {
		if n < 26 || n > 38 {
			t.Errorf("label %s ends %d trials, want about 32", l, n)
		}
	}
	if len(used) != len(labels) || len(ended) != 8 {
		t.Errorf("%d clips and %d last labels, want all", len(used), len(ended))
	}
}

// TestClipsComeFromDifferentVideos checks that a sequence takes two clips of one
// video only where there are not enough videos.
func TestClipsComeFromDifferentVideos(t *testing.T) {
	labels := clips(4, 9)
	for videos, most := range map[int]int{36: 1, 12: 1, 6: 2} {
		d := paper(8, false)
		for i := range labels {
			d.Sources = append(d.Sources, fmt.Sprint(i%videos))
		}
		plan, err := Plan(labels, d, seeded(2))
		if err != nil {
			t.Fatal(err)
		}
		for n, trials := range plan {
			hand := map[int]bool{}
			for _, tr := range trials {
				for _, c := range tr.Clips {
					hand[c] = true
				}
			}
			from := map[string]int{}
			for c := range hand {
				from[d.Sources[c]]++
			}
			for v, clips := range from {
				if clips > most {
					t.Errorf("%d videos: sequence %d has %d clips of video %s, want at most %d", videos, n, clips, v, most)
				}
			}
		}
	}
}

func TestShortagesNameTheCounts(t *testing.T) {
	tests := []struct {
		name   string
		labels []string
		repeat bool
	}{
		{"nothing", nil, true},
		{"one label", clips(1, 30), true},
		{"two clips a label without repeat", clips(12, 2), false},
		{"too few for the length", clips(3, 3), false},
		{"one label with enough", append(clips(1, 30), "x", "x"), false},
	}
	for _, tt := range tests {
		_, err := Plan(tt.labels, paper(2, tt.repeat), seeded(1))
		var short *ShortageError
		if !errors.As(err, &short) {
			t.Errorf("%s: error %v, want a ShortageError", tt.name, err)
			continue
		}
		t.Log(short)
	}
}
