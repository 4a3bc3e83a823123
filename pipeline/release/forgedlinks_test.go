package release_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// otherOption puts another text in the place of the first wrong option of a question.
func otherOption(of schemas.Question, text string) Change {
	return func(g *release.Forgery) error {
		g.Question(of.QuestionID, func(q *schemas.Question) {
			i := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key != q.AnswerKey })
			q.Options[i].Text = text
			q.QuestionMCQ = schemas.MCQ(strings.Split(q.QuestionMCQ, "\n")[0], q.Options)
		})
		return nil
	}
}

// That of a placement's pieces, and columns of a piece.
const (
	placementPieces                               = 7
	pieceID, pieceForm, pieceRevises, pieceWanted = 0, 2, 3, 5
)

// pieces changes those of a question's placement.
func pieces(q schemas.Question, edit func([][]any) error) Change {
	return placed(q, "pieces", placementPieces, func(list [][]any) ([][]any, error) { return list, edit(list) })
}

// placed changes a list of a question's placement.
func placed(q schemas.Question, column string, at int, edit func([][]any) ([][]any, error)) Change {
	return func(g *release.Forgery) error {
		id := q.QuestionID + "/placement"
		rows := g.Rows(placementsTable, id)
		if len(rows) != 1 {
			return fmt.Errorf("%d rows are called %s", len(rows), id)
		}
		var list [][]any
		for _, p := range rows[0][at].([]any) {
			list = append(list, slices.Clone(p.([]any)))
		}
		list, err := edit(list)
		if err != nil {
			return err
		}
		all := []any{}
		for _, p := range list {
			all = append(all, p)
		}
		return g.Set(placementsTable, column, all, id)
	}
}

// piece gives a column of the first piece that is fit another value.
func piece(q schemas.Question, fit func([]any) bool, column int, value any) Change {
	return pieces(q, func(list [][]any) error {
		i := slices.IndexFunc(list, fit)
		if i < 0 {
			return fmt.Errorf("no piece of %s is fit to be forged", q.QuestionID)
		}
		list[i][column] = value
		return nil
	})
}

// wordingRow is a distributed question that rests on two texts or more, none of which revises
// another.
func wordingRow(t *testing.T, c release.Contents) schemas.Question {
	t.Helper()
	i := slices.IndexFunc(c.Questions, func(q schemas.Question) bool {
		texts := slices.DeleteFunc(q.Needed(), func(e schemas.Evidence) bool { return e.Modality != schemas.ModalityText })
		revised := slices.ContainsFunc(texts, func(e schemas.Evidence) bool { return e.Role == schemas.RoleUpdate })
		return q.Labels["arrangement"] == "distributed" && len(texts) > 1 && !revised
	})
	if i < 0 {
		t.Fatal("no question rests on two texts")
	}
	return c.Questions[i]
}

