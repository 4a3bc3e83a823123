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

// picturesPlan asks about the pictures of a simulated life.
const picturesPlan = `version: 1
seed: 11
release: {name: pictures, title: Pictures, from: [leaks, talks, files]}
sources:
  lives: {use: visual.lives, with: {scenarios: [health_dashboard], size: {sessions: 4, rounds: 14, pictures: 10}}}
stages:
  render: {use: visual.render, from: [lives]}
  converse: {use: visual.converse, from: [render]}
  ask: {use: visual.ask, from: [render], with: {per_cell: 3}}
gates:
  files: {use: visual.picture, from: [render]}
  talks: {use: update-chain, from: [converse]}
  leaks: {use: text-leak, from: [ask]}
`

// replace puts another text in the place of one in all rows of tables that begin with
// these keys, and wants it to stand there.
func replace(f *release.Forgery, old, other string, tables ...string) error {
	n := 0
	for _, table := range tables {
		name, key, keyed := strings.Cut(table, " ")
		var keys []any
		if keyed {
			keys = []any{key}
		}
		n += f.Edit(name, func(s string) string { return strings.ReplaceAll(s, old, other) }, keys...)
	}
	if n == 0 {
		return fmt.Errorf("%q stands nowhere in %q", old, tables)
	}
	return nil
}

