package audit

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// reviewed is a release of two types from two sources: 40 mirror groups of two
// questions each of type a, five single ones of type b, three of all flagged.
func reviewed() release.Contents {
	c := release.Contents{Files: map[string]string{"m": "media/videos/m.mp4"}}
	for _, s := range []string{"x", "y"} {
		c.Tasks = append(c.Tasks, schemas.Task{TaskID: s, SourceRecords: []string{s}})
	}
	add := func(id, typ, task, mirror string) {
		q := schemas.Question{QuestionID: id, Type: typ, TaskID: task, Media: []string{"m"}, Labels: map[string]string{}}
		if mirror != "" {
			q.Labels[schemas.LabelMirror] = mirror
		}
		c.Questions = append(c.Questions, q)
		c.Verdicts = append(c.Verdicts, schemas.Verdict{Item: id, Gate: "g", Outcome: schemas.Pass})
	}
	for i := range 40 {
		task := []string{"x", "y"}[i%2]
		add(fmt.Sprintf("a%02d-1", i), "a", task, fmt.Sprint("m", i))
		add(fmt.Sprintf("a%02d-2", i), "a", task, fmt.Sprint("m", i))
	}
	for i := range 5 {
		add(fmt.Sprint("b", i), "b", "x", "")
	}
	for _, id := range []string{"a03-2", "b1", "b2"} {
		c.Verdicts = append(c.Verdicts, schemas.Verdict{Item: id, Gate: "oracle", Outcome: schemas.Fail, Reason: "unsolved: nobody"})
	}
	c.Verdicts = append(c.Verdicts, schemas.Verdict{Item: "b3", Gate: "oracle", Outcome: schemas.Insufficient})
	return c
}

func TestDraw(t *testing.T) {
	c, reg := reviewed(), pipeline.NewRegistry()
	s := pipeline.ReviewSample{Schema: schemas.NameQuestion, By: []string{"type", "source"}, Share: 0.2, Least: 1, Seed: 1}
	got, err := Sample(reg, c, s)
	if err != nil {
		t.Fatal(err)
	}
	counts, flagged := map[string]int{}, []string{}
	groups := map[string]bool{}
	for _, d := range got {
		counts[fmt.Sprint(d.Stratum, d.Why)]++
		if d.Why == "flagged" {
			flagged = append(flagged, d.QuestionID)
			if len(d.Verdicts) != 2 || d.Verdicts[1].Gate != "oracle" {
				t.Errorf("%s: verdicts %+v", d.QuestionID, d.Verdicts)
			}
		}
		// What passed is said as well: a reviewer sees what was looked at.
		if len(d.Verdicts) == 0 || d.Verdicts[0].Gate != "g" || d.Verdicts[0].Outcome != schemas.Pass {
			t.Errorf("%s: verdicts %+v", d.QuestionID, d.Verdicts)
		}
		group := d.QuestionID[:min(3, len(d.QuestionID))]
		if d.Stratum[0] == "a" && (groups[group] || len(d.Same) != 1 || d.Same[0][:3] != group || d.Same[0] == d.QuestionID) {
			t.Errorf("%s stands for %v", d.QuestionID, d.Same)
		}
		groups[group] = true
		if !reflect.DeepEqual(d.Media, []string{"media/videos/m.mp4"}) {
			t.Errorf("%s: media %v", d.QuestionID, d.Media)
		}
	}
	// Of 20 groups each of x and y four, of five of type b one, which is flagged. A
	// build that asks for the same draw knows no verdicts, so these decide nothing.
	want := map[string]int{"[a x]drawn": 4, "[a y]drawn": 4, "[a y]flagged": 1, "[b x]flagged": 2}
	if !reflect.DeepEqual(counts, want) || !slices.Equal(flagged, []string{"a03-2", "b1", "b2"}) {
		t.Errorf("drawn %v, flagged %v; want %v", counts, flagged, want)
	}
	again, _ := Sample(reg, c, s)
	other, _ := Sample(reg, c, pipeline.ReviewSample{Schema: schemas.NameQuestion, By: s.By, Share: s.Share, Least: 1, Seed: 2})
	if !reflect.DeepEqual(got, again) || reflect.DeepEqual(got, other) {
		t.Error("the draw does not follow the seed")
	}
	all, _ := Sample(reg, c, pipeline.ReviewSample{Schema: schemas.NameQuestion, By: []string{"type"}, Share: 1})
	least, _ := Sample(reg, c, pipeline.ReviewSample{Schema: schemas.NameQuestion, By: []string{"type"}, Share: 0.01, Least: 100})
	if len(all) != 45 || len(least) != 45 {
		t.Errorf("%d and %d of 45 questions that differ", len(all), len(least))
	}
	for _, bad := range []pipeline.ReviewSample{{Share: 0.1}, {By: []string{"type"}}, {By: []string{"type"}, Share: 1.1}, {By: []string{"type"}, Share: 0.1, Least: -1}} {
		if _, err := Sample(reg, c, bad); err == nil {
			t.Errorf("%+v draws", bad)
		}
	}
}
