package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// posters paints advertisements, boards and the logos on them.
func posters() set {
	return set{
		backdrops: map[string]Painter{"poster": poster, "board": board},
		kinds:     map[string]Painter{"logo": logo},
	}
}

func poster(b *Brush, t scene.Thing) {
	all := Box(t)
	b.Rect(all, draw.Down(all, draw.Hex(0xbfd9ea), draw.Hex(0xf3e7cf)))
}

func board(b *Brush, t scene.Thing) {
	all := Box(t)
	b.Rect(all, draw.Down(all, draw.Hex(0xe9e4da), draw.Hex(0xd5ccbd)))
}

// logo is an emblem over a word and a line of small print, on a card.
func logo(b *Brush, t scene.Thing) {
	box := Box(t)
	card := new(draw.Path).Round(box, draw.Px(18))
	b.Shadow(card, 10, 0, 4, draw.Hex(0x1e2a3a).Fade(50))
	b.Fill(card, draw.Hex(0xfdfcf9))
	upper, lower := box.Cut(box.H * 58 / 100)
	at := upper.Mid()
	disc := draw.Disc(at, upper.H*40/100)
	b.Oval(disc, Ink(t, scene.Colour, 0x888888))
	words := strings.Fields(t.Look[scene.Which])
	b.Icon(words[len(words)-1], disc.Inset(disc.W/4, disc.H/4), draw.Hex(0xffffff))
	word, small := lower.Cut(lower.H * 55 / 100)
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(34), Ink: draw.Hex(0x22282f)}, word, draw.Center, t.Look["word"])
	b.Line(draw.Style{Font: draw.Serif, Size: draw.Px(20), Ink: draw.Hex(0x55606b)}, small, draw.Center, t.Look[scene.Text])
}
