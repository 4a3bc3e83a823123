package timeline

import (
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func video(name string, frames int64) schemas.Video {
	return schemas.Video{Normalised: &schemas.NormalisedVideo{Video: name, FPS: 10, Frames: frames}}
}

func composed(layout string, swaps []int64, segments ...schemas.Segment) schemas.Composition {
	return schemas.Composition{
		Pair:  schemas.Pair{A: video("a", 100), B: video("b", 80)},
		Media: schemas.Media{Recipe: schemas.Recipe{Layout: layout, SwapFrames: swaps, Segments: segments}},
	}
}

func segment(source, region string, from, to, at int64) schemas.Segment {
	return schemas.Segment{Source: source, Region: region, From: from, To: to, At: at}
}

func lines(t *testing.T, c schemas.Composition) (a, b Line) {
	t.Helper()
	a, b, err := Trace(c)
	if err != nil {
		t.Fatal(err)
	}
	return a, b
}

func TestRepeatedVideoIsShownTwice(t *testing.T) {
	a, b := lines(t, composed(schemas.LayoutConcat, nil, segment("a", "full", 0, 100, 0), segment("b", "full", 0, 80, 100), segment("b", "full", 0, 80, 180)))
	if got, want := b.Spans(1, 2), []Span{{11, 12}, {19, 20}}; !reflect.DeepEqual(got, want) {
		t.Errorf("spans %v, want %v", got, want)
	}
	if got, want := a.Spans(1, 2), []Span{{1, 2}}; !reflect.DeepEqual(got, want) {
		t.Errorf("spans %v, want %v", got, want)
	}
	if !a.StartsBefore(b) || b.StartsBefore(a) {
		t.Error("a begins")
	}
	if !b.ShowsAll(7, 8) || b.ShowsAll(7, 8.2) || !b.ShowsAll(7, 8.03) || b.Shows(8) {
		t.Error("b lasts 8 seconds, and an event may miss a frame at its end")
	}
}

// TestUnbroken takes the shortest piece between cuts and exchanges, also those of
// the other variant of a split screen.
func TestUnbroken(t *testing.T) {
	split := composed(schemas.LayoutSplit, nil, segment("a", "left", 0, 80, 0), segment("b", "right", 0, 80, 0))
	plain := split
	plain.SideSwapFrames = []int64{20, 40}
	swapped := plain
	swapped.Media.Recipe.SwapFrames = plain.SideSwapFrames
	alone := split
	alone.Media.Recipe.SwapFrames = plain.SideSwapFrames
	turns := composed(schemas.LayoutInterleaved, nil,
		segment("a", "full", 0, 50, 0), segment("b", "full", 0, 40, 50), segment("a", "full", 50, 100, 90), segment("b", "full", 40, 80, 140))
	twice := composed(schemas.LayoutConcat, nil, segment("a", "full", 0, 100, 0), segment("a", "full", 0, 100, 100), segment("b", "full", 0, 80, 200))
	for name, tc := range map[string]struct {
		c                schemas.Composition
		start, end, want float64
	}{
		"never exchanged": {split, 1.5, 3, 1.5}, "plain variant": {plain, 1.5, 3, 0.5}, "swapped variant": {swapped, 1.5, 3, 0.5},
		"exchanged alone": {alone, 1.5, 3, 0.5}, "over two exchanges": {swapped, 1.3, 4.4, 0.4}, "between": {swapped, 2, 4, 2},
		"cut": {turns, 4.3, 5.6, 0.6}, "whole": {turns, 5, 6.4, 1.4}, "beyond the end": {turns, 20, 21, 0}, "repeated": {twice, 1, 2.5, 1.5},
	} {
		a, _ := lines(t, tc.c)
		if got := a.ShortestPiece(tc.start, tc.end); got < tc.want-1e-9 || got > tc.want+1e-9 {
			t.Errorf("%s: %.3f s of %g to %g, want %g", name, got, tc.start, tc.end, tc.want)
		}
	}
}

func TestInterleavedEventsAreCut(t *testing.T) {
	a, b := lines(t, composed(schemas.LayoutInterleaved, nil,
		segment("a", "full", 0, 50, 0), segment("b", "full", 0, 40, 50), segment("a", "full", 50, 100, 90), segment("b", "full", 40, 80, 140)))
	if got, want := a.Spans(4, 6), []Span{{4, 5}, {9, 10}}; !reflect.DeepEqual(got, want) {
		t.Errorf("spans of a cut event %v, want %v", got, want)
	}
	if !a.ShowsAll(4, 6) {
		t.Error("a cut event is all shown")
	}
	for _, tt := range []struct {
		line       Line
		start, end float64
		want       string
	}{{a, 1, 2, First}, {a, 4, 5, First}, {a, 4, 6, ""}, {a, 6, 7, Second}, {b, 3, 4, First}, {b, 4, 5, Second}} {
		if got := tt.line.Half(tt.start, tt.end); got != tt.want {
			t.Errorf("half of %g to %g is %q, want %q", tt.start, tt.end, got, tt.want)
		}
	}
}

func TestSidesFollowTheSwapFrames(t *testing.T) {
	a, b := lines(t, composed(schemas.LayoutSplit, []int64{20, 60}, segment("a", Left, 0, 80, 0), segment("b", Right, 0, 80, 0)))
	for _, tt := range []struct {
		start, end float64
		a, b       string
	}{{0, 2, Left, Right}, {2, 6, Right, Left}, {6, 8, Left, Right}, {1.9, 2.1, "", ""}, {1, 7, "", ""}, {9, 9.5, "", ""}} {
		if got := a.Side(tt.start, tt.end); got != tt.a {
			t.Errorf("a is on side %q from %g to %g, want %q", got, tt.start, tt.end, tt.a)
		}
		if got := b.Side(tt.start, tt.end); got != tt.b {
			t.Errorf("b is on side %q from %g to %g, want %q", got, tt.start, tt.end, tt.b)
		}
	}
	if a.ShowsAll(7.5, 8.5) || a.Shows(8) {
		t.Error("the split screen ends with the shorter video")
	}
}

// TestReelsAreFollowedThroughTheirClips shows a reel of clips in another place.
func TestReelsAreFollowedThroughTheirClips(t *testing.T) {
	c := composed(schemas.LayoutConcat, nil, segment("b", "full", 0, 80, 0), segment("x", "full", 5, 45, 80), segment("y", "full", 0, 60, 120))
	c.Pair.A.Parts = []schemas.Segment{segment("x", "full", 5, 45, 0), segment("y", "full", 0, 60, 40)}
	a, b := lines(t, c)
	if got, want := a.Spans(3, 6), []Span{{11, 14}}; !reflect.DeepEqual(got, want) {
		t.Errorf("spans across a joint %v, want one: %v", got, want)
	}
	if a.StartsBefore(b) || !a.ShowsAll(0, 10) {
		t.Error("b begins, and a is shown whole")
	}
}

func TestBadRecipesAreRefused(t *testing.T) {
	shared := composed(schemas.LayoutConcat, nil)
	shared.Pair.B = video("a", 100)
	twice := composed(schemas.LayoutConcat, nil)
	twice.Pair.A.Parts = []schemas.Segment{segment("x", "full", 0, 5, 0), segment("x", "full", 0, 5, 5)}
	for name, c := range map[string]schemas.Composition{
		"in both": shared, "twice in video A": twice,
		"part of neither":  composed(schemas.LayoutConcat, nil, segment("z", "full", 0, 5, 0)),
		"frames 90 to 101": composed(schemas.LayoutConcat, nil, segment("a", "full", 90, 101, 0)),
		"frames 5 to 5":    composed(schemas.LayoutConcat, nil, segment("a", "full", 5, 5, 0)),
	} {
		if _, _, err := Trace(c); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want an error with %q", err, name)
		}
	}
}
