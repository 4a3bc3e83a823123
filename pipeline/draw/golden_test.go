package draw

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// TestGoldenShapes pins the pixels and marks of shapes and lines of text.
func TestGoldenShapes(t *testing.T) {
	ink, other := Hex(0x204060), Hex(0xc05010)
	text := Style{Font: Sans, Size: Px(14), Ink: ink}
	shapes := map[string]func(c *Canvas){
		"corners of four radii": func(c *Canvas) {
			c.Fill(new(Path).Corners(PixelBox(5, 7, 90, 60), [4]Unit{Px(3), Px(9), Px(16), Px(25)}), ink)
		},
		"corners too round": func(c *Canvas) { c.RoundRect(PixelBox(5, 7, 90, 20), Px(50), ink) },
		"oval":              func(c *Canvas) { c.Oval(Box{Px(5) + 13, Px(7) + 31, Px(80) + 7, Px(50) + 3}, ink) },
		"stroke": func(c *Canvas) {
			c.Stroke(new(Path).Move(P(5, 5)).Line(P(60, 15), P(20, 70)).Quad(P(90, 70), P(95, 20)), Px(5), ink)
		},
		"closed stroke":    func(c *Canvas) { c.Stroke(new(Path).Move(P(10, 10)).Line(P(80, 15), P(50, 70)).Close(), Px(3), ink) },
		"cubic":            func(c *Canvas) { c.Fill(new(Path).Move(P(5, 70)).Cubic(P(5, 5), P(95, 5), P(95, 70)).Close(), ink) },
		"two that overlap": func(c *Canvas) { c.Fill(new(Path).Rect(PixelBox(10, 10, 60, 40)).Rect(PixelBox(30, 20, 60, 50)), ink) },
		"half seen through": func(c *Canvas) {
			c.Rect(PixelBox(10, 10, 50, 50), ink)
			c.Rect(PixelBox(30, 30, 60, 40), other.Fade(90))
		},
		"mixed": func(c *Canvas) {
			c.Rect(PixelBox(0, 0, 50, 80), ink.Mix(other, 64))
			c.Rect(PixelBox(50, 0, 50, 80), ink.Mix(other, 256))
		},
		"shadow":  func(c *Canvas) { c.Shadow(new(Path).Rect(PixelBox(20, 20, 50, 30)), 6, 3, 5, ink.Fade(160)) },
		"clipped": func(c *Canvas) { c.Clip(PixelBox(10, 10, 30, 30), func() { c.Oval(PixelBox(0, 0, 90, 70), ink) }) },
		"inset, cut and split": func(c *Canvas) {
			in := PixelBox(0, 0, 100, 80).Inset(Px(8), Px(5))
			upper, lower := in.Cut(Px(30))
			left, right := lower.Split(Px(20))
			for i, b := range []Box{upper, left, right} {
				c.Rect(b, Hex(uint32(0x303030*(i+1))))
			}
			c.Oval(Disc(in.Mid(), Px(6)), other)
		},
		"left":    func(c *Canvas) { c.Line(text, PixelBox(5, 5, 90, 20), Left, "Falcon") },
		"centre":  func(c *Canvas) { c.Line(text, PixelBox(5, 5, 90, 20), Center, "Falcon") },
		"right":   func(c *Canvas) { c.Line(text, PixelBox(5, 5, 90, 20), Right, "Falcon") },
		"cut":     func(c *Canvas) { c.Line(text, PixelBox(5, 5, 40, 20), Left, "A long line of words") },
		"a block": func(c *Canvas) { c.Block(text, PixelBox(5, 5, 60, 70), Left, "A long line of words that is wrapped") },
		"in mono": func(c *Canvas) { c.Text(Style{Font: Mono, Size: Px(11), Ink: other}, P(4, 40), "0123 AVAT") },
		"an object": func(c *Canvas) {
			c.Object("thing", "lamp", "red", func() {
				c.Rect(PixelBox(3, 4, 20, 10), ink)
				c.Object("part", "bulb", "", func() { c.Oval(PixelBox(5, 5, 4, 4), other) })
			})
		},
	}
	var out strings.Builder
	names := make([]string, 0, len(shapes))
	for name := range shapes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c := canvas(t, 100, 80)
		shapes[name](c)
		if err := c.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(&out, "%s: %.12s %s\n", name, c.PixelDigest(), golden.JSON(t, c.Marks()))
	}
	golden.Check(t, "shapes", out.String())
}
