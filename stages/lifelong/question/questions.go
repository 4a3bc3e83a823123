package question

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// sharedForm asks for the current value of a key. Values never told, told once, changed
// or pictured are asked for in the same words, so that words reveal no type.
func (b *history) sharedForm(k simulation.Key) string {
	ask := simulate.Inquiry(b.world.Domain, k.Aspect, k.Entity)
	switch b.rnd.IntN(3) {
	case 0:
		return fmt.Sprintf("%s, as of %s?", capital(ask), b.checkpointDay())
	case 1:
		return fmt.Sprintf("As of %s, %s?", b.checkpointDay(), ask)
	}
	return fmt.Sprintf("Going by all that was said and shown up to %s, %s?", b.checkpointDay(), ask)
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// checkpointDay dates the question, since the answer may change later.
func (b *history) checkpointDay() string { return Day(b.world.Sessions[b.upto].Date) }

func (b *history) valueQuestions() []Draft {
	var out []Draft
	first := b.rnd.IntN(4)        // few things end, fewer are shared: one time in four these come first, or those, and a person that ends always
	balance := b.rnd.IntN(2) == 0 // what is told first or last is the right one no more often than others
	for _, k := range b.keys {
		c := b.chains[k]
		last, one := b.currentValue(k)
		d := Draft{Type: FR, Right: valueAfter(last), Pieces: b.currentPieces(k), Updates: len(c) - 1, Key: k}
		switch {
		case last.Picture >= 0 && d.Updates > 0:
			d.Type = VU
		case last.Picture >= 0:
			d.Type = VFR
		case d.Updates > 0:
			d.Type = DU
		}
		if last.Op == simulate.OpDelete {
			d.Right = b.endedAnswer(k)
		}
		if !one && (last.Op == simulate.OpDelete) == (first == 0) && first < 2 {
			d.rank = 1
		}
		if last.Op == simulate.OpDelete && simulate.IsPerson(b.world.Domain, k.Aspect) {
			d.rank = 2
		}
		d.Text, d.Fact, d.Wrong = b.sharedForm(k), k.String()+"/"+d.Right, b.wrongValues(k, d.Right, true)
		later, earlier := b.toldAround(d)
		if balance && (last.Picture >= 0 && later || d.Type == FR && earlier) {
			d.rank++
		}
		if balance && d.Type == FR && later {
			d.rank++
		}
		if b.anyKnown(d.Wrong) {
			out = append(out, b.prepareAbsence(d))
		}
	}
	return out
}

// boundaryQuestions ask for an untold aspect of a known thing. They have no evidence.
func (b *history) boundaryQuestions() []Draft {
	var out []Draft
	for _, k := range append(slices.Clone(b.world.Unsaid), b.undepictedKeys()...) {
		var last *simulate.Event
		for _, other := range b.keys {
			for _, e := range b.chains[other] {
				if other.Entity == k.Entity && (last == nil || e.Session > last.Session || e.Session == last.Session && e.Round > last.Round) {
					last = &e
				}
			}
		}
		wrong := b.wrongValues(k, schemas.AnswerNone, true)
		// others have what is asked for, so that it is something that sessions speak of
		usual := slices.ContainsFunc(b.keys, func(other simulation.Key) bool { return other.Aspect == k.Aspect })
		if last == nil || !usual || !b.anyKnown(wrong) || simulate.AlwaysSeen(b.world.Domain, k.Aspect) {
			continue
		}
		out = append(out, b.prepareAbsence(Draft{
			Type: MB, Text: b.sharedForm(k), Right: schemas.AnswerNone, Wrong: wrong, Fact: k.String() + "/unsaid", Key: k, Spoken: last.Session,
		}))
	}
	return out
}

// undepictedKeys returns keys that pictures show of other things but not of this one.
// Short aspects are skipped: "fee" occurs in "coffee", which the boundary gate would
// find.
func (b *history) undepictedKeys() []simulation.Key {
	told := map[simulation.Key]bool{}
	for _, k := range b.keys {
		told[k] = true
	}
	for _, x := range b.pictures {
		for _, r := range x.Rows {
			told[simulation.Key{Entity: x.Thing, Aspect: r[0]}] = true
		}
	}
	var out []simulation.Key
	for _, other := range b.keys {
		for _, t := range b.world.Things {
			if k := (simulation.Key{Entity: t, Aspect: other.Aspect}); !told[k] && len(k.Aspect) > 4 && b.isPictured(k.Aspect) {
				told[k] = true // each once
				out = append(out, k)
			}
		}
	}
	return out
}

func (b *history) timeQuestions() []Draft {
	var out []Draft
	before := b.rnd.IntN(4) // so many of the wrong days: the right one is none of four more often than another
	for _, k := range b.keys {
		for _, e := range b.chains[k] {
			if e.Session == 0 || e.Op != simulate.OpAppend && e.Op != simulate.OpRevise || b.recurs(k, e.Value) {
				continue
			}
			wrong, rank := b.wrongDays(e, before), 1
			if len(wrong) < 3 {
				wrong, rank = b.wrongDays(e, -1), 0
			}
			if len(wrong) < 3 {
				continue
			}
			out = append(out, Draft{
				rank: rank, Type: TR, Text: b.askForDay(k, e.Value), Right: Day(b.world.Sessions[e.Session].Date), Wrong: wrong,
				Pieces: []Piece{{e, schemas.RoleClue}}, Fact: k.String() + "/" + e.Value + "/when", Key: k,
			})
		}
	}
	return out
}

// askForDay asks when something happened; in runs of agents no user brings it up.
func (b *history) askForDay(k simulation.Key, value string) string {
	form := "On which day did the user first bring up that the %s of %s %s %s?"
	if simulate.Regime(b.world.Domain) != "" {
		form = "On which day did it first come up that the %s of %s %s %s?"
	}
	return fmt.Sprintf(form, k.Aspect, k.Entity, simulate.Verb(k.Aspect), value)
}

// recurs reports whether a key takes a value more than once.
func (b *history) recurs(k simulation.Key, value string) bool {
	n := 0
	for _, e := range b.chains[k] {
		if e.Value == value {
			n++
		}
	}
	return n > 1
}

// Day returns a date as questions write it.
func Day(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}

// countryQuestions ask for the country of a told town.
func (b *history) countryQuestions() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.currentValue(k)
		if !one || !simulate.IsCity(b.world.Domain, k.Aspect) {
			continue
		}
		right := simulate.Country(last.Value)
		wrong := b.wrongCountries(k, right)
		if len(wrong) == 0 {
			continue
		}
		out = append(out, Draft{
			Type: KR, Text: fmt.Sprintf("In which country is the %s of %s, as of %s?", k.Aspect, k.Entity, b.checkpointDay()), Right: right, Wrong: wrong, Pieces: b.currentPieces(k),
			Fact: k.String() + "/" + last.Value + "/country", Updates: len(b.chains[k]) - 1, Outside: last.Value + " lies in " + right, Key: k,
		})
	}
	return out
}

