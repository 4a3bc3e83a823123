package structural

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

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
		s += []string{"; ", ", "}[min(i, 1)] + label + "=" + m.Marks[label]
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
