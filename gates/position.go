package gates

import (
	"cmp"
	"math"
	"slices"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// PositionConfig configures the gate answer-position.
type PositionConfig struct {
	structural.Config
	Placed []string `json:"placed" doc:"the types that the gate is made for: those of which plugins declare options that have places"`
}

func addPosition(r *pipeline.Registry) {
	pipeline.AddGate(r, "answer-position", "3", "correct options are spread over the positions, and none follows from the one before", func(c PositionConfig) (pipeline.Gate, error) {
		return structural.New(c.Config, c.Placed, true, answerPosition)
	}, func(c *PositionConfig) {
		c.Placed = r.TypesWhere(func(t pipeline.QuestionType) bool { return t.Options != nil && !t.Unordered })
	})
}

// answerPosition wants the correct options of each type spread over the positions. Beyond
// chance it flags the surplus of a position, last by id. Copies of a fact count once.
func answerPosition(qs []schemas.Question) []pipeline.Judgement {
	out := structural.SameForAll(len(qs), structural.Pass())
	forms := groupByForm(qs)
	tests := 0
	for form := range forms {
		tests += form.options
	}
	for form, group := range forms {
		structural.Spread{
			Code: "position-bias", Message: "%d of %d correct options stand at %s, and this is one too many", Tests: tests,
			AnswerOf: func(q schemas.Question) string { return q.AnswerKey },
		}.Judge(qs, group, form.options, out)
	}
	flagSequences(qs, out)
	return out
}

// flagSequences flags correct options that follow from the one before in the order of ids:
// always the next letter, or always the same. All types count together. What is likely follows
// from how often each place is right.
func flagSequences(qs []schemas.Question, out []pipeline.Judgement) {
	bySize := map[int][]int{}
	tests := 0
	for i, q := range qs {
		if len(q.Options) < 2 {
			continue
		}
		if bySize[len(q.Options)] == nil {
			tests += len(q.Options)
		}
		bySize[len(q.Options)] = append(bySize[len(q.Options)], i)
	}
	for size, group := range bySize {
		w := stepSequenceOf(qs, group, size)
		total := len(w.steps)
		if total < minStepsPerPlace*size {
			continue
		}
		for step := range size {
			n, p := w.count(step), w.stepChance(step)
			if structural.BinomialTail(n, total, p) >= structural.Suspicion/float64(tests) {
				continue
			}
			fair := int(math.Ceil(p * float64(total)))
			for _, fact := range w.factsAt(step)[min(fair, n):] {
				for _, i := range w.facts[fact] {
					if out[i].Outcome != pipeline.Fail {
						out[i] = pipeline.Fail.Because("position-in-turn", "%d of %d correct options stand %d on from that of the question before, and this is one too many", n, total, step)
					}
				}
			}
		}
	}
}

// minStepsPerPlace for each place say something about order.
const minStepsPerPlace = 5

// stepSequence lists facts by the id of their first question, and how many letters on, in a
// circle, the correct option of each stands from the one before.
type stepSequence struct {
	facts  structural.FactGroups
	order  []string
	steps  []int
	places []int // how often each is right
}

func stepSequenceOf(qs []schemas.Question, group []int, size int) stepSequence {
	w := stepSequence{facts: structural.GroupByFact(qs, group), places: make([]int, size)}
	w.order = w.facts.ByID(qs)
	before := 0
	for n, fact := range w.order {
		first := slices.MinFunc(w.facts[fact], func(a, b int) int { return cmp.Compare(qs[a].QuestionID, qs[b].QuestionID) })
		place := max(0, slices.IndexFunc(qs[first].Options, func(o schemas.Option) bool { return o.Key == qs[first].AnswerKey }))
		if n > 0 {
			w.steps = append(w.steps, (place-before+size)%size)
		}
		before = place
		w.places[place]++
	}
	return w
}

func (w stepSequence) count(step int) int { return len(w.factsAt(step)) }

func (w stepSequence) factsAt(step int) (out []string) {
	for n, s := range w.steps {
		if s == step {
			out = append(out, w.order[n+1])
		}
	}
	return out
}

// stepChance is how likely a step is where places are drawn as often as they are right.
func (w stepSequence) stepChance(step int) (p float64) {
	total := float64(len(w.order))
	for i, n := range w.places {
		p += float64(n) / total * float64(w.places[(i+step)%len(w.places)]) / total
	}
	return p
}

// optionForm is what questions with comparable positions have in common.
type optionForm struct {
	typ     string
	options int
}

func groupByForm(qs []schemas.Question) map[optionForm][]int {
	out := map[optionForm][]int{}
	for i, q := range qs {
		f := optionForm{q.Type, len(q.Options)}
		out[f] = append(out[f], i)
	}
	return out
}
