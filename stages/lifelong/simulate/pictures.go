package simulate

import (
	"slices"
	"time"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// addPicture shows a thing: for the first time, or again with some of it changed.
func (s *simulator) addPicture() bool {
	now := len(s.world.Sessions) - 1
	var known, fresh []string
	for _, t := range s.things {
		if last, seen := s.shown[t]; seen && last < now {
			known = append(known, t)
		} else if !seen {
			fresh = append(fresh, t)
		}
	}
	switch {
	case len(known) > 0 && (len(fresh) == 0 || s.rnd.IntN(100) < 45):
		s.showThing(pick(s.rnd, known))
	case len(fresh) > 0:
		s.showThing(pick(s.rnd, fresh))
	default:
		return false
	}
	return true
}

// showThing adds the picture of a thing and the events that it tells.
func (s *simulator) showThing(thing string) {
	at := len(s.world.Pictures)
	x := Picture{Thing: thing, Title: titleOf(thing), Hidden: at%2 == 0, Session: len(s.world.Sessions) - 1, Round: s.round}
	_, again := s.shown[thing]
	aspects := s.pictureAspects(thing, again, &x)
	s.shown[thing] = len(s.world.Sessions) - 1
	s.emit(Event{Op: OpShow, Key: world.Key{Entity: thing}, Picture: at})
	changed := pick(s.rnd, slices.DeleteFunc(slices.Clone(aspects), aspect.isPermanent))
	for _, a := range aspects {
		k := world.Key{Entity: thing, Aspect: a.name}
		h := s.state[k]
		switch {
		case h == nil:
			s.emit(Event{Op: OpAppend, Key: k, Value: s.pickValue(a.pool), Picture: at})
		case a == changed, !a.isPermanent() && s.rnd.IntN(3) == 0:
			s.emit(Event{Op: OpRevise, Key: k, Old: h.value, Value: s.pickValue(a.pool, h.used...), Picture: at})
		}
		x.Rows = append(x.Rows, [2]string{a.name, s.state[k].value})
	}
	s.world.Pictures = append(s.world.Pictures, x)
}

// pictureAspects are what a picture of a thing shows. One thing is always shown in one way.
func (s *simulator) pictureAspects(thing string, again bool, x *Picture) []aspect {
	if s.domain.regime != "" {
		x.Kind, x.App = Screen, s.domain.name
		return s.domain.shown
	}
	if !again && s.rnd.IntN(3) == 0 {
		s.charts[thing] = true
	}
	if !s.charts[thing] {
		x.Kind = []string{Card, Sheet}[slices.Index(s.things, thing)%2]
		return s.domain.shown
	}
	if len(s.months) == 0 {
		s.months = monthsOver(s.world.Sessions[len(s.world.Sessions)-1].Date)
	}
	x.Kind = Chart
	var out []aspect
	for _, m := range s.months {
		out = append(out, aspect{hoursIn(m), poolHours})
	}
	return out
}

// charted is how many months a chart shows.
const charted = 4

// monthsOver are the last months that are over on a day, which is one: who makes sessions has
// read it. Nobody has hours of work in a month that is still to come.
func monthsOver(date string) []string {
	all := months()
	day, _ := time.Parse(time.DateOnly, date)
	var out []string
	for back := charted; back > 0; back-- {
		out = append(out, all[(int(day.Month())-1-back+len(all))%len(all)])
	}
	return out
}

// CorrectsChart reports whether the picture of an event is a chart that shows hours of months
// otherwise than one before it. These months are over, so that it takes a correction.
func (w World) CorrectsChart(e Event) bool {
	return e.Picture >= 0 && w.Pictures[e.Picture].Kind == Chart && slices.ContainsFunc(w.Events, func(o Event) bool { return o.Picture == e.Picture && o.Op == OpRevise })
}

// titleOf is what stands above a picture: the thing without its article.
func titleOf(thing string) string { return thing[len("the "):] }
