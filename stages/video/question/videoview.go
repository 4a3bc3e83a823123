package question

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/timeline"
)

type videoView struct {
	title  string
	labels map[string]string
	// all events of the video, seen or not: an option must not be true of any.
	all   []schemas.Event
	index groundtruth.Index
	// seen events begin within what is shown, in order of their beginning.
	seen []schemas.Event
	line timeline.Line
}

func newView(v schemas.Video, line timeline.Line) videoView {
	w := videoView{title: v.Title, labels: v.Labels, all: v.Events, index: groundtruth.NewIndex(v.Events), line: line}
	for _, e := range v.Events {
		if line.Shows(max(e.Start, 0)) {
			w.seen = append(w.seen, e)
		}
	}
	slices.SortStableFunc(w.seen, func(a, b schemas.Event) int { return cmp.Compare(a.Start, b.Start) })
	return w
}

// mentions reports whether a value is of the video, seen or not.
func (w videoView) mentions(value string) bool { return w.index.Mentions(value) }

// names reports whether some thing or person of the video is called so, whatever else.
func (w videoView) names(text string) bool {
	return slices.ContainsFunc(w.all, func(e schemas.Event) bool {
		return strings.HasSuffix(e.Subject, " "+text) || strings.HasSuffix(e.Object, " "+text)
	})
}

func (w videoView) events(kind string) []schemas.Event {
	var out []schemas.Event
	for _, e := range w.seen {
		if e.Kind == kind && groundtruth.Value(e) != "" {
			out = append(out, e)
		}
	}
	return out
}

// minSeenSeconds is how many seconds each piece of a clue must last that a cut or an
// exchange of sides leaves.
const minSeenSeconds = 1.0

// isClear reports whether an event can be asked about: all of it is shown, and
// nowhere too little at a time.
func (w videoView) isClear(e schemas.Event) bool {
	return w.line.ShowsAll(e.Start, e.End) && w.line.ShortestPiece(e.Start, e.End) > minSeenSeconds-1e-6
}

// fact is the ordinal-th event of its kind.
type fact struct {
	event   schemas.Event
	ordinal int
}

// facts lists what can be asked of a kind by its number without a second right answer.
// An ordinal is safe where no earlier value comes again and neither neighbour begins at
// the same time: then counting events and counting things agree. All that is counted can
// be asked about.
func (w videoView) facts(kind string) []fact {
	events := w.events(kind)
	var out []fact
	for i, e := range events[:min(len(events), len(ordinals))] {
		if !w.isClear(e) || i > 0 && repeatsEarlier(events[:i], e) {
			break
		}
		if tied := i > 0 && events[i-1].Start >= e.Start || i+1 < len(events) && events[i+1].Start <= e.Start; !tied {
			out = append(out, fact{e, i + 1})
		}
	}
	return out
}

// distinctEvents lists the events of a kind that can be asked about and whose
// value matches no other event of the kind.
func (w videoView) distinctEvents(kind string) []schemas.Event {
	events := w.events(kind)
	return slices.DeleteFunc(w.events(kind), func(e schemas.Event) bool {
		if !w.isClear(e) {
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

func repeatsEarlier(earlier []schemas.Event, e schemas.Event) bool {
	return slices.ContainsFunc(earlier, func(o schemas.Event) bool { return groundtruth.Clash(groundtruth.Value(o), groundtruth.Value(e)) })
}

// comesBack reports whether the person who enters was there before: it has left
// already.
func (w videoView) comesBack(e schemas.Event) bool {
	return e.Kind == groundtruth.Enters && slices.ContainsFunc(w.all, func(o schemas.Event) bool {
		return o.Kind == groundtruth.Leaves && o.Start < e.Start && groundtruth.Clash(groundtruth.Value(o), groundtruth.Value(e))
	})
}

// signBefore returns the change of the sign whose text stands, without another change,
// before, during and after an event.
func (w videoView) signBefore(e schemas.Event) (change schemas.Event, ok bool) {
	for _, s := range w.events(groundtruth.SignChanges) {
		switch {
		case s.End <= e.Start-calm:
			change, ok = s, w.isClear(s)
		case s.Start < e.End+calm:
			return s, false
		}
	}
	return change, ok
}
