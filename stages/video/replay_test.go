package video

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// TestReplayOfTheScriptsAgrees has everything in every question, of all types
// and layouts, worked out again from the scripts by code that shares nothing
// with what asked.
func TestReplayOfTheScriptsAgrees(t *testing.T) {
	counts := map[string]int{}
	total := 0
	for seed := uint64(1); seed <= testsize.Choose[uint64](1, 2); seed++ {
		s := askScripted(t, seed, 32, everyLayout)
		for _, l := range s.lost {
			t.Errorf("lost %s: %s", l.ID, l.Reason)
		}
		for _, q := range s.questions {
			total++
			counts[q.Type]++
			got, free, err := s.cases[q.Media[0]].DeriveQuestion(q)
			if err != nil || !reflect.DeepEqual(got, q) || len(free) > 0 {
				t.Fatalf("replay: %v, free %v\n%+v\n%+v", err, free, got, q)
			}
		}
	}
	t.Logf("%d questions: %v", total, counts)
	for _, typ := range everyType() {
		if counts[typ] < testsize.Choose(30, 60) {
			t.Errorf("%d questions of type %s; the test sees too little of it", counts[typ], typ)
		}
	}
}

func everyType() []string {
	return []string{
		schemas.TypeInterference, schemas.TypeSourceIdentification, schemas.TypeOrderUnderstanding, schemas.TypeContentRetention,
		schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding, schemas.TypeFalseMemory, schemas.TypeSourceMemory,
	}
}

// TestStatementsAreThoseOfTheScripts compares what composing stages state of
// films with the scripts.
func TestStatementsAreThoseOfTheScripts(t *testing.T) {
	s := askScripted(t, 4, 8, everyLayout)
	for id, c := range s.cases {
		p := s.pairs[id].Pair
		r, err := statementsRecord(p.A, p.B)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pipeline.Decode[schemas.Statements](r)
		if err != nil {
			t.Fatal(err)
		}
		if !sameRows(got.Events, c.Events) {
			t.Errorf("events %+v\nthe scripts have %+v", got.Events, c.Events)
		}
		for _, want := range c.Labels {
			stated := want.Attribute == schemas.AttributeAbsent || slices.Contains(got.Labels, want)
			if !stated && slices.Contains([]string{p.A.Media, p.B.Media}, want.Original) {
				t.Errorf("labels %+v lack %+v", got.Labels, want)
			}
		}
	}
}

func sameRows(a, b []schemas.StatedEvent) bool {
	text := func(es []schemas.StatedEvent) (out []string) {
		for _, e := range es {
			if e.Kind == "enters" || e.Kind == "leaves" {
				e.Objects = nil
			}
			out = append(out, fmt.Sprintf("%+v", e))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(text(a), text(b))
}
