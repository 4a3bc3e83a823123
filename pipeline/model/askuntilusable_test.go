package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// TestInsist: an answer that cannot be used is asked for again, with all answers before
// it and what was said against them, until one stands or patience ends.
func TestInsist(t *testing.T) {
	stop := errors.New("stop")
	for name, tc := range map[string]struct {
		attempts, stands int // the answer that stands; 0: none
		fails            error
		asked, refused   int
		good             bool
	}{
		"at once":        {attempts: 3, stands: 1, asked: 1, good: true},
		"the second":     {attempts: 3, stands: 2, asked: 2, good: true},
		"the last":       {attempts: 3, stands: 3, asked: 3, good: true},
		"never":          {attempts: 3, asked: 3, refused: 3},
		"not asked":      {attempts: 0},
		"stopped at one": {attempts: 3, fails: stop, asked: 1},
	} {
		r, asked, told := pipeline.NewRegistry(), 0, []int{}
		r.AddRule("echo", "1", func(context.Context, *pipeline.Scope, pipeline.Request) (json.RawMessage, error) {
			asked++
			return pipeline.Canonical(echo{Text: "answer"})
		})
		_, err := pipeline.RunInScope(pipeline.ScopeOptions{Registry: r}, func(s *pipeline.Scope) error {
			got, refused, err := echoTask(t).AskUntilUsable(t.Context(), s, "author", tc.attempts, func(before []model.RejectedAnswer[echo]) echo {
				told = append(told, len(before))
				for _, b := range before {
					if b.Answer.Text != "answer" || len(b.Reasons) != 1 || b.Reasons[0] != "too short" {
						t.Errorf("%s: told %+v", name, b)
					}
				}
				return echo{Text: "x"}
			}, func(model.Answer[echo]) ([]string, error) {
				if tc.fails != nil || asked == tc.stands {
					return nil, tc.fails
				}
				return []string{"too short"}, nil
			})
			if (got.Value.Text == "answer" && tc.fails == nil) != tc.good || len(refused) != tc.refused || tc.good != (refused == nil && tc.fails == nil) {
				t.Errorf("%s: %+v, refused %+v", name, got, refused)
			}
			return err
		})
		if !errors.Is(err, tc.fails) || asked != tc.asked || len(told) != tc.asked {
			t.Errorf("%s: asked %d times (%v), want %d; %v", name, asked, told, tc.asked, err)
		}
		for i, n := range told {
			if n != i {
				t.Errorf("%s: request %d was told %d refusals", name, i+1, n)
			}
		}
	}
}

// TestInsistEndsWithAFault: what cannot be asked is no refusal.
func TestInsistEndsWithAFault(t *testing.T) {
	_, err := pipeline.RunInScope(pipeline.ScopeOptions{Registry: pipeline.NewRegistry()}, func(s *pipeline.Scope) error {
		_, refused, err := echoTask(t).AskUntilUsable(t.Context(), s, "author", 3, func([]model.RejectedAnswer[echo]) echo { return echo{Text: "x"} },
			func(model.Answer[echo]) ([]string, error) { return []string{"never reached"}, nil })
		if len(refused) > 0 {
			t.Errorf("refused %+v", refused)
		}
		return err
	})
	if err == nil {
		t.Error("a task that nothing answers was asked without an error")
	}
}
