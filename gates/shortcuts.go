package gates

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	Added []string `json:"added,omitempty" doc:"rules of plugins that are tried beside the built-in ones; by default all that must be at chance"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *ShortcutConfig) SetDefaults() { c.Alpha = 0.01 }

// shortcutGate flags questions that a rule or a trained model tells the answer of without evidence,
// or rules it out, if it is off chance on the form as a whole. It flags so many facts that the
// rest is at chance: if all that were guessed went, the opposite rule would be right too often.
type shortcutGate struct {
	cfg   ShortcutConfig
	forms shortcut.Forms
	added []shortcut.Rule
}

func addShortcuts(r *pipeline.Registry) {
	pipeline.AddGate(r, "statistical-shortcuts", "8", "no question follows from words, lengths, places or other questions alone", func(c ShortcutConfig) (pipeline.Gate, error) {
		return newShortcuts(c, shortcut.AddedRules(r))
	}, func(c *ShortcutConfig) {
		forms := r.Forms()
		for _, t := range slices.Sorted(maps.Keys(forms)) {
			c.Forms = append(c.Forms, t+"="+forms[t])
		}
		for _, rule := range shortcut.AddedRules(r) {
			if rule.Sees.IsJudged() {
				c.Added = append(c.Added, rule.Name)
			}
		}
	})
}

func newShortcuts(c ShortcutConfig, known []shortcut.Rule) (pipeline.Gate, error) {
	if c.Alpha <= 0 || c.Alpha > 0.2 {
		return nil, fmt.Errorf("alpha is %g; want more than 0 and at most 0.2", c.Alpha)
	}
	g := &shortcutGate{cfg: c, forms: shortcut.Forms{}}
	for _, line := range c.Forms {
		typ, form, ok := strings.Cut(line, "=")
		if _, twice := g.forms[typ]; !ok || typ == "" || form == "" || twice {
			return nil, fmt.Errorf("forms holds %q; want TYPE=FORM, once for each type", line)
		}
		g.forms[typ] = form
	}
	for _, name := range c.Added {
		i := slices.IndexFunc(known, func(r shortcut.Rule) bool { return r.Name == name })
		if i < 0 || !known[i].Sees.IsJudged() {
			return nil, fmt.Errorf("added holds %q; want rules of plugins that read neither history nor other questions", name)
		}
		g.added = append(g.added, known[i])
	}
	return g, nil
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
	studies, err := shortcut.Studies(shortcut.Subject{
		Questions: qs, Forms: g.forms, Added: g.added, Chance: func(form string) *rand.Rand { return scope.Rand("shortcuts", form) },
	})
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
func judgeStudied(s *shortcut.Study, alpha float64, by *shortcut.Figure) pipeline.Judgement {
	if s.TooFew != nil {
		return pipeline.Insufficient.Because("too-few", "of %s there are %d rows, %d distinct facts: %v", s.Form, s.Questions, s.Facts, s.TooFew)
	}
	if s.Powerless(alpha) {
		return pipeline.Insufficient.Because("no-power", "of %s there are %d facts in %d clusters that are independent of each other: a rule that is always right would have p = %.2g after correction, so nothing can be told",
			s.Form, s.Facts, s.Clusters, s.LeastPValue)
	}
	if by != nil {
		how := "answers"
		if by.Excess() < 0 {
			how = "rules out the answers of"
		}
		return pipeline.Fail.Because("guessable", "%s %s %s, this question among them", by.Name, how, describeWithP(s, *by))
	}
	alone, beside := shortcut.Furthest(s.Figures), shortcut.Furthest(s.Company)
	return pipeline.Judgement{Outcome: pipeline.Pass, Reason: fmt.Sprintf("furthest from chance is %s: %s%s%s: %s",
		alone.Name, describeWithP(s, alone), schemas.ClusterReason, beside.Name, describeFigure(s, beside))}
}

// describeWithP states a figure of a form that counts against it.
func describeWithP(s *shortcut.Study, f shortcut.Figure) string {
	return fmt.Sprintf("%s, p = %.2g after correction", describeFigure(s, f), f.Adjusted)
}

func describeFigure(s *shortcut.Study, f shortcut.Figure) string {
	return fmt.Sprintf("%.1f %% %s of %d facts (%s), chance %.1f %%", 100*f.Accuracy.Value, f.Accuracy.Span(), f.Facts, s.Form, 100*f.Chance)
}

// flagSurplus returns the questions that must go for no figure to be off chance, by figure. Rules
// come before models, which learn them too; a figure that earlier flags explain flags no more.
func (g *shortcutGate) flagSurplus(s *shortcut.Study) map[string]*shortcut.Figure {
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
		for fact, ids := range s.Surplus(f, gone) {
			gone[fact] = true
			for _, id := range ids {
				out[id] = &beyond[i]
			}
		}
	}
	return out
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
