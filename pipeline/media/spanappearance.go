package media

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/memforge/memforge/schemas"
)

// How pictures are looked at: shrunk to lookWidth x lookHeight, which leaves
// large writing readable as texture, about lookRate times a second.
const (
	lookWidth, lookHeight = 320, 180
	lookPixels            = lookWidth * lookHeight
	lookRate              = 4
)

// MeasureAppearance measures what can be seen in spans of a mezzanine, with one decoding.
// The spans must follow each other; the result has one entry for each.
//
// Everything is arithmetic on pixels, and the same on every run: names of
// colours, mean and spread of brightness, where brightness changes, hard cuts
// as Probe finds them. Black bars around the picture are left out of colours
// and brightness. Text names ninths of the picture with rows of dense, sharp,
// evenly spread strokes that stand still: writing looks like that, and so may
// a picket fence; small or slanted writing is missed. It is a hint for a
// captioner, not a reading.
func (t *Tools) MeasureAppearance(ctx context.Context, path string, fps int32, spans []Span) ([]schemas.Appearance, error) {
	if err := checkSpans(spans); err != nil {
		return nil, fmt.Errorf("look: %w", err)
	}
	if fps < 1 {
		return nil, fmt.Errorf("look: %d frames a second", fps)
	}
	in, err := inputURL(path)
	if err != nil {
		return nil, fmt.Errorf("look: %w", err)
	}
	step := sampleStep(fps, spans)
	args := append(append(globalArgs(), ownInput...), "-i", in, "-map", "0:v:0", "-fps_mode", "passthrough", "-sws_flags", scaleFlags,
		"-vf", fmt.Sprintf("framestep=%d,scale=%d:%d:flags=area+accurate_rnd+bitexact,format=rgb24", step, lookWidth, lookHeight), "-f", "rawvideo", "pipe:1",
		"-map", "0:v:0", "-vf", cutFilter)
	args = append(args, cutOutput...)
	var finder cutFinder
	watcher := newWatcher(spans, int64(step))
	c := command{op: "look", args: args, more: []io.Writer{&finder}, timeout: frameTimeout, hide: []string{in[len("file:"):]}}
	out, err := t.stream(ctx, c, watcher.watch)
	if err != nil {
		return nil, err
	}
	if out.exit != 0 || out.timedOut || len(out.messages) > 0 {
		return nil, &RunError{Op: c.op, Exit: out.exit, TimedOut: out.timedOut, Messages: out.messages}
	}
	if n := len(spans); n > 0 && spans[n-1].To > int64(finder.pictures) {
		return nil, fmt.Errorf("look: a span ends at frame %d of a video that has %d", spans[n-1].To, finder.pictures)
	}
	return watcher.appearances(finder.cuts()), nil
}

// sampleStep is the distance of the frames that are looked at: two at least in
// the shortest span.
func sampleStep(fps int32, spans []Span) int {
	step := int64(max(1, fps/lookRate))
	for _, s := range spans {
		step = min(step, max(1, (s.To-s.From)/2))
	}
	return int(step)
}

// watcher collects what each span shows.
type watcher struct {
	spans []Span
	step  int64
	seen  []*spanMeasure
	bars  *bars
}

func newWatcher(spans []Span, step int64) *watcher {
	w := &watcher{spans: spans, step: step, bars: newBars()}
	for range spans {
		w.seen = append(w.seen, &spanMeasure{})
	}
	return w
}

// watch reads pictures until the stream ends.
func (w *watcher) watch(r io.Reader) error {
	at := 0
	for n := int64(0); ; n++ {
		picture := make([]byte, 3*lookPixels)
		_, err := io.ReadFull(r, picture)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("picture %d: %w", n, err)
		}
		frame := n * w.step
		for at < len(w.spans) && frame >= w.spans[at].To {
			at++
		}
		if at < len(w.spans) && frame >= w.spans[at].From {
			w.seen[at].add(frame, picture, w.bars)
		}
	}
}

// appearances states what was seen, given the frames that follow a hard cut.
func (w *watcher) appearances(cuts []int) []schemas.Appearance {
	picture := w.bars.pictureArea()
	list := make([]schemas.Appearance, len(w.spans))
	for i, s := range w.spans {
		inside := 0
		for _, c := range cuts {
			// A cut at its first frame lies before the span.
			if int64(c) > s.From && int64(c) < s.To {
				inside++
			}
		}
		list[i] = w.seen[i].appearance(picture, cuts)
		list[i].Cuts = int32(inside)
	}
	return list
}