// TestForgedPictures: whatever is changed of a release about pictures is found, with
// every digest restated, but for what docs/memeye.md lists as following from nothing.
func TestForgedPictures(t *testing.T) {
	t.Parallel()
	reg, dir := remembering(t), builtFrom(t, plugins.Registry(), picturesPlan)
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	checkClean(t, reg, c)
	of := func(ok func(schemas.Question) bool) schemas.Question {
		i := slices.IndexFunc(c.Questions, ok)
		if i < 0 {
			t.Fatal("no question is fit to be forged")
		}
		return c.Questions[i]
	}
	first := c.Questions[0]
	sessions, err := release.DecodeTable[schemas.Session](c, "sessions")
	if err != nil {
		t.Fatal(err)
	}
	last := slices.MaxFunc(sessions, func(a, b schemas.Session) int { return strings.Compare(a.Date, b.Date) })
	coloured := of(func(q schemas.Question) bool { return q.Type == "visual_value" && q.Labels["aspect"] == "colour" })
	counted := of(func(q schemas.Question) bool { return q.Labels["error_type"] == "near_number" })
	matched := of(func(q schemas.Question) bool {
		return q.Type == "visual_match" && q.Labels[schemas.LabelGranularity] != "X1"
	})
	changed := of(func(q schemas.Question) bool { return q.Type == "visual_current" })
	elsewhere := of(func(q schemas.Question) bool { return q.Evidence[0].Ref != coloured.Evidence[0].Ref })
	question := func(q schemas.Question, change func(*schemas.Question)) func(*release.Forgery) error {
		return func(f *release.Forgery) error { f.Question(q.QuestionID, change); return nil }
	}
	label := func(q schemas.Question, name, value string) func(*release.Forgery) error {
		return question(q, func(q *schemas.Question) { q.Labels[name] = value })
	}
	wrongOption := func(q schemas.Question, text string) func(*release.Forgery) error {
		return question(q, func(q *schemas.Question) {
			i := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key != q.AnswerKey })
			q.Options[i].Text = text
			q.QuestionMCQ = schemas.MCQ(strings.Split(q.QuestionMCQ, "\n")[0], q.Options)
		})
	}
	everywhere := func(old, other string, tables ...string) func(*release.Forgery) error {
		return func(f *release.Forgery) error { return replace(f, old, other, tables...) }
	}
	shown := coloured.Evidence[0]
	found, missed := map[string]func(*release.Forgery) error{
		"the answer":                      question(first, release.OtherGold),
		"a number far from the right one": wrongOption(counted, "97"),
		"a thing that is in neither":      wrongOption(matched, "the elephant"),
		"no option held once":             question(changed, noneHeld),
		"a wrong option that is right":    wrongOption(coloured, coloured.AnswerText),
		"the type of error":               label(coloured, "error_type", "stale_state"),
		"the granularity":                 label(first, schemas.LabelGranularity, "X9"),
		"the depth":                       label(first, schemas.LabelReasoning, "Y9"),
		"where the update is":             label(changed, "update_in", "words"),
		"how much is alike":               label(first, "alike", "41"),
		"evidence is gone":                question(changed, func(q *schemas.Question) { q.Evidence = q.Evidence[1:] }),
		"the update is a clue":            question(changed, func(q *schemas.Question) { q.Evidence[len(q.Evidence)-1].Role = schemas.RoleClue }),
		"other evidence":                  question(coloured, func(q *schemas.Question) { q.Evidence = elsewhere.Evidence[:1] }),
		"a caption of the evidence":       question(coloured, func(q *schemas.Question) { q.Evidence[0].Caption += " It is there." }),
		"a caption in turn and evidence":  everywhere(shown.Caption, shown.Caption+" It is there.", "turns", "questions", "flagged"),
		"a bare caption that tells":       everywhere(shown.MinimalCaption, shown.MinimalCaption+" in "+coloured.AnswerText, "turns", "questions", "flagged"),
		"a task-aware caption":            everywhere(shown.TaskAwareCaption, shown.Caption, "turns", "questions", "flagged"),
		"what a picture shows":            everywhere("colour="+coloured.AnswerText, "colour=plaid", "visual_pictures "+shown.Media),
		"where it shows it":               func(f *release.Forgery) error { return moved(f, shown.Media) },
		"what kind of picture it is":      everywhere("screenshot", "photo", "turns "+shown.Ref),
		"a day":                           everywhere(last.Date, "1999-01-01", "sessions", "questions", "flagged"),
		"who speaks":                      func(f *release.Forgery) error { return f.Set("turns", "role", schemas.TurnAssistant, shown.Ref) },
		"what the task is said to be":     func(f *release.Forgery) error { return f.Set("tasks", "summary", "A life", first.TaskID) },
		"which scenario it is":            func(f *release.Forgery) error { return f.Set("tasks", "scenario", "card_playlog", first.TaskID) },
		"what the gate of pictures found": func(f *release.Forgery) error {
			return f.Set("verdicts", "reason", "bad-picture: it is blurred", shown.Media)
		},
		"a split of its own":                question(first, func(q *schemas.Question) { q.Split = "train" }),
		"a time of a turn":                  func(f *release.Forgery) error { return f.Set("turns", "timestamp", "2031-01-01T00:00:00Z", shown.Ref) },
		"an arc of a session":               func(f *release.Forgery) error { return f.Set("sessions", "arc", "another", shown.SessionID) },
		"the licence of a picture":          func(f *release.Forgery) error { return f.Set("media", "license", "CC-BY-4.0", shown.Media) },
		"a caption in the list of media":    func(f *release.Forgery) error { return f.Set("media", "caption", "It is B.", shown.Media) },
		"a point to remember":               pointed(shown.SessionID),
		"nothing is noted of a picture":     func(f *release.Forgery) error { f.Drop("visual_pictures", shown.Media); return nil },
		"a picture stands for another":      everywhere(shown.Media, matched.Evidence[1].Media, "turns "+shown.Ref),
		"what is said around a clue, alone": everywhere(lastLine(shown.Text), "assistant: It is "+coloured.AnswerText+".", "questions"),
	}, map[string]func(*release.Forgery) error{
		"an explanation": question(first, func(q *schemas.Question) { q.Explanation = "So it is." }),
		"a colour that no picture shows, for a wrong one": wrongOption(coloured, "ultraviolet"),
		"the pixels": func(f *release.Forgery) error {
			return f.Set("visual_pictures", "pixels_sha256", strings.Repeat("0", 64), shown.Media)
		},
	}
	all := map[string]forgery{}
	for i, name := range slices.Sorted(maps.Keys(found)) {
		if i%testsize.Choose(10, 1) == 0 {
			all[name] = forgery{found[name], audit.Differs}
		}
	}
	for name, change := range missed {
		all["not found: "+name] = forgery{change, audit.Same}
	}
	checkForgeries(t, reg, dir, all)
}

// noneHeld offers three values that nothing ever had.
func noneHeld(q *schemas.Question) {
	for i, o := range q.Options {
		if o.Key != q.AnswerKey {
			q.Options[i].Text = "value " + o.Key
		}
	}
	q.QuestionMCQ = schemas.MCQ(strings.Split(q.QuestionMCQ, "\n")[0], q.Options)
}

// lastLine is the answer in a quoted round.
func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// moved notes a thing of a picture outside of it.
func moved(f *release.Forgery, media string) error {
	for _, r := range f.Rows("visual_pictures", media) {
		for i := range r {
			things, ok := r[i].([]any)
			if !ok || len(things) == 0 {
				continue
			}
			thing, ok := things[0].([]any)
			if !ok {
				continue
			}
			box := []any{int32(9000), int32(9000), int32(9100), int32(9100)}
			things = slices.Clone(things)
			things[0] = append(slices.Clone(thing[:len(thing)-1]), box)
			return f.Set("visual_pictures", "shown", any(things), media)
		}
	}
	return fmt.Errorf("nothing is shown in %s", media)
}
