package audit

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// TestLabelsAreCompared holds what two models label, and what the items have, against
// each other: labels and not marks, on either axis.
func TestLabelsAreCompared(t *testing.T) {
	t.Run("Y", func(t *testing.T) { compareLabels(t, "label-reasoning", schemas.LabelReasoning, "Y") })
	t.Run("X", func(t *testing.T) { compareLabels(t, "label-granularity", schemas.LabelGranularity, "X") })
}

func compareLabels(t *testing.T, use, label, axis string) {
	reg := pipeline.NewRegistry()
	panel.Register(reg)
	plugin, _ := reg.Plugin(pipeline.KindGate, use)
	config, err := pipeline.Canonical(plugin.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	var c release.Contents
	c.Manifest.Models = []manifest.StepModels{
		{Step: "other", Models: []manifest.ModelUse{{Role: "panel_a", Model: "y"}, {Role: "panel_b", Model: "y"}}},
		{Step: "labels", Models: []manifest.ModelUse{{Role: "panel_a", Model: "x", Host: "h"}, {Role: "panel_b", Model: "x", Host: "h"}}},
	}
	c.Manifest.Gates = []manifest.GateInfo{{Name: "labels", Use: use, Version: plugin.Version, Config: config}}
	for i, said := range [][3]string{{"1", "1", "1"}, {"2", "2", "1"}, {"1", "3", "3"}, {"2", "2", "2"}} {
		id := string(rune('a' + i))
		for k := range said {
			said[k] = axis + said[k]
		}
		c.Questions = append(c.Questions, schemas.Question{QuestionID: id, Question: id, Labels: map[string]string{label: said[0]}})
		for k, role := range []string{"panel_a", "panel_b"} {
			mark := map[bool]string{true: schemas.MarkRight, false: schemas.MarkWrong}[said[k+1] == said[0]]
			c.Probes = append(c.Probes, schemas.Probe{Gate: "labels", Item: id, View: "labelling", Role: role, Answer: said[k+1], Mark: mark})
		}
	}
	all, err := newRecomputer(reg, indexBuiltin(c), c).agreements(c)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	a := all[0]
	if a.Label != label || !slices.Equal(a.Disagree, []string{"b", "c"}) || len(a.Pairs) != 3 {
		t.Fatalf("%+v", a)
	}
	if want := "[panel_a and panel_b were one model, x at h]"; fmt.Sprint(a.OneOpinion) != want {
		t.Errorf("the roles are told to be %v, want %s", a.OneOpinion, want)
	}
	for _, p := range a.Pairs {
		want := map[string]float64{"item panel_a": 0.75, "item panel_b": 0.5, "panel_a panel_b": 0.75}[p.A+" "+p.B]
		if p.Observed.Value != want || !slices.Equal(p.Labels, []string{axis + "1", axis + "2", axis + "3"}[:len(p.Labels)]) {
			t.Errorf("%s and %s agree on %g, labels %v; want %g", p.A, p.B, p.Observed.Value, p.Labels, want)
		}
		// What the item has as 1 and a model as 3 is told as such.
		if p.A == RaterItem && p.Confusion[0][slices.Index(p.Labels, axis+"3")] != 1 {
			t.Errorf("%s and %s: %v confused as %v", p.A, p.B, p.Labels, p.Confusion)
		}
	}
}

// TestLabelsOfAStrangerAreBounded: two roles that agree on forty labels are compared on the
// first sixteen values, the item's among them, and one for all others.
func TestLabelsOfAStrangerAreBounded(t *testing.T) {
	reg := pipeline.NewRegistry()
	panel.Register(reg)
	plugin, _ := reg.Plugin(pipeline.KindGate, "label-reasoning")
	config, err := pipeline.Canonical(plugin.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	var c release.Contents
	c.Manifest.Gates = []manifest.GateInfo{{Name: "labels", Use: "label-reasoning", Version: plugin.Version, Config: config}}
	for i := range 40 {
		id := fmt.Sprintf("q%02d", i)
		c.Questions = append(c.Questions, schemas.Question{QuestionID: id, Question: id, Labels: map[string]string{schemas.LabelReasoning: "Y1"}})
		for _, role := range []string{"panel_a", "panel_b"} {
			c.Probes = append(c.Probes, schemas.Probe{Gate: "labels", Item: id, View: "labelling", Role: role, Answer: fmt.Sprintf("L%02d", i), Mark: schemas.MarkWrong})
		}
	}
	all, err := newRecomputer(reg, indexBuiltin(c), c).agreements(c)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, p := range all[0].Pairs {
		if p.A == RaterItem || p.B == RaterItem {
			continue
		}
		// L00, then Y1, then L01 to L14 are known when the others come.
		if len(p.Labels) != 16 || !slices.Contains(p.Labels, otherLabel) || !slices.Contains(p.Labels, "L14") || slices.Contains(p.Labels, "L15") || p.Observed.Value != 1 {
			t.Errorf("%s and %s are compared on %d values %v, and agree on %g", p.A, p.B, len(p.Labels), p.Labels, p.Observed.Value)
		}
	}
}
