package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Error types of wrong options.
const (
	errorOther  = "other_value"
	errorStale  = "stale_state"
	errorNumber = "near_number"
	errorThing  = "other_instance"
)

// ErrorType returns the error type of the wrong options, by form and aspect.
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

// CheckWrongOptions checks that each wrong option has the error type of the question.
// Unshown reports that no picture of the conversation shows one of them, so that its
// origin is unknown.
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

// checkStaleOptions wants the earlier values of the thing among the wrong options: all
// of them, or nothing else.
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

func (t *Conversation) showsValue(aspect, value string) bool {
	return slices.ContainsFunc(t.pictures, func(s sharedPicture) bool {
		return slices.ContainsFunc(s.Things, func(th Thing) bool { return strings.EqualFold(th.Tells[aspect], value) })
	})
}
