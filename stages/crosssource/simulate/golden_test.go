package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// TestGoldenWorlds shows an item of each task and variant, and pins worlds of every theme
// by their digests.
func TestGoldenWorlds(t *testing.T) {
	var digests strings.Builder
	var shown strings.Builder
	seen := map[string]bool{}
	for i, theme := range simulate.Themes() {
		for seed := range uint64(2) {
			w, err := simulate.Simulate(rand.New(rand.NewPCG(seed, uint64(59+i))), theme, simulate.Size{
				People: 12, Documents: 0.7, Pages: 0.3, Images: 0.3,
				Items:  map[string]int{schemas.TaskSingleHop: 4, schemas.TaskMultiHop: 6, schemas.TaskConflict: 9, schemas.TaskPreference: 6, schemas.TaskFunctionCall: 4},
				Pieces: []weights.Range{{From: 2, Weight: 30}, {From: 3, Weight: 30}, {From: 4, Weight: 25}, {From: 5, To: 9, Weight: 25}, {From: 10, To: 26, Weight: 4}},
			})
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&digests, "%s, seed %d: %d people, %d items, %s\n", theme, seed, len(w.People), len(w.Items), golden.Digest(t, w))
			for _, item := range w.Items {
				if kind := item.Task + " " + item.Variant; !seen[kind] {
					seen[kind] = true
					writeItem(&shown, item)
				}
			}
			if i == 0 && seed == 0 {
				fmt.Fprintf(&shown, "%s\n", golden.JSON(t, w.People[:2]))
			}
		}
	}
	golden.Check(t, "worlds", shown.String()+digests.String())
}

func writeItem(out *strings.Builder, item simulate.Item) {
	fmt.Fprintf(out, "# %s %s: %s\n%q %s\n%s\n", item.Task, item.Variant, item.Ask, item.Options, item.Call, item.Explanation)
	for _, u := range item.Units[:min(len(item.Units), 8)] {
		fmt.Fprintf(out, " %s by %q, home %q, revises %v: %s %q\n", u.Role, u.Speaker, u.Home, u.Revises, u.Text, u.Rows)
		if u.Picture != nil {
			fmt.Fprintf(out, "  %s %s: %q %q\n", u.Picture.Kind, u.Picture.Title, u.Picture.Columns, u.Picture.Rows)
		}
	}
}

// TestGoldenSizes shows that the bounds of sizes are those that Check states.
func TestGoldenSizes(t *testing.T) {
	var out strings.Builder
	base := simulate.Size{People: 12, Documents: 0.5, Pages: 0.5, Images: 0.5, Items: map[string]int{schemas.TaskSingleHop: 1}, Pieces: []weights.Range{{From: 2, Weight: 1}}}
	for _, c := range []struct {
		name   string
		change func(s *simulate.Size, n int)
		from   []int
	}{
		{"people", func(s *simulate.Size, n int) { s.People = n }, []int{3, 4, 40, 41}},
		{"decoys", func(s *simulate.Size, n int) { s.Decoys = float64(n) }, []int{-1, 0, 8, 9}},
		{"items", func(s *simulate.Size, n int) { s.Items = map[string]int{schemas.TaskConflict: n} }, []int{-1, 0, 1, 200, 201}},
		{"tenths of documents", func(s *simulate.Size, n int) { s.Documents = float64(n) / 10 }, []int{-1, 0, 10, 11}},
		{"tenths of pages", func(s *simulate.Size, n int) { s.Pages = float64(n) / 10 }, []int{-1, 0, 10, 11}},
		{"tenths of images", func(s *simulate.Size, n int) { s.Images = float64(n) / 10 }, []int{-1, 0, 10, 11}},
		{"pieces", func(s *simulate.Size, n int) { s.Pieces = []weights.Range{{From: n, Weight: 1}} }, []int{1, 2, 40, 41}},
	} {
		for _, n := range c.from {
			s := base
			c.change(&s, n)
			fmt.Fprintf(&out, "%d %s: %v\n", n, c.name, s.Check())
		}
	}
	unknown := base
	unknown.Items = map[string]int{"chess": 1}
	_, err := simulate.Simulate(rand.New(rand.NewPCG(1, 1)), "no theme", base)
	fmt.Fprintln(&out, unknown.Check(), err)
	golden.Check(t, "sizes", out.String())
}
