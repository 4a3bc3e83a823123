package paint

import (
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// townHouses paints the houses of a street with their shops.
func townHouses() painters {
	return painters{kinds: map[string]Painter{"shop-house": shopHouse, "awning": awning, "shop-sign": shopSign, "terrace": terrace}}
}

// iconOf is the icon for what questions call a figure or a shop.
func iconOf(name string) string {
	name = strings.TrimPrefix(name, "the ")
	icons := map[string]string{
		"bakery": "cake", "bookshop": "book-open", "florist": "flower", "toy shop": "rocket", "tailor": "shirt", "bicycle shop": "bike", "music shop": "guitar", "pharmacy": "pill",
		"optician": "glasses", "hairdresser": "scissors", "fishmonger": "fish", "wine shop": "wine", "locksmith": "key", "watchmaker": "watch", "umbrella shop": "umbrella", "pet shop": "dog",
	}
	if icon, ok := icons[name]; ok {
		return icon
	}
	return name
}

// facade is the colour of a house's wall: pale, so that nobody takes it for what is
// asked.
func facade(r *rand.Rand) uint32 {
	return []uint32{0xe8d9b8, 0xdcc4a8, 0xcfd6c8, 0xe3cfc6, 0xc9d3da, 0xe6dfd0, 0xd6c7b4, 0xd9d2e0}[r.IntN(8)]
}

// gable is the outline of a roof over a house, by its shape.
func gable(f field, shape int) *draw.Path {
	switch shape {
	case 0:
		return f.shape(-20, 220, 500, 20, 1020, 220)
	case 1:
		return f.shape(-15, 220, 60, 90, 940, 90, 1015, 220)
	case 2: // stepped
		return f.shape(0, 220, 0, 170, 150, 170, 150, 120, 300, 120, 300, 70, 430, 70, 430, 20, 570, 20, 570, 70, 700, 70, 700, 120, 850, 120, 850, 170, 1000, 170, 1000, 220)
	}
	p := new(draw.Path).Move(f.at(0, 220)).Cubic(f.at(40, 120), f.at(180, 180), f.at(220, 90)).Cubic(f.at(300, 0), f.at(700, 0), f.at(780, 90)).Cubic(f.at(820, 180), f.at(960, 120), f.at(1000, 220))
	return p.Close()
}

func shopHouse(b *Brush, t scene.Thing) {
	f, r, m := over(t), steady(t), moodOf(b.Scene)
	wall := m.below(facade(r))
	shape := r.IntN(4)
	if shape < 2 {
		b.Fill(gable(f, shape), draw.Down(f.box(0, 20, 1, 200), m.roof(r.IntN(3)), m.roof(r.IntN(3)).Mix(umber(), 40)))
		chimney := f.box(680+r.IntN(120), 10, 90, 120)
		b.Rect(chimney, draw.Across(chimney, m.below(0xb0705a), m.below(0x7a4636)))
	} else {
		lit(b, gable(f, shape), f.all(), wall)
		b.Oval(draw.Disc(f.at(500, 130), f.wide(55)), m.pane())
		if m.by > 200 {
			b.Rect(f.box(300, 14, 400, 14), draw.Hex(0xf6f9fc))
		}
	}
	lit(b, new(draw.Path).Rect(f.box(0, 218, 1000, 782)), f.all(), wall)
	b.Rect(f.box(0, 218, 1000, 14), wall.Mix(umber(), 60))
	upperFloor(b, f, r, m)
	shopFront(b, f, t, m)
	hangingSign(b, f, t)
}

func upperFloor(b *Brush, f field, r *rand.Rand, m daylight) {
	n, shutters := 2+r.IntN(2), r.IntN(2) == 0
	if shutters {
		n = 2
	}
	ink := []uint32{0x5c7a68, 0x6a5a4a, 0x4f6478, 0x7a5560}[r.IntN(4)]
	for i := range n {
		w := 150
		x := 35 + 690*(2*i+1)/(2*n) - w/2
		box := f.box(x, 255, w, 165)
		b.Rect(box.Inset(-draw.Px(4), -draw.Px(4)), m.below(0xf6f2ea))
		b.Rect(box, draw.Linear{From: draw.Point{X: box.X, Y: box.Y}, To: draw.Point{X: box.X + box.W, Y: box.Y + box.H}, A: m.pane().Mix(paper(), 80), B: m.pane()})
		b.Rect(draw.Box{X: box.X + box.W/2 - 64, Y: box.Y, W: 128, H: box.H}, m.below(0xf6f2ea))
		if shutters {
			for _, s := range []draw.Unit{box.X - draw.Px(19), box.X + box.W + draw.Px(5)} {
				b.Rect(draw.Box{X: s, Y: box.Y - 128, W: draw.Px(14), H: box.H + 256}, m.below(ink))
			}
			continue
		}
		sill := f.box(x-25, 424, w+50, 16)
		b.Rect(sill, m.below(0xd8cfc0))
		for k := range 5 {
			b.Oval(draw.Disc(f.at(x-5+40*k, 414-(k%2)*6), f.wide(24)), m.below([]uint32{0xd9566a, 0x5f8f56, 0xf0c04a}[(k+r.IntN(2))%3]))
		}
	}
}

// shopFront is the window with what the shop sells, a door, and the house number.
func shopFront(b *Brush, f field, t scene.Thing, m daylight) {
	b.Rect(f.box(0, 450, 1000, 550), m.below([]uint32{0x4f5a52, 0x5a4a40, 0x45505c, 0x6a5a4c}[Number(t, "vary", 0)%4]))
	glass := f.box(60, 690, 560, 230)
	b.Rect(glass.Inset(-draw.Px(5), -draw.Px(5)), draw.Hex(0xf2ece0))
	warm := draw.Hex(0xfff3d4)
	if !m.dark {
		warm = draw.Hex(0xe9e6da)
	}
	b.Rect(glass, draw.Down(glass, warm, warm.Mix(draw.Hex(0xb09468), 90)))
	icon := iconOf(t.Look[scene.Which])
	for i := range 3 {
		side := f.wide(150)
		at := f.at(75+180*i, 722+b.Rnd.IntN(20))
		in := draw.Box{X: at.X, Y: at.Y, W: side, H: side}
		b.Rect(draw.Box{X: in.X + side/8, Y: in.Y + side, W: side * 3 / 4, H: draw.Px(30)}, draw.Hex(0x8a6a48))
		b.Icon(icon, in, tint(0xa33a34, 0x2f5f8f, 0x2f6f4a, 0x6a3f86, 0x8a5a20)(b.Rnd))
	}
	b.Fill(f.shape(60, 690, 200, 690, 110, 920, 60, 920), paper().Fade(50))
	b.Rect(f.box(40, 940, 600, 60), draw.Hex(0x2f2a26).Fade(120))
	door := f.box(700, 690, 240, 310)
	slab(b, door, 3, draw.Hex([]uint32{0x6a4630, 0x3f5a4c, 0x41506a, 0x7a4a44}[Number(t, "vary", 0)/4%4]))
	b.Rect(f.box(735, 715, 170, 150), m.pane().Mix(paper(), 60))
	b.Oval(draw.Disc(f.at(730, 890), draw.Px(4)), draw.Hex(0xe0bf6a))
	plate := f.box(750, 880, 140, 62)
	b.RoundRect(plate, draw.Px(3), draw.Hex(0xf8f6ee))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(18), Ink: draw.Hex(0x1d3f7a)}, plate, draw.Center, t.Look["number"])
}

