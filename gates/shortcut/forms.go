package shortcut

import "github.com/memforge/memforge/schemas"

// Forms groups questions by what a solver could tell apart: their type, where
// types share no wording. The indices of a form are in input order.
func Forms(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		form := formOf(q)
		out[form] = append(out[form], i)
	}
	return out
}

func formOf(q schemas.Question) string {
	if q.Type == schemas.TypeSourceMemory {
		return schemas.TypeFalseMemory // one wording for what happens and what does not
	}
	return q.Type
}
