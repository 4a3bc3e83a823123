package author

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// Kinds of texts that questions come to rest on (SMMBench B.2).
const (
	kindCondition = "condition"
	kindWorkflow  = "workflow"
)

// Complement asks for a text that a question comes to rest on.
type Complement struct {
	Item
	Kind    string                               `json:"kind"`
	Refused []model.RejectedAnswer[Complemented] `json:"refused"`
}

// Complemented is such a text, and the question without what it says.
type Complemented struct {
	Cannot   string `json:"cannot"`
	Text     string `json:"text"`
	Question string `json:"question"`
}

// addComplement adds a text to the item and rewords its question. The gold stays.
func (w *itemAuthor) addComplement(ctx context.Context, kind string) error {
	told, shown := w.itemInput()
	got, refused, err := w.complement.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Complemented]) Complement { return Complement{told, kind, r} },
		func(a model.Answer[Complemented]) ([]string, error) {
			if err := rejectDeclined(a.Model, a.Value.Cannot, kind); err != nil {
				return nil, err
			}
			return w.checkComplement(a.Value.trim()), nil
		}, shown...)
	if err != nil {
		return fmt.Errorf("write a %s: %w", kind, err)
	}
	if len(refused) > 0 {
		return pipeline.Reject(codeText, "no %s can be used; the last: %s", kind, lastRefusal(refused))
	}
	d := got.Value.trim()
	home := placement.HomeChat
	if kind == kindWorkflow {
		home = placement.HomeDocument
	}
	w.item.Units = append(w.item.Units, schemas.EvidenceUnit{
		Dataset: w.item.Dataset, Modality: schemas.ModalityText, Text: d.Text, Role: schemas.RoleClue,
		Labels: map[string]string{placement.LabelHome: home, schemas.LabelAuthor: got.Model, "derived": kind},
	})
	w.item.Question.Question = d.Question
	if len(w.item.Question.Options) > 0 {
		w.item.Question.SetOptions(w.item.Question.Options...)
	}
	return nil
}

func (d Complemented) trim() Complemented {
	d.Text, d.Question = strings.TrimSpace(d.Text), strings.TrimSpace(d.Question)
	return d
}

// Characters of a text and of a question.
const (
	fewestText, mostText         = 30, 700
	fewestQuestion, mostQuestion = 12, 800
)

func (w *itemAuthor) checkComplement(d Complemented) (why refusals) {
	old := w.item.Question
	if n := utf8.RuneCountInString(d.Text); n < fewestText || n > mostText || answercues.HasControl(d.Text) {
		why.add("the text has %d characters; write one paragraph of %d to %d", n, fewestText, mostText)
	}
	if n := utf8.RuneCountInString(d.Question); n < fewestQuestion || n > mostQuestion || answercues.HasControl(d.Question) {
		why.add("the question has %d characters; write one paragraph of %d to %d", n, fewestQuestion, mostQuestion)
	}
	if strings.HasSuffix(old.Question, "?") && !strings.HasSuffix(d.Question, "?") {
		why.add("the question must end with a question mark, as the old one does")
	}
	if d.Question == old.Question {
		why.add("the question is the old one; take out of it what the text says")
	}
	if answercues.ContainsWords(d.Question, d.Text) {
		why.add("the question repeats the text, so nobody needs the text")
	}
	if old.AnswerCall == "" && answercues.ContainsWords(d.Text, old.AnswerText) {
		why.add("the text says the answer, %q", old.AnswerText)
	}
	if old.AnswerCall == "" && answercues.ContainsWords(d.Question, old.AnswerText) && !answercues.ContainsWords(old.Question, old.AnswerText) {
		why.add("the question says the answer, %q", old.AnswerText)
	}
	plan, _ := schemas.ReadPlan(old.AnswerCall) // checked when the item was read
	for _, call := range slices.Concat(plan...) {
		if strings.Contains(strings.ToLower(d.Text+d.Question), strings.ToLower(call.Name)) {
			why.add("the text or the question names the tool, %q; say what is wanted in plain words", call.Name)
		}
	}
	return why
}
