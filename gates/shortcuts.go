package gates

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	shortcut "github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/schemas"
)

// ShortcutConfig configures the gate statistical-shortcuts.
type ShortcutConfig struct {
	Alpha float64  `json:"alpha" doc:"chance that luck alone flags any question, over all ways to guess and all forms of question together"`
	Forms []string `json:"forms" doc:"\"TYPE=FORM\" for question types that share one wording; by default what plugins declare"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ShortcutConfig) SetDefaults() { c.Alpha = 0.01 }

// shortcutGate flags questions that a trained model or a simple rule answers without evidence,
// if it is beyond chance on the form as a whole. It flags so many facts that the rest is at
// chance: if all that were guessed went, the opposite rule would be right too often.
type shortcutGate struct {
	cfg   ShortcutConfig
	forms shortcut.Forms
}

func addShortcuts(r *pipeline.Registry) {
	pipeline.AddGate(r, "statistical-shortcuts", "5", "no question follows from words, lengths and places alone", newShortcuts, func(c *ShortcutConfig) {
		forms := r.Forms()
		for _, t := range slices.Sorted(maps.Keys(forms)) {
			c.Forms = append(c.Forms, t+"="+forms[t])
		}
	})
}

func newShortcuts(c ShortcutConfig) (pipeline.Gate, error) {
	if c.Alpha <= 0 || c.Alpha > 0.2 {
		return nil, fmt.Errorf("alpha is %g; want more than 0 and at most 0.2", c.Alpha)
	}
	forms := shortcut.Forms{}
	for _, line := range c.Forms {
		typ, form, ok := strings.Cut(line, "=")
		if _, twice := forms[typ]; !ok || typ == "" || form == "" || twice {
			return nil, fmt.Errorf("forms holds %q; want TYPE=FORM, once for each type", line)
		}
		forms[typ] = form
	}
	return &shortcutGate{c, forms}, nil
}

func (*shortcutGate) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Whole: true}
}

// Judge implements pipeline.Gate.
func (g *shortcutGate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	qs := make([]schemas.Question, len(items))
	for i, r := range items {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return nil, err
		}
		qs[i] = q
	}
	studies, err := shortcut.Studies(qs, g.forms, func(form string) *rand.Rand { return scope.Rand("shortcuts", form) })
	if err != nil {
		return nil, err
	}
	out := make([]pipeline.Judgement, len(qs))
	forms := g.forms.Group(qs)
	for _, s := range studies {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		flagged := g.flagSurplus(s)
		for _, i := range forms[s.Form] {
			if out[i] = judgeStudied(s, g.cfg.Alpha, flagged[qs[i].QuestionID]); !shortcut.CanStudy(qs[i]) {
				out[i] = judgeUnstudied(qs[i])
			}
		}
	}
	return out, nil
}

// judgeStudied judges one question of a form. The reason always states the worst figure of the
// form.
func judgeStudied(s shortcut.Study, alpha float64, by *shortcut.Figure) pipeline.Judgement {
	if s.TooFew != nil {
		return pipeline.Insufficient.Because("too-few", "of %s there are %d rows, %d distinct facts: %v", s.Form, s.Questions, s.Facts, s.TooFew)
	}
	if s.Powerless(alpha) {
		return pipeline.Insufficient.Because("no-power", "of %s there are %d facts in %d clusters that are independent of each other: a rule that is always right would have p = %.2g after correction, so nothing can be told",
			s.Form, s.Facts, s.Clusters, s.LeastPValue)
	}
	if by != nil {
		return pipeline.Fail.Because("guessable", "%s answers %s, this question among them", by.Name, describeWithP(s, *by))
	}
	worst, beside := s.Worst(), s.WorstWithOthers()
	return pipeline.Judgement{Outcome: pipeline.Pass, Reason: fmt.Sprintf("furthest above chance is %s: %s%s%s: %s",
		worst.Name, describeWithP(s, worst), schemas.ClusterReason, beside.Name, describeFigure(s, beside))}
}

// describeWithP states a figure of a form that counts against it.
func describeWithP(s shortcut.Study, f shortcut.Figure) string {
	return fmt.Sprintf("%s, p = %.2g after correction", describeFigure(s, f), f.Adjusted)
}

func describeFigure(s shortcut.Study, f shortcut.Figure) string {
	return fmt.Sprintf("%.1f %% %s of %d facts (%s), chance %.1f %%", 100*f.Accuracy.Value, f.Accuracy.Span(), s.Facts, s.Form, 100*f.Chance)
}

// flagSurplus returns the questions that must go for no figure to be beyond chance, by figure:
// of the facts that it gets right, first those that the trained model is surest of. Rules come
// before models, which learn them too; a figure that earlier flags explain flags no more.
func (g *shortcutGate) flagSurplus(s shortcut.Study) map[string]*shortcut.Figure {
	var beyond []shortcut.Figure
	for _, f := range s.Figures {
		if f.BeyondChance(g.cfg.Alpha) {
			beyond = append(beyond, f)
		}
	}
	slices.SortStableFunc(beyond, func(a, b shortcut.Figure) int {
		switch {
		case a.Trained && !b.Trained:
			return 1
		case b.Trained && !a.Trained:
			return -1
		}
		return cmp.Compare(a.PValue, b.PValue)
	})
	gone := map[string]bool{}
	out := map[string]*shortcut.Figure{}
	for i, f := range beyond {
		for _, fact := range surplusFacts(s, f, gone) {
			gone[fact] = true
			for _, id := range f.Right[fact] {
				out[id] = &beyond[i]
			}
		}
	}
	return out
}

// explainedErrors is how many standard errors above chance a figure may be over what is
// left, when something is flagged already.
const explainedErrors = 3

// surplusFacts returns the facts, besides those gone, that must go for a figure to be at
// chance.
func surplusFacts(s shortcut.Study, f shortcut.Figure, gone map[string]bool) []string {
	facts := float64(s.Facts - len(gone))
	right := f.Accuracy.Value * float64(s.Facts)
	for fact := range gone {
		if f.Right[fact] != nil {
			right--
		} else {
			right -= f.Chance // as good as guessed
		}
	}
	over := right - f.Chance*facts
	if len(gone) > 0 && over < explainedErrors*math.Sqrt(facts*f.Chance*(1-f.Chance)) {
		return nil
	}
	left := slices.DeleteFunc(slices.Collect(maps.Keys(f.Right)), func(fact string) bool { return gone[fact] })
	slices.SortFunc(left, func(a, b string) int { return cmp.Or(cmp.Compare(s.GoldChance[b], s.GoldChance[a]), cmp.Compare(a, b)) })
	many := math.Ceil(over/(1-f.Chance) - 1e-9)
	return left[:min(len(left), max(0, int(many)))]
}

func judgeUnstudied(q schemas.Question) pipeline.Judgement {
	switch n := len(q.Options); {
	case n == 0:
		return pipeline.NotApplicable.Because("no-options", "the question has no options to choose from")
	case n < 2:
		return pipeline.NotApplicable.Because("too-few-options", "the question has one option, and this check needs 2")
	case n > shortcut.MostOptions:
		return pipeline.NotApplicable.Because("too-many-options", "the question has %d options, and this check takes %d", n, shortcut.MostOptions)
	}
	return pipeline.Insufficient.Because("no-gold", "none of its %d options is known to be the right one; the answer's key is %q", len(q.Options), q.AnswerKey)
}

// shortcutCPU is what studying one question for shortcuts takes, in seconds:
// 1.8 s for the 2,636 questions of the default release.
const shortcutCPU = 7e-4

// Forecast implements pipeline.Forecaster: no form can be answered by a shortcut,
// and every question passes.
func (*shortcutGate) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameQuestion: q, schemas.NameVerdict: {Records: q.Records}}, CPU: (structural.RuleCPU + shortcutCPU) * q.Records,
	}
}
