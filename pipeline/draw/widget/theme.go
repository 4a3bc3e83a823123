// Package widget draws what screens and pages are made of: text, tables, charts,
// cards, windows, documents and chats. Everything is measured before it is drawn,
// and everything that can decide an answer is marked (see draw.Mark).
package widget

import "github.com/memforge/memforge/pipeline/draw"

// Theme is the colours of a screen: tinted greys from ink to paper, one accent,
// and colours of series that differ in lightness, too.
type Theme struct {
	Ink, Muted, Faint, Line, Back, Paper draw.Color
	Accent, OnAccent, Good, Bad          draw.Color
	Series                               []draw.Color
}

// Light is a light theme around an accent.
func Light(accent draw.Color) Theme {
	return Theme{
		Ink: draw.Hex(0x17212b), Muted: draw.Hex(0x66727f), Faint: draw.Hex(0x8a95a1), Line: draw.Hex(0xe1e6eb), Back: draw.Hex(0xeef1f5), Paper: draw.Hex(0xffffff),
		Accent: accent, OnAccent: draw.Hex(0xffffff), Good: draw.Hex(0x2e9e5b), Bad: draw.Hex(0xd64545),
		Series: []draw.Color{draw.Hex(0x2563eb), draw.Hex(0xe4572e), draw.Hex(0x14805e), draw.Hex(0xe3a008), draw.Hex(0x7c4dbd), draw.Hex(0x5ab4cf), draw.Hex(0x8c5a3c), draw.Hex(0xc0447e)},
	}
}

// Dark is a dark theme around an accent.
func Dark(accent draw.Color) Theme {
	return Theme{
		Ink: draw.Hex(0xe7ecf2), Muted: draw.Hex(0x9aa7b5), Faint: draw.Hex(0x748192), Line: draw.Hex(0x2c3845), Back: draw.Hex(0x121a23), Paper: draw.Hex(0x1c2733),
		Accent: accent, OnAccent: draw.Hex(0xffffff), Good: draw.Hex(0x4cc481), Bad: draw.Hex(0xf07b7b),
		Series: []draw.Color{draw.Hex(0x6ea0ff), draw.Hex(0xff8a65), draw.Hex(0x3fbf94), draw.Hex(0xf3c54b), draw.Hex(0xb18cf0), draw.Hex(0x86d4ea), draw.Hex(0xc89a7c), draw.Hex(0xee86b7)},
	}
}

// Three sizes of text and two weights serve a screen.
func (t Theme) text(size int) draw.Style {
	return draw.Style{Font: draw.Sans, Size: draw.Px(size), Ink: t.Ink}
}

func (t Theme) strong(size int) draw.Style {
	return draw.Style{Font: draw.SansBold, Size: draw.Px(size), Ink: t.Ink}
}

func (t Theme) small() draw.Style { return t.text(12).In(t.Muted) }

func (t Theme) series(n int) draw.Color { return t.Series[n%len(t.Series)] }

// drawShadows draws the two shadows under a raised box: a tight one where it
// touches, a wide soft one.
func drawShadows(c *draw.Canvas, p *draw.Path) {
	shade := draw.Hex(0x1e3250)
	c.Shadow(p, 2, 0, 1, shade.Fade(36))
	c.Shadow(p, 10, 0, 4, shade.Fade(26))
}
