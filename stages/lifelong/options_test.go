package lifelong_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/replay"
)

// recipe is the rule for tags that a task teaches.
func (k askedOf) recipe(t *testing.T) string {
	t.Helper()
	for _, line := range words(k.all...) {
		if _, rule, found := strings.Cut(line, "A rule for you to keep: a tag is "); found {
			return strings.TrimSuffix(strings.TrimSpace(rule), ".")
		}
	}
	t.Errorf("%s teaches no rule for tags", k.life.ID)
	return ""
}

// answered is what the rule of a task gives for a question of another.
func answered(rule string, q schemas.Question) string {
	lesson := schemas.Session{Turns: []schemas.Turn{{Role: schemas.TurnUser, Text: "A rule for you to keep: a tag is " + rule + "."}}}
	r, err := replay.New([]schemas.Session{lesson}, nil).Answer(q.Question, 0)
	if err != nil {
		return err.Error()
	}
	return r.Right
}

// TestTagsNeedTheirRule: tasks teach rules that differ; who goes by the rule of another
// task, or by the most usual form of a tag, is right no more often than a guess or two.
func TestTagsNeedTheirRule(t *testing.T) {
	tasks, usual := manyTasks(t), regexp.MustCompile(`^[A-Z]{2}[-/:_][A-Z]{2,3}[-/:_]\d+$`)
	rules, asked, borrowed, first := map[string]bool{}, 0, 0, 0
	for i, k := range tasks {
		rules[k.recipe(t)] = true
		for _, q := range k.questions {
			if !strings.Contains(q.Question, "rule for tags") {
				continue
			}
			asked++
			if own := answered(k.recipe(t), q); own != q.AnswerText {
				t.Errorf("%s: the rule that is taught gives %q, the answer is %q", q.QuestionID, own, q.AnswerText)
			}
			if answered(tasks[(i+7)%len(tasks)].recipe(t), q) == q.AnswerText {
				borrowed++
			}
			at := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return usual.MatchString(o.Text) })
			if at >= 0 && q.Options[at].Role == schemas.RoleCorrect {
				first++
			}
		}
	}
	if len(rules)*5 < len(tasks)*4 || asked < 40 || borrowed*5 > asked || first*3 > asked {
		t.Errorf("%d rules in %d tasks; of %d tags another rule gives %d, the usual form %d", len(rules), len(tasks), asked, borrowed, first)
	}
	t.Logf("%d rules in %d tasks; of %d tags another rule gives %d, the usual form %d", len(rules), len(tasks), asked, borrowed, first)
}
