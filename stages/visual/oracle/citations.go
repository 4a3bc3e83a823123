package oracle

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// CheckCitations checks that the evidence of a question alone leads to its answer, and that
// without one of the pictures that it needs it does not. Before a change a value may have
// been seen several times, and which of four things came first may be told from three:
// there only the picture of the change, or none, is needed.
func (t *Conversation) CheckCitations(question string, options []string, r Result) error {
	got, err := t.Citing(r.Evidence).Answer(question, options)
	if err != nil || got.Right != r.Right {
		return fmt.Errorf("%q is %q, and from its evidence alone %q (%v)", question, r.Right, got.Right, err)
	}
	needed := r.Needed
	switch r.Form {
	case "first":
		return nil
	case "before":
		needed = needed[len(needed)-1:]
	}
	for _, e := range needed {
		without := slices.DeleteFunc(slices.Clone(r.Evidence), func(o schemas.Evidence) bool { return o.Ref == e.Ref })
		if got, err := t.Citing(without).Answer(question, options); err == nil && got.Right == r.Right {
			return fmt.Errorf("%q is %q without %s too, which it is said to need", question, r.Right, e.Ref)
		}
	}
	return nil
}