// conflictQuestions ask for the valid value where another statement does not count. Keys
// with two holders come first, since they are rare.
func (b *history) conflictQuestions() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, _ := b.currentValue(k)
		pieces := b.currentPieces(k)
		told := len(pieces)
		for _, e := range b.noise[k] {
			if e.Op != simulate.OpAffair {
				pieces = append(pieces, Piece{e, schemas.RoleDistractor})
			}
		}
		if last.Op == simulate.OpDelete || len(pieces) == told {
			continue
		}
		d := Draft{
			Type: MC, Text: fmt.Sprintf("Different things were said about the %s of %s. What of it holds, as of %s?", k.Aspect, k.Entity, b.checkpointDay()), Right: valueAfter(last),
			Pieces: sortByTime(pieces), Fact: k.String() + "/" + valueAfter(last) + "/conflict", Updates: len(b.chains[k]) - 1, Key: k, twoHolders: last.Also != "",
		}
		d.Wrong = b.conflictingValues(k, d.Right)
		d.rank = b.countTold(k, d.Wrong)
		if d.twoHolders {
			d.rank += Options
		} else {
			b.addPairOption(&d)
		}
		out = append(out, d)
	}
	return out
}

// paired is in how many of a hundred conflicts about people two of them are a wrong answer:
// three times as often as they are the right one, about.
const paired = 33

// addPairOption replaces the last wrong option of some conflicts about people by a pair.
func (b *history) addPairOption(d *Draft) {
	if two := b.pairOption(*d); two != "" && b.rnd.IntN(100) < paired {
		d.Wrong[len(d.Wrong)-1] = two
	}
}

