package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// games paints a card table seen from above.
func games() painters {
	return painters{
		backdrops: map[string]Painter{"felt": felt},
		kinds:     map[string]Painter{"card": card, "stock": stock, "hand": hand, "rail": rail, "marker": marker, "button": button, "charm-place": charmPlace, "charm": charm},
	}
}

func felt(b *Brush, t scene.Thing, f field) {
	all := f.all()
	b.Rect(all, draw.Down(all, draw.Hex(0x6a4a32), draw.Hex(0x4a3222)))
	for i := range 40 {
		y := i*20 + b.Rnd.IntN(12)
		b.Rect(draw.PixelBox(0, y, t.Box[2], 1+b.Rnd.IntN(2)), draw.Hex(0x2e1d12).Fade(uint8(20+b.Rnd.IntN(40))))
	}
	cloth := map[string]uint32{"green": 0x2f6e4f, "blue": 0x2d5478, "brown": 0x74543a, "purple": 0x553d6e}[t.Look["felt"]]
	mat := all.Inset(draw.Px(14), draw.Px(14))
	p := new(draw.Path).Round(mat, draw.Px(120))
	b.Shadow(p, 12, 0, 3, draw.Hex(0x140c06).Fade(150))
	b.Fill(p, draw.Hex(0xc9a86a))
	inner := mat.Inset(draw.Px(6), draw.Px(6))
	b.Fill(new(draw.Path).Round(inner, draw.Px(114)), draw.Radial{At: draw.P(512, 340), Radius: draw.Px(640), A: draw.Hex(cloth).Mix(draw.Hex(0xffffff), 34), B: draw.Hex(cloth).Mix(draw.Hex(0x0c0c10), 70)})
	ring := inner.Inset(draw.Px(44), draw.Px(44))
	b.Stroke(new(draw.Path).Round(ring, draw.Px(84)), 96, draw.Hex(0xffffff).Fade(26))
	plate(b, [4]int{452, 512, 120, 34}, "You")
}

func plate(b *Brush, at [4]int, name string) {
	box := draw.PixelBox(at[0], at[1], at[2], at[3])
	p := new(draw.Path).Round(box, draw.Px(17))
	b.Shadow(p, 6, 0, 2, draw.Hex(0).Fade(90))
	b.Fill(p, draw.Down(box, draw.Hex(0xfbf6ea), draw.Hex(0xe6dcc6)))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(18), Ink: draw.Hex(0x2c2a28)}, box, draw.Center, name)
}

func sheet(b *Brush, box draw.Box, paper draw.Paint) {
	p := new(draw.Path).Round(box, draw.Px(9))
	b.Shadow(p, 2, 0, 1, draw.Hex(0x08120c).Fade(120))
	b.Shadow(p, 8, 1, 4, draw.Hex(0x08120c).Fade(80))
	b.Fill(p, paper)
}

// card is a card face up. Its colour fills it; its sign is large in a white oval and
// small in two corners.
func card(b *Brush, t scene.Thing, f field) {
	box := f.all()
	ink := Ink(t, scene.Colour, 0x444444)
	sheet(b, box, draw.Hex(0xfdfbf6))
	face := box.Inset(draw.Px(5), draw.Px(5))
	b.Fill(new(draw.Path).Round(face, draw.Px(6)), ink)
	oval := face.Inset(face.W/9, face.H/7)
	b.Fill(new(draw.Path).Oval(oval).Transform(draw.Rotate(draw.Turn/18, oval.Mid())), draw.Hex(0xfdfbf6))
	sign, size := t.Look[scene.Text], 52
	if len(sign) > 2 {
		size = 24
	} else if len(sign) > 1 {
		size = 38
	}
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(size), Ink: draw.Hex(0x25262b)}, oval, draw.Center, sign)
	small := draw.Style{Font: draw.SansBold, Size: draw.Px(13), Ink: draw.Hex(0xfdfbf6)}
	upper, _ := face.Cut(draw.Px(18))
	b.Line(small, upper.Inset(draw.Px(5), 0), draw.Left, sign)
	_, lower := face.Cut(face.H - draw.Px(18))
	b.Line(small, lower.Inset(draw.Px(5), 0), draw.Right, sign)
}

