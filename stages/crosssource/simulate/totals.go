package simulate

import (
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/weights"
	"github.com/memforge/memforge/stages/crosssource/wordings"
)

func quantities() []string {
	return []string{"head count", "chair order", "leaflet stock", "paper stock", "crate order", "key stock", "locker count", "badge order", "lamp order", "cable stock"}
}

// total asks for a number after many changes, all of which count. The options are the
// final and the initial number and two others with the same difference, which other
// things reach. So no option is unsupported, and a reader who knows only the changes
// finds two that fit.
func (s *simulator) total(pieces int) (Item, error) {
	of := s.pickName([]string{s.field.title})
	name := weights.Pick(s.rnd, quantities())
	item := Item{Variant: Total}
	asked := of
	if pieces >= 3 {
		asked = s.cardReference()
		item.Units = append(item.Units, s.nameCard(of))
	}
	first, changes := len(item.Units), max(pieces, 2)-len(item.Units)-1
	own, values := s.pickSums(changes)
	item.Units = append(item.Units, s.tellSum(first, of, name, own)...)
	for _, other := range s.otherSums(values, changes) {
		like := numbersFrom(first, 1)
		for i := range len(other.steps) {
			like = append(like, first+1+i*changes/len(other.steps))
		}
		s.addMisleading(like, s.tellSum(len(s.loose), s.pickName([]string{s.field.title}), name, other)...)
	}
	for _, v := range values {
		item.Options = append(item.Options, strconv.Itoa(v))
	}
	item.Ask = s.word(wordings.Total, map[string]string{"attribute": name, "of": asked})
	item.Explanation = "All changes taken together, it is " + item.Options[0] + "."
	return item, nil
}

// sum is a number and by how much it changes.
type sum struct {
	base  int
	steps []int
}

func (m sum) total() int { return m.base + sumSteps(m.steps) }

func sumSteps(steps []int) (n int) {
	for _, by := range steps {
		n += by
	}
	return n
}

// apart is how far two other numbers are from those of the thing asked about at most: as
// far as a number changes in all, so that the first value and the right one are as often
// next to each other as they are not. Where changes all go one way it is near: there who
// misses a change comes closest to the right one or to the other next to it, whichever is on
// that side.
const (
	apart = mostStep
	near  = 6
)

// pickSums returns a number with its changes, and four values: its final and initial
// number and two others with the same difference. Directions are balanced, so that the
// right one has each rank equally often.
func (s *simulator) pickSums(changes int) (own sum, values []int) {
	own.steps = s.pickSteps(changes)
	d, by, most := sumSteps(own.steps), 0, apart
	if changes > mostMixed {
		most = near
	}
	for slices.Contains([]int{0, d, -d, 2 * d, -2 * d}, by) {
		by = s.rnd.IntN(2*most+1) - most
	}
	own.base = 240 + s.rnd.IntN(500) + max(-d, d)
	values = []int{own.total(), own.base, own.base + by, own.total() + by}
	if s.rnd.IntN(2) == 0 {
		slices.Reverse(values[2:])
	}
	return own, values
}

// mostAlike is up to how many changes two other things are told of that change as often, and
// mostOther how often the one other thing changes at most beyond that: a small twin has no
// room for more.
const (
	mostAlike = 5
	mostOther = 8
)

// otherSums returns initial numbers and changes of other things. Up to mostAlike changes
// they follow swappedPairs. Beyond, one thing changes between the same values in reverse
// or between the other two, and two more things have the values that no text has yet. So
// any could be the asked one, and each option occurs in one text.
func (s *simulator) otherSums(values []int, changes int) (out []sum) {
	if changes <= mostAlike {
		for _, p := range swappedPairs(s.rnd, values) {
			out = append(out, sum{p[0], s.pickStepsTo(changes, p[1]-p[0])})
		}
		return out
	}
	p, told := [2]int{values[0], values[1]}, [2]int{values[2], values[3]}
	if s.rnd.IntN(2) == 0 {
		p, told = [2]int{values[2], values[3]}, [2]int{values[0], values[3]}
	}
	return []sum{{p[0], s.pickStepsTo(min(changes, mostOther), p[1]-p[0])}, {base: told[0]}, {base: told[1]}}
}

// tellSum tells the initial number and each change. The first unit has a place among
// others.
func (s *simulator) tellSum(place int, of, name string, m sum) []Unit {
	out := []Unit{s.factUnit(schemas.RoleClue, of, name, strconv.Itoa(m.base))}
	for i, by := range m.steps {
		out = append(out, Unit{Home: HomeChat, Role: schemas.RoleUpdate, Text: s.sayRaise(of, name, by), Revises: []int{place + i}})
	}
	return out
}

// mostMixed is how many changes go up and down by turns, mostStep by how much a number
// changes at once there, and all together. Where there are more, all go one way, each by
// leastOneWay to mostOneWay.
const (
	mostMixed   = 8
	mostStep    = 19
	leastOneWay = 4
	mostOneWay  = 12
)

// pickSteps picks changes, up and down if there are few. No part of them cancels out, so
// that missing some always gives another number.
func (s *simulator) pickSteps(n int) []int {
	for {
		out := make([]int, n)
		for i := range out {
			out[i] = 1 + s.rnd.IntN(mostStep)
			if n > mostMixed {
				out[i] = leastOneWay + s.rnd.IntN(mostOneWay-leastOneWay+1)
			} else if s.rnd.IntN(2) == 0 {
				out[i] = -out[i]
			}
		}
		if n > mostMixed && s.rnd.IntN(2) == 0 {
			for i := range out {
				out[i] = -out[i]
			}
		}
		if d := sumSteps(out); noPartCancels(out) && (n > mostMixed || max(d, -d) <= mostStep) {
			return out
		}
	}
}

// pickStepsTo picks n steps that sum to a number without a part that cancels out: up and
// down if the number is no larger than a step.
func (s *simulator) pickStepsTo(n, to int) []int {
	size, mixed := max(to, -to), max(to, -to) <= mostStep
	most := mostStep
	if !mixed {
		most = 2*size/n + 1
	}
	for {
		out := make([]int, n)
		for i := range n - 1 {
			if out[i] = 1 + s.rnd.IntN(most); mixed && s.rnd.IntN(2) == 0 || !mixed && to < 0 {
				out[i] = -out[i]
			}
		}
		last := to - sumSteps(out)
		out[n-1] = last
		if max(last, -last) <= most && noPartCancels(out) && (mixed || last > 0 == (to > 0)) {
			return out
		}
	}
}

// noPartCancels reports steps no part of which sums to zero.
func noPartCancels(steps []int) bool {
	sums := []int{0}
	for _, by := range steps {
		for _, n := range sums {
			if n+by == 0 {
				return false
			}
			sums = append(sums, n+by)
		}
		slices.Sort(sums)
		sums = slices.Compact(sums)
	}
	return true
}
