package simulate

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// TestWrongAnswersStandElsewhereToo counts how often an item names each of its options,
// or, where a table gives the answer, what stands before it there: which option is right
// cannot be told from that.
func TestWrongAnswersStandElsewhereToo(t *testing.T) {
	chained, disputed := 0, 0
	for seed := range uint64(40) {
		w, err := Simulate(rand.New(rand.NewPCG(seed, 1)), "music", Size{
			People: 8, Items: map[string]int{schemas.TaskMultiHop: 6, schemas.TaskConflict: 6}, Pieces: []weights.Range{{From: 2, To: 6, Weight: 1}}, Documents: 0.5,
		})
		if err != nil {
			t.Fatal(err)
		}
		for i, item := range w.Items {
			if item.Task == schemas.TaskConflict && item.Variant == Total {
				continue
			}
			var counts []int
			for _, o := range item.Options {
				n := named(item, o)
				if item.Task == schemas.TaskMultiHop {
					n = named(item, before(item, o))
				}
				counts = append(counts, n)
			}
			switch {
			case item.Task == schemas.TaskConflict && (counts[0] == 0 || counts[1] == 0 || counts[2] == 0 || counts[3] == 0):
				t.Errorf("seed %d, item %d: options are named %v times", seed, i, counts)
			case item.Task == schemas.TaskMultiHop && (counts[1] != counts[0] || counts[2] != counts[0] || counts[3] != counts[0]):
				t.Errorf("seed %d, item %d: what leads to options is named %v times", seed, i, counts)
			}
			chained, disputed = chained+len(counts)*btoi(item.Task == schemas.TaskMultiHop), disputed+len(counts)*btoi(item.Task == schemas.TaskConflict)
		}
	}
	if chained < 400 || disputed < 200 {
		t.Errorf("%d options of chains and %d of disputes were counted", chained, disputed)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rowsOf are the cells of a unit's table or picture.
func rowsOf(u Unit) [][]string {
	if u.Picture != nil {
		return u.Picture.Rows
	}
	return u.Rows
}

// before is what stands before a value in the table of the last link.
func before(item Item, value string) string {
	for _, u := range item.Units {
		for _, r := range rowsOf(u) {
			if len(r) == 2 && r[1] == value {
				return r[0]
			}
		}
	}
	return ""
}

// named counts the units and cells of an item that name something.
func named(item Item, what string) int {
	n := 0
	for _, u := range item.Units {
		n += btoi(strings.Contains(u.Text, what))
		for _, r := range rowsOf(u) {
			n += btoi(strings.Contains(strings.Join(r, " "), what))
		}
	}
	return n
}
