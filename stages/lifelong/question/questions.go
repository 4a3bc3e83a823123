package question

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// sharedForm asks for what holds of a key. What was never said, was told once, has changed
// or is on a picture is asked for in the same words, so that words tell no type.
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

// checkpointDay is that of the checkpoint: what is asked for may change after it.
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

// boundaryQuestions asks for what nobody said of a thing that was talked about. No turn is evidence
// of that.
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
		// others have what is asked for, so that it is nothing that nobody ever speaks of
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

// undepictedKeys are keys that the pictures of other things tell, and that no picture so far tells
// of a thing. Short aspects are none: "fee" stands in "coffee", and whoever looks for a line
// that tells it finds that.
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

// timeQuestions asks when something was told or shown.
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

// askForDay asks for the day of something; in runs of agents no user brings it up.
func (b *history) askForDay(k simulation.Key, value string) string {
	form := "On which day did the user first bring up that the %s of %s %s %s?"
	if simulate.Regime(b.world.Domain) != "" {
		form = "On which day did it first come up that the %s of %s %s %s?"
	}
	return fmt.Sprintf(form, k.Aspect, k.Entity, simulate.Verb(k.Aspect), value)
}

// recurs reports whether a key takes a value on more than once.
func (b *history) recurs(k simulation.Key, value string) bool {
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

// countryQuestions asks for what follows from a city with what everybody knows of it.
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
