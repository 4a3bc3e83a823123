package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/schemas"
)

// seenEvent is an event of a film that is seen to begin, on the film's own
// clock, in seconds.
type seenEvent struct {
	kind, value string
	// texts are all that it names: who, what and words.
	texts      []string
	start, end float64
	// whole says that it is seen to its end.
	whole bool
}

// lostFrame is how much of an event may be cut off at the end of a video,
// seconds.
const lostFrame = 0.04

// readStatements finds what of the tables is about the film. It fails on a statement that
// names another source than the recipe.
func (f *video) readStatements(c Case, fps float64) error {
	for _, s := range f.stretches {
		from, to := float64(s.from)/fps, float64(s.to)/fps
		for _, e := range c.Events {
			if e.Original != s.original || e.From < from-instant || e.From >= to-instant {
				continue
			}
			if e.SourceID != s.sourceID {
				return fmt.Errorf("event %s is of source %q, the original of %q", e.EventID, e.SourceID, s.sourceID)
			}
			h := seenEvent{kind: e.Kind, value: answerValue(e), texts: slices.Concat(e.Actors, e.Objects, []string{e.Text})}
			h.start = max(0, float64(s.own)/fps+e.From-from)
			h.end = h.start + e.To - e.From
			h.whole = h.end <= float64(f.length)/fps+lostFrame+instant
			f.events = append(f.events, h)
		}
		for _, l := range c.Labels {
			whole := l.From == 0 && l.To == 0
			if l.Original != s.original || !whole && (l.From >= to-instant || l.To <= from+instant) {
				continue
			}
			if l.SourceID != s.sourceID {
				return fmt.Errorf("label %s is of source %q, the original of %q", l.LabelID, l.SourceID, s.sourceID)
			}
			f.labels = append(f.labels, l)
		}
	}
	slices.SortStableFunc(f.events, func(a, b seenEvent) int { return cmp.Compare(a.start, b.start) })
	return nil
}

// answerValue is what a question about an event asks for, empty for events of which
// no question asks.
func answerValue(e schemas.StatedEvent) string {
	var from []string
	switch e.Kind {
	case "enters", "leaves":
		from = e.Actors
	case "picks up", "puts down", "opens", "shows":
		from = e.Objects
	case "sign changes":
		from = []string{e.Text}
	}
	if len(from) != 1 {
		return ""
	}
	return collapseSpace(from[0])
}

// checkJoints checks that a film which goes on in another place does so where
// something ends there and something begins here: films are joined of clips.
func (w *composition) checkJoints() error {
	if w.layout == layoutNBack {
		return nil
	}
	for _, id := range w.names {
		f := w.videos[id]
		for i, s := range f.stretches[1:] {
			before := f.stretches[i]
			if before.original == s.original && before.source == s.source && before.to == s.from {
				continue
			}
			at := float64(s.own) / w.fps
			ends := slices.ContainsFunc(f.events, func(h seenEvent) bool { return almostEqual(h.end, at) })
			begins := slices.ContainsFunc(f.events, func(h seenEvent) bool { return almostEqual(h.start, at) })
			if !ends || !begins {
				return fmt.Errorf("video %s jumps to frame %d of %.12s, and nothing ends before and begins there", id, s.from, s.original)
			}
		}
	}
	return nil
}

func almostEqual(a, b float64) bool { return a-b < instant && b-a < instant }

// eventsOf lists the happenings of a kind that a question can ask for.
func (f *video) eventsOf(kind string) []seenEvent {
	var out []seenEvent
	for _, h := range f.events {
		if h.kind == kind && h.value != "" {
			out = append(out, h)
		}
	}
	return out
}

// mentions reports whether anything in the film could be meant by a value.
func (f *video) mentions(value string) bool {
	return slices.ContainsFunc(f.events, func(h seenEvent) bool {
		return slices.ContainsFunc(h.texts, func(t string) bool { return confusable(t, value) })
	})
}

// hasLabel reports whether a label of the film has the value.
func (f *video) hasLabel(attribute, value string) bool {
	return slices.ContainsFunc(f.labels, func(l schemas.StatedLabel) bool { return l.Attribute == attribute && l.Value == value })
}

// labelValues lists the distinct values of an attribute.
func (f *video) labelValues(attribute string) []string {
	var out []string
	for _, l := range f.labels {
		if l.Attribute == attribute && !slices.Contains(out, l.Value) {
			out = append(out, l.Value)
		}
	}
	return out
}

// isAbsent reports whether the tables say that a value is of neither film, and
// no event of them says otherwise.
func (w *composition) isAbsent(value string) bool {
	for _, f := range w.videos {
		if !f.hasLabel(schemas.AttributeAbsent, value) || f.mentions(value) {
			return false
		}
	}
	return true
}

// confusable reports whether all words of one text are among those of the
// other; articles are no words.
func confusable(a, b string) bool {
	x, y := contentWords(a), contentWords(b)
	return len(x) > 0 && len(y) > 0 && (allAmong(x, y) || allAmong(y, x))
}

func allAmong(some, all []string) bool {
	for _, w := range some {
		if !slices.Contains(all, w) {
			return false
		}
	}
	return true
}

func contentWords(text string) []string {
	isBreak := func(r rune) bool { return !unicode.In(r, unicode.Letter, unicode.Number, unicode.Mark) }
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text), isBreak) {
		if w != "a" && w != "an" && w != "the" {
			out = append(out, w)
		}
	}
	if rest := strings.ToLower(collapseSpace(text)); len(out) == 0 && rest != "" {
		return []string{rest}
	}
	return out
}