func back(b *Brush, box draw.Box) {
	sheet(b, box, draw.Hex(0xfdfbf6))
	face := box.Inset(draw.Px(4), draw.Px(4))
	b.Fill(new(draw.Path).Round(face, draw.Px(6)), draw.Down(face, draw.Hex(0x3a3f55), draw.Hex(0x24283a)))
	inner := face.Inset(draw.Px(6), draw.Px(6))
	b.Stroke(new(draw.Path).Round(inner, draw.Px(4)), 80, draw.Hex(0xd8b45a))
	mid := inner.Mid()
	size := min(inner.W, inner.H) / 4
	diamond := new(draw.Path).Move(draw.Point{X: mid.X, Y: mid.Y - size}).Line(
		draw.Point{X: mid.X + size, Y: mid.Y}, draw.Point{X: mid.X, Y: mid.Y + size}, draw.Point{X: mid.X - size, Y: mid.Y}).Close()
	b.Fill(diamond, draw.Hex(0xd8b45a))
}

func stock(b *Brush, t scene.Thing, _ field) {
	for i := range 4 {
		back(b, draw.PixelBox(t.Box[0]-3*i, t.Box[1]-3*i, t.Box[2], t.Box[3]))
	}
}

// hand is another player's cards, face down in a row, beside the name. Each shows a
// strip of its own, so that they can be counted.
func hand(b *Brush, t scene.Thing, _ field) {
	n := Number(t, scene.Count, 0)
	x, y, w, h := t.Box[0], t.Box[1], t.Box[2], t.Box[3]
	if t.Look["seat"] == "2" {
		step := min(58, (w-80)/max(1, n-1))
		for i := range n {
			back(b, draw.PixelBox(x+(w-80-step*(n-1))/2+i*step, y+14, 80, 112))
		}
		plate(b, [4]int{452, 178, 120, 34}, t.Look["name"])
		return
	}
	step := min(40, (h-84)/max(1, n-1))
	for i := range n {
		back(b, draw.PixelBox(x+18, y+(h-84-step*(n-1))/2+i*step, 112, 80))
	}
	left := 60
	if t.Look["seat"] == "3" {
		left = 868
	}
	plate(b, [4]int{left, 206, 96, 34}, t.Look["name"])
}

// rail is where the own cards are; they are its parts.
func rail(b *Brush, t scene.Thing, f field) {
	box := f.all()
	p := new(draw.Path).Round(box, draw.Px(24))
	b.Fill(p, draw.Hex(0x000000).Fade(46))
}

func marker(b *Brush, t scene.Thing, f field) {
	box := f.all()
	b.Shadow(new(draw.Path).Oval(box), 6, 0, 2, draw.Hex(0).Fade(110))
	b.Oval(box, draw.Down(box, draw.Hex(0xffdf6b), draw.Hex(0xf0a91e)))
	b.Icon("play", box.Inset(box.W/4, box.H/4), draw.Hex(0x4a3208))
}

func button(b *Brush, t scene.Thing, f field) {
	box := f.all()
	b.Shadow(new(draw.Path).Oval(box), 6, 0, 2, draw.Hex(0).Fade(110))
	b.Oval(box, draw.Down(box, draw.Hex(0xffffff), draw.Hex(0xd9dde3)))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(18), Ink: draw.Hex(0x9a2020)}, box, draw.Center, "D")
}

// charmPlace is a spot at a name plate, marked by a token alone.
func charmPlace(*Brush, scene.Thing, field) {}

// charm is a token with the icon of its name: "the star token".
func charm(b *Brush, t scene.Thing, f field) {
	box := f.all()
	b.Shadow(new(draw.Path).Oval(box), 6, 0, 2, draw.Hex(0).Fade(120))
	b.Oval(box, draw.Down(box, draw.Hex(0xe9d7b0), draw.Hex(0xb4905a)))
	b.Stroke(new(draw.Path).Oval(box.Inset(draw.Px(4), draw.Px(4))), 70, draw.Hex(0x6b4a22).Fade(140))
	b.Icon(iconOf(strings.TrimSuffix(t.Name, " token")), box.Inset(draw.Px(9), draw.Px(9)), draw.Hex(0x4a2f10))
}
