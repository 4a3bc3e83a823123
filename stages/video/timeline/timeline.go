// Package timeline follows the moments of two videos into the video that was
// composed of them: when, how often and on which side each is shown. It reads
// the recipe of the composed video and nothing else, so it holds for every
// layout.
package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// slack is how much of an event may be missing at an end, in seconds: one frame
// at 25 per second.
const slack = 0.04

// Sides and halves that a moment may be shown in.
const (
	Left   = "left"
	Right  = "right"
	First  = "first half"
	Second = "second half"
)

// Line describes where one of the two videos is within the composed one.
type Line struct {
	parts []shownPart // in order of at
	swaps []int64
	// exchanges are the swaps of whichever variant has them.
	exchanges []int64
	fps       float64
	total     float64 // seconds of the composed video
}

// shownPart is the seconds [from, to) of the video, shown from second at on.
type shownPart struct {
	from, to, at float64
	region       string
}

// Span is a run of the composed video, in seconds.
type Span struct{ Start, End float64 }

// Trace follows both videos of a pair through the recipe. It fails when the
// recipe shows something that belongs to neither, or to both.
func Trace(c schemas.Composition) (a, b Line, err error) {
	partsA, partsB := sourceParts(c.Pair.A), sourceParts(c.Pair.B)
	if err := checkDisjoint(partsA, partsB); err != nil {
		return a, b, err
	}
	fps := float64(c.Pair.A.Normalised.FPS)
	var total int64
	for _, s := range c.Media.Recipe.Segments {
		total = max(total, s.At+s.To-s.From)
		if p, ok := findPart(partsA, s); ok {
			a.add(p, s, fps)
			continue
		}
		p, ok := findPart(partsB, s)
		if !ok {
			return a, b, fmt.Errorf("the recipe shows frames %d to %d of source %.12s, which are part of neither video; compose it again", s.From, s.To, s.Source)
		}
		b.add(p, s, fps)
	}
	for _, l := range []*Line{&a, &b} {
		l.fps, l.total, l.swaps = fps, float64(total)/fps, c.Media.Recipe.SwapFrames
		if l.exchanges = c.SideSwapFrames; len(l.exchanges) == 0 {
			l.exchanges = l.swaps
		}
		slices.SortStableFunc(l.parts, func(x, y shownPart) int { return cmp.Compare(x.at, y.at) })
	}
	return a, b, nil
}

// sourceParts returns the runs of source frames that make up a video, each at
// the frame of the video where it begins. A recipe names either the clips of a
// joined video or the video itself.
func sourceParts(v schemas.Video) []schemas.Segment {
	m := v.Normalised
	return append([]schemas.Segment{{Source: m.Video, From: m.From, To: m.From + m.Frames}}, v.Parts...)
}

func findPart(parts []schemas.Segment, s schemas.Segment) (schemas.Segment, bool) {
	i := slices.IndexFunc(parts, func(p schemas.Segment) bool {
		return p.Source == s.Source && p.From <= s.From && s.From < s.To && s.To <= p.To
	})
	if i < 0 {
		return schemas.Segment{}, false
	}
	return parts[i], true
}

// checkDisjoint fails when some frames are part of both videos, or of one
// twice: then it would be undecided which video they belong to, or when they
// are shown.
func checkDisjoint(a, b []schemas.Segment) error {
	for i, p := range a {
		if slices.ContainsFunc(a[:i], func(o schemas.Segment) bool { return overlaps(p, o) }) {
			return fmt.Errorf("clip %.12s is twice in video A; make it of different clips", p.Source)
		}
		if slices.ContainsFunc(b, func(o schemas.Segment) bool { return overlaps(p, o) }) {
			return fmt.Errorf("clip %.12s is in both videos; pair videos that share none", p.Source)
		}
	}
	for i, p := range b {
		if slices.ContainsFunc(b[:i], func(o schemas.Segment) bool { return overlaps(p, o) }) {
			return fmt.Errorf("clip %.12s is twice in video B; make it of different clips", p.Source)
		}
	}
	return nil
}

func overlaps(p, o schemas.Segment) bool {
	return p.Source == o.Source && p.From < o.To && o.From < p.To
}

func (l *Line) add(p, s schemas.Segment, fps float64) {
	from := p.At + s.From - p.From
	l.parts = append(l.parts, shownPart{float64(from) / fps, float64(from+s.To-s.From) / fps, float64(s.At) / fps, s.Region})
}

// Shows reports whether second t of the video is shown.
func (l Line) Shows(t float64) bool {
	return slices.ContainsFunc(l.parts, func(s shownPart) bool { return s.from <= t && t < s.to })
}

