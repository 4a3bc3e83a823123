package engine

import (
	"errors"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// singleUnit returns the unit of input i.
func singleUnit(t pipeline.Task, i int) pipeline.Task {
	if t.Each {
		t.Inputs = t.Inputs[i : i+1]
	}
	return t
}

// unitCount is how many results the task gives.
func unitCount(t pipeline.Task) int {
	if t.Each {
		return len(t.Inputs)
	}
	return 1
}

// sortRefs orders refs by id.
func sortRefs(refs []pipeline.Ref) {
	byID := func(a, b pipeline.Ref) int { return strings.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(refs, byID) {
		slices.SortFunc(refs, byID)
	}
}

// errDuplicate marks two different records with one id.
var errDuplicate = errors.New("two different records have the same id")