// linkForgeries change what a release says of how pieces, twins and options hang
// together.
func linkForgeries(t *testing.T, c release.Contents) (found, missed map[string]Change) {
	t.Helper()
	updated := panelUse(t, c, schemas.TaskConflict, func(q schemas.Question) bool {
		return slices.ContainsFunc(q.Evidence, func(e schemas.Evidence) bool { return e.Role == schemas.RoleUpdate })
	})
	likes := panelUse(t, c, schemas.TaskPreference, nil)
	hop := panelUse(t, c, schemas.TaskMultiHop, nil)
	both := []schemas.Question{hop, twinOf(t, c, hop)}
	label := func(f func(map[string]string), of ...schemas.Question) Change {
		return func(g *release.Forgery) error {
			for _, q := range of {
				g.Question(q.QuestionID, func(q *schemas.Question) { f(q.Labels) })
			}
			return nil
		}
	}
	update := func(p []any) bool { return len(p[pieceRevises].([]any)) > 0 }
	text := func(p []any) bool { return p[pieceForm] == schemas.ModalityText }
	first := func([]any) bool { return true }
	theme := func(g *release.Forgery) error {
		for _, q := range c.Questions {
			g.Question(q.QuestionID, func(q *schemas.Question) { q.Labels["theme"] = "food" })
		}
		for _, task := range c.Tasks {
			if err := g.Set("tasks", "scenario", "food", task.TaskID); err != nil {
				return err
			}
		}
		return nil
	}
	earlier := panelUse(t, c, schemas.TaskConflict, func(q schemas.Question) bool { return q.Labels["conflict"] == "time" })
	misled := func(f func(*schemas.Evidence)) Change {
		return func(g *release.Forgery) error {
			g.Question(updated.QuestionID, func(q *schemas.Question) {
				f(&q.Evidence[slices.IndexFunc(q.Evidence, func(e schemas.Evidence) bool { return e.Role == schemas.RoleDistractor })])
			})
			return nil
		}
	}
	found = map[string]Change{
		"an update revises nothing":         piece(updated, update, pieceRevises, []any{}),
		"an update revises another piece":   pieces(earlier, revisesFirst),
		"a piece is nobody's to say":        piece(likes, func(p []any) bool { return p[pieceWanted] != "" }, pieceWanted, ""),
		"anybody's piece is somebody's":     piece(updated, text, pieceWanted, "Nobody Else"),
		"a text is called a table":          piece(updated, text, pieceForm, schemas.ModalityTable),
		"no twin":                           label(func(l map[string]string) { delete(l, "twin") }, both...),
		"no twin of one":                    label(func(l map[string]string) { delete(l, "twin") }, hop),
		"how many sources a twin has":       label(func(l map[string]string) { l["sources"] = "7" }, both[1]),
		"the theme everywhere":              theme,
		"a wrong option that nobody named":  otherOption(likes, "Somewhere Fair"),
		"a wrong option that says the same": otherOption(hop, "The "+hop.AnswerText),
		"what misleads is a clue":           misled(func(e *schemas.Evidence) { e.Role = schemas.RoleClue }),
		"what misleads is quoted otherwise": misled(func(e *schemas.Evidence) { e.Text += " So it is." }),
		"what misleads is not cited": func(g *release.Forgery) error {
			g.Question(updated.QuestionID, func(q *schemas.Question) { q.Evidence = q.Needed() })
			return nil
		},
		"a piece of another item": piece(hop, first, pieceID, strings.Replace(updated.Labels[schemas.LabelFact], "/E", "", 1)+"/E01"),
	}
	number := func(q schemas.Question) bool { return strings.Trim(q.AnswerText, "0123456789") == "" }
	counted := panelUse(t, c, schemas.TaskConflict, number)
	found["a wrong number of one of twins"] = otherOption(counted, "99999")
	found["a wrong number"] = inBoth(counted, twinOf(t, c, counted), "99999")
	missed = map[string]Change{
		"ids of texts, exchanged": pieces(wordingRow(t, c), func(list [][]any) error {
			first := slices.IndexFunc(list, text)
			second := first + 1 + slices.IndexFunc(list[first+1:], text)
			list[first][pieceID], list[second][pieceID] = list[second][pieceID], list[first][pieceID]
			return nil
		}),
		"a wrong option, by another that the sources tell": func(g *release.Forgery) error { return inBoth(both[0], both[1], leftOver(g, hop))(g) },
	}
	return found, missed
}

// revisesFirst has an update revise a piece that it does not take the place of.
func revisesFirst(list [][]any) error {
	for _, u := range list {
		for _, p := range list {
			if now := u[pieceRevises].([]any); len(now) > 0 && now[0] != p[pieceID] && u[pieceID] != p[pieceID] {
				u[pieceRevises] = []any{p[pieceID]}
				return nil
			}
		}
	}
	return fmt.Errorf("no update has another piece beside it")
}

// leftOver is what a table that a question rests on tells of the like of its answer, and
// no option says.
func leftOver(g *release.Forgery, q schemas.Question) string {
	for _, e := range q.Evidence {
		var rows []string
		for _, r := range g.Rows(exhibitsTable, exhibit(g, e.Media)) {
			for _, cells := range r[5].([]any) {
				list := cells.([]any)[0].([]any)
				rows = append(rows, list[len(list)-1].(string))
			}
		}
		if e.Modality == schemas.ModalityTable {
			for _, line := range strings.Split(e.Text, "\n")[2:] {
				rows = append(rows, line[strings.LastIndex(line, " | ")+3:])
			}
		}
		for _, r := range rows {
			if len(rows) == 5 && !slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Text == r }) {
				return r
			}
		}
	}
	return ""
}
