package release_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// groupPlan asks about one group of people whose sources only together tell.
const groupPlan = `version: 1
seed: 5
release: {name: sources, title: Sources, from: [calls, talks, files, legible, spread]}
sources:
  worlds: {use: crosssource.worlds, with: {count: 1, themes: [music], size: {people: 6, images: 0.5, items: {single_hop: 2, multi_hop: 1, conflict_resolution: 6, preference_reasoning: 2, function_call: 1}, pieces: [{from: 2, to: 4, weight: 1}]}}}
stages:
  draw: {use: crosssource.draw, from: [worlds]}
  plan: {use: crosssource.plan, from: [draw], with: {groups: 3, privates: 1, documents: 2, turns: 80, paragraphs: 3}}
  write: {use: crosssource.write, from: [plan]}
  place: {use: crosssource.place, from: [draw, write]}
  ask: {use: crosssource.ask, from: [draw, spread]}
gates:
  files: {use: visual.picture, from: [draw]}
  legible: {use: exhibit-legible, from: [draw]}
  talks: {use: update-chain, from: [write]}
  spread: {use: placement, from: [place]}
  roles: {use: option-roles, from: [ask]}
  calls: {use: option-only-call, from: [roles]}
`

// The tables of the family.
const placementsTable, exhibitsTable = "crosssource_placements", "crosssource_exhibits"

// TestForgedSources: whatever is exchanged in a release about sources is found with every
// digest restated, but for what docs/forgeries.md lists as following from nothing.
func TestForgedSources(t *testing.T) {
	t.Parallel()
	reg, dir := remembering(t), builtFrom(t, plugins.Registry(), groupPlan)
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	checkClean(t, reg, c)
	found, missed := sourceForgeries(t, c)
	more, free := linkForgeries(t, c)
	maps.Copy(found, more)
	maps.Copy(found, ownerForgeries(t, c))
	maps.Copy(found, plainForgeries(t, c))
	maps.Copy(missed, free)
	more, free = besideForgeries(t, c)
	maps.Copy(found, more)
	maps.Copy(missed, free)
	all := map[string]forgery{}
	for i, name := range slices.Sorted(maps.Keys(found)) {
		if i%testsize.Choose(8, 1) == 0 {
			all[name] = forgery{found[name], audit.Differs}
		}
	}
	for i, name := range slices.Sorted(maps.Keys(missed)) {
		if i%testsize.Choose(3, 1) == 0 {
			all["not found: "+name] = forgery{missed[name], audit.Same}
		}
	}
	checkForgeries(t, reg, dir, all)
}

// panelUse finds the distributed question of a task whose evidence is as wanted.
func panelUse(t *testing.T, c release.Contents, task string, ok func(schemas.Question) bool) schemas.Question {
	t.Helper()
	i := slices.IndexFunc(c.Questions, func(q schemas.Question) bool {
		return q.Labels["task"] == task && q.Labels["arrangement"] == "distributed" && (ok == nil || ok(q))
	})
	if i < 0 {
		t.Fatalf("no question of %s is fit to be forged", task)
	}
	return c.Questions[i]
}

// twinOf is the concentrated form of a question.
func twinOf(t *testing.T, c release.Contents, q schemas.Question) schemas.Question {
	t.Helper()
	i := slices.IndexFunc(c.Questions, func(o schemas.Question) bool {
		return o.Labels["twin"] == q.Labels["twin"] && o.QuestionID != q.QuestionID
	})
	if i < 0 {
		t.Fatalf("%s has no twin", q.QuestionID)
	}
	return c.Questions[i]
}

// Change is what a forger does.
type Change = func(*release.Forgery) error

