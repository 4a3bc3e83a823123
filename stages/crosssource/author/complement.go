package author

import (
	"context"
	"fmt"
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
	Kind    string                        `json:"kind"`
	Refused []model.Refused[Complemented] `json:"refused"`
}

// Complemented is such a text, and the question without what it says.
type Complemented struct {
	Cannot   string `json:"cannot"`
	Text     string `json:"text"`
	Question string `json:"question"`
}

// complemented gives the item a text more and its question other words. The gold
// stays.
func (w *work) complemented(ctx context.Context, kind string) error {
	told, shown := w.told()
	got, refused, err := w.complement.Insist(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.Refused[Complemented]) Complement { return Complement{told, kind, r} },
		func(a model.Answered[Complemented]) ([]string, error) {
			if err := declined(a.Model, a.Value.Cannot, kind); err != nil {
				return nil, err
			}
			return w.checkComplement(a.Value.trimmed()), nil
		}, shown...)
	if err != nil {
		return fmt.Errorf("write a %s: %w", kind, err)
	}
	if len(refused) > 0 {
		return pipeline.Reject(codeText, "no %s can be used; the last: %s", kind, last(refused))
	}
	d := got.Value.trimmed()
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
		w.item.Question.Offer(w.item.Question.Options...)
	}
	return nil
}

func (d Complemented) trimmed() Complemented {
	d.Text, d.Question = strings.TrimSpace(d.Text), strings.TrimSpace(d.Question)
	return d
}

// Characters of a text and of a question.
const (
	fewestText, mostText         = 30, 700
	fewestQuestion, mostQuestion = 12, 800
)

// checkComplement says what is wrong with a text and a question.
func (w *work) checkComplement(d Complemented) (why reasons) {
	old := w.item.Question
	if n := utf8.RuneCountInString(d.Text); n < fewestText || n > mostText || answercues.Broken(d.Text) {
		why.say("the text has %d characters; write one paragraph of %d to %d", n, fewestText, mostText)
	}
	if n := utf8.RuneCountInString(d.Question); n < fewestQuestion || n > mostQuestion || answercues.Broken(d.Question) {
		why.say("the question has %d characters; write one paragraph of %d to %d", n, fewestQuestion, mostQuestion)
	}
	if strings.HasSuffix(old.Question, "?") && !strings.HasSuffix(d.Question, "?") {
		why.say("the question must end with a question mark, as the old one does")
	}
	if d.Question == old.Question {
		why.say("the question is the old one; take out of it what the text says")
	}
	if answercues.Holds(d.Question, d.Text) {
		why.say("the question repeats the text, so nobody needs the text")
	}
	told := answers(old)
	if old.AnswerCall == "" && answercues.Holds(d.Text, old.AnswerText) {
		why.say("the text says the answer, %q", old.AnswerText)
	}
	if old.AnswerCall == "" && answercues.Holds(d.Question, old.AnswerText) && !answercues.Holds(old.Question, old.AnswerText) {
		why.say("the question says the answer, %q", old.AnswerText)
	}
	if old.AnswerCall != "" && strings.Contains(strings.ToLower(d.Text+d.Question), strings.ToLower(told[0])) {
		why.say("the text or the question names the tool, %q; say what is wanted in plain words", told[0])
	}
	return why
}
