package structural

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// RolesConfig configures a gate over the options of questions.
type RolesConfig struct {
	Config
	Options []MakeUp `json:"options" doc:"what options a question of a type has, and which label values mark the type; by default what plugins declare"`
}

// AddRoles registers a gate that wants the options which the type of a question
// asks for: of the given types, of none of all that are declared.
func AddRoles(r *pipeline.Registry, name, version, summary string, types ...string) {
	pipeline.AddGate(r, name, version, summary, func(c RolesConfig) (pipeline.Gate, error) {
		mine := types
		if len(mine) == 0 {
			for _, m := range c.Options {
				mine = append(mine, m.Type)
			}
		}
		return New(c.Config, mine, false, Each(c.judge))
	}, func(c *RolesConfig) { c.Options = MakeUps(r) })
}

// judge wants the right options, with different keys and texts, and the answer
// fields to name the correct one.
func (c RolesConfig) judge(q schemas.Question) pipeline.Judgement {
	at := slices.IndexFunc(c.Options, func(m MakeUp) bool { return m.Type == q.Type })
	if at < 0 {
		return pipeline.NotApplicable.Because("no-make-up", "no options are laid down for type %q", q.Type)
	}
	counts := map[string]int{}
	keys, texts := map[string]bool{}, map[string]bool{}
	var correct schemas.Option
	for _, o := range q.Options {
		counts[o.Role]++
		keys[o.Key] = true
		texts[strings.ToLower(strings.Join(strings.Fields(o.Text), " "))] = true
		if o.Role == schemas.RoleCorrect {
			correct = o
		}
	}
	switch want := c.Options[at].Roles; {
	case !maps.Equal(counts, want):
		return pipeline.Fail.Because("wrong-roles", "it has %s; want %s", Tally(counts), Tally(want))
	case len(keys) != len(q.Options) || len(texts) != len(q.Options) || texts[""]:
		return pipeline.Fail.Because("same-options", "two options have one key or text, or a text is empty")
	case q.AnswerKey != correct.Key || q.AnswerText != correct.Text:
		return pipeline.Fail.Because("wrong-answer", "the answer is %s %q and the correct option %s %q", q.AnswerKey, q.AnswerText, correct.Key, correct.Text)
	}
	return c.marked(q)
}

// marked wants what marks a type on its questions, and on no others.
func (c RolesConfig) marked(q schemas.Question) pipeline.Judgement {
	for _, m := range c.Options {
		for _, label := range slices.Sorted(maps.Keys(m.Marks)) {
			if (q.Type == m.Type) != (q.Labels[label] == m.Marks[label]) {
				return pipeline.Fail.Because("wrong-label", "it is of type %s and its %s is %q; %q marks questions of type %s, all of them and no others",
					q.Type, label, q.Labels[label], m.Marks[label], m.Type)
			}
		}
	}
	return Pass()
}
