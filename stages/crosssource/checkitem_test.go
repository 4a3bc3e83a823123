package crosssource_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
)

// TestPlanRefusesBadItems: what is wrong with one item, or one person, is told by its
// code; all others are placed as if it had not been there.
func TestPlanRefusesBadItems(t *testing.T) {
	t.Parallel()
	b := family(t, 2)
	call := func(i schemas.EvidenceItem) bool { return i.Task == schemas.TaskFunctionCall }
	revised := func(i schemas.EvidenceItem) bool {
		return slices.ContainsFunc(i.Units, func(u schemas.EvidenceUnit) bool { return len(u.Revises) > 0 })
	}
	options := func(i schemas.EvidenceItem) bool { return len(i.Question.Options) > 0 }
	all := func(i *schemas.EvidenceItem, parameters string) {
		for n := range i.Question.Tools {
			i.Question.Tools[n].Parameters = parameters
		}
	}
	argument := func(i *schemas.EvidenceItem, old, new string) {
		i.Question.AnswerCall = strings.Replace(i.Question.AnswerCall, old, new, 1)
	}
	for name, c := range map[string]struct {
		of    func(schemas.EvidenceItem) bool
		spoil func(*schemas.EvidenceItem)
		code  string
	}{
		"evidence in a circle": {revised, func(i *schemas.EvidenceItem) {
			at := slices.IndexFunc(i.Units, func(u schemas.EvidenceUnit) bool { return len(u.Revises) > 0 })
			for n := range i.Units {
				if i.Units[n].UnitID == i.Units[at].Revises[0] {
					i.Units[n].Revises = []string{i.Units[at].UnitID}
				}
			}
		}, "cyclic-evidence"},
		"evidence that is not there": {revised, func(i *schemas.EvidenceItem) { i.Units[len(i.Needed())-1].Revises = []string{"nowhere"} }, "dangling-evidence"},
		"gold that is no option":     {options, func(i *schemas.EvidenceItem) { i.Question.AnswerText = "something else" }, "gold-no-option"},
		"options that are one":       {options, func(i *schemas.EvidenceItem) { i.Question.Options[1].Text = i.Question.Options[0].Text }, "same-options"},
		"no schema":                  {call, func(i *schemas.EvidenceItem) { all(i, `{"type":"objekt"}`) }, "bad-tool"},
		"schema of itself":           {call, func(i *schemas.EvidenceItem) { all(i, `{"type":"object","properties":{"x":{"$ref":"#"}}}`) }, "recursive-tool"},
		"no tool":                    {call, func(i *schemas.EvidenceItem) { i.Question.Tools = nil }, "bad-tool"},
		"no tool of that name":       {call, func(i *schemas.EvidenceItem) { argument(i, `"name":"`, `"name":"x_`) }, "gold-no-tool"},
		"an argument more":           {call, func(i *schemas.EvidenceItem) { argument(i, `"arguments":{`, `"arguments":{"colour":"red",`) }, "unknown-argument"},
		"an argument less":           {call, func(i *schemas.EvidenceItem) { argument(i, `"budget":`, `"priority":"low","budget_":`) }, "unknown-argument"},
		"an argument mistyped":       {call, func(i *schemas.EvidenceItem) { argument(i, `"budget":`, `"budget":1.`) }, "bad-argument"},
		"rows of unlike length": {options, func(i *schemas.EvidenceItem) {
			u := &i.Units[0]
			u.Media, u.Text, u.Caption, u.Modality, u.Rows = "", "", "", schemas.ModalityTable, [][]string{{"a", "b"}, {"c"}}
		}, "bad-unit"},
	} {
		t.Run(name, func(t *testing.T) {
			items := clone(t, b.items)
			at := slices.IndexFunc(items, c.of)
			c.spoil(&items[at])
			checkRefused(t, b, items, nil, items[at].ItemID, c.code)
		})
	}
	t.Run("a profile that contradicts itself", func(t *testing.T) {
		bad := schemas.Profile{ProfileID: "worlds/x", Dataset: "worlds", UpstreamID: "x", SourceID: "worlds", License: "CC0-1.0", Name: "Ada Nobody", Attributes: map[string]string{}}
		bad.Preferences = []schemas.Preference{{Dimension: "tea", Level: "like", Text: "Likes tea."}, {Dimension: "tea", Level: "dislike", Text: "No tea."}}
		checkRefused(t, b, b.items, []schemas.Profile{bad}, bad.ProfileID, "contradictory-preferences")
	})
}

// checkRefused plans items and wants one of them, or a profile, lost with a code.
func checkRefused(t *testing.T, b built, items []schemas.EvidenceItem, more []schemas.Profile, id, code string) {
	t.Helper()
	var in []pipeline.Record
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, r)
	}
	for _, p := range append(slices.Clone(b.profiles), more...) {
		add(schemas.NameProfile, p.ProfileID, p)
	}
	for _, i := range items {
		add(schemas.NameEvidenceItem, i.ItemID, i)
	}
	var p crosssource.PlanConfig
	p.SetDefaults()
	out, lost, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.plan", Config: p, Inputs: in}.Run(t)
	if err != nil || len(lost) != 1 || lost[0].ID != id || lost[0].Code != code {
		t.Errorf("lost %+v (%v), want %s with the code %s", lost, err, id, code)
	}
	if len(out) == 0 {
		t.Error("nothing is placed")
	}
}
