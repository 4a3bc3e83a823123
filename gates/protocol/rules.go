package protocol

// Calls is the shape of a protocol over one view: every model answers every
// rotation of the options, every run. Calls are numbered model by model.
type Calls struct {
	// First is the number of the first call, for views asked one after another.
	First                   int
	Models, Rotations, Runs int
}

// Len is the number of calls.
func (c Calls) Len() int { return c.Models * c.Rotations * c.Runs }

// OfModel lists the calls of one model.
func (c Calls) OfModel(model int) []int {
	per := c.Rotations * c.Runs
	out := make([]int, per)
	for i := range out {
		out[i] = c.First + model*per + i
	}
	return out
}

// Place is the inverse of the numbering.
func (c Calls) Place(call int) (model, rotation, run int) {
	i := call - c.First
	return i / (c.Rotations * c.Runs), i / c.Runs % c.Rotations, i % c.Runs
}

// RobustSuccess holds when every model is right on all its calls (MemEye A.4:
// both models over all answer rotations).
func RobustSuccess(c Calls) Rule {
	var all All
	for m := range c.Models {
		calls := c.OfModel(m)
		all = append(all, AtLeast{K: len(calls), Calls: calls})
	}
	return all
}

// Unsolved holds when every model's share of right answers is at most limit
// (MemEye A.4, oracle: rotation-averaged exact match of at most 0.25).
func Unsolved(c Calls, limit float64) Rule {
	var all All
	for m := range c.Models {
		calls := c.OfModel(m)
		all = append(all, Not{AtLeast{K: int(limit*float64(len(calls))) + 1, Calls: calls}})
	}
	return all
}

// Majority holds when at least k of all calls are right (SMMBench B.6: 2 of 3
// runs).
func Majority(c Calls, k int) Rule {
	var calls []int
	for m := range c.Models {
		calls = append(calls, c.OfModel(m)...)
	}
	return AtLeast{K: k, Calls: calls}
}

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
