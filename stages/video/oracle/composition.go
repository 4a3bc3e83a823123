package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memforge/memforge/schemas"
)

const (
	layoutSplit       = "split-screen"
	layoutConcat      = "concatenated"
	layoutInterleaved = "interleaved"
	layoutNBack       = "n-back"
)

// instant is how far two clocks may differ that mean the same, in seconds:
// tables have microseconds.
const instant = 1e-5

// composition is a composed medium and what happens in the videos that it
// shows.
type composition struct {
	layout string
	fps    float64
	frames int64
	swaps  []int64
	// videos by what the recipe calls them; names are these in the order in which
	// they begin.
	videos map[string]*video
	names  []string
	// asked is the question with its options, as it is stated.
	asked string
	// files are the normalised picture and sound of each original.
	files map[string][2]string
	// turns names the videos as they take turns, a video that is played again once
	// more.
	turns []string
}

type video struct {
	id string
	// stretches are what the video consists of, as far as it is shown, in its own
	// time; showings are when and where they are seen.
	stretches []stretch
	// known are their places, by what they are.
	known    map[stretch]int
	showings []showing
	length   int64 // frames
	events   []seenEvent
	labels   []schemas.StatedLabel
}

// stretch is frames [from, to) of a source, from frame own of the video on.
type stretch struct {
	source, original, sourceID string
	from, to, own              int64
}

// showing is a stretch as it is seen from output frame at on.
type showing struct {
	stretch
	at     int64
	region string
}

// composition reads the recipe and what the originals show. It fails on a
// recipe that no composition has.
func (c Case) composition() (*composition, error) {
	r := c.Media.Recipe
	w := &composition{layout: r.Layout, fps: c.Media.FPS, frames: c.Media.Frames, swaps: r.SwapFrames, videos: map[string]*video{}, files: map[string][2]string{}}
	if !(w.fps >= 1 && w.fps <= 1000) || len(r.Segments) == 0 {
		return nil, fmt.Errorf("the medium has %g frames a second and %d segments", w.fps, len(r.Segments))
	}
	segments := slices.Clone(r.Segments)
	slices.SortStableFunc(segments, func(a, b schemas.Segment) int { return cmp.Compare(a.At, b.At) })
	last := ""
	for _, s := range segments {
		if s.From < 0 || s.From >= s.To {
			return nil, fmt.Errorf("a segment shows frames %d to %d", s.From, s.To)
		}
		files := [2]string{s.Source, s.Audio}
		if before, known := w.files[s.Original]; known && before != files {
			return nil, fmt.Errorf("the original %.12s has the sources %.12s and %.12s", s.Original, before, files)
		}
		w.files[s.Original] = files
		f := w.videoByID(s.Video)
		if own := f.addSegment(s); own == 0 || s.Video != last {
			w.turns = append(w.turns, s.Video)
		}
		last = s.Video
	}
	if err := w.check(segments); err != nil {
		return nil, err
	}
	for _, id := range w.names {
		if err := w.videos[id].readStatements(c, w.fps); err != nil {
			return nil, err
		}
	}
	return w, w.checkJoints()
}

func (w *composition) videoByID(id string) *video {
	f, known := w.videos[id]
	if !known {
		f = &video{id: id, known: map[stretch]int{}}
		w.videos[id] = f
		w.names = append(w.names, id)
	}
	return f
}

// addSegment adds a segment and returns at which of its own frames the video
// then is. A stretch that was shown before is shown again.
func (f *video) addSegment(s schemas.Segment) int64 {
	st := stretch{s.Source, s.Original, s.SourceID, s.From, s.To, f.length}
	is := st
	is.sourceID, is.own = "", 0
	if n, known := f.known[is]; known {
		st = f.stretches[n]
	} else {
		f.known[is] = len(f.stretches)
		f.stretches = append(f.stretches, st)
		f.length += s.To - s.From
	}
	f.showings = append(f.showings, showing{st, s.At, s.Region})
	return st.own
}

