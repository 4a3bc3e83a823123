package gates

import (
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// fewest is how many distinct facts an answer must be able to expect
// before its share says anything.
const fewest = 5

// answerPosition wants the correct options of each type spread over the
// positions. It flags only what chance does not explain: then the surplus of the
// position, last by id. The copies of a fact count once.
func answerPosition(qs []schemas.Question) []pipeline.Judgement {
	out := all(len(qs), pass)
	forms := byForm(qs)
	tests := 0
	for form := range forms {
		tests += form.options
	}
	for form, group := range forms {
		judgeSpread(qs, group, form.options, out, spread{
			code: "position-bias", told: "%d of %d correct options stand at %s, and this is one too many", tests: tests,
			of: func(q schemas.Question) string { return q.AnswerKey },
		})
	}
	return out
}

// sourceAnswers wants the answers to which of two videos something happens in
// spread over one, the other, both and neither: else whoever always says
// "neither" would be praised for remembering.
func sourceAnswers(qs []schemas.Question) []pipeline.Judgement {
	out := all(len(qs), pass)
	every := make([]int, len(qs))
	for i := range every {
		every[i] = i
	}
	judgeSpread(qs, every, 4, out, spread{
		code: "answer-bias", told: "%d of %d answers are %s, and this is one too many", tests: 4,
		of: func(q schemas.Question) string { return q.Labels[schemas.LabelTarget] },
	})
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

// spread is what should be spread over questions.
type spread struct {
	code, told string
	of         func(schemas.Question) string
	// tests is how many answers of all groups are looked at: of many, some are
	// frequent by chance.
	tests int
}

// judgeSpread flags the surplus of what more facts of a group have than chance
// allows where each of size answers is as likely.
func judgeSpread(qs []schemas.Question, group []int, size int, out []pipeline.Judgement, s spread) {
	us := unitsOf(qs, group)
	total := len(us)
	if size < 2 || total < fewest*size {
		for _, i := range group {
			out[i] = insufficient("too-few", "%d distinct facts with %d options do not show a bias; it takes %d", total, size, fewest*max(size, 2))
		}
		return
	}
	answer := func(i int) string { return s.of(qs[i]) }
	for value, n := range us.shares(answer) {
		if atLeast(n, total, 1/float64(size)) >= suspicion/float64(s.tests) {
			continue
		}
		with := slices.DeleteFunc(us.byID(qs), func(fact string) bool {
			return !slices.ContainsFunc(us[fact], func(i int) bool { return answer(i) == value })
		})
		fair := (total + size - 1) / size
		for _, fact := range with[max(0, len(with)-(n-fair)):] {
			for _, i := range us[fact] {
				if answer(i) == value {
					out[i] = fail(s.code, s.told, n, total, value)
				}
			}
		}
	}
}
