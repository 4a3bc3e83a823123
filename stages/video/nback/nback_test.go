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

func paperGrid() []Cell {
	return Grid([]int{1, 2, 3, 4}, []int{2, 3, 4, 5, 6, 8, 10, 12})
}

// clips makes n clips of each of k labels.
func clips(k, n int) []string {
	var out []string
	for i := range k * n {
		out = append(out, fmt.Sprint("label", i%k))
	}
	return out
}

func TestGridIsThePapers(t *testing.T) {
	g := paperGrid()
	if len(g) != 26 {
		t.Fatalf("%d cells, want 26: %v", len(g), g)
	}
	for _, c := range g {
		if c.N >= c.K {
			t.Errorf("cell %v: N must be less than K", c)
		}
	}
}

// TestPlanProperties checks, over seeds and decks: answers are true of the
// labels, cells and sequences are balanced, no clip repeats without leave, a
// match is another clip where there is one, prefixes are shared.
func TestPlanProperties(t *testing.T) {
	decks := []struct {
		labels []string
		repeat bool
	}{
		{clips(12, 1), true}, {clips(4, 1), true}, {clips(2, 1), true},
		{clips(8, 4), false}, {clips(4, 4), false}, {clips(12, 2), false}, {clips(3, 9), true},
		{append(clips(2, 12), "lonely"), false}, {append(clips(3, 3), "lonely"), true},
	}
	for seed := range uint64(40) {
		for n, deck := range decks {
			d := Design{Sequences: 8, Length: 12, LabelsPerSequence: 4, Cells: paperGrid(), AllowRepeat: deck.repeat}
			plan, err := Plan(deck.labels, d, seeded(seed))
			if err != nil {
				t.Fatalf("deck %d: %v", n, err)
			}
			checkBalance(t, plan)
			for _, row := range plan {
				checkRow(t, deck.labels, row, deck.repeat)
			}
			again, _ := Plan(deck.labels, d, seeded(seed))
			if !reflect.DeepEqual(plan, again) {
				t.Fatalf("deck %d seed %d: two plans differ", n, seed)
			}
			if t.Failed() {
				t.Fatalf("deck %d seed %d", n, seed)
			}
		}
	}
}

func checkBalance(t *testing.T, plan [][]Trial) {
	t.Helper()
	cells := map[Cell]int{}
	for _, row := range plan {
		yes := 0
		for _, tr := range row {
			if tr.Match {
				yes++
				cells[tr.Cell]++
			}
		}
		if yes != len(row)/2 {
			t.Errorf("a sequence has %d yes of %d", yes, len(row))
		}
	}
	for _, c := range paperGrid() {
		if cells[c] != len(plan)/2 {
			t.Errorf("cell %v has %d yes of %d", c, cells[c], len(plan))
		}
	}
}

func checkRow(t *testing.T, labels []string, row []Trial, repeat bool) {
	t.Helper()
	count := map[string]int{}
	for _, l := range labels {
		count[l]++
	}
	longest := row[len(row)-1].Clips
	for _, tr := range row {
		last, asked := tr.Clips[tr.K-1], tr.Clips[tr.K-1-tr.N]
		if len(tr.Clips) != tr.K || (labels[last] == labels[asked]) != tr.Match {
			t.Errorf("trial %+v: last %s, asked %s", tr, labels[last], labels[asked])
		}
		wantKind := NoMatch
		if tr.Match {
			wantKind = OtherClip
			if last == asked {
				wantKind = SameClip
			}
		}
		if tr.Kind != wantKind || (tr.Kind == SameClip && count[labels[last]] > 1) {
			t.Errorf("trial %+v: kind %s, want %s, with %d clips of the label", tr, tr.Kind, wantKind, count[labels[last]])
		}
		if !repeat && len(slices.Compact(slices.Sorted(slices.Values(tr.Clips)))) != tr.K {
			t.Errorf("trial %+v repeats a clip without leave", tr)
		}
		if !slices.Equal(tr.Clips[:tr.K-1], longest[:tr.K-1]) {
			t.Errorf("trial %+v does not begin like its sequence", tr)
		}
	}
}

// TestLuresTellNothing checks that near lures are as frequent among yes as
// among no, but for the cells where the clips leave no choice.
func TestLuresTellNothing(t *testing.T) {
	d := Design{Sequences: 64, Length: 12, LabelsPerSequence: 4, Cells: paperGrid(), AllowRepeat: true}
	plan, err := Plan(clips(12, 3), d, seeded(5))
	if err != nil {
		t.Fatal(err)
	}
	near := map[Cell][2]int{}
	files, trials := map[string]bool{}, 0
	for _, row := range plan {
		for _, tr := range row {
			n := near[tr.Cell]
			if tr.Near && tr.Match {
				n[1]++
			} else if tr.Near {
				n[0]++
			}
			near[tr.Cell] = n
			files[fmt.Sprint(tr.Clips)] = true
			trials++
		}
	}
	for c, n := range near {
		if n[0] != n[1] {
			t.Errorf("cell %v: %d lures among no, %d among yes", c, n[0], n[1])
		}
	}
	t.Logf("%d trials are %d files", trials, len(files))
	if len(files) >= trials {
		t.Error("no two trials share a video")
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
		{"single clips without repeat", clips(12, 1), false},
		{"too few for the prefix", clips(3, 4), false},
		{"one label with room", append(clips(1, 30), "x"), false},
	}
	for _, tt := range tests {
		d := Design{Sequences: 2, Length: 12, LabelsPerSequence: 4, Cells: paperGrid(), AllowRepeat: tt.repeat}
		_, err := Plan(tt.labels, d, seeded(1))
		var short *ShortageError
		if !errors.As(err, &short) {
			t.Errorf("%s: error %v, want a ShortageError", tt.name, err)
			continue
		}
		t.Log(short)
	}
}
