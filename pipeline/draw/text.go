package draw

import (
	"embed"
	"errors"
	"fmt"
	"image"
	"strings"
	"unicode"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
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

// In returns the style with another colour.
func (t Style) In(ink Color) Style { t.Ink = ink; return t }

// Leading returns the distance of lines, in whole pixels: 1.38 times the size.
func (t Style) Leading() Unit { return Px((t.size() * 138 / 100).Round()) }

// rise returns how far above the baseline of a line its middle is: half of a
// capital.
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

// Width returns the width of a text in units. An absent character is an
// [ErrGlyph].
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

func quoteText(text string) string {
	if r := []rune(text); len(r) > 40 {
		text = string(r[:40]) + ellipsis
	}
	return "\"" + text + "\""
}

// Font is one of the embedded fonts. Their licences lie beside them.
type Font int

// The fonts: Inter in three weights, Literata in two, JetBrains Mono and Comic
// Neue. They hold Latin, Greek and Cyrillic letters (Comic Neue Latin ones); no
// East Asian ones, no Arabic, no emoji.
const (
	Sans Font = iota
	SansMedium
	SansBold
	Serif
	SerifBold
	Mono
	Comic
	fontCount
)

var fontNames = [fontCount]string{"inter-regular", "inter-medium", "inter-bold", "literata-regular", "literata-bold", "jetbrains-mono-regular", "comic-neue-bold"}

// String returns the font's name as its file has it.
func (f Font) String() string { return fontNames[f] }

//go:embed fonts/*.ttf
var fontFiles embed.FS

// ErrGlyph says that a font has no picture of a character. It concerns the text.
var ErrGlyph = errors.New("the font has no such character")

// font is one that a studio has read.
type font struct {
	name   Font
	sfnt   *sfnt.Font
	buf    sfnt.Buffer
	glyphs map[rune]sfnt.GlyphIndex
	widths map[glyphKey]Unit
	kerns  map[kernKey]Unit
}

type (
	glyphKey struct {
		font  Font
		glyph sfnt.GlyphIndex
		size  Unit
		part  uint8 // of a pixel to the right, in quarters
	}
	kernKey struct {
		a, b sfnt.GlyphIndex
		size Unit
	}
)

// maxCached bounds what a font keeps of each kind.
const maxCached = 1 << 14

func (s *Studio) font(f Font) (*font, error) {
	if f < 0 || f >= fontCount {
		return nil, fmt.Errorf("font %d: there are %d", f, fontCount)
	}
	if s.fonts[f] != nil {
		return s.fonts[f], nil
	}
	data, err := fontFiles.ReadFile("fonts/" + fontNames[f] + ".ttf")
	if err != nil {
		return nil, err
	}
	parsed, err := sfnt.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("font %s: %w", f, err)
	}
	s.fonts[f] = &font{name: f, sfnt: parsed, glyphs: map[rune]sfnt.GlyphIndex{}, widths: map[glyphKey]Unit{}, kerns: map[kernKey]Unit{}}
	return s.fonts[f], nil
}

func (f *font) glyph(r rune) (sfnt.GlyphIndex, error) {
	if g, ok := f.glyphs[r]; ok {
		return g, nil
	}
	g, err := f.sfnt.GlyphIndex(&f.buf, r)
	if err != nil {
		return 0, fmt.Errorf("character %q in %s: %w", r, f.name, err)
	}
	if g == 0 {
		return 0, fmt.Errorf("%w: %q in %s; leave it out or choose another word", ErrGlyph, r, f.name)
	}
	putBounded(f.glyphs, r, g)
	return g, nil
}

// putBounded adds to a map, which it empties first when it is full.
func putBounded[K comparable, V any](m map[K]V, k K, v V) {
	if len(m) >= maxCached {
		clear(m)
	}
	m[k] = v
}

func (f *font) advance(g sfnt.GlyphIndex, size Unit) Unit {
	key := glyphKey{glyph: g, size: size}
	if w, ok := f.widths[key]; ok {
		return w
	}
	w, err := f.sfnt.GlyphAdvance(&f.buf, g, size, xfont.HintingNone)
	if err != nil {
		w = 0
	}
	putBounded(f.widths, key, w)
	return w
}

func (f *font) kern(a, b sfnt.GlyphIndex, size Unit) Unit {
	key := kernKey{a, b, size}
	if k, ok := f.kerns[key]; ok {
		return k
	}
	k, err := f.sfnt.Kern(&f.buf, a, b, size, xfont.HintingNone)
	if err != nil {
		k = 0 // no pair
	}
	putBounded(f.kerns, key, k)
	return k
}

// walkText calls visit for every glyph of a text with its place from the start,
// in units, and returns the width of all.
func (f *font) walkText(text string, size Unit, visit func(sfnt.GlyphIndex, Unit)) (Unit, error) {
	var at Unit
	var before sfnt.GlyphIndex
	for i, r := range text {
		g, err := f.glyph(r)
		if err != nil {
			return at, err
		}
		if i > 0 {
			at += f.kern(before, g, size)
		}
		if visit != nil {
			visit(g, at)
		}
		at += f.advance(g, size)
		before = g
	}
	return at, nil
}

// glyphMask returns a glyph a number of quarters of a pixel to the right.
func (s *Studio) glyphMask(f *font, key glyphKey) (*mask, error) {
	if m := s.glyphs.get(key); m != nil {
		return m, nil
	}
	segments, err := f.sfnt.LoadGlyph(&f.buf, key.glyph, key.size, nil)
	if err != nil {
		return nil, fmt.Errorf("glyph %d of %s: %w", key.glyph, f.name, err)
	}
	var p Path
	by := Point{X: Unit(key.part) * 16}
	for _, g := range segments {
		a, b, c := g.Args[0].Add(by), g.Args[1].Add(by), g.Args[2].Add(by)
		switch g.Op {
		case sfnt.SegmentOpMoveTo:
			p.Move(a)
		case sfnt.SegmentOpLineTo:
			p.Line(a)
		case sfnt.SegmentOpQuadTo:
			p.Quad(a, b)
		case sfnt.SegmentOpCubeTo:
			p.Cubic(a, b, c)
		}
	}
	m := &mask{}
	if len(segments) > 0 {
		m = s.rasteriseMask(&p, p.bounds().pixels().Inset(-1))
	}
	s.glyphs.put(key, m)
	return m, nil
}
