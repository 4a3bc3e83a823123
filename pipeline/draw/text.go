package draw

import (
	"image"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font/sfnt"
)

// Style is how text looks. Size is that of the em, in units; Ink is opaque or not.
type Style struct {
	Font Font
	Size Unit
	Ink  Color
}

// Bounds of a style's size.
const (
	minSize = 4 * 64
	maxSize = 256 * 64
)

// In is the style with another colour.
func (t Style) In(ink Color) Style { t.Ink = ink; return t }

// Leading is the distance of lines, in whole pixels: 1.38 times the size.
func (t Style) Leading() Unit { return Px((t.size() * 138 / 100).Round()) }

// rise is how far above the baseline of a line its middle is: half of a capital.
func (t Style) rise() Unit { return t.size() * 36 / 100 }

func (t Style) size() Unit { return min(max(t.Size, minSize), maxSize) }

// Align places a line in its box.
type Align int

// The alignments.
const (
	Left Align = iota
	Center
	Right
)

// Width of a text in units. An absent character is an [ErrGlyph].
func (s *Studio) Width(t Style, text string) (Unit, error) {
	f, err := s.font(t.Font)
	if err != nil {
		return 0, err
	}
	return f.walkText(text, t.size(), nil)
}

// Width is the studio's; its error sticks.
func (c *Canvas) Width(t Style, text string) Unit {
	w, err := c.studio.Width(t, text)
	if err != nil {
		c.fail("measure %s: %w", quoteText(text), err)
	}
	return w
}

// Text writes one line from a point on its baseline and gives its width. It marks
// what it wrote.
func (c *Canvas) Text(t Style, at Point, text string) Unit {
	t.Size = t.size()
	f, err := c.studio.font(t.Font)
	if err != nil {
		c.fail("write %s: %w", quoteText(text), err)
		return 0
	}
	base := at.Y.Round()
	var box, whole image.Rectangle
	width, err := f.walkText(text, t.Size, func(g sfnt.GlyphIndex, x Unit) {
		x += at.X
		m, err := c.studio.glyphMask(f, glyphKey{t.Font, g, t.Size, uint8(x & 63 >> 4)})
		if err != nil {
			c.fail("write %s: %w", quoteText(text), err)
			return
		}
		pen := image.Pt(x.Floor(), base)
		box = box.Union(c.stamp(m, pen, t.Ink))
		whole = whole.Union(image.Rect(0, 0, m.w, m.h).Add(pen).Add(m.at))
	})
	if err != nil {
		c.fail("write %s: %w", quoteText(text), err)
	}
	if text != "" {
		c.addMark(Mark{Kind: "text", Text: text, Font: t.Font.String(), Size: t.Size, Color: t.Ink.String(), At: [2]Unit{at.X, Px(base)}, Cut: box != whole}, box)
	}
	return width
}

// Line writes one line into a box, in the middle of its height, and ends it with
// an ellipsis where it is too long.
func (c *Canvas) Line(t Style, b Box, align Align, text string) Unit {
	text = c.Shorten(t, text, b.W)
	w := c.Width(t, text)
	x := b.X
	switch align {
	case Center:
		x += (b.W - w) / 2
	case Right:
		x += b.W - w
	}
	return c.Text(t, Point{X: x, Y: b.Y + b.H/2 + t.rise()}, text)
}

const ellipsis = "…"

// Shorten cuts a text that is wider than w and ends it with an ellipsis.
func (c *Canvas) Shorten(t Style, text string, w Unit) string {
	if c.Width(t, text) <= w {
		return text
	}
	return c.fittingPrefix(t, text, w, ellipsis) + ellipsis
}

// fittingPrefix is as much of a text's beginning as leaves room for what follows it.
func (c *Canvas) fittingPrefix(t Style, text string, w Unit, tail string) string {
	runes := []rune(text)
	lo, hi := 0, len(runes)
	for lo < hi {
		n := (lo + hi + 1) / 2
		if c.Width(t, strings.TrimRightFunc(string(runes[:n]), unicode.IsSpace)+tail) <= w {
			lo = n
		} else {
			hi = n - 1
		}
	}
	return strings.TrimRightFunc(string(runes[:lo]), unicode.IsSpace)
}

// Wrap breaks a text into lines of at most a width, between words, at line breaks
// and within words that are wider.
func (c *Canvas) Wrap(t Style, text string, w Unit) []string {
	var lines []string
	for paragraph := range strings.SplitSeq(text, "\n") {
		line := ""
		for _, word := range strings.Fields(paragraph) {
			joined := strings.TrimSpace(line + " " + word)
			if c.Width(t, joined) <= w {
				line = joined
				continue
			}
			if line != "" {
				lines = append(lines, line)
			}
			for c.Width(t, word) > w && utf8.RuneCountInString(word) > 1 {
				head := c.fittingPrefix(t, word, w, "")
				if head == "" {
					head = string([]rune(word)[:1])
				}
				lines, word = append(lines, head), word[len(head):]
			}
			line = word
		}
		lines = append(lines, line)
	}
	return lines
}

// Block writes wrapped text into a box from its top and gives the height it took.
// What does not fit is cut with an ellipsis.
func (c *Canvas) Block(t Style, b Box, align Align, text string) Unit {
	lines, leading := c.Wrap(t, text, b.W), t.Leading()
	fit := max(1, int(b.H/leading))
	for i, l := range lines {
		if i == fit {
			break
		}
		if i == fit-1 && len(lines) > fit {
			l = c.fittingPrefix(t, l, b.W, ellipsis) + ellipsis
		}
		c.Line(t, Box{b.X, b.Y + Unit(i)*leading, b.W, leading}, align, l)
	}
	return Unit(min(fit, len(lines))) * leading
}

// quoteText is a text as an error shows it.
func quoteText(text string) string {
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + ellipsis
	}
	return "\"" + text + "\""
}
