package simulate

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// TestBoundsOfAWorld: each bound is a size that is taken, and what lies beyond is not.
func TestBoundsOfAWorld(t *testing.T) {
	usual := func() Size {
		return Size{People: 12, Documents: 0.5, Pages: 0.5, Images: 0.5, Decoys: 1, Items: map[string]int{schemas.TaskSingleHop: 3}, Pieces: []weights.Range{{From: 2, To: 9, Weight: 1}}}
	}
	for _, tc := range []struct {
		what   string
		change func(*Size)
		good   bool
	}{
		{"as usual", func(*Size) {}, true},
		{"3 people", func(s *Size) { s.People = 3 }, false},
		{"4 people", func(s *Size) { s.People = 4 }, true},
		{"40 people", func(s *Size) { s.People = 40 }, true},
		{"41 people", func(s *Size) { s.People = 41 }, false},
		{"no item", func(s *Size) { s.Items = map[string]int{schemas.TaskSingleHop: 0} }, false},
		{"one item", func(s *Size) { s.Items = map[string]int{schemas.TaskSingleHop: 1} }, true},
		{"200 items", func(s *Size) { s.Items = map[string]int{schemas.TaskSingleHop: 120, schemas.TaskMultiHop: 80} }, true},
		{"201 items", func(s *Size) { s.Items = map[string]int{schemas.TaskSingleHop: 120, schemas.TaskMultiHop: 81} }, false},
		{"fewer than none of a task", func(s *Size) { s.Items = map[string]int{schemas.TaskSingleHop: 3, schemas.TaskMultiHop: -1} }, false},
		{"an unknown task", func(s *Size) { s.Items["riddle"] = 1 }, false},
		{"no decoys", func(s *Size) { s.Decoys = 0 }, true},
		{"8 decoys", func(s *Size) { s.Decoys = 8 }, true},
		{"more than 8 decoys", func(s *Size) { s.Decoys = 8.5 }, false},
		{"decoys below 0", func(s *Size) { s.Decoys = -0.5 }, false},
		{"all in documents", func(s *Size) { s.Documents = 1 }, true},
		{"more than all in documents", func(s *Size) { s.Documents = 1.1 }, false},
		{"pages below 0", func(s *Size) { s.Pages = -0.1 }, false},
		{"no images", func(s *Size) { s.Images = 0 }, true},
		{"more images than all", func(s *Size) { s.Images = 1.1 }, false},
	} {
		s := usual()
		tc.change(&s)
		if err := s.Check(); (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
}

// TestCallsNameTheirDesk: the procedure that is the evidence of a call is about what is asked
// for, and names the desk that the explanation names.
func TestCallsNameTheirDesk(t *testing.T) {
	desk, verb := regexp.MustCompile(`names the (.+ Desk),`), regexp.MustCompile(`(\w+) the \w+ on the card`)
	for seed := range uint64(20) {
		w, err := Simulate(rand.New(rand.NewPCG(seed, 5)), Themes()[int(seed)%len(Themes())], Size{
			People: 12, Documents: 0.5, Pieces: []weights.Range{{From: 3, To: 6, Weight: 1}}, Items: map[string]int{schemas.TaskFunctionCall: 3},
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range w.Items {
			named := desk.FindStringSubmatch(item.Explanation)
			asked := verb.FindStringSubmatch(item.Ask)
			if named == nil || asked == nil {
				t.Fatalf("%q names no desk, or %q asks for nothing", item.Explanation, item.Ask)
			}
			evidence := 0
			for _, u := range item.Units {
				if u.Role == schemas.RoleClue && strings.Contains(u.Text, " Desk") {
					evidence++
					if !strings.Contains(u.Text, named[1]) || !strings.Contains(u.Text, "to "+asked[1]) {
						t.Errorf("%q is asked, for which %q is evidence, explained by %q", item.Ask, u.Text, item.Explanation)
					}
				}
			}
			if evidence == 0 {
				t.Errorf("no evidence of %q names a desk", item.Ask)
			}
		}
	}
}

func TestThingsAreCounted(t *testing.T) {
	for n, want := range map[int]string{0: "0 machines", 1: "1 machine", 2: "2 machines", 11: "11 machines"} {
		if got := countOf(n, "machine"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
