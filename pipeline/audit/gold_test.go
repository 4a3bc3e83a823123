package audit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// sums is a family whose questions ask how many events their medium shows.
func sums() *pipeline.Registry {
	r := pipeline.NewRegistry()
	r.AddDerivation("sums", pipeline.Derivation{
		Version: "3",
		Question: func(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
			switch {
			case q.Question == "?":
				return pipeline.Derived[schemas.Question]{}, errors.New("it asks nothing")
			case q.Labels[schemas.LabelAuthor] != "":
				return pipeline.Derived[schemas.Question]{}, &pipeline.UnderivedError{Reason: "written by a model"}
			case q.Question == "!":
				panic("over")
			}
			q.AnswerText = strings.Repeat("I", len(p.Events))
			return pipeline.Derived[schemas.Question]{Item: q, Underivable: []string{"labels.mood"}}, nil
		},
		Task: func(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
			t.Domain = p.Labels[0].Value
			return pipeline.Derived[schemas.Task]{Item: t}, nil
		},
	})
	return r
}

// sumsRelease has one medium of three events and questions about it.
func sumsRelease() release.Contents {
	question := func(id string) schemas.Question {
		return schemas.Question{QuestionID: id, Family: "sums", TaskID: "t", Question: "How many?", AnswerText: "III", Media: []string{"m"}, Labels: map[string]string{"mood": "glad"}}
	}
	return release.Contents{
		Manifest:  manifest.Manifest{Derivations: map[string]string{"sums": "3"}},
		Questions: []schemas.Question{question("q1"), question("q2")},
		Flagged:   []schemas.FlaggedQuestion{{Question: question("q3")}},
		Tasks:     []schemas.Task{{TaskID: "t", Family: "sums", Domain: "kitchen", Media: []string{"m"}}},
		Media:     []schemas.Media{{MediaID: "m", Recipe: schemas.Recipe{Segments: []schemas.Segment{{Original: "o"}, {Original: "o"}}}}},
		Events:    []schemas.StatedEvent{{Original: "o"}, {Original: "o"}, {Original: "o"}, {Original: "elsewhere"}},
		Labels:    []schemas.StatedLabel{{Original: "o", Attribute: "place", Value: "kitchen"}},
	}
}

// goldParts are the parts of a report that are about gold.
func goldParts(r audit.Report) map[string]audit.Part {
	out := map[string]audit.Part{}
	for _, p := range r.Parts {
		if strings.HasPrefix(p.Name, "gold of ") || strings.HasPrefix(p.Name, "families ") || strings.HasPrefix(p.Name, "questions that ") {
			out[p.Name] = p
		}
	}
	return out
}

// derive is an audit of gold alone.
func derive(reg *pipeline.Registry, c release.Contents) audit.Report {
	items, err := audit.IndexItems(reg, c)
	if err != nil {
		panic(err)
	}
	defer items.Close()
	gold, parts := audit.DeriveGold(reg, c, items)
	return audit.Report{Gold: gold, Parts: parts}
}

func TestGoldIsWorkedOutAgain(t *testing.T) {
	t.Parallel()
	r := derive(sums(), sumsRelease())
	g := r.Gold[0]
	if g.Questions != 3 || g.Flagged != 1 || g.Derived != 3 || g.Wrong != 0 || g.Tasks != 1 || g.TasksDerived != 1 || g.Unconstrained["labels.mood"] != 3 {
		t.Errorf("%+v", g)
	}
	if p := goldParts(r)["gold of 3 sums questions by construction and 1 task"]; p.State != audit.Same {
		t.Errorf("%+v", r.Parts)
	}
}

func TestGoldThatDoesNotFollow(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		forge func(*release.Contents)
		want  string // in a difference
	}{
		"another answer":          {func(c *release.Contents) { c.Questions[0].AnswerText = "II" }, "q1: answer_text is II, from events, labels and recipe follows III"},
		"a flagged one":           {func(c *release.Contents) { c.Flagged[0].Question.AnswerText = "II" }, "q3: answer_text"},
		"an event less":           {func(c *release.Contents) { c.Events = c.Events[1:] }, "q2: answer_text is III, from events, labels and recipe follows II"},
		"no question":             {func(c *release.Contents) { c.Questions[1].Question = "?" }, "q2: it asks nothing"},
		"a panic":                 {func(c *release.Contents) { c.Questions[1].Question = "!" }, "q2: the derivation falls over it"},
		"another place":           {func(c *release.Contents) { c.Labels[0].Value = "attic" }, "task t: domain is kitchen"},
		"no place":                {func(c *release.Contents) { c.Labels = nil }, "task t: the derivation falls over it"},
		"another family":          {func(c *release.Contents) { c.Questions[0].Family = "songs" }, `q1: it is of family "songs" and its task of "sums"`},
		"another family's task":   {func(c *release.Contents) { c.Tasks[0].Family = "songs" }, `q3: it is of family "sums" and its task of "songs"`},
		"by a model nobody asked": {func(c *release.Contents) { c.Questions[0].Labels[schemas.LabelAuthor] = "writer" }, `q1: it was written by "writer"`},
	} {
		c := sumsRelease()
		tc.forge(&c)
		r := derive(sums(), c)
		all := ""
		for _, p := range goldParts(r) {
			all += strings.Join(p.Differences, "\n") + "\n"
		}
		if r.State() != audit.Differs || !strings.Contains(all, tc.want) {
			t.Errorf("%s: %s, found\n%s", name, r.State(), all)
		}
	}
}

// TestGoldThatThisProgramCannotDerive is never called the same.
func TestGoldThatThisProgramCannotDerive(t *testing.T) {
	t.Parallel()
	other := sumsRelease()
	other.Manifest.Derivations["sums"] = "2"
	none := sumsRelease()
	none.Manifest.Derivations = nil
	for name, tc := range map[string]struct {
		reg   *pipeline.Registry
		c     release.Contents
		state audit.State
	}{
		"another version":           {sums(), other, audit.Errored},
		"a release that names none": {sums(), none, audit.Errored},
		"a program without":         {pipeline.NewRegistry(), sumsRelease(), audit.Errored},
		"neither":                   {pipeline.NewRegistry(), none, audit.NotRecomputable},
	} {
		r := derive(tc.reg, tc.c)
		if p := goldParts(r)["gold of 3 sums questions"]; p.State != tc.state || p.Why == "" {
			t.Errorf("%s: %+v", name, r.Parts)
		}
	}
	written := sumsRelease()
	written.Manifest.Models = []manifest.StepModels{{Kind: "stage", Rules: []manifest.RuleUse{{Task: "write"}}}}
	written.Questions[0].Labels[schemas.LabelAuthor] = pipeline.BuiltInModel
	r := derive(sums(), written)
	p := goldParts(r)["gold of 1 other sums question"]
	if p.State != audit.NotRecomputable || p.Why != "written by a model" || r.Gold[0].Derived != 2 {
		t.Errorf("%+v\n%+v", r.Gold, r.Parts)
	}
}
