package videogates

import (
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// judgeSourceAnswers wants the answers to which of two videos something happens in
// spread over one, the other, both and neither: else whoever always says
// "neither" would be praised for remembering.
func judgeSourceAnswers(qs []schemas.Question) []pipeline.Judgement {
	out := structural.SameForAll(len(qs), structural.Pass())
	every := make([]int, len(qs))
	for i := range every {
		every[i] = i
	}
	structural.Spread{
		Code: "answer-bias", Message: "%d of %d answers are %s, and this is one too many", Tests: 4,
		AnswerOf: func(q schemas.Question) string { return q.Labels[schemas.LabelTarget] },
	}.Judge(qs, every, 4, out)
	return out
}
