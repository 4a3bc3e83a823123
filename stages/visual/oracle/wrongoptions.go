package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kinds of error that wrong options can be of.
const (
	errorOther  = "other_value"
	errorStale  = "stale_state"
	errorNumber = "near_number"
	errorThing  = "other_instance"
)

// ErrorType is how the wrong options of a question are wrong, by its form and aspect.
func (r Result) ErrorType() string {
	switch {
	case r.Form == "current" || r.Form == "before":
		return errorStale
	case r.Form == "match" || r.Form == "first":
		return errorThing
	case r.Aspect == "count":
		return errorNumber
	}
	return errorOther
}

// CheckWrongOptions holds the wrong options of a question against how they may be wrong. Unshown
// reports that one of them is a value that no picture of the conversation shows, so that
// nothing here says where it is from. An error says which option cannot be one.
func (t *Conversation) CheckWrongOptions(r Result, wrong []string) (unshown bool, err error) {
	if len(wrong) != 3 {
		return false, fmt.Errorf("%d wrong options stand beside the answer; want 3", len(wrong))
	}
	switch r.ErrorType() {
	case errorThing:
		for _, w := range wrong {
			if !slices.Contains(r.candidates, w) {
				return false, fmt.Errorf("the option %q is nothing that could be meant", w)
			}
		}
		return false, nil
	case errorNumber:
		return false, checkConsecutive(append([]string{r.Right}, wrong...))
	case errorStale:
		if err := checkStaleOptions(r, wrong); err != nil {
			return false, err
		}
	}
	for _, w := range wrong {
		unshown = unshown || !t.showsValue(r.Aspect, w)
	}
	return unshown, nil
}

// checkConsecutive wants numbers that follow each other.
func checkConsecutive(list []string) error {
	var numbers []int
	for _, text := range list {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return fmt.Errorf("the option %q is no number of things", text)
		}
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	for i, n := range numbers {
		if n != numbers[0]+i {
			return fmt.Errorf("the options %s do not lie next to each other", strings.Join(list, ", "))
		}
	}
	return nil
}

// checkStaleOptions wants values that the thing once had among the wrong ones: all of them, or
// nothing else.
func checkStaleOptions(r Result, wrong []string) error {
	once := 0
	for _, w := range wrong {
		if slices.ContainsFunc(r.candidates, equals(w)) {
			once++
		}
	}
	if want := min(len(r.candidates), len(wrong)); once != want {
		return fmt.Errorf("%d of the wrong options held once; want %d", once, want)
	}
	return nil
}

// showsValue reports whether some picture tells this of an aspect.
func (t *Conversation) showsValue(aspect, value string) bool {
	return slices.ContainsFunc(t.pictures, func(s sharedPicture) bool {
		return slices.ContainsFunc(s.Things, func(th Thing) bool { return strings.EqualFold(th.Tells[aspect], value) })
	})
}
