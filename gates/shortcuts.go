package gates

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/gates/shortcut"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// ShortcutConfig configures the gate statistical-shortcuts.
type ShortcutConfig struct {
	MinChance float64 `yaml:"min_chance" json:"min_chance" doc:"chance that the blind model must give a question's answer, each time it is trained, for the question to be flagged"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ShortcutConfig) SetDefaults() { c.MinChance = 0.6 }

// shortcuts flags questions that words, lengths, places and frequencies answer
// without any evidence. Nothing is flagged unless the model beats chance on the
// form as a whole: among many questions some are guessed by luck.
type shortcuts struct{ cfg ShortcutConfig }

func newShortcuts(c ShortcutConfig) (pipeline.Gate, error) {
	if c.MinChance <= 0 || c.MinChance > 1 {
		return nil, fmt.Errorf("min_chance is %g; want more than 0 and at most 1", c.MinChance)
	}
	return &shortcuts{c}, nil
}

func (*shortcuts) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Whole: true}
}

// Judge implements pipeline.Gate.
func (g *shortcuts) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	qs := make([]schemas.Question, len(items))
	for i, r := range items {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return nil, err
		}
		qs[i] = q
	}
	out := all(len(qs), pass)
	forms := shortcut.Forms(qs)
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := g.judgeForm(scope, form, qs, forms[form], out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (g *shortcuts) judgeForm(scope *pipeline.Scope, form string, qs []schemas.Question, members []int, out []pipeline.Judgement) error {
	var of []schemas.Question
	for _, i := range members {
		of = append(of, qs[i])
	}
	s, err := shortcut.Run(of, scope.Rand("shortcuts", form))
	if errors.Is(err, shortcut.ErrTooFew) {
		for _, i := range members {
			out[i] = insufficient("too-few", "of %s there are %d: %v", form, len(of), err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("study %s: %w", form, err)
	}
	blind := s.Figures[1]
	if !blind.Beyond() {
		return nil
	}
	for _, i := range members {
		if p := s.Blind[qs[i].QuestionID]; p >= g.cfg.MinChance {
			out[i] = fail("guessable", "a model that sees no evidence answers %.0f %% of %s (chance %.0f %%), and this one with a chance of %.2f",
				100*blind.Accuracy.Value, form, 100*blind.Chance, p)
		}
	}
	return nil
}
