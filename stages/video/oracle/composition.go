package oracle

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/memforge/memforge/schemas"
)

// The layouts.
const (
	layoutSplit       = "split-screen"
	layoutConcat      = "concatenated"
	layoutInterleaved = "interleaved"
	layoutNBack       = "n-back"
)

// instant is how far two clocks may differ that mean the same, in seconds:
// tables have microseconds.
const instant = 1e-5

// composition is a composed medium and what happens in the films that it shows.
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
	// turns names the films as they take turns, a film that is played again once
	// more.
	turns []string
}

// video is one of the composed videos.
type video struct {
	id string
	// stretches are what the film consists of, as far as it is shown, in its own
	// time; showings are when and where they are seen.
	stretches []stretch
	// known are their places, by what they are.
	known    map[stretch]int
	showings []showing
	length   int64 // frames
	events   []seenEvent
	labels   []schemas.StatedLabel
}

// stretch is frames [from, to) of a source, from frame own of the film on.
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

// composition reads the recipe and what the originals show. It fails on a recipe that
// no composition has.
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

// addSegment adds a segment and says at which of its own frames the film then is. A
// stretch that was shown before is shown again.
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

// check holds a recipe against its layout: which films there are, where they
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
	for region, end := range ends {
		if end != w.frames {
			return fmt.Errorf("the recipe fills %d frames of %s, the medium has %d", end, region, w.frames)
		}
	}
	return w.checkLayout()
}

// checkLayout holds swaps and turns against the layout.
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

// order names the films as a composition does.
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

// other is the film that a film is composed with.
func (w *composition) other(f *video) *video {
	if f.id == "A" {
		return w.videos["B"]
	}
	return w.videos["A"]
}
