// Package protocol is how a gate asks: which calls it may make, and the rule
// that turns their answers into a verdict. Rules are expressions over calls, so
// that one evaluation serves twice: over all answers it is the verdict, over
// some of them it says whether the verdict can still change.
package protocol

import (
	"slices"
)

// Mark is what came of one call.
type Mark uint8

// The marks. Failed is that of a call that gave no usable answer: neither right nor wrong.
const (
	Unasked Mark = iota
	Right
	Wrong
	Failed
)

// Truth is the value of a rule.
type Truth uint8

// The values. Open means that calls not yet made decide; Broken that failed
// calls do, so that it stays unknown.
const (
	False Truth = iota
	True
	Open
	Broken
)

// Rule is an expression over the calls of a protocol. A value
// other than Open is final: no further answer changes it.
type Rule interface {
	// Value of the rule over the marks.
	Value(marks []Mark) Truth
	// next appends the calls that can still decide the rule, the most useful
	// first; none when the value is not Open.
	next(marks []Mark, calls []Call) []Call
}

// AtLeast holds when at least K of the calls are right.
type AtLeast struct {
	K     int
	Calls []Call
}

// Value implements Rule.
func (r AtLeast) Value(marks []Mark) Truth {
	var count [4]int
	for _, c := range r.Calls {
		count[marks[c.Index]]++
	}
	switch {
	case count[Right] >= r.K:
		return True
	case len(r.Calls)-count[Wrong] < r.K:
		return False
	case count[Unasked] > 0:
		return Open
	}
	return Broken
}

func (r AtLeast) next(marks []Mark, calls []Call) []Call {
	if r.Value(marks) != Open {
		return calls
	}
	for _, c := range r.Calls {
		if marks[c.Index] == Unasked {
			calls = append(calls, c)
		}
	}
	return calls
}

// Not holds when its rule does not.
type Not struct{ Rule Rule }

// Value implements Rule.
func (r Not) Value(marks []Mark) Truth {
	switch v := r.Rule.Value(marks); v {
	case True:
		return False
	case False:
		return True
	default:
		return v
	}
}

func (r Not) next(marks []Mark, calls []Call) []Call { return r.Rule.next(marks, calls) }

// All holds when every rule holds.
type All []Rule

// Value implements Rule.
func (r All) Value(marks []Mark) Truth { return joinValues(r, marks, False, True) }

func (r All) next(marks []Mark, calls []Call) []Call {
	return nextOfRules(r, r.Value(marks), marks, calls)
}

// Any holds when one rule holds.
type Any []Rule

// Value implements Rule.
func (r Any) Value(marks []Mark) Truth { return joinValues(r, marks, True, False) }

func (r Any) next(marks []Mark, calls []Call) []Call {
	return nextOfRules(r, r.Value(marks), marks, calls)
}

// joinValues evaluates rules of which one with the value strong decides alone.
func joinValues(rules []Rule, marks []Mark, strong, weak Truth) Truth {
	out := weak
	for _, r := range rules {
		switch v := r.Value(marks); {
		case v == strong:
			return strong
		case v == Open, v == Broken && out != Open:
			out = v
		}
	}
	return out
}

func nextOfRules(rules []Rule, value Truth, marks []Mark, calls []Call) []Call {
	if value != Open {
		return calls
	}
	for _, r := range rules {
		calls = r.next(marks, calls)
	}
	return calls
}

// Run makes calls until the value of the rule is final, and returns it with the marks by
// the index of calls. Of the calls that can still decide, the first in order is made next.
// With full, every call of order is made all the same. An error of ask ends the run; answers
// that merely cannot be used are Failed.
func Run(rule Rule, order []Call, full bool, ask func(Call) (Mark, error)) (Truth, []Mark, error) {
	marks := make([]Mark, len(order))
	rank := make([]int, len(order))
	for i, c := range order {
		rank[c.Index] = i
	}
	for _, call := range order {
		if !full {
			open := rule.next(marks, nil)
			if len(open) == 0 {
				break
			}
			call = slices.MinFunc(open, func(a, b Call) int { return rank[a.Index] - rank[b.Index] })
		}
		m, err := ask(call)
		if err != nil {
			return Open, marks, err
		}
		marks[call.Index] = m
	}
	return rule.Value(marks), marks, nil
}

// Call is one call of a protocol: what it shows, whom it asks, in which order of the
// options, and which of several samples it is.
type Call struct {
	// Index is the place of the call among all calls of the protocol.
	Index int
	// View is the index of the view that it shows.
	View int
	Role string
	// Rotation is how many places the options are moved on.
	Rotation, Sample int
}

// ByRole groups calls by the role that they ask, in order of first appearance.
func ByRole(calls []Call) (groups [][]Call) {
	for _, c := range calls {
		at := slices.IndexFunc(groups, func(g []Call) bool { return g[0].Role == c.Role })
		if at < 0 {
			at, groups = len(groups), append(groups, nil)
		}
		groups[at] = append(groups[at], c)
	}
	return groups
}

// RobustSuccess holds when every role is right on all its calls (MemEye A.4:
// both models over all answer rotations).
func RobustSuccess(calls []Call) Rule {
	var all All
	for _, own := range ByRole(calls) {
		all = append(all, AtLeast{K: len(own), Calls: own})
	}
	return all
}

// Unsolved holds when every role's share of right answers is at most limit
// (MemEye A.4, oracle: rotation-averaged exact match of at most 0.25).
func Unsolved(calls []Call, limit float64) Rule {
	var all All
	for _, own := range ByRole(calls) {
		all = append(all, Not{AtLeast{K: int(limit*float64(len(own))) + 1, Calls: own}})
	}
	return all
}

// Majority holds when at least k of the calls are right (SMMBench B.6: 2 of 3
// runs).
func Majority(calls []Call, k int) Rule { return AtLeast{K: k, Calls: calls} }

// FirstUsable has the value of the first of its calls that gave a usable
// answer. It is for a question that one answer settles, asked again only when
// the answer cannot be used.
type FirstUsable []Call

// Value implements Rule.
func (r FirstUsable) Value(marks []Mark) Truth {
	for _, c := range r {
		switch marks[c.Index] {
		case Right:
			return True
		case Wrong:
			return False
		case Unasked:
			return Open
		}
	}
	return Broken
}

func (r FirstUsable) next(marks []Mark, calls []Call) []Call {
	for _, c := range r {
		switch marks[c.Index] {
		case Unasked:
			return append(calls, c)
		case Right, Wrong:
			return calls
		}
	}
	return calls
}
