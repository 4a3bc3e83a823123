package release_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// That of a placement's texts beside its pieces, and columns of a piece; its id comes first
// in both.
const (
	placementBeside         = 8
	pieceSession, pieceKind = 6, 7
	pieceTurns, pieceAround = 11, 12
	besideTurns             = 3
)

// besideForgeries change what stands beside evidence, and how much of a source is a piece.
func besideForgeries(t *testing.T, c release.Contents) (found, missed map[string]Change) {
	t.Helper()
	q := panelUse(t, c, schemas.TaskConflict, func(q schemas.Question) bool { return q.Labels["conflict"] == "time" })
	twin := twinOf(t, c, q)
	both := func(one, other Change) Change {
		return func(g *release.Forgery) error {
			if err := one(g); err != nil {
				return err
			}
			return other(g)
		}
	}
	found = map[string]Change{
		"a thing beside the evidence less": thingLess(q),
		"a thing less of a twin":           thingLess(twin),
		"a text beside is no unit": placed(q, "beside", placementBeside, func(list [][]any) ([][]any, error) {
			list[0][pieceID] = list[0][pieceID].(string)[:len(list[0][pieceID].(string))-2] + "99"
			return list, nil
		}),
		"a text beside has a turn more": placed(q, "beside", placementBeside, func(list [][]any) ([][]any, error) {
			list[0][besideTurns] = append(slices.Clone(list[0][besideTurns].([]any)), list[1][besideTurns].([]any)...)
			return list, nil
		}),
		"what is said around begins later": cutAround(c.Questions...),
		"a piece of a document is longer":  longerPiece(c),
	}
	missed = map[string]Change{"a thing less of both twins": both(thingLess(q), thingLess(twin))}
	return found, missed
}

// thingLess takes what is told of the second other thing out of a question and of its
// placement: the last two units.
func thingLess(of schemas.Question) Change {
	return func(g *release.Forgery) error {
		var gone []any
		err := placed(of, "beside", placementBeside, func(list [][]any) ([][]any, error) {
			if len(list) < 4 {
				return nil, fmt.Errorf("%d texts stand beside the evidence of %s", len(list), of.QuestionID)
			}
			slices.SortFunc(list, func(a, b []any) int { return strings.Compare(a[pieceID].(string), b[pieceID].(string)) })
			for _, o := range list[len(list)-2:] {
				gone = append(gone, o[besideTurns].([]any)[0].([]any)[0])
			}
			list = list[:len(list)-2]
			slices.SortFunc(list, func(a, b []any) int { return cmp.Compare(position(a), position(b)) })
			return list, nil
		})(g)
		g.Question(of.QuestionID, func(q *schemas.Question) {
			q.Evidence = slices.DeleteFunc(slices.Clone(q.Evidence), func(e schemas.Evidence) bool { return slices.Contains(gone, any(e.Ref)) })
			for i := range q.Evidence {
				q.Evidence[i].Order = int32(i + 1)
			}
		})
		return err
	}
}

// position is the place in the stream of a text beside the evidence.
func position(o []any) int64 { return o[besideTurns].([]any)[0].([]any)[2].(int64) }

// cutAround takes away the first line around a piece in a chat that is led up to by
// somebody who gives the word, and then by who says it: four lines or more.
func cutAround(of ...schemas.Question) Change {
	return func(g *release.Forgery) error {
		n := 0
		for _, q := range of {
			err := pieces(q, func(list [][]any) error {
				for _, p := range list {
					if lines := p[pieceAround].([]any); len(lines) > 3 {
						p[pieceAround] = lines[1:]
						n++
						return nil
					}
				}
				return nil
			})(g)
			if err != nil {
				return err
			}
		}
		if n == 0 {
			return fmt.Errorf("nothing is said around the pieces")
		}
		return nil
	}
}

// longerPiece gives the first piece of a document the turn after it.
func longerPiece(c release.Contents) Change {
	return func(g *release.Forgery) error {
		n := 0
		for _, q := range c.Questions {
			err := pieces(q, func(list [][]any) error {
				for _, p := range list {
					turns := p[pieceTurns].([]any)
					first := turns[0].([]any)
					for _, r := range g.Rows("turns") {
						if order, _ := r[2].(int32); p[pieceKind] == schemas.KindDocument && n == 0 && r[1] == p[pieceSession] && order == first[1].(int32)+1 {
							p[pieceTurns] = append(slices.Clone(turns), []any{r[0], r[2], r[3], r[4], r[7], ""})
							n++
						}
					}
				}
				return nil
			})(g)
			if err != nil {
				return err
			}
		}
		if n == 0 {
			return fmt.Errorf("no piece stands in a document, with a turn after it")
		}
		return nil
	}
}
