// Package gates holds the gates: rules that judge items before they enter a
// release.
//
// A gate is a view (what a solver may see), a protocol (whom to ask, how
// often) and a rule (when to flag). Those that ask models are in the package
// panel. The gates here are structural: their view is the question row itself,
// nobody is asked, and the rule alone decides. The table in Register is the list
// of them. Besides, video-integrity looks at the videos.
package gates

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Register adds the gates.
func Register(r *pipeline.Registry) {
	for _, g := range []struct {
		name, version, summary string
		types                  []string
		whole                  bool
		rule                   rule
	}{
		{"interference-roles", "2", "one correct option, two intrusions, one unrelated (M3Eval 3.1.2)", []string{schemas.TypeInterference}, false, each(optionRoles)},
		{"option-roles", "2", "the options that each question type asks for", roleTypes(), false, each(optionRoles)},
		{"mirror-pairs", "2", "the same question stands over both orders of its two videos", []string{schemas.TypeInterference}, true, mirrorPairs},
		{"source-answers", "2", "one, the other, both and neither are right as often (M3Eval 3.1.3)", []string{schemas.TypeFalseMemory, schemas.TypeSourceMemory}, true, sourceAnswers},
		{"nback-balance", "2", "as many yes as no in each attribute, N and K (M3Eval 3.1.4)", []string{schemas.TypeNBack}, true, nbackBalance},
		{"nback-leak", "2", "no answer follows from clip count, length, first clip, sequence or names", []string{schemas.TypeNBack}, true, nbackLeak},
		{"answer-position", "2", "correct options are spread over the positions", positionTypes(), true, answerPosition},
	} {
		pipeline.AddGate(r, g.name, g.version, g.summary, func(c Config) (pipeline.Gate, error) {
			return newStructural(c, g.types, g.whole, g.rule)
		})
	}
	pipeline.AddGate(r, "statistical-shortcuts", "4", "no question follows from words, lengths and places alone", newShortcuts)
	panel.Register(r)
	registerSessions(r)
	pipeline.AddGate(r, "video-integrity", "2", "a composed video shows what its recipe says, frame by frame, and no words about itself", newIntegrity)
}

// positionTypes are the types whose options have places; N-Back has yes and no.
func positionTypes() []string {
	return slices.DeleteFunc(roleTypes(), func(t string) bool { return t == schemas.TypeNBack })
}

// Config of a structural gate.
type Config struct {
	Types []string `yaml:"types" json:"types" doc:"question types to judge; empty means those the gate is made for"`
}

// rule judges questions: one judgement each, in order.
type rule func([]schemas.Question) []pipeline.Judgement

// each makes a rule of one that looks at a single question.
func each(judge func(schemas.Question) pipeline.Judgement) rule {
	return func(qs []schemas.Question) []pipeline.Judgement {
		out := make([]pipeline.Judgement, len(qs))
		for i, q := range qs {
			out[i] = judge(q)
		}
		return out
	}
}

// structural is a gate without a model.
type structural struct {
	types []string
	whole bool
	rule  rule
}

func newStructural(c Config, types []string, whole bool, r rule) (pipeline.Gate, error) {
	if len(c.Types) > 0 {
		types = c.Types
	}
	if slices.Contains(types, "") {
		return nil, fmt.Errorf("types holds an empty name; list question types, for example %q", schemas.TypeNBack)
	}
	return &structural{types, whole, r}, nil
}

func (g *structural) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Whole: g.whole, Types: g.types}
}

// Judge applies the rule to the questions of the gate's types. Others carry
// nothing that it could judge.
func (g *structural) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	var mine []schemas.Question
	var at []int
	for i, r := range items {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(g.types, q.Type) {
			out[i] = notApplicable("other-type", "it is of type %q and this gate judges %q", q.Type, g.types)
			continue
		}
		mine, at = append(mine, q), append(at, i)
	}
	for n, j := range g.rule(mine) {
		out[at[n]] = j
	}
	return out, nil
}

var pass = pipeline.Judgement{Outcome: pipeline.Pass}

func fail(code, format string, args ...any) pipeline.Judgement {
	return pipeline.Judgement{Outcome: pipeline.Fail, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}

// notApplicable is for questions of a kind that the gate does not judge.
func notApplicable(code, format string, args ...any) pipeline.Judgement {
	return pipeline.Judgement{Outcome: pipeline.NotApplicable, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}

// insufficient is for questions that the gate would judge if there were more data.
func insufficient(code, format string, args ...any) pipeline.Judgement {
	return pipeline.Judgement{Outcome: pipeline.Insufficient, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}

// all gives n questions one judgement.
func all(n int, j pipeline.Judgement) []pipeline.Judgement {
	return slices.Repeat([]pipeline.Judgement{j}, n)
}
