package ask

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/world"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// plainly asks for what holds of a key. What was never said, was told once, has changed
// or is on a picture is asked for in the same words, so that words tell no type.
func (b *book) plainly(k world.Key) string {
	ask := worlds.Inquiry(b.w.Domain, k.Aspect, k.Entity)
	switch b.rnd.IntN(3) {
	case 0:
		return fmt.Sprintf("%s, as of %s?", strings.ToUpper(ask[:1])+ask[1:], b.day())
	case 1:
		return fmt.Sprintf("As of %s, %s?", b.day(), ask)
	}
	return fmt.Sprintf("Going by all that was said and shown up to %s, %s?", b.day(), ask)
}

// day is that of the checkpoint: what is asked for may change after it.
func (b *book) day() string { return Day(b.w.Sessions[b.upto].Date) }

func (b *book) values() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.now(k)
		if !one {
			continue
		}
		changes := len(b.chains[k]) - 1
		t := FR
		switch {
		case last.Picture >= 0 && changes > 0:
			t = VU
		case last.Picture >= 0:
			t = VFR
		case changes > 0:
			t = DU
		}
		out = append(out, Draft{
			Type: t, Text: b.plainly(k), Right: last.Value, Wrong: b.wrongs(k, last.Value, true), Pieces: b.current(k), Fact: k.String() + "/" + last.Value, Updates: changes, Key: k,
		})
	}
	return out
}

// boundary asks for what nobody said of a thing that was talked about. No turn is evidence
// of that.
func (b *book) boundary() []Draft {
	var out []Draft
	for _, k := range b.w.Unsaid {
		var last *worlds.Event
		for _, other := range b.keys {
			for _, e := range b.chains[other] {
				if other.Entity == k.Entity && (last == nil || e.Session > last.Session || e.Session == last.Session && e.Round > last.Round) {
					last = &e
				}
			}
		}
		if last == nil {
			continue
		}
		out = append(out, Draft{
			Type: MB, Text: b.plainly(k), Right: schemas.AnswerNone, Wrong: b.wrongs(k, schemas.AnswerNone, false),
			Fact: k.String() + "/unsaid", Key: k, Spoken: last.Session,
		})
	}
	return out
}

// conflicts asks what holds where something else was said that does not count.
func (b *book) conflicts() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.now(k)
		if !one {
			continue
		}
		role := schemas.RoleClue
		if len(b.chains[k]) > 1 {
			role = schemas.RoleUpdate
		}
		pieces := []Piece{{last, role}}
		for _, e := range b.noise[k] {
			if e.Op != worlds.Affair {
				pieces = append(pieces, Piece{e, schemas.RoleDistractor})
			}
		}
		if len(pieces) == 1 {
			continue
		}
		out = append(out, Draft{
			Type: MC, Text: fmt.Sprintf("Different things were said about the %s of %s. Which of them holds, as of %s?", k.Aspect, k.Entity, b.day()), Right: last.Value,
			Wrong: b.against(k, last.Value), Pieces: byTime(pieces), Fact: k.String() + "/" + last.Value + "/conflict", Updates: len(b.chains[k]) - 1, Key: k,
		})
	}
	return out
}

