package question

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestTagsDiffer asks for tags of things some of whose names end as they begin: where two
// options would be one tag, nothing is asked.
func TestTagsDiffer(t *testing.T) {
	rule := simulate.TagFormat{Prefix: "KX", Order: "pln", Letters: "first three", Joiner: "-", Number: "the number"}
	asked := map[string]int{}
	for seed := range uint64(200) {
		b := &history{rnd: rand.New(rand.NewPCG(1, seed)), rules: []simulate.Event{{Op: simulate.OpTagRule, Value: rule.String(), Tag: &rule}}, things: []string{"the Entertainment diary", "the Falcon fund"}, lessons: &lessons{}, world: simulate.World{Sessions: []simulate.Session{{}}}}
		for _, d := range b.ruleQuestions() {
			asked[d.Right[:6]]++
			if texts := slices.Compact(slices.Sorted(slices.Values(append(d.Wrong, d.Right)))); len(texts) != 4 {
				t.Errorf("the options are %q", texts)
			}
		}
	}
	if asked["KX-FAL"] != 200 || asked["KX-ENT"] < 80 || asked["KX-ENT"] == 200 {
		t.Errorf("of 200 times each is asked %v", asked)
	}
}

// TestTheGroupWithMostRoomIsFilled: of the facts that are not done, the first of the group
// that lacks most right answers, as long as one more is balanced by three wrong offers.
func TestTheGroupWithMostRoomIsFilled(t *testing.T) {
	room := func(g, h int) offerBudget {
		return offerBudget{{"g", absenceNone}: g, {"h", absenceNone}: h, {"g", absenceEnded}: 99}
	}
	drafts := []Draft{{Fact: "a", group: "g"}, {Fact: "b", group: "h"}, {Fact: "c", group: "g"}}
	for _, tc := range []struct {
		budget offerBudget
		done   []string
		want   int
	}{
		{room(5, 9), nil, 1}, {room(5, 9), []string{"b"}, 0}, {room(5, 9), []string{"a", "b"}, 2}, {room(5, 9), []string{"a", "b", "c"}, -1},
		{room(5, 5), nil, 0}, {room(3, 2), nil, 0}, {room(2, 3), nil, 1}, {room(2, 2), nil, -1},
	} {
		done := map[string]bool{}
		for _, f := range tc.done {
			done[f] = true
		}
		if got := tc.budget.draftWithMostRoom(drafts, done, offersPerRight); got != tc.want {
			t.Errorf("room %v, %v done: draft %d, want %d", tc.budget, tc.done, got, tc.want)
		}
	}
}

// TestNoFactIsAskedTwice: of each type but that of boundaries so many drafts are taken, in
// their order, and none of a fact that was asked before, at this checkpoint or another.
func TestNoFactIsAskedTwice(t *testing.T) {
	var types []string
	for _, of := range Types() {
		if of != MB {
			types = append(types, of)
		}
	}
	first, second := types[0], types[1]
	drafts := []map[string][]Draft{
		{first: {{Fact: "a"}, {Fact: "a"}, {Fact: "b"}, {Fact: "c"}}, second: {{Fact: "b"}, {Fact: "d"}}, MB: {{Fact: "e"}}},
		{first: {{Fact: "c"}, {Fact: "d"}, {Fact: "f"}}},
	}
	done := map[string]bool{"f": true}
	out, _ := takeValueDrafts(drafts, 2, done)
	var got [][]string
	for _, at := range out {
		var facts []string
		for _, d := range at {
			facts = append(facts, d.Fact)
		}
		got = append(got, facts)
	}
	if want := [][]string{{"a", "b", "d"}, {"c"}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("asked %v, want %v", got, want)
	}
	if len(done) != 5 || done["e"] {
		t.Errorf("done %v, want a, b, c, d and f", done)
	}
}