// conflictingValues returns wrong values of a disputed key: one that never counted, one
// that held, then any other told of it. None is one of two current holders.
func (b *history) conflictingValues(k simulation.Key, right string) []string {
	last, _ := b.currentValue(k)
	o := wrongOptions{right: right}
	var unmeant, old []string
	for _, e := range slices.Backward(b.noise[k]) {
		unmeant = append(unmeant, e.Value)
	}
	for _, e := range slices.Backward(b.chains[k]) {
		if v := valueAfter(e); v != right {
			old = append(old, v)
		}
	}
	other := func(values []string) []string {
		return slices.DeleteFunc(values, func(v string) bool { return last.Also != "" && (v == last.Value || v == last.Also) })
	}
	unmeant, old = other(unmeant), other(old)
	o.add(unmeant[:1]...)
	o.add(old[:min(1, len(old))]...)
	o.add(unmeant...)
	o.add(old...)
	o.add(other(b.wrongValues(k, right, false))...)
	return o.values
}

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

// tagQuestion offers tags by rules that differ in two features. Each variant of one goes
// with each of the other, so that no option is closer to the rest; and each variant is
// equally likely to be taught, so that the answer cannot be guessed.
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

// pickAround picks three numbers below and above the right one, so that it is an extreme
// as often as not. Both lists have three different numbers.
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

// searchQuestions ask which of several pictured things has a value. All offered things
// show other values, so that only the value decides.
func (b *history) searchQuestions() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.currentValue(k)
		if !one || last.Picture < 0 || !b.isUnique(k, last.Value) {
			continue
		}
		wrong := b.otherThings(k)
		if len(wrong) < 3 {
			continue
		}
		has := fmt.Sprintf("%s as its %s", last.Value, k.Aspect)
		if simulate.Verb(k.Aspect) == "are" {
			has = last.Value + " " + k.Aspect
		}
		out = append(out, Draft{
			Type: VS, Text: fmt.Sprintf("As of %s, of all that the pictures so far are about, what has %s?", b.checkpointDay(), has), Right: k.Entity, Wrong: wrong[:3],
			Pieces: b.currentPieces(k), Fact: k.String() + "/" + last.Value + "/search", Updates: len(b.chains[k]) - 1, Key: k,
		})
	}
	return out
}

// isUnique reports whether only one thing ever had a value of an aspect, and once.
func (b *history) isUnique(k simulation.Key, value string) bool {
	for _, other := range b.keys {
		for _, e := range b.chains[other] {
			if other != k && other.Aspect == k.Aspect && (e.Value == value || e.Also == value) {
				return false
			}
		}
	}
	return !b.recurs(k, value)
}

// otherThings returns the other things whose pictures show an aspect, shuffled.
func (b *history) otherThings(k simulation.Key) []string {
	var out []string
	for _, i := range b.rnd.Perm(len(b.keys)) {
		other := b.keys[i]
		if last, one := b.currentValue(other); other != k && other.Aspect == k.Aspect && one && last.Picture >= 0 {
			out = append(out, other.Entity)
		}
	}
	return out
}

// crossModalQuestions ask what the picture of a thing shows that only words identify. At
// least two other pictures show the same aspect.
func (b *history) crossModalQuestions() []Draft {
	var out []Draft
	for _, said := range b.keys {
		told, one := b.currentValue(said)
		if !one || told.Picture >= 0 || !b.isUnique(said, told.Value) || len(b.picturesShowing(said, told.Value)) > 0 {
			continue
		}
		for _, seen := range b.keys {
			shown, one := b.currentValue(seen)
			if seen.Entity != said.Entity || !one || shown.Picture < 0 {
				continue
			}
			own, others, things := b.shownValues(seen)
			o := wrongOptions{right: shown.Value}
			o.add(own[:min(2, len(own))]...)
			o.add(others...)
			if things < 2 || len(o.values) < 3 {
				continue
			}
			inquiry, _ := strings.CutSuffix(simulate.Inquiry(b.world.Domain, seen.Aspect, "it"), " of it")
			inquiry = strings.Replace(inquiry, "what is the ", "what is its ", 1)
			out = append(out, Draft{
				Type: CMR, Text: fmt.Sprintf("As of %s, %s is the %s of one of the things talked about. %s?", b.checkpointDay(), told.Value, said.Aspect, capital(inquiry)), Right: shown.Value,
				Wrong: o.values, Pieces: sortByTime(append(b.currentPieces(said), b.currentPieces(seen)...)), Fact: said.String() + "/" + seen.String() + "/" + shown.Value,
				Updates: len(b.chains[said]) + len(b.chains[seen]) - 2, Key: seen,
			})
		}
	}
	return out
}