// check compares a recipe with its layout: which videos there are, where they
// stand, and that every output frame shows one, or one on either side.
func (w *composition) check(segments []schemas.Segment) error {
	want := []string{"A", "B"}
	if w.layout == layoutNBack {
		want = nil
		for i := range w.names {
			want = append(want, strconv.Itoa(i+1))
		}
	}
	got := w.names
	if w.layout != layoutNBack {
		got = slices.Sorted(slices.Values(w.names))
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the recipe shows the videos %q, want %q", w.names, want)
	}
	ends := map[string]int64{}
	for _, s := range segments {
		region := "full"
		if w.layout == layoutSplit {
			region = map[string]string{"A": "left", "B": "right"}[s.Video]
		}
		if s.Region != region || s.At != ends[region] {
			return fmt.Errorf("a segment of video %s stands %s at frame %d, want %s at %d", s.Video, s.Region, s.At, region, ends[region])
		}
		ends[region] += s.To - s.From
	}
	for _, region := range slices.Sorted(maps.Keys(ends)) {
		if end := ends[region]; end != w.frames {
			return fmt.Errorf("the recipe fills %d frames of %s, the medium has %d", end, region, w.frames)
		}
	}
	return w.checkLayout()
}

func (w *composition) checkLayout() error {
	if w.layout != layoutSplit && len(w.swaps) > 0 {
		return fmt.Errorf("sides are exchanged %d times in a video without sides", len(w.swaps))
	}
	for i, f := range w.swaps {
		parts := int64(len(w.swaps) + 1)
		if want := (int64(i+1)*w.frames + parts - 1) / parts; f != want {
			return fmt.Errorf("exchange %d of %d of sides is at frame %d, want %d", i+1, len(w.swaps), f, want)
		}
	}
	switch w.layout {
	case layoutSplit, layoutNBack:
		return nil
	case layoutConcat:
		if order := w.order(); !slices.Contains([]string{"AB", "BA", "AAB", "ABB", "BAA", "BBA"}, order) {
			return fmt.Errorf("the videos are played in the order %s", order)
		}
		return nil
	case layoutInterleaved:
		if len(w.turns)%2 != 0 || len(w.turns) < 4 {
			return fmt.Errorf("the videos take %d turns", len(w.turns))
		}
		for i, id := range w.turns {
			if id != w.turns[i%2] {
				return fmt.Errorf("video %s is not followed by the other", id)
			}
		}
		return nil
	}
	return fmt.Errorf("%q is no layout", w.layout)
}

// order names the videos as a composition does.
func (w *composition) order() string {
	if w.layout == layoutSplit {
		return "AB"
	}
	out := ""
	for _, id := range w.turns {
		out += id
	}
	if w.layout == layoutInterleaved && len(out) > 2 {
		return out[:2]
	}
	return out
}

func (w *composition) other(f *video) *video {
	if f.id == "A" {
		return w.videos["B"]
	}
	return w.videos["A"]
}

// seenEvent is an event of a video that is seen to begin, on the video's own
// clock, in seconds.
type seenEvent struct {
	kind, value string
	// texts are all that it names: who, what and words; actors are who.
	texts      []string
	actors     []string
	start, end float64
	// whole says that it is seen to its end.
	whole bool
}

// lostFrame is how much of an event may be cut off at the end of a video,
// seconds.
const lostFrame = 0.04

// readStatements finds the rows of the tables about the video. It fails on a
// statement that names another source than the recipe.
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
			h := seenEvent{kind: e.Kind, value: answerValue(e), actors: e.Actors, texts: slices.Concat(e.Actors, e.Objects, []string{e.Text})}
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

// answerValue returns what a question about an event asks for, empty for events
// that no question asks about.
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

// checkJoints checks that a video which goes on in another place does so where
// something ends there and something begins here: videos are joined of clips.
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

func (f *video) eventsOf(kind string) []seenEvent {
	var out []seenEvent
	for _, h := range f.events {
		if h.kind == kind && h.value != "" {
			out = append(out, h)
		}
	}
	return out
}

func (f *video) mentions(value string) bool {
	return slices.ContainsFunc(f.events, func(h seenEvent) bool {
		return slices.ContainsFunc(h.texts, func(t string) bool { return confusable(t, value) })
	})
}

func (f *video) labelValues(attribute string) []string {
	var out []string
	for _, l := range f.labels {
		if l.Attribute == attribute && !slices.Contains(out, l.Value) {
			out = append(out, l.Value)
		}
	}
	return out
}

// isAbsent reports whether the tables say that a value is of neither video, and
// no event of them says otherwise.
func (w *composition) isAbsent(value string) bool {
	for _, f := range w.videos {
		if !slices.ContainsFunc(f.labels, func(l schemas.StatedLabel) bool { return l.Attribute == schemas.AttributeAbsent && l.Value == value }) || f.mentions(value) {
			return false
		}
	}
	return true
}

// confusable reports whether all words of one text are among those of the
// other; articles do not count.
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
