package lifelong_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// TestCopiedQuestions: a task in which a question stands twice is not what its sessions
// give: in the other form, with another wrong option, or at the next checkpoint, where its
// answer has not changed; nor is one whose number is out of the order of checkpoints.
func TestCopiedQuestions(t *testing.T) {
	t.Parallel()
	b, d := livesAndRuns(t), derivation(t)
	of := map[string][]schemas.Question{}
	for _, q := range b.questions {
		of[q.TaskID] = append(of[q.TaskID], q)
	}
	forgeries := map[string]func(again, last *schemas.Question){
		"other form": func(again, _ *schemas.Question) {
			again.Question = "Again: " + again.Question
			slices.Reverse(again.Options)
		},
		"other option": func(again, _ *schemas.Question) {
			again.Options[slices.IndexFunc(again.Options, wrongOption)].Text = "Another"
		},
		"later":         func(again, last *schemas.Question) { again.CheckpointID = last.CheckpointID },
		"other number":  func(again, last *schemas.Question) { again.Labels[schemas.LabelFact] += "2" },
		"strange id":    func(again, last *schemas.Question) { *again = copiedOf(*last, "another", last.QuestionID+"b") },
		"other task":    func(again, last *schemas.Question) { *again = copiedOf(*last, "another", "x"+last.QuestionID) },
		"not of digits": func(again, last *schemas.Question) { *again = copiedOf(*last, "another", last.TaskID+"/QX001") },
	}
	for n, task := range slices.Sorted(maps.Keys(of)) {
		all := of[task]
		p := b.premises(t, task)
		p.Questions = all
		if _, err := d.Task(schemas.Task{TaskID: task}, p); err != nil {
			t.Errorf("clean %s: %v", task, err)
		}
		for name, forge := range forgeries {
			if n%testsize.Choose(3, 1) != 0 {
				break
			}
			again := copied(t, all[0])
			again.QuestionID = fmt.Sprintf("%s/Q%04d", task, len(all)+1)
			forge(&again, &all[len(all)-1])
			p.Questions = append(slices.Clone(all), again)
			if _, err := d.Task(schemas.Task{TaskID: task}, p); err == nil {
				t.Errorf("%s has %s twice (%s), and nothing is wrong", task, all[0].QuestionID, name)
			}
		}
	}
	if len(of) < 10 {
		t.Errorf("%d tasks", len(of))
	}
}

func wrongOption(o schemas.Option) bool { return o.Role != schemas.RoleCorrect }

// copiedOf is a question that asks for another fact under another id.
func copiedOf(q schemas.Question, fact, id string) schemas.Question {
	q.Labels, q.QuestionID = map[string]string{schemas.LabelFact: fact}, id
	return q
}
