package question

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// ask has a draft ask in the words of a rule, with what these leave open. Values never
// told, told once, changed or pictured are asked for by one rule, so that words reveal no type.
func (b *history) ask(d Draft, wording string, slots map[string]string) Draft {
	d.wording, d.slots = "ask "+wording, map[string]string{
		"day": b.checkpointDay(), "aspect": d.Key.Aspect, "thing": d.Key.Entity, "ask": simulate.Inquiry(b.world.Domain, d.Key.Aspect, d.Key.Entity),
	}
	maps.Copy(d.slots, slots)
	return d
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// checkpointDay dates the question, since the answer may change later.
func (b *history) checkpointDay() string { return Day(b.world.Sessions[b.upto].Date) }

// overtaken is of how many of a hundred checkpoints those values come first with whose
// thing another value of the kind was named later.
const overtaken = 70

func (b *history) valueQuestions() []Draft {
	var out []Draft
	first := b.rnd.IntN(4) // few things end, fewer are shared: one time in four these come first, or those, and a person that ends always
	overtakes := b.rnd.IntN(100) < overtaken
	for _, k := range b.keys {
		beside, c := b.valuesBeside(k), b.chains[k]
		last, one := b.currentValue(k)
		d := Draft{Type: FR, Right: valueAfter(last), Pieces: b.piecesAbout(k, 0), Updates: len(c) - 1, Key: k}
		switch {
		case last.Picture >= 0 && b.isCaptioned(k):
			continue
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
			d.rank = 2
		}
		if last.Op == simulate.OpDelete && simulate.IsPerson(b.world.Domain, k.Aspect) {
			d.rank = 4
		}
		d.Fact, d.Wrong = k.String()+"/"+d.Right, b.wrongValues(k, d.Right, true)
		if later := len(beside) > 0 && b.lastHeard[beside[0]] > momentOf(last); later == overtakes && len(beside) > 0 {
			d.rank++
		}
		if b.anyKnown(d.Wrong) {
			out = append(out, b.prepareAbsence(b.ask(d, "value", nil)))
		}
	}
	return out
}

// boundaryQuestions ask for an untold aspect of a known thing. No evidence gives their answer.
// Half of the time those come first of whose thing another value of the kind was told.
func (b *history) boundaryQuestions() []Draft {
	var out []Draft
	known := b.rnd.IntN(2) == 0
	for _, k := range b.world.Unsaid {
		var last *simulate.Event
		for _, other := range b.keys {
			for _, e := range b.chains[other] {
				if other.Entity == k.Entity && (last == nil || momentOf(e) > momentOf(*last)) {
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
		d := Draft{Type: MB, Right: schemas.AnswerNone, Wrong: wrong, Fact: k.String() + "/unsaid", Key: k, Spoken: last.Session}
		if known == (len(b.valuesBeside(k)) > 0) {
			d.rank = 1
		}
		out = append(out, b.prepareAbsence(b.ask(d, "value", nil)))
	}
	return out
}

func (b *history) timeQuestions() []Draft {
	var out []Draft
	wish := b.pickDayWish()
	for _, k := range b.keys {
		for _, e := range b.chains[k] {
			if e.Session == 0 || e.Op != simulate.OpAppend && e.Op != simulate.OpRevise || b.recurs(k, e.Value) {
				continue
			}
			wrong, rank := b.wrongDays(e, wish)
			if wrong == nil {
				continue
			}
			d := Draft{
				rank: rank, Type: TR, Right: Day(b.world.Sessions[e.Session].Date), Wrong: wrong, Pieces: []Piece{{Event: e, Role: schemas.RoleClue}}, Fact: k.String() + "/" + e.Value + "/when", Key: k,
			}
			if k.Entity == b.world.Person { // who speaks
				d.Pieces = append(d.Pieces, Piece{Event: b.world.Events[0], Role: schemas.RoleContext})
			}
			out = append(out, b.ask(d, "day", map[string]string{"value": e.Value, "verb": simulate.Verb(k.Aspect)}))
		}
	}
	return out
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
	later := b.rnd.IntN(Options) // so many wrong countries come up after the right one
	for _, k := range b.keys {
		last, one := b.currentValue(k)
		if !one || !simulate.IsCity(b.world.Domain, k.Aspect) {
			continue
		}
		right := simulate.Country(last.Value)
		if slices.ContainsFunc(slices.Concat(b.chains[k][:len(b.chains[k])-1], b.noise[k]), func(e simulate.Event) bool { return simulate.Country(e.Value) == right }) {
			continue // who missed the last change would be right
		}
		wrong, exact := b.wrongCountries(k, right, later)
		if wrong == nil {
			continue
		}
		d := Draft{
			Type: KR, Right: right, Wrong: wrong, Pieces: b.piecesAbout(k, 0), Fact: k.String() + "/" + last.Value + "/country", Updates: len(b.chains[k]) - 1, Outside: last.Value + " lies in " + right, Key: k,
		}
		if exact {
			d.rank = 1
		}
		out = append(out, b.ask(d, "country", nil))
	}
	return out
}

// conflictQuestions ask for the valid value where another statement does not count. Keys
// with two holders come first, since they are rare.
func (b *history) conflictQuestions() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, _ := b.currentValue(k)
		if last.Op == simulate.OpDelete || !slices.ContainsFunc(b.noise[k], func(e simulate.Event) bool { return e.Op != simulate.OpAffair }) {
			continue
		}
		d := Draft{Type: MC, Right: valueAfter(last), Pieces: b.piecesAbout(k, 0), Fact: k.String() + "/" + valueAfter(last), Updates: len(b.chains[k]) - 1, Key: k, twoHolders: last.Also != ""}
		d.Wrong = b.conflictingValues(k, d.Right)
		d.rank = b.countTold(k, d.Wrong)
		if d.twoHolders {
			d.rank += Options
		} else {
			b.addPairOption(&d)
		}
		out = append(out, b.ask(d, "conflict", nil))
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

// searchQuestions ask which of several pictured things has a value. All offered things
// show other values, so that only the value decides.
func (b *history) searchQuestions() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.currentValue(k)
		if !one || last.Picture < 0 || b.isCaptioned(k) || !b.isUnique(k, last.Value) {
			continue
		}
		wrong := b.otherThings(k)
		if len(wrong) < 3 {
			continue
		}
		has := last.Value + " as its " + k.Aspect
		if simulate.Verb(k.Aspect) == "are" {
			has = last.Value + " " + k.Aspect
		}
		d := Draft{Type: VS, Right: k.Entity, Wrong: wrong[:3], Pieces: b.piecesAbout(k, 0), Fact: k.String() + "/" + last.Value, Updates: len(b.chains[k]) - 1, Key: k}
		out = append(out, b.ask(d, "search", map[string]string{"has": has}))
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
		if last, one := b.currentValue(other); other != k && other.Aspect == k.Aspect && one && last.Picture >= 0 && !b.isCaptioned(other) {
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
		if !one || told.Picture >= 0 || !b.isUnique(said, told.Value) || len(b.showing(said)) > 0 {
			continue
		}
		for _, seen := range b.keys {
			shown, one := b.currentValue(seen)
			if seen.Entity != said.Entity || !one || shown.Picture < 0 || b.isCaptioned(seen) {
				continue
			}
			own, others, things := b.shownValues(seen)
			o := wrongOptions{right: shown.Value}
			o.add(own[:min(2, len(own))]...)
			o.add(others...)
			pieces, shows := b.piecesAbout(said, 0), b.piecesAbout(seen, 1)
			if things < 2 || len(o.values) < 3 || shareRound(pieces, shows) {
				continue
			}
			inquiry, _ := strings.CutSuffix(simulate.Inquiry(b.world.Domain, seen.Aspect, "it"), " of it")
			inquiry = strings.Replace(inquiry, "what is the ", "what is its ", 1)
			d := Draft{
				Type: CMR, Right: shown.Value, Wrong: o.values, Pieces: append(pieces, shows...), Fact: seen.String() + "/" + shown.Value,
				Updates: len(b.chains[said]) + len(b.chains[seen]) - 2, Key: seen,
			}
			out = append(out, b.ask(d, "crossing", map[string]string{"value": told.Value, "aspect": said.Aspect, "inquiry": capital(inquiry)}))
		}
	}
	return out
}