// hangingSign is the board of a trade on an iron arm.
func hangingSign(b *Brush, f field, t scene.Thing) {
	arm := f.box(740, 268, 260, 10)
	b.Rect(arm, draw.Hex(0x2a2624))
	b.Stroke(new(draw.Path).Move(f.at(1000, 330)).Quad(f.at(930, 330), f.at(900, 275)), draw.Px(2), draw.Hex(0x2a2624))
	board := f.box(745, 290, 240, 136)
	slab(b, board, 6, draw.Hex(0xf7efd8))
	b.Stroke(new(draw.Path).Round(board.Inset(draw.Px(3), draw.Px(3)), draw.Px(4)), draw.Px(2), draw.Hex(0x7a5a2c))
	side := board.H - draw.Px(10)
	b.Icon(iconOf(t.Look[scene.Which]), draw.Box{X: board.X + (board.W-side)/2, Y: board.Y + draw.Px(5), W: side, H: side}, draw.Hex(0x4a2f1c))
}

// awning is drawn out over a shop window, of one colour.
func awning(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x888888)
	p := new(draw.Path).Move(f.at(30, 0)).Line(f.at(970, 0), f.at(1000, 740))
	for i := range 8 {
		x := 1000 - 125*i
		p.Quad(f.at(x-62, 1180), f.at(x-125, 740))
	}
	p.Close()
	b.Shadow(p, 6, 0, 6, umber().Fade(110))
	lit(b, p, f.all(), ink)
	b.Rect(f.box(4, 730, 992, 30), ink.Mix(umber(), 60))
}

// shopSign is the board with a shop's name.
func shopSign(b *Brush, t scene.Thing) {
	f := over(t)
	n := Number(t, "vary", 0)
	board := draw.Hex([]uint32{0x2f3b36, 0xf3ead6, 0x3a2a22, 0x27384c}[n%4])
	ink := draw.Hex([]uint32{0xf6e7b8, 0x3a2a22, 0xf3e2c0, 0xf2f2ea}[n%4])
	slab(b, f.all(), 4, board)
	font := []draw.Font{draw.SerifBold, draw.SansBold, draw.Comic, draw.SansMedium}[n/4%4]
	b.Line(draw.Style{Font: font, Size: draw.Px(25), Ink: ink}, f.all().Inset(draw.Px(6), 0), draw.Center, t.Look[scene.Text])
}

// terrace is a row of houses that nobody is asked about, behind a place.
func terrace(b *Brush, t scene.Thing) {
	f, r, m := over(t), steady(t), moodOf(b.Scene)
	n := 6
	for i := range n {
		h := f.part(1000*i/n, r.IntN(140), 1000/n, 0)
		h.h = f.y + f.h - h.y
		wall := m.below(facade(r))
		b.Fill(gable(h, r.IntN(2)), m.roof(r.IntN(3)))
		lit(b, new(draw.Path).Rect(h.box(0, 218, 1000, 800)), h.all(), wall)
		for row := range 3 {
			for col := range 2 {
				pane := h.box(180+420*col, 290+220*row, 220, 130)
				b.Rect(pane.Inset(-draw.Px(3), -draw.Px(3)), m.below(0xf6f2ea))
				b.Rect(pane, m.pane())
			}
		}
	}
}