func sourceForgeries(t *testing.T, c release.Contents) (found, missed map[string]Change) {
	t.Helper()
	hop := panelUse(t, c, schemas.TaskSingleHop, func(q schemas.Question) bool { return slices.ContainsFunc(q.Evidence, pictured) })
	conflict := panelUse(t, c, schemas.TaskConflict, nil)
	likes := panelUse(t, c, schemas.TaskPreference, nil)
	call := panelUse(t, c, schemas.TaskFunctionCall, nil)
	twin := twinOf(t, c, conflict)
	picture := hop.Evidence[slices.IndexFunc(hop.Evidence, pictured)]
	text := conflict.Needed()[slices.IndexFunc(conflict.Needed(), func(e schemas.Evidence) bool { return !pictured(e) })]
	line := text.Text[strings.Index(text.Text, ": ")+2:]
	other := c.Media[slices.IndexFunc(c.Media, func(m schemas.Media) bool { return m.MediaID != picture.Media })].MediaID
	question := func(q schemas.Question, f func(*schemas.Question)) Change {
		return func(g *release.Forgery) error { g.Question(q.QuestionID, f); return nil }
	}
	everywhere := func(old, now string, tables ...string) Change {
		return func(g *release.Forgery) error { return replace(g, old, now, tables...) }
	}
	texts := []string{"turns", "questions", "flagged", placementsTable}
	found = map[string]Change{
		"a picture stands for another":     everywhere(picture.Media, other, "turns "+picture.Ref),
		"a picture for another everywhere": everywhere(picture.Media, other, "turns", "questions", placementsTable),
		"the rows of another picture": func(g *release.Forgery) error {
			return g.Set(exhibitsTable, "rows", g.Rows(exhibitsTable, exhibit(g, other))[0][5], exhibit(g, picture.Media))
		},
		"a cell of a picture":          func(g *release.Forgery) error { return celled(g, exhibit(g, picture.Media)) },
		"no row of a picture":          func(g *release.Forgery) error { g.Drop(exhibitsTable, exhibit(g, picture.Media)); return nil },
		"a wrong option that is right": otherOption(conflict, conflict.AnswerText),
		"gold of a question":           question(likes, release.OtherGold),
		"gold of a twin":               question(twin, release.OtherGold),
		"evidence's text, alone":       question(conflict, func(q *schemas.Question) { q.Evidence[0].Text += " So it is." }),
		"evidence's text everywhere":   everywhere(line, "Nothing is settled.", texts...),
		"a later update, dated first": func(g *release.Forgery) error {
			return g.Set("turns", "timestamp", "2001-01-01T00:00:00Z", conflict.Evidence[len(conflict.Evidence)-1].Ref)
		},
		"a turn's place in the stream": func(g *release.Forgery) error {
			return g.Set("turns", "position", int64(1), conflict.Evidence[len(conflict.Evidence)-1].Ref)
		},
		"two pieces change places":  func(g *release.Forgery) error { return changedError(g, conflict.Evidence, texts) },
		"who says a piece":          func(g *release.Forgery) error { return g.Set("turns", "speaker", "Nobody Else", text.Ref) },
		"a source of the evidence":  question(hop, func(q *schemas.Question) { q.Evidence[0].SourceID = "elsewhere" }),
		"a session of the evidence": question(hop, func(q *schemas.Question) { q.Evidence[0].SessionID = hop.Evidence[1].SessionID }),
		"the kind of a source":      func(g *release.Forgery) error { return g.Set("sessions", "kind", "table", text.SessionID) },
		"a parameter of a tool": question(call, func(q *schemas.Question) {
			q.Tools[0].Parameters = strings.Replace(q.Tools[0].Parameters, "string", "integer", 1)
		}),
		"a tool less":            question(call, func(q *schemas.Question) { q.Tools = q.Tools[1:] }),
		"the call":               question(call, func(q *schemas.Question) { q.AnswerCall = strings.Replace(q.AnswerCall, ":", ": ", 1) }),
		"the twin's arrangement": question(twin, func(q *schemas.Question) { q.Labels["arrangement"] = "distributed" }),
		"how many sources":       question(hop, func(q *schemas.Question) { q.Labels["sources"] = "7" }),
		"which fact":             question(hop, func(q *schemas.Question) { q.Labels[schemas.LabelFact] = conflict.Labels[schemas.LabelFact] }),
		"no placement":           func(g *release.Forgery) error { g.Drop(placementsTable, hop.QuestionID+"/placement"); return nil },
		"evidence taken away":    question(hop, func(q *schemas.Question) { q.Evidence = q.Evidence[1:] }),
		"a clue that is superseded": question(conflict, func(q *schemas.Question) {
			needed := slices.IndexFunc(q.Evidence, func(e schemas.Evidence) bool { return e.Role != schemas.RoleDistractor })
			q.Evidence[needed].Role = schemas.RoleDistractor
		}),
		"what the gate of places found": func(g *release.Forgery) error {
			return g.Set("verdicts", "reason", "clustered: 1 turn", hop.QuestionID+"/placement")
		},
		"what the gate of pictures found": func(g *release.Forgery) error {
			return g.Set("verdicts", "outcome", string(schemas.Fail), exhibit(g, picture.Media), "legible")
		},
		"the scenario of the task":      func(g *release.Forgery) error { return g.Set("tasks", "domain", "chats", hop.TaskID) },
		"what a picture's caption says": everywhere(picture.Caption, picture.Caption+" It is there.", "turns", "questions"),
		"a bare caption that tells":     everywhere(picture.MinimalCaption, picture.MinimalCaption+" of "+hop.AnswerText, "turns", "questions"),
		"a handle":                      everywhere(handleIn(picture.Text), "Fig. 00000000", "turns", "questions", placementsTable),
	}
	missed = map[string]Change{
		"an explanation":              question(hop, func(q *schemas.Question) { q.Explanation = "So it is." }),
		"what the task is said to be": func(g *release.Forgery) error { return g.Set("tasks", "summary", "A group", hop.TaskID) },
	}
	return found, missed
}

func pictured(e schemas.Evidence) bool { return e.Media != "" }

// handleIn is the name of a picture in a turn.
func handleIn(text string) string {
	i := strings.Index(text, "Fig. ")
	return text[i : i+len("Fig. 00000000")]
}

// exhibit is the id of the row of a picture.
func exhibit(f *release.Forgery, media string) any {
	for _, r := range f.Rows(exhibitsTable) {
		if r[1] == media {
			return r[0]
		}
	}
	return nil
}

// celled gives the last cell of a picture's row another value.
func celled(f *release.Forgery, id any) error {
	if n := f.Edit(exhibitsTable, func(s string) string {
		if strings.HasSuffix(s, "0") || strings.HasSuffix(s, "5") {
			return s + "0"
		}
		return s + "5"
	}, id); n != 1 {
		return fmt.Errorf("%d rows", n)
	}
	return nil
}

// changedError puts what the first two pieces say in the place of each other.
func changedError(f *release.Forgery, e []schemas.Evidence, tables []string) error {
	one, two := e[0].Text[strings.Index(e[0].Text, ": ")+2:], e[1].Text[strings.Index(e[1].Text, ": ")+2:]
	for _, x := range [][2]string{{one, "\x00"}, {two, one}, {"\x00", two}} {
		if err := replace(f, x[0], x[1], tables...); err != nil {
			return err
		}
	}
	return nil
}
