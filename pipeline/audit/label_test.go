package audit

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestLabelsAreCompared holds what two models label, and what the items have, against
// each other: labels and not marks.
func TestLabelsAreCompared(t *testing.T) {
	reg := pipeline.NewRegistry()
	panel.Register(reg)
	plugin, _ := reg.Plugin(pipeline.KindGate, "label-reasoning")
	config, err := pipeline.Canonical(plugin.NewConfig())
	if err != nil {
		t.Fatal(err)
	}
	var c release.Contents
	c.Manifest.Gates = []release.GateInfo{{Name: "labels", Use: "label-reasoning", Version: plugin.Version, Config: config}}
	for i, said := range [][3]string{{"Y1", "Y1", "Y1"}, {"Y2", "Y2", "Y1"}, {"Y1", "Y3", "Y3"}, {"Y2", "Y2", "Y2"}} {
		id := string(rune('a' + i))
		c.Questions = append(c.Questions, schemas.Question{QuestionID: id, Question: id, Labels: map[string]string{schemas.LabelReasoning: said[0]}})
		for k, role := range []string{"panel_a", "panel_b"} {
			mark := map[bool]string{true: schemas.MarkRight, false: schemas.MarkWrong}[said[k+1] == said[0]]
			c.Probes = append(c.Probes, schemas.Probe{Gate: "labels", Item: id, View: "labelling", Role: role, Answer: said[k+1], Mark: mark})
		}
	}
	all, err := newCourt(reg, indexed(c), c).agreements(c)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	a := all[0]
	if a.Label != schemas.LabelReasoning || !slices.Equal(a.Disagree, []string{"b", "c"}) || len(a.Pairs) != 3 {
		t.Fatalf("%+v", a)
	}
	for _, p := range a.Pairs {
		want := map[string]float64{"item panel_a": 0.75, "item panel_b": 0.5, "panel_a panel_b": 0.75}[p.A+" "+p.B]
		if p.Observed.Value != want || !slices.Equal(p.Labels, []string{"Y1", "Y2", "Y3"}[:len(p.Labels)]) {
			t.Errorf("%s and %s agree on %g, labels %v; want %g", p.A, p.B, p.Observed.Value, p.Labels, want)
		}
	}
}
