package structural

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
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
		texts[cmp.Or(words.Value(o.Text), strings.TrimSpace(o.Text))] = true
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

// MakeUp is which options questions of a type have, and label values that these
// have and no others. It is written "TYPE: 1 correct, 3 distractor; label=value".
type MakeUp struct {
	Type  string
	Roles map[string]int
	Marks map[string]string
}

// MakeUps are those that are declared.
func MakeUps(r *pipeline.Registry) []MakeUp {
	var out []MakeUp
	for _, t := range r.QuestionTypes() {
		if t.Options != nil {
			out = append(out, MakeUp{t.Name, t.Options, t.Marks})
		}
	}
	return out
}

// String is how a make-up is written.
func (m MakeUp) String() string {
	s := m.Type + ": " + Tally(m.Roles)
	for i, label := range slices.Sorted(maps.Keys(m.Marks)) {
		separator := ", "
		if i == 0 {
			separator = "; "
		}
		s += separator + label + "=" + m.Marks[label]
	}
	return s
}

// MarshalText implements encoding.TextMarshaler.
func (m MakeUp) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *MakeUp) UnmarshalText(text []byte) error {
	wrong := fmt.Errorf("make-up %q: want it as \"TYPE: 1 correct, 3 distractor\", with \"; label=value\" for what marks the type", text)
	name, rest, ok := strings.Cut(string(text), ": ")
	roles, marks, marked := strings.Cut(rest, "; ")
	if !ok || name == "" {
		return wrong
	}
	read := MakeUp{Type: name, Roles: map[string]int{}}
	for part := range strings.SplitSeq(roles, ", ") {
		count, role, _ := strings.Cut(part, " ")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || role == "" || read.Roles[role] > 0 {
			return wrong
		}
		read.Roles[role] = n
	}
	var pairs []string
	if marked {
		read.Marks, pairs = map[string]string{}, strings.Split(marks, ", ")
	}
	for _, part := range pairs {
		label, value, ok := strings.Cut(part, "=")
		if _, twice := read.Marks[label]; !ok || label == "" || twice {
			return wrong
		}
		read.Marks[label] = value
	}
	*m = read
	return nil
}

// Tally states how many there are of each role.
func Tally(counts map[string]int) string {
	var parts []string
	for role, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, role))
	}
	slices.Sort(parts)
	if len(parts) == 0 {
		return "no options"
	}
	return strings.Join(parts, ", ")
}
