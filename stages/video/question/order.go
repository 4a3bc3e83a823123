package question

import (
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// orderUnderstanding asks in which order three events of one kind happen
// (M3Eval 3.1.1). Every option is an ordering of the same three, so no word
// tells one from another; and because the three are of one kind, what usually
// comes first does not tell either.
func orderUnderstanding(s Scene, limit int, rnd *rand.Rand) []draft {
	var out []draft
	for _, q := range s.askers(rnd) {
		drafts := byKind(q, func(kind string) (ds []draft) {
			for _, three := range q.eventTriples(kind) {
				ds = append(ds, q.orderDraft(kind, three))
			}
			return ds
		})
		out = append(out, takeInTurn(drafts, limit)...)
	}
	return out
}

// eventTriples returns any three events of a kind that follow each other
// without overlap and whose values could not be taken for one another. Someone
// who comes back was seen before the entrance, so that a viewer could count it
// earlier.
func (q asker) eventTriples(kind string) [][3]schemas.Event {
	var es []schemas.Event
	for _, e := range q.target.distinctEvents(kind) {
		if !q.givesAway(groundtruth.Value(e)) && !q.target.comesBack(e) {
			es = append(es, e)
		}
	}
	var out [][3]schemas.Event
	for i := range es {
		for j := i + 1; j < len(es); j++ {
			for k := j + 1; k < len(es); k++ {
				if es[i].End <= es[j].Start && es[j].End <= es[k].Start {
					out = append(out, [3]schemas.Event{es[i], es[j], es[k]})
				}
			}
		}
	}
	return out
}

// permutations of three things but the identity.
var permutations = [][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}

// orderDraft asks for the order of three events. The wrong orders are any three
// of the five: were they all near the right one, the middle of the options
// would reveal it.
func (q asker) orderDraft(kind string, three [3]schemas.Event) draft {
	text := func(order [3]int) string {
		var names []string
		for _, i := range order {
			names = append(names, plainValue(kind, groundtruth.Value(three[i])))
		}
		return strings.Join(names, ", then ")
	}
	d := q.newDraft(schemas.TypeOrderUnderstanding, kind, "In "+q.name+", "+strings.Replace(phrases[kind].order, "@", q.scene.Style.Shown, 1)+"?")
	d.Answer = text([3]int{0, 1, 2})
	for _, p := range shuffled(permutations, q.rnd)[:optionCount-1] {
		d.wrong = append(d.wrong, schemas.Option{Text: text(p), Role: schemas.RoleDistractor})
	}
	for _, e := range three {
		d.Clues = append(d.Clues, q.clueMoment(e))
	}
	d.Reason = "The other options are the same three in another order."
	return d
}
