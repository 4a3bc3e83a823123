package release_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// plainForgeries put words where sources of simulated worlds have none, free questions from
// their derivation, and change parts of sentences that no answer is read from.
func plainForgeries(t *testing.T, c release.Contents) map[string]Change {
	t.Helper()
	likes := panelUse(t, c, schemas.TaskPreference, nil)
	call := panelUse(t, c, schemas.TaskFunctionCall, nil)
	who := panelUse(t, c, schemas.TaskMultiHop, nil)
	table := c.Media[slices.IndexFunc(c.Media, func(m schemas.Media) bool { return m.Kind == "image" })]
	shows := likes.Evidence[slices.IndexFunc(likes.Evidence, pictured)]
	texts := []string{"turns", "questions", "flagged", placementsTable}
	name := shows.Text[strings.Index(shows.Text, ": ")+2:]
	chat := call.TaskID + "/S00"
	session := func(column string, v any) Change {
		return func(g *release.Forgery) error { return g.Set("sessions", column, v, chat) }
	}
	turn := func(column string, v any) Change {
		return func(g *release.Forgery) error { return g.Set("turns", column, v, chat+"/T002") }
	}
	questions := func(f func(*schemas.Question), of ...schemas.Question) Change {
		return func(g *release.Forgery) error {
			for _, q := range of {
				g.Question(q.QuestionID, f)
			}
			return nil
		}
	}
	elsewhere := func(q *schemas.Question) { q.Labels["dataset"] = "mmcv" }
	return map[string]Change{
		"a question is of a data set":     questions(func(q *schemas.Question) { elsewhere(q); release.OtherGold(q) }, likes),
		"all questions are of a data set": questions(elsewhere, c.Questions...),
		"a split of its own":              questions(func(q *schemas.Question) { q.Split = "train" }, likes),
		"another way to ask":              asksOtherwise(who, twinOf(t, c, who)),
		"a tool of a desk nobody names":   questions(otherDesk, call, twinOf(t, c, call)),
		"a tool of one twin":              questions(otherDesk, call),
		"an arc of a chat":                session("arc", "health"),
		"a kind of event of a chat":       session("event_type", "health"),
		"the role of a chat":              session("arc_role", schemas.ArcMain),
		"the title of a chat":             session("title", "group_chat_answers"),
		"a reasoning in a chat":           turn("reasoning", "The answer is B."),
		"an assistant in a chat":          turn("role", schemas.TurnAssistant),
		"a time in years":                 turn("timestamp", "2031-01-01T00:00:00Z"),
		"a point to remember":             pointed(chat),
		"words beside a picture":          func(g *release.Forgery) error { return replace(g, name, name+" Out of date, do not use.", texts...) },
		"what a table is called":          retitled(texts),
		"a caption in the list of media": func(g *release.Forgery) error {
			return g.Set("media", "caption", "The answer is B.", table.MediaID)
		},
		"the record of a task": func(g *release.Forgery) error {
			return g.Set("tasks", "source_records", []any{"another"}, call.TaskID)
		},
	}
}

// otherDesk has the second tool and those of its desk be of a desk that no source tells of.
func otherDesk(q *schemas.Question) {
	desk := regexp.MustCompile(`the (\w+) Desk`)
	gold, _, _ := strings.Cut(q.AnswerCall[strings.Index(q.AnswerCall, `"name":"`)+len(`"name":"`):], "_")
	for i, tool := range q.Tools {
		if name := desk.FindStringSubmatch(tool.Description)[1]; strings.ToLower(name) != gold {
			q.Tools[i].Name = strings.Replace(tool.Name, strings.ToLower(name), "zolling", 1)
			q.Tools[i].Description = strings.Replace(tool.Description, name, "Zolling", 1)
		}
	}
}

// asksOtherwise asks for a firm where a person or place is asked for, and else for a person.
func asksOtherwise(of ...schemas.Question) Change {
	way := regexp.MustCompile(`(?i)\b(?:who|where|which firm)\b`)
	return func(g *release.Forgery) error {
		for _, q := range of {
			g.Question(q.QuestionID, func(q *schemas.Question) {
				all := way.FindAllStringIndex(q.Question, -1)
				at, other := all[len(all)-1], "which firm"
				if strings.EqualFold(q.Question[at[0]:at[1]], other) {
					other = "who"
				}
				asked := q.Question[:at[0]] + other + q.Question[at[1]:]
				q.Question, q.QuestionMCQ = asked, strings.Replace(q.QuestionMCQ, q.Question, asked, 1)
			})
		}
		return nil
	}
}

// pointed gives a chat a point to remember.
func pointed(chat string) Change {
	return func(g *release.Forgery) error {
		g.Add("memory_points", []any{chat + "/P001", chat, "The moon is cheese", "fact", 1.0, nil, []any{}, false, nil, []any{}, false, nil, nil, "text", []any{chat + "/T001"}, []any{}})
		return nil
	}
}

// retitled says of a table in words that it is out of date.
func retitled(tables []string) Change {
	return func(g *release.Forgery) error {
		for _, r := range g.Rows("turns") {
			for _, v := range r {
				if s, _ := v.(string); strings.HasPrefix(s, "Table. ") && strings.HasSuffix(s, ")") {
					return replace(g, s, s[:strings.Index(s, "(")]+"(out of date, do not use)", tables...)
				}
			}
		}
		return fmt.Errorf("no table stands in words")
	}
}
