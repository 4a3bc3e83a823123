package gates

import (
	"cmp"
	"fmt"
	"maps"
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
		c.Placed = r.TypesWhere(func(t pipeline.QuestionType) bool { return t.Options != nil && !t.Unplaced })
	})
}

// answerPosition wants the correct options of each type spread over the
// positions. It flags only what chance does not explain: then the surplus of the
// position, last by id. The copies of a fact count once.
func answerPosition(qs []schemas.Question) []pipeline.Judgement {
	out := structural.All(len(qs), structural.Pass())
	forms := byForm(qs)
	tests := 0
	for form := range forms {
		tests += form.options
	}
	for form, group := range forms {
		structural.Spread{
			Code: "position-bias", Told: "%d of %d correct options stand at %s, and this is one too many", Tests: tests,
			Of: func(q schemas.Question) string { return q.AnswerKey },
		}.Judge(qs, group, form.options, out)
	}
	inTurn(qs, out)
	return out
}

// inTurn flags correct options that follow from the one before in the order of ids, in
// which questions are stored: always the next letter, or always the same. All types count
// together, of a fact the question that comes first.
func inTurn(qs []schemas.Question, out []pipeline.Judgement) {
	bySize := map[int][]int{}
	for i, q := range qs {
		bySize[len(q.Options)] = append(bySize[len(q.Options)], i)
	}
	tests := 0
	for size := range bySize {
		tests += size
	}
	for size, group := range bySize {
		steps, later := stepsOf(qs, group, size)
		judged := structural.All(len(qs), structural.Pass())
		structural.Spread{
			Code: "position-in-turn", Told: "%d of %d correct options stand %s from that of the question before, and this is one too many", Tests: tests,
			Of: func(q schemas.Question) string { return steps[q.QuestionID] },
		}.Judge(qs, later, size, judged)
		for _, i := range later {
			if judged[i].Outcome == pipeline.Fail && out[i].Outcome != pipeline.Fail {
				out[i] = judged[i]
			}
		}
	}
}

// stepsOf is how many letters on, in a circle, the correct option of each fact's first
// question stands from that of the fact before, and which questions have one before them.
func stepsOf(qs []schemas.Question, group []int, size int) (steps map[string]string, later []int) {
	first := map[string]int{}
	for _, i := range group {
		if at, ok := first[qs[i].Fact()]; !ok || qs[i].QuestionID < qs[at].QuestionID {
			first[qs[i].Fact()] = i
		}
	}
	order := slices.SortedFunc(maps.Values(first), func(a, b int) int { return cmp.Compare(qs[a].QuestionID, qs[b].QuestionID) })
	place := func(i int) int {
		return slices.IndexFunc(qs[i].Options, func(o schemas.Option) bool { return o.Key == qs[i].AnswerKey })
	}
	steps = map[string]string{}
	for n := 1; n < len(order); n++ {
		from, to := place(order[n-1]), place(order[n])
		if from < 0 || to < 0 {
			continue
		}
		steps[qs[order[n]].QuestionID] = fmt.Sprintf("%d on", (to-from+size)%size)
		later = append(later, order[n])
	}
	return steps, later
}

// form is what questions with comparable positions have in common.
type form struct {
	typ     string
	options int
}

func byForm(qs []schemas.Question) map[form][]int {
	out := map[form][]int{}
	for i, q := range qs {
		f := form{q.Type, len(q.Options)}
		out[f] = append(out[f], i)
	}
	return out
}
