package protocol

// FirstUsable has the value of the first of its calls that gave a usable
// answer. It is for a question that one answer settles, asked again only when
// the answer cannot be used.
type FirstUsable []int

// Value implements Rule.
func (r FirstUsable) Value(marks []Mark) Truth {
	for _, c := range r {
		switch marks[c] {
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

func (r FirstUsable) next(marks []Mark, calls []int) []int {
	for _, c := range r {
		switch marks[c] {
		case Unasked:
			return append(calls, c)
		case Right, Wrong:
			return calls
		}
	}
	return calls
}
