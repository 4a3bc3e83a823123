package structural

import (
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"

	"gonum.org/v1/gonum/stat/distuv"
)

// minPerAnswer is how many distinct facts an answer must be able to expect
// before its share says anything.
const minPerAnswer = 5

// Spread is what should be spread over questions.
type Spread struct {
	Code string
	// Message states how many of how many have which answer.
	Message string
	// AnswerOf is the answer of a question.
	AnswerOf func(schemas.Question) string
	// Tests is how many answers of all groups are looked at: of many, some are
	// frequent by chance.
	Tests int
}

// Judge flags the surplus of what more facts of a group have than chance
// allows where each of size answers is as likely.
func (s Spread) Judge(qs []schemas.Question, group []int, size int, out []pipeline.Judgement) {
	us := GroupByFact(qs, group)
	total := len(us)
	if size < 2 || total < minPerAnswer*size {
		for _, i := range group {
			out[i] = pipeline.Insufficient.Because("too-few", "%d distinct facts with %d options do not show a bias; it takes %d", total, size, minPerAnswer*max(size, 2))
		}
		return
	}
	answer := func(i int) string { return s.AnswerOf(qs[i]) }
	for value, n := range us.Shares(answer) {
		if BinomialTail(n, total, 1/float64(size)) >= Suspicion/float64(s.Tests) {
			continue
		}
		with := slices.DeleteFunc(us.ByID(qs), func(fact string) bool {
			return !slices.ContainsFunc(us[fact], func(i int) bool { return answer(i) == value })
		})
		fair := (total + size - 1) / size
		for _, fact := range with[max(0, len(with)-(n-fair)):] {
			for _, i := range us[fact] {
				if answer(i) == value {
					out[i] = pipeline.Fail.Because(s.Code, s.Message, n, total, value)
				}
			}
		}
	}
}

// Suspicion is the chance below which a deviation is flagged, shared out over
// all that is tested at once.
const Suspicion = 0.001

// BinomialTail is the chance of k or more successes in n tries of chance p each.
func BinomialTail(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return distuv.Binomial{N: float64(n), P: p}.Survival(float64(k - 1))
}