// ShowsAll reports whether seconds start to end of the video are all shown, be it
// in several pieces.
func (l Line) ShowsAll(start, end float64) bool {
	for t := max(start, 0); t < end-slack; {
		i := slices.IndexFunc(l.parts, func(s shownPart) bool { return s.from <= t+1e-9 && t+1e-9 < s.to })
		if i < 0 {
			return false
		}
		t = l.parts[i].to
	}
	return l.Shows(max(start, 0))
}

// Spans lists when seconds start to end of the video are shown, in order: more
// than one where the video is played again or cut in between.
func (l Line) Spans(start, end float64) []Span {
	var out []Span
	for _, s := range l.parts {
		from, to := max(start, s.from), min(max(end, start+1/l.fps), s.to)
		if to-from < 1e-9 {
			continue
		}
		piece := Span{s.at + from - s.from, s.at + to - s.from}
		if n := len(out); n > 0 && piece.Start-out[n-1].End < 1e-6 {
			out[n-1].End = piece.End
			continue
		}
		out = append(out, piece)
	}
	return out
}

// ShortestPiece returns the length in seconds of the shortest piece into which
// cuts and exchanges of sides divide seconds start to end of the video; 0 when
// nothing of it is shown. Where a split screen has a variant with exchanges,
// both count as having them.
func (l Line) ShortestPiece(start, end float64) float64 {
	shortest := 0.0
	piece := func(seconds float64) {
		if shortest == 0 || seconds < shortest {
			shortest = seconds
		}
	}
	for _, s := range l.Spans(start, end) {
		from := s.Start
		for _, f := range l.exchanges {
			if at := float64(f) / l.fps; from < at && at < s.End {
				piece(at - from)
				from = at
			}
		}
		piece(s.End - from)
	}
	return shortest
}

// Total returns how many seconds the composed video has.
func (l Line) Total() float64 { return l.total }

// Swaps returns the seconds at which the sides of the picture are exchanged.
func (l Line) Swaps() []float64 {
	out := make([]float64, len(l.swaps))
	for i, f := range l.swaps {
		out[i] = float64(f) / l.fps
	}
	return out
}

// Runs lists when the video is shown, in order. A run ends where something else
// is shown, or where the video goes back to an earlier moment.
func (l Line) Runs() []Span {
	var out []Span
	for i, s := range l.parts {
		run := Span{s.at, s.at + s.to - s.from}
		if i > 0 && run.Start-out[len(out)-1].End < 1e-6 && s.from >= l.parts[i-1].to-1e-6 {
			out[len(out)-1].End = run.End
			continue
		}
		out = append(out, run)
	}
	return out
}

// Side returns the side of the picture on which seconds start to end of the
// video are shown, or "" when it changes meanwhile.
func (l Line) Side(start, end float64) string {
	side := ""
	for _, s := range l.parts {
		from, to := max(start, s.from), min(end, s.to)
		if to-from < 1e-9 {
			continue
		}
		first := int64((s.at+from-s.from)*l.fps + 1e-6)
		last := int64((s.at+to-s.from)*l.fps - 1e-6)
		here := l.sideAt(s.region, first)
		if here != l.sideAt(s.region, last) || l.sidesChange(first, last) || side != "" && side != here {
			return ""
		}
		side = here
	}
	return side
}

func (l Line) sidesChange(first, last int64) bool {
	return slices.ContainsFunc(l.swaps, func(f int64) bool { return first < f && f <= last })
}

// sideAt returns the side of a region at an output frame: every swap frame up
// to it has exchanged left and right.
func (l Line) sideAt(region string, frame int64) string {
	for _, f := range l.swaps {
		if f > frame {
			continue
		}
		if region == Left {
			region = Right
		} else {
			region = Left
		}
	}
	return region
}

// Half returns the half of the composed video in which seconds start to end of
// the video are shown, or "" when they reach into both.
func (l Line) Half(start, end float64) string {
	half := ""
	for _, s := range l.Spans(start, end) {
		here := ""
		switch {
		case s.End <= l.total/2:
			here = First
		case s.Start >= l.total/2:
			here = Second
		}
		if here == "" || half != "" && half != here {
			return ""
		}
		half = here
	}
	return half
}

// StartsBefore reports whether the composed video begins with l rather than
// with o.
func (l Line) StartsBefore(o Line) bool {
	return len(l.parts) > 0 && (len(o.parts) == 0 || l.parts[0].at < o.parts[0].at)
}
