// Package scorertest checks that a scorer compares answers with the gold by the keys of
// options: gold answers get 1, no answers 0, and a constant or random letter the share of
// questions of which it is the right one.
package scorertest

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// Subject is a scorer with the questions that it is tried on.
type Subject struct {
	Scorer    score.Scorer
	Questions []schemas.Question
	// Open returns the questions of one type as the scorer reads them of a release.
	Open func([]schemas.Question) (score.QuestionSet, error)
	// Accuracy returns the share of right answers in the scorer's figures.
	Accuracy func(score.Scores) (float64, error)
	// Gold returns the right answer to a form of a question; nil: GoldOf.
	Gold func(schemas.Question, score.Form) string
	// Mean combines the shares of questions, by id, as Accuracy does; nil: MeanOf.
	Mean func(map[string]float64) float64
}

// GoldOf returns the key of the right option, or the call or text of a question without
// options.
func GoldOf(q schemas.Question, f score.Form) string {
	for _, o := range f.Options {
		if o.Role == schemas.RoleCorrect {
			return o.Key
		}
	}
	if q.AnswerCall != "" {
		return q.AnswerCall
	}
	return q.AnswerText
}

// MeanOf weighs questions alike.
func MeanOf(shares map[string]float64) float64 {
	sum := 0.0
	for _, id := range slices.Sorted(maps.Keys(shares)) {
		sum += shares[id]
	}
	return sum / float64(len(shares))
}

// Run tries the scorer on each type of question in each variant.
func Run(t *testing.T, s Subject) {
	t.Helper()
	if s.Gold == nil {
		s.Gold = GoldOf
	}
	if s.Mean == nil {
		s.Mean = MeanOf
	}
	byType := map[string][]schemas.Question{}
	for _, q := range s.Questions {
		byType[q.Type] = append(byType[q.Type], q)
	}
	if len(byType) == 0 {
		t.Fatal("there is no question to try the scorer on")
	}
	variants := s.Scorer.Variants
	if len(variants) == 0 {
		variants = []string{""}
	}
	for _, kind := range slices.Sorted(maps.Keys(byType)) {
		for _, variant := range variants {
			t.Run(kind+"/"+variant, func(t *testing.T) { s.checkType(t, byType[kind], variant) })
		}
	}
}

// responder answers a form of a question.
type responder func(schemas.Question, score.Form) string

func (s Subject) responders() map[string]responder {
	rnd := rand.New(rand.NewPCG(1, 2))
	out := map[string]responder{
		"gold":    s.Gold,
		"nothing": func(schemas.Question, score.Form) string { return "" },
		"random": func(q schemas.Question, f score.Form) string {
			return schemas.Letter(rnd.IntN(max(len(f.Options), 4)))
		},
	}
	for _, letter := range []string{"A", "B", "C", "D"} {
		out["always "+letter] = func(schemas.Question, score.Form) string { return letter }
	}
	return out
}

func (s Subject) checkType(t *testing.T, questions []schemas.Question, variant string) {
	set, err := s.Open(questions)
	if err != nil {
		t.Fatal(err)
	}
	all := s.responders()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		answers, shares := map[string]string{}, map[string]float64{}
		for _, q := range questions {
			right, counted := 0, 0
			for _, f := range s.formsOf(q) {
				answer := all[name](q, f)
				answers[f.ID] = answer
				if len(q.Options) > 0 && len(f.Options) == 0 {
					continue // the open form, which Accuracy does not count
				}
				counted++
				if answer == s.Gold(q, f) {
					right++
				}
			}
			shares[q.QuestionID] = float64(right) / float64(counted)
		}
		got, err := s.accuracyOf(set, answers, variant)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := s.Mean(shares); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: accuracy %v over %d questions, want %v", name, got, len(questions), want)
		}
	}
}

func (s Subject) formsOf(q schemas.Question) []score.Form {
	if s.Scorer.Forms != nil {
		return s.Scorer.Forms(q)
	}
	return []score.Form{{ID: q.QuestionID, Options: q.Options}}
}

func (s Subject) accuracyOf(set score.QuestionSet, answers map[string]string, variant string) (float64, error) {
	scores, err := set.Score(answers, score.Options{Variant: variant})
	if err != nil {
		return 0, fmt.Errorf("score the answers: %w", err)
	}
	return s.Accuracy(scores)
}
