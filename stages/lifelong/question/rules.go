package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// ruleQuestions asks to do what was taught.
func (b *history) ruleQuestions() []Draft {
	var out []Draft
	for _, e := range b.rules {
		if e.Op == simulate.OpHourRule {
			for range 2 {
				out = append(out, b.hoursQuestion(e))
			}
			continue
		}
		for _, t := range b.things {
			if t == b.world.Person { // whose name has no word for a kind after it
				continue
			}
			if d, differ := b.tagQuestion(e, t); differ { // a name may end as it begins
				out = append(out, d)
			}
		}
	}
	return out
}

// tagQuestion has among its wrong options those of rules that are otherwise in two ways: either way
// of the one goes with either of the other, so that no option is nearer to the others, and
// as any way is as likely to be taught as another, nobody knows the right one untaught.
func (b *history) tagQuestion(e simulate.Event, thing string) (Draft, bool) {
	n, name := 10+b.rnd.IntN(90), strings.Fields(thing)[1]
	right := e.Tag.Apply(name, n)
	two := b.rnd.Perm(simulate.TagFeatures())[:2]
	one, other := e.Tag.PickAlternative(b.rnd, two[0]), e.Tag.PickAlternative(b.rnd, two[1])
	o := wrongOptions{right: right}
	for _, rule := range []simulate.TagFormat{e.Tag.With(two[0], one), e.Tag.With(two[1], other), e.Tag.With(two[0], one).With(two[1], other)} {
		o.add(rule.Apply(name, n))
	}
	return Draft{
		Type: TTL, Text: fmt.Sprintf("By the rule for tags that the user taught, what is the tag of %s with the number %d?", thing, n), Right: right,
		Wrong: o.values, Pieces: []Piece{{e, schemas.RoleClue}}, Fact: fmt.Sprintf("tag/%s/%d", thing, n),
	}, len(o.values) == 3
}

func (b *history) hoursQuestion(e simulate.Event) Draft {
	m, _ := strconv.Atoi(e.Value)
	k, _ := strconv.Atoi(e.Also)
	n := m*(2+b.rnd.IntN(9)) + 1 + b.rnd.IntN(m-1)
	up := (n + m - 1) / m * m
	right := up + k
	wrong := b.pickAround(right, []int{n + k, up, up - m + k, n, up - m}, []int{right + m, right + k, n + m + k, right + 2*m})
	return Draft{
		Type: TTL, Text: fmt.Sprintf("By the rule for quoted hours that the user taught, how many hours are quoted for %d hours of work?", n), Right: strconv.Itoa(right), Wrong: wrong,
		Pieces: []Piece{{e, schemas.RoleClue}}, Fact: fmt.Sprintf("hours/%d", n),
	}
}

// pickAround draws three numbers of those below and above the right one, so that it is as
// often the largest or smallest of the four as one between. Either list has three numbers
// that differ.
func (b *history) pickAround(right int, below, above []int) []string {
	over := b.rnd.IntN(4)
	var out []string
	for i, side := range [][]int{above, below} {
		want := [2]int{over, 3}[i]
		for _, at := range b.rnd.Perm(len(side)) {
			if s := strconv.Itoa(side[at]); len(out) < want && (side[at] > right) == (i == 0) && side[at] != right && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}
