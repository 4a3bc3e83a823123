package question

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// piecesAbout returns all that speaks of a key: what held before, what holds now and later
// pictures that show it again, and what misleads, with what takes it back.
func (b *history) piecesAbout(k simulation.Key, part int) []Piece {
	var out []Piece
	add := func(e simulate.Event, role string) {
		if !slices.ContainsFunc(out, func(p Piece) bool { return momentOf(p.Event) == momentOf(e) }) {
			out = append(out, Piece{e, role, part})
		}
	}
	c := b.chains[k]
	last := c[len(c)-1]
	if first := b.world.Events[0]; k.Entity == b.world.Person && momentOf(first) != momentOf(last) {
		add(first, schemas.RoleContext) // in its turn the user says who speaks
	}
	for _, e := range c[:len(c)-1] {
		add(e, schemas.RoleSuperseded)
	}
	if len(c) > 1 {
		add(last, schemas.RoleUpdate)
	} else {
		add(last, schemas.RoleClue)
	}
	for _, e := range b.noise[k] {
		add(e, schemas.RoleDistractor)
		if e.Op == simulate.OpSlip {
			role := schemas.RoleDistractor
			if momentOf(e) > momentOf(last) {
				role = schemas.RoleClue // without it the slip would hold
			}
			add(b.retractionOf(e), role)
		}
	}
	for _, x := range b.showing(k) {
		role := schemas.RoleSuperseded
		if moment(x.Session, x.Round) > momentOf(last) {
			role = schemas.RoleAlternative
		}
		add(b.shownAgain(k, x), role)
	}
	return out
}

// shareRound reports whether a round is among two lists of pieces.
func shareRound(of, others []Piece) bool {
	return slices.ContainsFunc(of, func(p Piece) bool {
		return slices.ContainsFunc(others, func(o Piece) bool { return momentOf(o.Event) == momentOf(p.Event) })
	})
}

// retractionOf returns what takes a slip back: the first that does so after it.
func (b *history) retractionOf(slip simulate.Event) simulate.Event {
	i := slices.IndexFunc(b.retracted[slip.Key], func(e simulate.Event) bool { return momentOf(e) > momentOf(slip) })
	return b.retracted[slip.Key][i]
}

func (b *history) shownAgain(k simulation.Key, x shownPicture) simulate.Event {
	return simulate.Event{Op: simulate.OpShow, Key: k, Value: x.valueOf(k.Aspect), Session: x.Session, Round: x.Round, Picture: x.at, Step: simulate.Regime(b.world.Domain) != ""}
}

// citeOptions adds what the wrong options of a draft rest on, unless its pieces have it: for
// each the last that tells it of anything.
func (b *history) citeOptions(d *Draft) {
	for _, option := range d.Wrong {
		for _, part := range strings.Split(option, " and ") {
			b.citeOption(d, part)
		}
	}
	slices.SortStableFunc(d.Pieces, func(a, b Piece) int { return cmp.Compare(momentOf(a.Event), momentOf(b.Event)) })
}

func (b *history) citeOption(d *Draft, option string) {
	var found *simulate.Event
	switch d.Type {
	case TTL:
		return
	case TR:
		found = b.firstNews(d.Key.Entity, option)
	case VS:
		if of := b.showing(simulation.Key{Entity: option, Aspect: d.Key.Aspect}); len(of) > 0 {
			e := b.shownAgain(simulation.Key{Entity: option, Aspect: d.Key.Aspect}, of[len(of)-1])
			found = &e
		}
	default:
		tells := func(v string) bool { return v == option || d.Type == KR && simulate.Country(v) == option }
		if slices.ContainsFunc(d.Pieces, func(p Piece) bool { return p.Event.Key == d.Key && tellsAny(p.Event, tells) }) {
			return
		}
		found = b.lastTelling(tells)
	}
	if found == nil {
		return
	}
	b.citeMisleading(d, *found)
	if found.Op == simulate.OpSlip {
		b.citeMisleading(d, b.retractionOf(*found))
	}
}

func (b *history) citeMisleading(d *Draft, e simulate.Event) {
	if !slices.ContainsFunc(d.Pieces, func(p Piece) bool { return momentOf(p.Event) == momentOf(e) }) {
		d.Pieces = append(d.Pieces, Piece{Event: e, Role: schemas.RoleDistractor})
	}
}

// tellsAny reports whether an event tells a value, alone or as one of two.
func tellsAny(e simulate.Event, tells func(string) bool) bool {
	return slices.ContainsFunc(append(strings.Split(e.Value, " and "), e.Also), tells)
}

// tellings are all events so far that tell or show a value, and pictures that show it again.
func (b *history) tellings() (out []simulate.Event) {
	for _, e := range b.world.Events {
		rule := e.Op == simulate.OpTagRule || e.Op == simulate.OpHourRule
		if e.Session <= b.upto && !rule && !simulate.Silent(e.Op) {
			out = append(out, e)
		}
	}
	for _, x := range b.pictures {
		for _, r := range x.Rows {
			out = append(out, b.shownAgain(simulation.Key{Entity: x.Thing, Aspect: r[0]}, x))
		}
	}
	return out
}

func (b *history) lastTelling(tells func(string) bool) (last *simulate.Event) {
	for _, e := range b.tellings() {
		if tellsAny(e, tells) && (last == nil || momentOf(e) > momentOf(*last)) {
			last = &e
		}
	}
	return last
}

// firstNews returns the first that a day tells or shows of a thing.
func (b *history) firstNews(thing, day string) (first *simulate.Event) {
	for _, e := range b.tellings() {
		if e.Key.Entity == thing && Day(b.world.Sessions[e.Session].Date) == day && (first == nil || momentOf(e) < momentOf(*first)) {
			first = &e
		}
	}
	return first
}
