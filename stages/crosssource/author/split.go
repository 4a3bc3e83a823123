package author

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Split asks which calls of a workflow make one question.
type Split struct {
	Item
	Calls   []NumberedCall                 `json:"calls"`
	Refused []model.RejectedAnswer[Chosen] `json:"refused"`
}

// NumberedCall is a call of the workflow, by its number from 1.
type NumberedCall struct {
	Number    int            `json:"number"`
	Step      int            `json:"step"`
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// Chosen are numbers of calls, and the question that they answer.
type Chosen struct {
	Cannot   string `json:"cannot"`
	Calls    []int  `json:"calls"`
	Question string `json:"question"`
}

// mostCalls is how many calls a question takes at most.
const mostCalls = 6

// splitWorkflow keeps those calls of a workflow that one question asks for. Steps behind the
// last of them are cut; earlier ones stay, though they may be empty, as in the published data.
func (w *itemAuthor) splitWorkflow(ctx context.Context) error {
	plan, err := schemas.ReadPlan(w.item.Question.AnswerCall)
	if err != nil {
		return pipeline.Reject(schemas.CodeMalformedAnswer, "the gold call: %v", err)
	}
	var calls []NumberedCall
	for step, list := range plan {
		for _, c := range list {
			calls = append(calls, NumberedCall{len(calls) + 1, step + 1, c.Name, c.Arguments})
		}
	}
	if len(calls) < 2 {
		return nil
	}
	told, shown := w.itemInput()
	told.Answer = nil // the calls are
	got, refused, err := w.split.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Chosen]) Split { return Split{told, calls, r} },
		func(a model.Answer[Chosen]) ([]string, error) {
			if err := rejectDeclined(a.Model, a.Value.Cannot, "question"); err != nil {
				return nil, err
			}
			return checkChosen(a.Value, calls), nil
		}, shown...)
	if err != nil {
		return fmt.Errorf("split a workflow: %w", err)
	}
	if len(refused) > 0 {
		return pipeline.Reject(codeText, "no part of the workflow can be used; the last: %s", lastRefusal(refused))
	}
	var kept [][]schemas.ToolCall
	for _, c := range calls {
		if !slices.Contains(got.Value.Calls, c.Number) {
			continue
		}
		for len(kept) < c.Step {
			kept = append(kept, nil)
		}
		kept[c.Step-1] = append(kept[c.Step-1], schemas.ToolCall{Name: c.Name, Arguments: c.Arguments})
	}
	w.item.Question.Question = strings.TrimSpace(got.Value.Question)
	w.item.Question.AnswerCall, err = schemas.CanonicalPlan(kept)
	return err
}

// localFile finds arguments that only a run has: paths of its files.
var localFile = regexp.MustCompile(`"(\./|/|[A-Za-z]:\\)`)

func checkChosen(c Chosen, calls []NumberedCall) (why refusals) {
	if n := len(c.Calls); n < 1 || n > mostCalls {
		why.add("%d calls are chosen; choose 1 to %d", n, mostCalls)
	}
	for i, n := range c.Calls {
		if n < 1 || n > len(calls) || slices.Contains(c.Calls[:i], n) {
			why.add("call %d is not there, or chosen twice", n)
		} else if text, err := json.Marshal(calls[n-1].Arguments); err != nil || localFile.Match(text) {
			why.add("call %d names a file of that run; leave it out", n)
		}
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(c.Question)); n < fewestQuestion || n > mostQuestion || answercues.HasControl(c.Question) {
		why.add("the question has %d characters; write one paragraph of %d to %d", n, fewestQuestion, mostQuestion)
	}
	for _, call := range calls {
		if strings.Contains(strings.ToLower(c.Question), strings.ToLower(call.Name)) {
			why.add("the question names the tool %q; say what is wanted in plain words", call.Name)
		}
	}
	return why
}
