package simulate

import (
	"slices"
	"time"

	world "github.com/memforge/memforge/pipeline/kit/simulation"
)

// picture shows a thing: for the first time, or again with some of it changed.
func (s *simulation) picture() bool {
	now := len(s.out.Sessions) - 1
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
		s.show(pick(s.rnd, known))
	case len(fresh) > 0:
		s.show(pick(s.rnd, fresh))
	default:
		return false
	}
	return true
}

// show adds the picture of a thing and the events that it tells.
func (s *simulation) show(thing string) {
	at := len(s.out.Exhibits)
	x := Exhibit{Thing: thing, Title: titleOf(thing), Hidden: at%2 == 0, Session: len(s.out.Sessions) - 1, Round: s.round}
	_, again := s.shown[thing]
	aspects := s.aspects(thing, again, &x)
	s.shown[thing] = len(s.out.Sessions) - 1
	s.emit(Event{Op: Show, Key: world.Key{Entity: thing}, Picture: at})
	changed := pick(s.rnd, slices.DeleteFunc(slices.Clone(aspects), aspect.lasts))
	for _, a := range aspects {
		k := world.Key{Entity: thing, Aspect: a.name}
		h := s.state[k]
		switch {
		case h == nil:
			s.emit(Event{Op: Append, Key: k, Value: s.draw(a.pool), Picture: at})
		case a == changed, !a.lasts() && s.rnd.IntN(3) == 0:
			s.emit(Event{Op: Revise, Key: k, Old: h.value, Value: s.draw(a.pool, h.used...), Picture: at})
		}
		x.Rows = append(x.Rows, [2]string{a.name, s.state[k].value})
	}
	s.out.Exhibits = append(s.out.Exhibits, x)
}

// aspects are what a picture of a thing shows. One thing is always shown in one way.
func (s *simulation) aspects(thing string, again bool, x *Exhibit) []aspect {
	if s.d.regime != "" {
		x.Kind, x.App = Screen, s.d.name
		return s.d.shown
	}
	if !again && s.rnd.IntN(3) == 0 {
		s.charts[thing] = true
	}
	if !s.charts[thing] {
		x.Kind = []string{Card, Sheet}[slices.Index(s.things, thing)%2]
		return s.d.shown
	}
	if len(s.months) == 0 {
		s.months = over(s.out.Sessions[len(s.out.Sessions)-1].Date)
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

// over are the last months that are over on a day, which is one: who makes sessions has
// read it. Nobody has hours of work in a month that is still to come.
func over(date string) []string {
	all := months()
	day, _ := time.Parse(time.DateOnly, date)
	var out []string
	for back := charted; back > 0; back-- {
		out = append(out, all[(int(day.Month())-1-back+len(all))%len(all)])
	}
	return out
}

// Corrects reports whether the picture of an event is a chart that shows hours of months
// otherwise than one before it. These months are over, so that it takes a correction.
func (w World) Corrects(e Event) bool {
	return e.Picture >= 0 && w.Exhibits[e.Picture].Kind == Chart && slices.ContainsFunc(w.Events, func(o Event) bool { return o.Picture == e.Picture && o.Op == Revise })
}

// titleOf is what stands above a picture: the thing without its article.
func titleOf(thing string) string { return thing[len("the "):] }
