package structural

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
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

// FactGroups are what questions ask for: facts, each with the rows that are copies of
// it. A fact counts once however often it is shown.
type FactGroups map[string][]int

// GroupByFact gathers some of the questions by fact.
func GroupByFact(qs []schemas.Question, group []int) FactGroups {
	out := FactGroups{}
	for _, i := range group {
		f := qs[i].Fact()
		out[f] = append(out[f], i)
	}
	return out
}

// Shares counts the facts by a property of their rows. A fact whose rows have
// several values counts for each of them in part; so each count is rounded down.
func (u FactGroups) Shares(of func(i int) string) map[string]int {
	sums := map[string]float64{}
	for _, rows := range u {
		own := map[string]float64{}
		for _, i := range rows {
			own[of(i)]++
		}
		for value, n := range own {
			sums[value] += n / float64(len(rows))
		}
	}
	out := map[string]int{}
	for value, sum := range sums {
		out[value] = int(math.Floor(sum + 1e-6))
	}
	return out
}

// ByID lists the facts in order of the first id of their questions.
func (u FactGroups) ByID(qs []schemas.Question) []string {
	first := map[string]string{}
	for fact, rows := range u {
		for _, i := range rows {
			if first[fact] == "" || qs[i].QuestionID < first[fact] {
				first[fact] = qs[i].QuestionID
			}
		}
	}
	return slices.SortedFunc(maps.Keys(u), func(a, b string) int { return cmp.Compare(first[a], first[b]) })
}
