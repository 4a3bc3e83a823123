package question

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// orderUnderstanding asks in which order three events of one kind happen, and what
// is the n-th of a kind (M3Eval 3.1.1). All that the options name happens in the
// video, so only the order decides; and because it is of one kind, what usually comes
// first does not tell either.
func orderUnderstanding(s Scene, limit int, rnd *rand.Rand) []draft {
	var out []draft
	for _, q := range s.askers(rnd) {
		sequences := byKind(q, func(kind string) (ds []draft) {
			for _, three := range q.eventTriples(kind) {
				ds = append(ds, q.orderDraft(kind, three))
			}
			return ds
		})
		out = append(out, takeInTurn(append(sequences, byKind(q, q.nthDrafts)...), limit)...)
	}
	return out
}

// nthDrafts asks for the n-th event of a kind; the wrong options are other ones that
// could be asked for by their number. People come and go several times, so that their
// entrances and exits are not counted.
func (q asker) nthDrafts(kind string) []draft {
	if kind == groundtruth.Enters || kind == groundtruth.Leaves {
		return nil
	}
	facts := slices.DeleteFunc(q.target.facts(kind), func(f fact) bool { return q.givesAway(groundtruth.Value(f.event)) })
	var out []draft
	for _, f := range facts {
		answer, at := groundtruth.Value(f.event), map[string]schemas.Event{}
		var others []string
		for _, o := range shuffled(facts, q.rnd) {
			if v := groundtruth.Value(o.event); v != answer {
				others, at[v] = append(others, v), o.event
			}
		}
		for _, wrong := range findOptionSets(q.rnd, answer, optionRequest{others, optionCount - 1}) {
			nth := ordinals[f.ordinal-1]
			d := q.askDraft(schemas.TypeOrderUnderstanding, kind, q.scene.Style.phrase(kind, "nth", map[string]string{"nth": nth}))
			d.Answer, d.Fact, d.wrong = answer, []string{"nth", d.Target, kind, nth, answer}, distractors(wrong)
			for _, e := range q.target.events(kind)[:f.ordinal] {
				d.Clues = append(d.Clues, q.clueMoment(e))
			}
			for _, v := range wrong {
				d.Distractors = append(d.Distractors, Moment{Side: q.side, Event: at[v]})
			}
			d.Reason = "The other options have other places in the order."
			out = append(out, d)
			break
		}
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
	d := q.askDraft(schemas.TypeOrderUnderstanding, kind, q.scene.Style.phrase(kind, "order", nil))
	d.Answer = text([3]int{0, 1, 2})
	d.Fact = []string{"order", d.Target, kind, d.Answer}
	for _, p := range shuffled(permutations, q.rnd)[:optionCount-1] {
		d.wrong = append(d.wrong, schemas.Option{Text: text(p), Role: schemas.RoleDistractor})
	}
	for _, e := range three {
		d.Clues = append(d.Clues, q.clueMoment(e))
	}
	d.Reason = "The other options are the same three in another order."
	return d
}
