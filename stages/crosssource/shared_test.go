package crosssource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// sharedItems are items of data sets that name no groups, with themes of their own.
func sharedItems(counts map[string]int) (out []schemas.EvidenceItem) {
	for dataset, n := range counts {
		for i := range n {
			id := fmt.Sprintf("%s/%03d", dataset, i)
			item := schemas.EvidenceItem{ItemID: id, Dataset: dataset, UpstreamID: id, SourceID: dataset, License: "MIT", Task: schemas.TaskMultiHop}
			item.Question = schemas.Question{QuestionID: id, Type: "open", Question: "Which harbour grew most?", Labels: map[string]string{"theme": dataset}}
			item.Question.SetOptions(schemas.Option{Text: "Wexholm", Role: schemas.RoleCorrect}, schemas.Option{Text: "Marlund", Role: schemas.RoleDistractor}, schemas.Option{Text: "Tarnvik", Role: schemas.RoleDistractor}, schemas.Option{Text: "Osterby", Role: schemas.RoleDistractor})
			for k := range 2 {
				item.Units = append(item.Units, schemas.EvidenceUnit{UnitID: schemas.UnitIDOf(id, k+1), Order: int32(k + 1), Dataset: dataset, Modality: schemas.ModalityText, Role: schemas.RoleClue, Text: fmt.Sprintf("Part %d of what %s tells.", k+1, id)})
			}
			out = append(out, item)
		}
	}
	slices.SortFunc(out, func(a, b schemas.EvidenceItem) int { return strings.Compare(a.ItemID, b.ItemID) })
	return out
}

// sharedPlan plans items without groups, and gives the channels by task.
func sharedPlan(t *testing.T, items []schemas.EvidenceItem) map[string][]placement.Channel {
	t.Helper()
	var in []pipeline.Record
	for i := range 6 {
		id := fmt.Sprintf("people/%d", i)
		p := schemas.Profile{ProfileID: id, Dataset: "people", UpstreamID: id, SourceID: "people", License: "MIT", Attributes: map[string]string{}}
		r, err := pipeline.NewRecord(schemas.NameProfile, id, p)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, r)
	}
	for _, i := range items {
		in = append(in, recordOf(t, i))
	}
	var c crosssource.PlanConfig
	c.SetDefaults()
	c.Twins, c.Gap = false, 1
	out, lost, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.plan", Config: c, Inputs: in}.Run(t)
	if err != nil || len(lost) > 0 {
		t.Fatalf("lost %v, %v", lost, err)
	}
	channels := map[string][]placement.Channel{}
	for _, c := range testkit.DecodeAll[placement.Channel](t, "crosssource.channel", out) {
		channels[c.TaskID] = append(channels[c.TaskID], c)
	}
	return channels
}

// TestItemsOfAllDataSetsShareEnvironments: each group of people gets its share of every data
// set, and more than a third of the pieces stands in chats of their theme.
func TestItemsOfAllDataSetsShareEnvironments(t *testing.T) {
	counts := map[string]int{"food": 40, "sports": 20, "travel": 10, "music": 1}
	channels := sharedPlan(t, sharedItems(counts))
	if len(channels) != 4 {
		t.Fatalf("%d tasks; want 71 items at 20", len(channels))
	}
	seen := map[string]bool{}
	for task, list := range channels {
		held, themed, pieces := map[string]int{}, 0, 0
		for _, c := range list {
			for _, s := range c.Slots {
				dataset, _, _ := strings.Cut(s.Piece.Item, "/")
				if !seen[s.Piece.Item] {
					held[dataset]++
				}
				seen[s.Piece.Item] = true
				pieces++
				if c.Themes[0] == dataset {
					themed++
				}
			}
		}
		for dataset, n := range counts {
			if low, high := n/4-1, n/4+2; held[dataset] < low || held[dataset] > high {
				t.Errorf("%s has %d items of %s; want %d to %d", task, held[dataset], dataset, low, high)
			}
		}
		if themed*3 < pieces {
			t.Errorf("%s: %d of %d pieces stand in chats of their theme", task, themed, pieces)
		}
	}
	if len(seen) != 71 {
		t.Errorf("%d items have a place", len(seen))
	}
}

// TestEnvironmentsAreDrawnBySeed: another seed gives another company, the same one the same.
func TestEnvironmentsAreDrawnBySeed(t *testing.T) {
	company := func(seed int) string {
		var in []pipeline.Record
		for _, i := range sharedItems(map[string]int{"food": 30, "sports": 30}) {
			in = append(in, recordOf(t, i))
		}
		for i := range 3 {
			id := fmt.Sprintf("people/%d", i)
			r, err := pipeline.NewRecord(schemas.NameProfile, id, schemas.Profile{ProfileID: id, Dataset: "people", UpstreamID: id, SourceID: "people", License: "MIT", Attributes: map[string]string{}})
			if err != nil {
				t.Fatal(err)
			}
			in = append(in, r)
		}
		out, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.plan", Seed: uint64(seed), Inputs: in}.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		var held []string
		for _, c := range testkit.DecodeAll[placement.Channel](t, "crosssource.channel", out) {
			for _, s := range c.Slots {
				if s.Piece != nil {
					held = append(held, c.TaskID+" "+s.Piece.Item)
				}
			}
		}
		slices.Sort(held)
		return strings.Join(slices.Compact(held), "\n")
	}
	if one := company(1); one != company(1) || one == company(2) {
		t.Error("the company of items does not follow from the seed")
	}
}
