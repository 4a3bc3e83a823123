package protocol

import "slices"

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
