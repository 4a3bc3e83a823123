package question

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
)

// view is a video as far as it is seen.
type view struct {
	title  string
	labels map[string]string
	// all events of the video, seen or not: an option must not be true of any.
	all   []schemas.Event
	index groundtruth.Index
	// seen events begin within what is shown, in order of their beginning.
	seen []schemas.Event
	line timeline.Line
}

func newView(v schemas.Video, line timeline.Line) view {
	w := view{title: v.Title, labels: v.Labels, all: v.Events, index: groundtruth.IndexOf(v.Events), line: line}
	for _, e := range v.Events {
		if line.Begins(max(e.Start, 0)) {
			w.seen = append(w.seen, e)
		}
	}
	slices.SortStableFunc(w.seen, func(a, b schemas.Event) int { return cmp.Compare(a.Start, b.Start) })
	return w
}

// mentions reports whether a value is of the video, be it seen or not.
func (w view) mentions(value string) bool { return w.index.Mentions(value) }

// of lists the seen events of a kind that have a value.
func (w view) of(kind string) []schemas.Event {
	var out []schemas.Event
	for _, e := range w.seen {
		if e.Kind == kind && groundtruth.Value(e) != "" {
			out = append(out, e)
		}
	}
	return out
}

// whole lists those of a kind that are seen to their end.
func (w view) whole(kind string) []schemas.Event {
	return slices.DeleteFunc(w.of(kind), func(e schemas.Event) bool { return !w.line.Whole(e.Start, e.End) })
}

// leastSeen is how many seconds each piece of a clue must last that a cut or an
// exchange of sides leaves.
const leastSeen = 1.0

// clear reports whether an event can be asked about: all of it is shown, and
// nowhere too little at a time.
func (w view) clear(e schemas.Event) bool {
	return w.line.Whole(e.Start, e.End) && w.line.Unbroken(e.Start, e.End) > leastSeen-1e-6
}

// fact is an event that can be asked for: the only one of its kind (ordinal
// 0), or the ordinal-th.
type fact struct {
	event   schemas.Event
	ordinal int
}

// facts lists what can be asked of a kind without a second right answer. An
// ordinal is safe where no earlier value comes again and neither neighbour
// begins at the same time: then counting events and counting things agree.
func (w view) facts(kind string) []fact {
	events := w.of(kind)
	var out []fact
	for i, e := range events {
		if i > 0 && repeats(events[:i], e) {
			break
		}
		tied := i > 0 && events[i-1].Start >= e.Start || i+1 < len(events) && events[i+1].Start <= e.Start
		if tied || !w.clear(e) || i >= len(ordinals) {
			continue
		}
		ordinal := i + 1
		if len(events) == 1 {
			ordinal = 0
		}
		out = append(out, fact{e, ordinal})
	}
	return out
}

// once lists the events of a kind that can be asked about and whose value no
// other event of the kind could be meant by.
func (w view) once(kind string) []schemas.Event {
	events := w.of(kind)
	return slices.DeleteFunc(w.of(kind), func(e schemas.Event) bool {
		if !w.clear(e) {
			return true
		}
		n := 0
		for _, o := range events {
			if groundtruth.Clash(groundtruth.Value(o), groundtruth.Value(e)) {
				n++
			}
		}
		return n != 1
	})
}

func repeats(earlier []schemas.Event, e schemas.Event) bool {
	return slices.ContainsFunc(earlier, func(o schemas.Event) bool { return groundtruth.Clash(groundtruth.Value(o), groundtruth.Value(e)) })
}

// comesBack reports whether who enters was there before: it has left already.
func (w view) comesBack(e schemas.Event) bool {
	return e.Kind == groundtruth.Enters && slices.ContainsFunc(w.all, func(o schemas.Event) bool {
		return o.Kind == groundtruth.Leaves && o.Start < e.Start && groundtruth.Clash(groundtruth.Value(o), groundtruth.Value(e))
	})
}
