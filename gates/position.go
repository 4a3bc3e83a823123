package gates

import (
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// fewest is how many independent questions a position must be able to expect
// before its share says anything.
const fewest = 5

// answerPosition wants the correct options spread over the positions. It flags
// only what chance does not explain: then the surplus of the position, last by
// id. A question that stands over several orders of its videos counts once.
func answerPosition(qs []schemas.Question) []pipeline.Judgement {
	out := all(len(qs), pass)
	for size, group := range bySize(qs) {
		n, _ := strconv.Atoi(size)
		judgePositions(qs, group, n, out)
	}
	return out
}

func bySize(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		size := strconv.Itoa(len(q.Options))
		out[size] = append(out[size], i)
	}
	return out
}

func judgePositions(qs []schemas.Question, group []int, size int, out []pipeline.Judgement) {
	units := map[string][]string{} // unit ids by answer key
	seen := map[string]bool{}
	for _, i := range group {
		if u := unit(qs[i]); !seen[u] {
			seen[u] = true
			units[qs[i].AnswerKey] = append(units[qs[i].AnswerKey], u)
		}
	}
	total := len(seen)
	if size < 2 || total < fewest*size {
		for _, i := range group {
			out[i] = insufficient("too-few", "%d independent questions with %d options do not show a bias; it takes %d", total, size, fewest*max(size, 2))
		}
		return
	}
	for key, us := range units {
		if atLeast(len(us), total, 1/float64(size)) >= suspicion/float64(size) {
			continue
		}
		slices.Sort(us)
		surplus := us[(total+size-1)/size:]
		for _, i := range group {
			if qs[i].AnswerKey == key && slices.Contains(surplus, unit(qs[i])) {
				out[i] = fail("position-bias", "%d of %d correct options stand at %s, and this is one too many", len(us), total, key)
			}
		}
	}
}

// unit is what was placed independently of other questions.
func unit(q schemas.Question) string {
	if g := q.Labels["mirror_group"]; g != "" {
		return "group " + strings.TrimSpace(g)
	}
	return "question " + q.QuestionID
}
