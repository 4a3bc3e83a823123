package draw

import (
	"embed"
	"errors"
	"fmt"

	xfont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
)

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

// String is the font's name as its file has it.
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

// putBounded adds to a map that begins anew when it is full.
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

// walkText walks along a text and gives every glyph with its place from the start, in
// units; what comes out is the width of all.
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

// glyphMask is a glyph a number of quarters of a pixel to the right.
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