// against are wrong values of which the first is what was only said.
func (b *book) against(k world.Key, right string) []string {
	var out []string
	for _, e := range b.noise[k] {
		if len(out) < 2 {
			out = append(out, e.Value)
		}
	}
	for _, v := range b.wrongs(k, right, false) {
		if len(out) < 3 && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// times asks when something was told or shown.
func (b *book) times() []Draft {
	var out []Draft
	for _, k := range b.keys {
		for _, e := range b.chains[k] {
			if e.Session == 0 || e.Op != worlds.Append && e.Op != worlds.Revise || b.times2(k, e.Value) {
				continue
			}
			var wrong []string
			for _, i := range b.rnd.Perm(b.upto) {
				if i+1 != e.Session && len(wrong) < 3 {
					wrong = append(wrong, Day(b.w.Sessions[i+1].Date))
				}
			}
			if len(wrong) < 3 {
				continue
			}
			out = append(out, Draft{
				Type: TR, Text: b.when(k, e.Value), Right: Day(b.w.Sessions[e.Session].Date), Wrong: wrong,
				Pieces: []Piece{{e, schemas.RoleClue}}, Fact: k.String() + "/" + e.Value + "/when", Key: k,
			})
		}
	}
	return out
}

// when asks for the day of something; in runs of agents no user brings it up.
func (b *book) when(k world.Key, value string) string {
	form := "On which day did the user bring up that the %s of %s %s %s?"
	if worlds.Regime(b.w.Domain) != "" {
		form = "On which day did it first come up that the %s of %s %s %s?"
	}
	return fmt.Sprintf(form, k.Aspect, k.Entity, worlds.Verb(k.Aspect), value)
}

// times2 reports whether a key takes a value on more than once.
func (b *book) times2(k world.Key, value string) bool {
	n := 0
	for _, e := range b.chains[k] {
		if e.Value == value {
			n++
		}
	}
	return n > 1
}

// Day is a date as questions write it.
func Day(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("2 January 2006")
}

// countries asks for what follows from a city with what everybody knows of it.
func (b *book) countries() []Draft {
	var out []Draft
	for _, k := range b.keys {
		last, one := b.now(k)
		if !one || !worlds.IsCity(b.w.Domain, k.Aspect) {
			continue
		}
		right := worlds.Country(last.Value)
		var wrong []string
		cities := worlds.Cities()
		b.rnd.Shuffle(len(cities), func(i, j int) { cities[i], cities[j] = cities[j], cities[i] })
		for _, city := range append(b.elsewhere(k), cities...) {
			if c := worlds.Country(city); c != "" && c != right && !slices.Contains(wrong, c) && len(wrong) < 3 {
				wrong = append(wrong, c)
			}
		}
		out = append(out, Draft{
			Type: KR, Text: fmt.Sprintf("In which country is the %s of %s, as of %s?", k.Aspect, k.Entity, b.day()), Right: right, Wrong: wrong, Pieces: b.current(k),
			Fact: k.String() + "/" + last.Value + "/country", Updates: len(b.chains[k]) - 1, Outside: last.Value + " lies in " + right, Key: k,
		})
	}
	return out
}

// searches asks which picture shows something.
func (b *book) searches() []Draft {
	var out []Draft
	for _, k := range b.keys {
		for _, e := range b.chains[k] {
			if e.Picture < 0 || !b.only(k, e.Value) {
				continue
			}
			wrong := b.others(k.Entity)
			if len(wrong) < 3 {
				continue
			}
			out = append(out, Draft{
				Type: VS, Text: fmt.Sprintf("Of all that the pictures up to %s are about, what has %s as its %s?", b.day(), e.Value, k.Aspect), Right: k.Entity, Wrong: wrong[:3],
				Pieces: []Piece{{e, schemas.RoleClue}}, Fact: k.String() + "/" + e.Value + "/search", Key: k,
			})
		}
	}
	return out
}

// only reports whether of all things one alone ever had a value of an aspect, once.
func (b *book) only(k world.Key, value string) bool {
	for _, other := range b.keys {
		for _, e := range b.chains[other] {
			if other != k && other.Aspect == k.Aspect && (e.Value == value || e.Also == value) {
				return false
			}
		}
	}
	return !b.times2(k, value)
}

// others are the things talked about but one, those with pictures first.
func (b *book) others(not string) []string {
	var with, without []string
	for _, i := range b.rnd.Perm(len(b.things)) {
		t := b.things[i]
		seen := slices.ContainsFunc(b.keys, func(k world.Key) bool { return k.Entity == t && b.chains[k][0].Picture >= 0 })
		switch {
		case t == not || t == b.w.Person:
		case seen:
			with = append(with, t)
		default:
			without = append(without, t)
		}
	}
	return append(with, without...)
}

// crossings asks for what a picture shows of a thing that words describe.
func (b *book) crossings() []Draft {
	var out []Draft
	for _, said := range b.keys {
		told, one := b.now(said)
		if !one || told.Picture >= 0 || !b.only(said, told.Value) {
			continue
		}
		for _, seen := range b.keys {
			shown, one := b.now(seen)
			if seen.Entity != said.Entity || !one || shown.Picture < 0 {
				continue
			}
			pieces := byTime(append(b.current(said), b.current(seen)...))
			out = append(out, Draft{
				Type: CMR, Text: fmt.Sprintf("As of %s, which %s %s shown for the thing whose %s is %s?", b.day(), seen.Aspect, worlds.Verb(seen.Aspect), said.Aspect, told.Value), Right: shown.Value,
				Wrong: b.wrongs(seen, shown.Value, false), Pieces: pieces, Fact: said.String() + "/" + seen.String() + "/" + shown.Value,
				Updates: len(b.chains[said]) + len(b.chains[seen]) - 2, Key: seen,
			})
		}
	}
	return out
}
