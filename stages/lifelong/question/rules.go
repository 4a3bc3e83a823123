package question

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// lessons are how else the rules of a task could be: with the taught rule four, of which
// each gives an option of every question. Who sees the questions alone finds four rules
// that fit them all, and none is closer to the others.
type lessons struct {
	tags  []simulate.TagFormat
	hours []hourRule
}

// hourRule rounds hours up to a multiple of step and adds more.
type hourRule struct{ step, more int }

func (r hourRule) apply(n int) int { return (n+r.step-1)/r.step*r.step + r.more }

// tagRules returns four rules: the taught one, two that differ from it in a feature each,
// and one that differs in both.
func (l *lessons) tagRules(rnd *rand.Rand, taught simulate.TagFormat) []simulate.TagFormat {
	if l.tags == nil {
		two := slices.DeleteFunc(rnd.Perm(simulate.TagFeatures()), simulate.IsJoiner)[:2] // tags that differ in signs alone have one value
		one, other := taught.PickAlternative(rnd, two[0]), taught.PickAlternative(rnd, two[1])
		l.tags = []simulate.TagFormat{taught, taught.With(two[0], one), taught.With(two[1], other), taught.With(two[0], one).With(two[1], other)}
	}
	return l.tags
}

func (l *lessons) hourRules(rnd *rand.Rand, taught hourRule) []hourRule {
	if l.hours == nil {
		step, more := simulate.PickOtherHours(rnd, taught.step, taught.more)
		l.hours = []hourRule{taught, {step, taught.more}, {taught.step, more}, {step, more}}
	}
	return l.hours
}

func (b *history) ruleQuestions() []Draft {
	var out []Draft
	for _, e := range b.rules {
		if e.Op == simulate.OpHourRule {
			for range b.things {
				out = append(out, b.hoursQuestion(e)...)
			}
			continue
		}
		for _, t := range b.things {
			if t == b.world.Person { // whose name has no word for a kind after it
				continue
			}
			out = append(out, b.tagQuestion(e, t)...)
		}
	}
	return out
}

// tagQuestion offers tags by four rules. A name may end as it begins: nothing is asked if
// two of them give the same.
func (b *history) tagQuestion(e simulate.Event, thing string) []Draft {
	n, name := 10+b.rnd.IntN(90), strings.Fields(thing)[1]
	rules := b.lessons.tagRules(b.rnd, *e.Tag)
	o := wrongOptions{right: rules[0].Apply(name, n)}
	for _, rule := range rules[1:] {
		o.add(rule.Apply(name, n))
	}
	if len(o.values) < Options-1 {
		return nil
	}
	d := Draft{Type: TTL, Right: o.right, Wrong: o.values, Pieces: []Piece{{Event: e, Role: schemas.RoleClue}}, Fact: "tag/" + thing + "/" + strconv.Itoa(n)}
	return []Draft{b.ask(d, "tag", map[string]string{"thing": thing, "number": strconv.Itoa(n)})}
}

// hoursQuestion offers hours by four rules, none of whose steps divides the hours of work.
func (b *history) hoursQuestion(e simulate.Event) []Draft {
	step, _ := strconv.Atoi(e.Value)
	more, _ := strconv.Atoi(e.Also)
	rules := b.lessons.hourRules(b.rnd, hourRule{step, more})
	n := 10 + b.rnd.IntN(90)
	o := wrongOptions{right: strconv.Itoa(rules[0].apply(n))}
	for _, rule := range rules[1:] {
		if n%rule.step == 0 {
			return nil
		}
		o.add(strconv.Itoa(rule.apply(n)))
	}
	if len(o.values) < Options-1 {
		return nil
	}
	d := Draft{Type: TTL, Right: o.right, Wrong: o.values, Pieces: []Piece{{Event: e, Role: schemas.RoleClue}}, Fact: "hours/" + strconv.Itoa(n)}
	return []Draft{b.ask(d, "hours", map[string]string{"number": strconv.Itoa(n)})}
}
