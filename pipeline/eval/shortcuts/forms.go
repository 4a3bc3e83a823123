package shortcuts

import (
	"cmp"

	"github.com/memforge/memforge/schemas"
)

// Forms are, by question type, the form that it shares with types of its wording.
// A type that is not among them is a form of its own.
type Forms map[string]string

// FormOf is what a solver could tell a question by.
func (f Forms) FormOf(q schemas.Question) string { return cmp.Or(f[q.Type], q.Type) }

// Group groups questions by their form. The indices of a form are in input order.
func (f Forms) Group(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		out[f.FormOf(q)] = append(out[f.FormOf(q)], i)
	}
	return out
}
