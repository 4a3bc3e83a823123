package audit_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// mapper is a stage of which only the Spec counts.
type mapper struct{ spec pipeline.Spec }

func (m mapper) Spec() pipeline.Spec { return m.spec }
func (m mapper) Map(context.Context, *pipeline.Scope, pipeline.Record) ([]pipeline.Record, error) {
	return nil, nil
}

// scribes is a family of sums that one stage writes by rule and another by a
// model, with a third that rewrites.
func scribes(t *testing.T) *pipeline.Registry {
	t.Helper()
	r := pipeline.NewRegistry()
	d, _ := sums().Derivation("sums")
	d.Writers = []string{"sums.ask", "sums.author"}
	d.Claims = func(m schemas.Media) bool { return m.Recipe.Layout == "sums" }
	r.AddDerivation("sums", d)
	questions, asks := []string{schemas.NameQuestion}, []pipeline.Ask{{Role: "author", Task: "write"}}
	for name, s := range map[string]pipeline.Spec{
		"sums.ask":    {Accepts: []string{schemas.NameMedia}, Emits: questions},
		"sums.author": {Accepts: []string{schemas.NameMedia}, Emits: questions, Asks: asks},
		"sums.look":   {Accepts: []string{schemas.NameMedia}, Emits: []string{schemas.NameMedia}, Asks: asks},
		"sums.revise": {Accepts: []string{schemas.NameFlagged}, Emits: questions, Asks: asks},
		"songs.ask":   {Accepts: []string{schemas.NameMedia}, Emits: questions},
	} {
		pipeline.AddStage(r, name, "1", name, func(none) (pipeline.Stage, error) { return mapper{s}, nil })
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

// scribed is a release in which q1 is by rule, q2 a rewrite of q2-0, and q4 its
// copy, which the gate passed; a model wrote q5.
func scribed() release.Contents {
	c := sumsRelease()
	question := func(id, mirror string, revisions ...schemas.Revision) schemas.Question {
		q := schemas.Question{
			QuestionID: id, Family: "sums", TaskID: "t", Question: "How many?", AnswerKey: "A", AnswerText: "III", Media: []string{"m"}, Type: "sum",
			Options: []schemas.Option{{Key: "A", Role: schemas.RoleCorrect, Text: "III"}, {Key: "B", Role: schemas.RoleDistractor, Text: "I"}},
			Labels:  map[string]string{"mood": "glad", schemas.LabelMirror: mirror}, Revisions: revisions,
		}
		if len(revisions) > 0 {
			q.Question = "How many are there?"
			q.Labels[schemas.LabelAuthor], q.Labels[schemas.LabelRevision], q.Labels[schemas.LabelRevisedFrom] = "writer", "1", revisions[0].Item
		}
		return q
	}
	was := func(item, reason string) schemas.Revision {
		return schemas.Revision{Item: item, Question: "How many?", Gate: "blind", Code: "guessable", Reason: reason, Model: "writer"}
	}
	five := question("q5", "")
	five.Labels[schemas.LabelAuthor] = "author"
	c.Media[0].Recipe.Layout = "sums"
	c.Questions = []schemas.Question{c.Questions[0], question("q2", "g", was("q2-0", "too easy")), question("q4", "g", was("q4-0", "of its copy q2-0: too easy")), five}
	c.Flagged = nil
	for _, id := range []string{"q2-0", "q4-0"} {
		c.Flagged = append(c.Flagged, schemas.FlaggedQuestion{Question: question(id, "g"), JudgedBy: []string{"blind"}})
	}
	c.Verdicts = []schemas.Verdict{{Gate: "blind", Item: "q2-0", Outcome: schemas.Fail, Reason: "too easy"}, {Gate: "blind", Item: "q4-0", Outcome: schemas.Pass}}
	c.Rejections = []schemas.Rejection{{Stage: "blind", ID: "q2-0", Code: "guessable", Reason: "too easy"}}
	c.Manifest.From = []string{"blind", "again"}
	c.Manifest.Gates = []manifest.GateInfo{{Name: "blind", OnFail: pipeline.OnFailRevise}, {Name: "again"}}
	c.Manifest.RecordCounts = []manifest.RecordCounts{
		{Step: "films", Kind: "stage", Use: "sums.look", Out: 1},
		{Step: "ask", Kind: "stage", Use: "sums.ask", From: []string{"films"}, Out: 3},
		{Step: "author", Kind: "stage", Use: "sums.author", From: []string{"films"}, Out: 1},
		{Step: "blind", Kind: "gate", From: []string{"ask", "author"}, Revised: 1},
		{Step: "revise", Kind: "stage", Use: "sums.revise", From: []string{"blind"}, Out: 2},
		{Step: "again", Kind: "gate", From: []string{"revise"}},
	}
	c.Manifest.Models = []manifest.StepModels{
		{Step: "films", Kind: "stage", Use: "sums.look", Models: []manifest.ModelUse{{Role: "author", Model: "viewer"}}},
		{Step: "author", Kind: "stage", Use: "sums.author", Models: []manifest.ModelUse{{Role: "author", Model: "author"}}},
		{Step: "revise", Kind: "stage", Use: "sums.revise", Models: []manifest.ModelUse{{Role: "author", Model: "writer"}}},
	}
	return c
}

// TestWordsOfModelsFollowFromTheBuild: what a model wrote is derived from
// nothing, so that saying so of a question must take more than saying it.
func TestWordsOfModelsFollowFromTheBuild(t *testing.T) {
	t.Parallel()
	reg := scribes(t)
	if r := derive(reg, scribed()); r.State() == audit.Differs {
		t.Fatalf("%+v", r.Parts)
	}
	for name, tc := range map[string]struct {
		forge func(*release.Contents)
		want  string // in a difference
	}{
		"a revision that no gate asked for": {func(c *release.Contents) {
			c.Questions[0].AnswerText = "II"
			c.Questions[0].Revisions = []schemas.Revision{{Item: "q0", Gate: "blind", Model: "writer"}}
		}, `q1: it was rewritten from "q0", and no flagged question is that`},
		"a revision by a model nobody asked":  {func(c *release.Contents) { c.Questions[1].Revisions[0].Model = "gpt" }, `q2: it was rewritten by "gpt"`},
		"by one that was asked for the first": {func(c *release.Contents) { c.Questions[1].Revisions[0].Model = "author" }, `q2: it was rewritten by "author"`},
		"of a gate that revises nothing":      {func(c *release.Contents) { c.Manifest.Gates[0].OnFail = pipeline.OnFailDrop }, "handed nothing on"},
		"of a gate that revised nothing":      {func(c *release.Contents) { c.Manifest.RecordCounts[3].Revised = 0 }, "handed nothing on"},
		"of a gate that it passed":            {func(c *release.Contents) { c.Verdicts[0].Outcome = schemas.Pass }, "handed nothing on"},
		"for another reason":                  {func(c *release.Contents) { c.Questions[1].Revisions[0].Reason = "too hard" }, "handed nothing on"},
		"under another code":                  {func(c *release.Contents) { c.Rejections[0].Code = "hard" }, "handed nothing on"},
		"a copy that is none":                 {func(c *release.Contents) { c.Flagged[1].Question.Labels[schemas.LabelMirror] = "h" }, "q4: it was rewritten because"},
		"a copy of another reason":            {func(c *release.Contents) { c.Questions[2].Revisions[0].Reason = "of its copy q2-0: no" }, "q4: it was rewritten because"},
		"other words than were flagged":       {func(c *release.Contents) { c.Questions[1].Revisions[0].Question = "What?" }, "q2: the words and revisions"},
		"gold turned over on the way": {func(c *release.Contents) {
			c.Questions[1].AnswerKey, c.Questions[1].AnswerText = "B", "I"
		}, "q2: it has another key of the answer than q2-0"},
		"roles turned over on the way": {func(c *release.Contents) {
			o := c.Questions[1].Options
			o[0].Role, o[1].Role = o[1].Role, o[0].Role
		}, "q2: it has another row of keys and roles than q2-0"},
		"more rewrites than were given": {func(c *release.Contents) { c.Manifest.RecordCounts[4].Out = 1 }, `2 questions are rewritten by "writer", and the steps that asked it gave 1`},
		"labels without revisions":      {func(c *release.Contents) { c.Questions[1].Revisions = nil }, "q2: its labels say that it was rewritten"},
		"an author nobody asked":        {func(c *release.Contents) { c.Questions[3].Labels[schemas.LabelAuthor] = "gpt" }, `q5: it was written by "gpt"`},
		"an author of other things":     {func(c *release.Contents) { c.Questions[3].Labels[schemas.LabelAuthor] = "viewer" }, `q5: it was written by "viewer"`},
		"an author in a stage that asks nobody": {func(c *release.Contents) {
			c.Questions[0].Labels[schemas.LabelAuthor] = "gpt"
			c.Manifest.Models = append(c.Manifest.Models, manifest.StepModels{Step: "ask", Kind: "stage", Use: "sums.ask", Models: []manifest.ModelUse{{Role: "author", Model: "gpt"}}})
		}, `q1: it was written by "gpt"`},
		"an author in a stage that the release does not read": {func(c *release.Contents) {
			c.Manifest.RecordCounts[3].From = []string{"ask"}
		}, `q5: it was written by "author"`},
		"more by the author than it gave": {func(c *release.Contents) {
			c.Questions[0].Labels = map[string]string{schemas.LabelAuthor: "author"}
		}, `2 questions are written by "author", and the steps that asked it gave 1`},
	} {
		c := scribed()
		tc.forge(&c)
		r := derive(reg, c)
		all := ""
		for _, p := range goldParts(r) {
			all += strings.Join(p.Differences, "\n") + "\n"
		}
		if r.State() != audit.Differs || !strings.Contains(all, tc.want) {
			t.Errorf("%s: %s, found\n%s", name, r.State(), all)
		}
	}
}

// TestAFamilyIsWhatMediaAndWritersSay: under another name nothing is derived.
func TestAFamilyIsWhatMediaAndWritersSay(t *testing.T) {
	t.Parallel()
	rename := func(c *release.Contents) {
		for i := range c.Questions {
			c.Questions[i].Family = "songs"
		}
		for i := range c.Flagged {
			c.Flagged[i].Question.Family = "songs"
		}
		c.Tasks[0].Family = "songs"
	}
	for name, tc := range map[string]struct {
		forge func(*release.Contents)
		want  string
	}{
		"renamed":                  {func(*release.Contents) {}, `task t: it is of family "songs", and only sums makes media as m`},
		"renamed, other media":     {func(c *release.Contents) { c.Media[0].Recipe.Layout = "" }, `q1: it is of family "songs", and what writes questions in the build writes those of sums`},
		"renamed, another writer":  {func(c *release.Contents) { c.Manifest.RecordCounts[1].Use = "songs.ask" }, `q1: it is of family "songs", and only sums makes media as m`},
		"renamed, unknown writers": {func(c *release.Contents) { c.Manifest.RecordCounts[1].Use = "human.ask" }, `q1: it is of family "songs", and only sums makes media as m`},
	} {
		c := scribed()
		rename(&c)
		c.Manifest.Derivations = nil
		tc.forge(&c)
		r := derive(scribes(t), c)
		if p := goldParts(r)["families of questions"]; r.State() != audit.Differs || !strings.Contains(fmt.Sprint(p.Differences), tc.want) {
			t.Errorf("%s: %+v", name, p)
		}
	}
	c := scribed()
	rename(&c)
	c.Media[0].Recipe.Layout, c.Manifest.RecordCounts[1].Use = "", "songs.ask"
	if p := goldParts(derive(scribes(t), c))["families of questions"]; p.State != audit.Same || p.Checked != 0 || p.Unchecked != 6 || p.Why == "" {
		t.Errorf("of a family that nothing tells: %+v", p)
	}
}
