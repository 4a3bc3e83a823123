package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func posters() painters {
	return painters{
		backdrops: map[string]Painter{"poster": poster, "board": board},
		kinds:     map[string]Painter{"logo": logo, "setting": setting, "rating": rating, "rosette": rosette},
	}
}

func poster(b *Brush, _ scene.Thing, f field) { b.Rect(f.all(), draw.Hex(0xf3e7cf)) }

func board(b *Brush, t scene.Thing, f field) {
	all := f.all()
	b.Rect(all, draw.Down(all, draw.Hex(0xd9b482), draw.Hex(0xc29a68)))
	for range 900 {
		b.Rect(draw.PixelBox(b.Rnd.IntN(t.Box[2]), b.Rnd.IntN(t.Box[3]), 2+b.Rnd.IntN(4), 2), draw.Hex([]uint32{0x9a7446, 0xe6c89a}[b.Rnd.IntN(2)]).Fade(110))
	}
	frame := tint(0x7a5230, 0x5a3a24, 0x3f4a52, 0xe9e4da)(b.Rnd)
	for _, side := range [][4]int{{0, 0, 1000, 20}, {0, 980, 1000, 20}, {0, 0, 15, 1000}, {985, 0, 15, 1000}} {
		slab(b, f.box(side[0], side[1], side[2], side[3]), 0, frame)
	}
}

// logo is an emblem on a patterned disc over a word and small print, on a card that
// hangs from a pin.
func logo(b *Brush, t scene.Thing, f field) {
	box := f.all()
	card := new(draw.Path).Round(box, draw.Px(18))
	b.Shadow(card, 10, 0, 4, draw.Hex(0x1e2a3a).Fade(90))
	b.Fill(card, draw.Linear{From: f.at(0, 0), To: f.at(1000, 1000), A: draw.Hex(0xfffefb), B: draw.Hex(0xf1ece2)})
	ink := Ink(t, scene.Colour, 0x888888)
	disc := draw.Disc(f.at(500, 300), f.tall(255))
	b.Oval(disc, ink)
	pattern(b, disc, t.Look[scene.Pattern], ink.Mix(paper(), 130))
	inner := disc.Inset(disc.W*21/100, disc.W*21/100)
	b.Oval(inner, ink)
	b.Stroke(new(draw.Path).Oval(inner), draw.Px(3), paper())
	words := strings.Fields(t.Look[scene.Which])
	b.Icon(words[len(words)-1], inner.Inset(inner.W/5, inner.H/5), draw.Hex(0xffffff))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(34), Ink: draw.Hex(0x22282f)}, f.box(0, 575, 1000, 150), draw.Center, t.Look["word"])
	b.Line(draw.Style{Font: draw.Serif, Size: draw.Px(20), Ink: draw.Hex(0x55606b)}, f.box(0, 720, 1000, 110), draw.Center, t.Look[scene.Text])
	pin := f.at(500, 12)
	if b.Scene.Backdrop == "board" {
		b.Oval(draw.Disc(draw.Point{X: pin.X + 192, Y: pin.Y + 256}, draw.Px(9)), umber().Fade(80))
		b.Oval(draw.Disc(pin, draw.Px(9)), draw.Radial{At: draw.Point{X: pin.X - 192, Y: pin.Y - 192}, Radius: draw.Px(12), A: draw.Hex(0xf6a090), B: draw.Hex(0xb8302a)})
	}
}

// pattern fills the rim of a disc with whole figures of a pattern.
func pattern(b *Brush, disc draw.Box, name string, ink draw.Color) {
	m, ok := motifs()[name]
	if !ok {
		return
	}
	n, p := 12, new(draw.Path)
	for k := range n {
		m(p, draw.Polar(disc.Mid(), disc.W*39/100, draw.Turn*draw.Angle(k)/draw.Angle(n)), disc.W*19/100)
	}
	b.Fill(p, ink)
}

func rating(b *Brush, t scene.Thing, f field) {
	n := Number(t, scene.Count, 0)
	for i := range n {
		at := f.at(500+(2*i-n+1)*80, 500)
		b.Object(MarkItem, t.Class, "", func() {
			p := new(draw.Path)
			spikes(p, at, 10, f.tall(440), f.tall(190))
			b.Fill(p, draw.Hex(0xe0a526))
		})
	}
}

func rosette(b *Brush, t scene.Thing, f field) {
	mid := f.at(500, 330)
	for _, ribbon := range [][]int{{300, 420, 520, 420, 430, 1000, 300, 890, 140, 940}, {480, 420, 700, 420, 860, 940, 700, 890, 570, 1000}} {
		b.Fill(f.shape(ribbon...), draw.Down(f.all(), draw.Hex(0xd8453c), draw.Hex(0x9a2420)))
	}
	pleats := new(draw.Path)
	spikes(pleats, mid, 18, f.wide(500), f.wide(410))
	b.Shadow(pleats, 4, 0, 2, umber().Fade(120))
	b.Fill(pleats, draw.Radial{At: mid, Radius: f.wide(520), A: draw.Hex(0xf06a5a), B: draw.Hex(0xb8302a)})
	b.Oval(draw.Disc(mid, f.wide(300)), draw.Radial{At: f.at(440, 270), Radius: f.wide(420), A: draw.Hex(0xffe9a8), B: draw.Hex(0xd9a030)})
	b.Icon("star", draw.Disc(mid, f.wide(190)), draw.Hex(0x8a5a10))
}
