package gates

import (
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
	pipeline.AddGate(r, "answer-position", "2", "correct options are spread over the positions", func(c PositionConfig) (pipeline.Gate, error) {
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
	return out
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
