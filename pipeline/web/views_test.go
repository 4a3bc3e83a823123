package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// TestGoldenViews shows what pages lay out: gates with their answers, films with their time
// lines, filters and facets.
func TestGoldenViews(t *testing.T) {
	var out strings.Builder
	show := func(name string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s: %s\n", name, strings.ReplaceAll(string(b), `},{`, "},\n  {"))
	}
	q := &schemas.Question{Options: []schemas.Option{{Key: "A", Text: "red"}, {Key: "B", Text: "blue"}, {Key: "C", Text: "green"}}, Labels: map[string]string{schemas.LabelEvent: "waves"}}
	verdict := func(gate, outcome string, made, full int32, probes ...schemas.Probe) catalog.Verdict {
		return catalog.Verdict{Verdict: schemas.Verdict{Gate: gate, Outcome: outcome, Reason: "as " + outcome, CallsMade: made, CallsFull: full}, Of: manifest.GateInfo{Summary: "it tests"}, Probes: probes}
	}
	probe := func(role, view, answer string, rotation, sample int32, pictures, full int32) schemas.Probe {
		return schemas.Probe{Role: role, View: view, Answer: answer, Mark: schemas.MarkRight, Rotation: rotation, Sample: sample, Pictures: pictures, PicturesFull: full, Response: `{"why":"so"}`}
	}
	two := []schemas.Probe{probe("a", "only:2", "B", 1, 0, 1, 1), probe("b", "none", "", 0, 0, 0, 0)}
	grid := []schemas.Probe{probe("a", "oracle", "B", 2, 0, 2, 5), probe("a", "oracle", "C", 0, 0, 2, 5), probe("b", "oracle", "", 0, 0, 2, 5)}
	sampled := []schemas.Probe{probe("a", "oracle", "B", 0, 1, 0, 0), probe("a", "text", "C", 0, 0, 0, 0), probe("a", "text", "C", 0, 1, 0, 0)}
	all := []catalog.Verdict{
		verdict("other", schemas.NotApplicable, 0, 0), verdict("rule", schemas.Pass, 0, 0), verdict("few", schemas.Insufficient, 0, 3), verdict("asked", schemas.Pass, 2, 4, two...), verdict("grid", schemas.Pass, 3, 3, grid...),
		verdict("sampled", schemas.Pass, 3, 9, sampled...), verdict("blind", schemas.Fail, 1, 4), verdict("broken", schemas.Error, 1, 1),
	}
	show("gates", NewGates(q, all))
	for _, v := range [][]catalog.Verdict{all, all[:1], all[1:2], nil} {
		fmt.Fprintln(&out, countOutcomes(v))
	}
	id := strings.Repeat("a", 64)
	q.Evidence = []schemas.Evidence{
		{Kind: schemas.EvidenceMedia, Ref: id + "#t=4.00,5.00", Role: schemas.RoleClue}, {Kind: schemas.EvidenceMedia, Ref: id, Role: schemas.RoleContext}, {Kind: schemas.EvidenceMedia, Ref: id + "#t=1.00,2.00", Role: schemas.RoleDistractor},
		{Kind: schemas.EvidenceMedia, Ref: strings.Repeat("b", 64) + "#t=0.00,1.00", Role: schemas.RoleClue}, {Kind: schemas.EvidenceTurn, Ref: "turn", Role: schemas.RoleClue},
	}
	event := func(kind string, begin, end float64) catalog.Statement {
		return catalog.Statement{StatedEvent: schemas.StatedEvent{Kind: kind, Actors: []string{"Ann"}, Objects: []string{"cup"}}, Begin: begin, End: end}
	}
	medium := catalog.Medium{
		Media: schemas.Media{MediaID: id, Width: 64, Height: 36, FPS: 10, Frames: 100, Duration: 10, HasAudio: true, Recipe: schemas.Recipe{SwapFrames: []int64{30}}}, Path: "media/x.mp4",
		Parts: []catalog.Part{
			{Segment: schemas.Segment{Original: "o", Region: "left", Video: "A", From: 0, To: 50, At: 0}, Title: "Pie", End: 5}, {Segment: schemas.Segment{Original: "p", Region: "right", Video: "B", From: 0, To: 50, At: 0}, Title: "Sea", End: 5},
			{Segment: schemas.Segment{Original: "o", Region: "full", Video: "A", From: 50, To: 80, At: 50}, Title: "Pie", Begin: 5, End: 8}, {Segment: schemas.Segment{Original: "o", Region: "full", Video: "A", From: 80, To: 100, At: 80}, Title: "Pie", Begin: 8, End: 10},
		},
		Shown: []catalog.Statement{event("waves", 3.5, 4), event("waves", 4, 4.5), event("sits", 4.5, 6), event("sits", 4.6, 4.9), event("waves", 1.5, 1.6), event("waves", 5, 6)},
	}
	for _, gold := range []bool{true, false} {
		show(fmt.Sprint("film, gold ", gold), newFilm(2, medium, q, showing(gold)))
	}
	plain := medium
	plain.FPS, plain.Path, plain.HasAudio = 0, "", false
	show("film without a clock", newFilm(1, plain, &schemas.Question{}, showing(true)))
	plain.Duration = 0
	show("picture", newFilm(1, plain, q, showing(true)))

	value := func(v string, n int64) catalog.FacetValue { return catalog.FacetValue{Value: v, Count: n} }
	var many []catalog.FacetValue
	for i := range listedValues + 3 {
		many = append(many, value(fmt.Sprintf("v%03d", i), int64(200-i)))
	}
	facets := []catalog.Facet{
		{Name: "type", Counted: true, Values: []catalog.FacetValue{value("colour", 3), value("size", 0), value("=x", 0)}, None: 1}, {Name: "family", Counted: true}, {Name: "domain", Counted: true, Values: many[:seenValues+2]},
		{Name: "label.many", Counted: true, Values: many}, {Name: "label.other"}, {Name: "gate.blind", Counted: true, Values: []catalog.FacetValue{value(schemas.Fail, 1), value(schemas.Pass, 2), value(schemas.Insufficient, 0)}}, {Name: "outcome", Counted: true, Values: []catalog.FacetValue{value(schemas.NotApplicable, 1)}},
		{Name: "scenario", Counted: true, Values: many[:seenValues+3]},
	}
	query := catalog.Query{Filters: []catalog.Filter{
		{Field: "type", Values: []string{"size", "=x"}}, {Field: "family", Values: []string{"video"}}, {Field: "domain", Missing: true, Not: true}, {Field: "label.many", Values: []string{"v001", "v002", "v003", "v004", "v005"}, Missing: true}, {Field: "scenario", Values: []string{many[seenValues+1].Value}},
	}}
	for _, of := range []catalog.Query{{}, query} {
		views := facetViews(facets, of)
		for _, v := range views {
			show("facet "+v.Name, []any{v.Title, v.Choices, v.Values, len(v.More), v.Left, slices.ContainsFunc(v.More, func(v valueView) bool { return v.Checked })})
		}
		show("chips", chipsOf(of))
		show("kept", keptFilters(of, views))
	}
	golden.Check(t, "views", out.String())
}

func showing(gold bool) show { return show{Gold: gold} }
