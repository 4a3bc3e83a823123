package gates

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// fewest is how many independent questions an answer must be able to expect
// before its share says anything.
const fewest = 5

// answerPosition wants the correct options of each type spread over the
// positions. It flags
// only what chance does not explain: then the surplus of the position, last by
// id. A question that stands over several orders of its videos counts once.
func answerPosition(qs []schemas.Question) []pipeline.Judgement {
	out := all(len(qs), pass)
	for form, group := range byForm(qs) {
		judgeSpread(qs, group, form.options, out, spread{
			code: "position-bias", told: "%d of %d correct options stand at %s, and this is one too many",
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
		code: "answer-bias", told: "%d of %d answers are %s, and this is one too many",
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
}

// judgeSpread flags the surplus of what more of a group have than chance allows
// where each of size answers is as likely.
func judgeSpread(qs []schemas.Question, group []int, size int, out []pipeline.Judgement, s spread) {
	units := map[string][]string{} // unit ids by answer
	seen := map[string]bool{}
	for _, i := range group {
		if u := unit(qs[i]); !seen[u] {
			seen[u] = true
			units[s.of(qs[i])] = append(units[s.of(qs[i])], u)
		}
	}
	total := len(seen)
	if size < 2 || total < fewest*size {
		for _, i := range group {
			out[i] = insufficient("too-few", "%d independent questions with %d options do not show a bias; it takes %d", total, size, fewest*max(size, 2))
		}
		return
	}
	for answer, us := range units {
		if atLeast(len(us), total, 1/float64(size)) >= suspicion/float64(size) {
			continue
		}
		slices.Sort(us)
		surplus := us[(total+size-1)/size:]
		for _, i := range group {
			if s.of(qs[i]) == answer && slices.Contains(surplus, unit(qs[i])) {
				out[i] = fail(s.code, s.told, len(us), total, answer)
			}
		}
	}
}

// unit is what was placed independently of other questions.
func unit(q schemas.Question) string {
	if g := q.Labels[schemas.LabelMirror]; g != "" {
		return "group " + strings.TrimSpace(g)
	}
	return "question " + q.QuestionID
}
