package paint

import (
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func townHouses() painters {
	return painters{kinds: map[string]Painter{"shop-house": shopHouse, "awning": awning, "shop-sign": shopSign, "terrace": terrace}}
}

// iconOf returns the icon of a figure or a shop.
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

// facade is the pale colour of a house's wall, unlike any that is asked about.
func facade(r *rand.Rand) uint32 {
	return []uint32{0xe8d9b8, 0xdcc4a8, 0xcfd6c8, 0xe3cfc6, 0xc9d3da, 0xe6dfd0, 0xd6c7b4, 0xd9d2e0}[r.IntN(8)]
}

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

func shopHouse(b *Brush, t scene.Thing, f field) {
	r, m := steady(t), moodOf(b.Scene)
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

// shopFront is the window with the goods of the shop, a door, and the house number.
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

func awning(b *Brush, t scene.Thing, f field) {
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

func shopSign(b *Brush, t scene.Thing, f field) {
	n := Number(t, "vary", 0)
	board := draw.Hex([]uint32{0x2f3b36, 0xf3ead6, 0x3a2a22, 0x27384c}[n%4])
	ink := draw.Hex([]uint32{0xf6e7b8, 0x3a2a22, 0xf3e2c0, 0xf2f2ea}[n%4])
	slab(b, f.all(), 4, board)
	font := []draw.Font{draw.SerifBold, draw.SansBold, draw.Comic, draw.SansMedium}[n/4%4]
	b.Line(draw.Style{Font: font, Size: draw.Px(25), Ink: ink}, f.all().Inset(draw.Px(6), 0), draw.Center, t.Look[scene.Text])
}

// terrace is a row of houses behind a place.
func terrace(b *Brush, t scene.Thing, f field) {
	r, m := steady(t), moodOf(b.Scene)
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

func vehicles() painters {
	return painters{kinds: map[string]Painter{
		"van": van, "taxi": taxi, "scooter": scooter, "bus": bus, "bay": bay, "canopy": canopy,
		"kiosk": kiosk, "flower-cart": flowerCart, "ice-cart": iceCart, "postbox": postbox, "phone-box": phoneBox, "poster-column": posterColumn,
	}}
}

func wheel(b *Brush, at draw.Point, radius draw.Unit) {
	b.Oval(draw.Disc(at, radius), draw.Hex(0x22242a))
	b.Oval(draw.Disc(at, radius*55/100), draw.Hex(0xb4bac0))
	b.Oval(draw.Disc(at, radius*22/100), draw.Hex(0x5c636b))
}

func wheels(b *Brush, f field, y, radius int, xs ...int) {
	for _, x := range xs {
		wheel(b, f.at(x, y), f.wide(radius))
	}
}

func van(b *Brush, t scene.Thing, f field) {
	ground(b, f)
	body := new(draw.Path).Corners(f.box(0, 60, 720, 780), [4]draw.Unit{draw.Px(10), draw.Px(4), 0, draw.Px(6)})
	white := draw.Hex(0xf3f1ea)
	raised(b, body, f.all(), white)
	lit(b, f.blob(690, 100, 860, 140, 980, 500, 1000, 850, 690, 850, 700, 400), f.all(), white)
	b.Fill(f.shape(740, 200, 840, 210, 920, 460, 740, 460), draw.Hex(0x6f94ac))
	b.Rect(f.box(0, 690, 990, 60), draw.Hex(0x3f6f9a))
	b.Rect(f.box(965, 560, 30, 80), draw.Hex(0xffe39a))
	wheels(b, f, 850, 82, 200, 800)
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(20), Ink: draw.Hex(0x24466e)}, f.box(20, 200, 680, 400), draw.Center, t.Look[scene.Text])
}

func taxi(b *Brush, t scene.Thing, f field) {
	ground(b, f)
	paint := draw.Hex(0xf2d9a0)
	cabin := new(draw.Path).Move(f.at(200, 480)).Cubic(f.at(280, 220), f.at(320, 180), f.at(460, 180)).Line(f.at(620, 180)).Cubic(f.at(740, 190), f.at(790, 340), f.at(850, 490)).Close()
	b.Fill(cabin, paint.Mix(umber(), 40))
	b.Fill(f.shape(270, 470, 350, 250, 510, 250, 510, 470), draw.Hex(0x6f94ac))
	b.Fill(f.shape(545, 250, 660, 250, 770, 470, 545, 470), draw.Hex(0x6f94ac))
	raised(b, f.blob(0, 520, 120, 440, 500, 450, 900, 450, 1020, 560, 1010, 880, 500, 860, -10, 880), f.all(), paint)
	for i := range 14 {
		if i%2 == 0 {
			b.Rect(f.box(140+52*i, 620, 50, 36), draw.Hex(0x2a2624))
		}
	}
	sign := f.box(400, 70, 190, 120)
	b.RoundRect(sign, draw.Px(4), draw.Hex(0xfff3b0))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(13), Ink: draw.Hex(0x2a2624)}, sign, draw.Center, "TAXI")
	wheels(b, f, 850, 85, 210, 790)
}

func scooter(b *Brush, t scene.Thing, f field) {
	f = f.part(150, 100, 700, 900)
	ground(b, f)
	ink := draw.Hex(0x7fae9c)
	b.Stroke(new(draw.Path).Move(f.at(760, 780)).Line(f.at(680, 160), f.at(590, 120)), draw.Px(6), draw.Hex(0x5c636b))
	wheels(b, f, 850, 115, 220, 790)
	raised(b, f.blob(60, 560, 200, 460, 440, 480, 470, 700, 640, 720, 660, 260, 740, 260, 800, 640, 760, 820, 360, 830, 330, 760, 100, 760), f.all(), ink)
	slab(b, f.box(90, 400, 360, 110), 7, draw.Hex(0x4a3428))
	b.Oval(draw.Disc(f.at(730, 300), f.wide(55)), draw.Hex(0xfff3c0))
	slab(b, f.box(0, 180, 230, 240), 5, draw.Hex(0xb08a5a))
}

// bus is seen from the front, with its line over the windscreen.
func bus(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	for _, x := range []int{80, 790} {
		b.RoundRect(f.box(x, 880, 130, 120), draw.Px(4), draw.Hex(0x22242a))
	}
	raised(b, new(draw.Path).Corners(f.box(0, 0, 1000, 930), [4]draw.Unit{draw.Px(16), draw.Px(16), draw.Px(6), draw.Px(6)}), f.all(), ink)
	b.RoundRect(f.box(35, 30, 930, 100), draw.Px(4), draw.Hex(0x17191d))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(20), Ink: draw.Hex(0xffc23a)}, f.box(35, 30, 930, 100), draw.Center, t.Look[scene.Text])
	glass := f.box(60, 150, 880, 210)
	b.RoundRect(glass, draw.Px(8), draw.Linear{From: f.at(0, 150), To: f.at(1000, 360), A: draw.Hex(0xa9c8d8), B: draw.Hex(0x3d5566)})
	b.Rect(f.box(490, 150, 20, 210), draw.Hex(0x17191d))
	b.Oval(f.box(650, 215, 120, 95), draw.Hex(0x2a3038).Fade(190))
	b.Rect(f.box(630, 300, 160, 60), draw.Hex(0x2a3038).Fade(190))
	for _, x := range []int{-75, 1005} {
		b.RoundRect(f.box(x, 170, 70, 130), draw.Px(3), draw.Hex(0x22242a))
	}
	for y := 650; y < 730; y += 24 {
		b.RoundRect(f.box(250, y, 500, 12), draw.Px(2), umber().Fade(110))
	}
	b.Stroke(new(draw.Path).Move(f.at(480, 352)).Line(f.at(250, 240)), draw.Px(2), draw.Hex(0x17191d))
	b.Stroke(new(draw.Path).Move(f.at(880, 352)).Line(f.at(640, 240)), draw.Px(2), draw.Hex(0x17191d))
	for _, x := range []int{70, 800} {
		b.Oval(f.box(x, 690, 130, 60), draw.Hex(0xfff6d0))
	}
	b.RoundRect(f.box(300, 800, 400, 70), draw.Px(3), draw.Hex(0x3a3f45))
	b.Rect(f.box(0, 880, 1000, 50), draw.Hex(0x2a2e34))
}

// bay is a bus stop, with its letter on a post and something beside it.
func bay(b *Brush, t scene.Thing, f field) {
	post := f.box(820, 100, 36, 880)
	b.Rect(post, draw.Across(post, draw.Hex(0xb4bac0), draw.Hex(0x5c636b)))
	plate := draw.PixelBox(f.x+f.w*838/1000-26, f.y+18, 52, 52)
	slab(b, plate, 8, draw.Hex(0xf6d04a))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(32), Ink: draw.Hex(0x1d1f24)}, plate, draw.Center, t.Look["letter"])
	if paint, ok := kerbside()[t.Look[scene.Beside]]; ok {
		paint(b, f.part(660, 780, 330, 190))
	}
}

func canopy(b *Brush, t scene.Thing, f field) {
	m := moodOf(b.Scene)
	b.Rect(f.box(0, 200, 1000, 800), draw.Down(f.all(), m.below(0xa8b4bc), m.below(0x8a969e)))
	for x := 10; x < 1000; x += 90 {
		b.Rect(f.box(x, 230, 80, 760), m.pane().Mix(paper(), 110).Fade(130))
	}
	roof := f.box(-10, 0, 1020, 130)
	b.Shadow(new(draw.Path).Rect(roof), 10, 0, 12, umber().Fade(110))
	b.Rect(roof, draw.Down(roof, draw.Hex(0x4a6a7a).Mix(m.ground, m.by/3), draw.Hex(0x2c4250).Mix(m.ground, m.by/3)))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(28), Ink: draw.Hex(0xf4f6f6)}, f.box(0, 10, 1000, 110), draw.Center, "BUS STATION")
}

func kiosk(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	slab(b, f.box(60, 230, 880, 770), 3, ink)
	b.Rect(f.box(120, 250, 760, 110), draw.Hex(0x2f2a26))
	for i := range 6 {
		b.Rect(f.box(140+122*i, 262, 104, 92), tint(0xf4efe2, 0xd9604a, 0x5a9ab0, 0xf0c24a)(b.Rnd))
	}
	slab(b, f.box(30, 640, 940, 60), 2, draw.Hex(0xe9dfc8))
	b.Fill(f.shape(-30, 230, 120, 60, 880, 60, 1030, 230), draw.Hex(0x3a4650))
	plate := f.box(180, 0, 640, 130)
	b.RoundRect(plate, draw.Px(3), draw.Hex(0xfbf6e8))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(15), Ink: draw.Hex(0x3a2a22)}, plate, draw.Center, "NEWS")
	for i := range 4 {
		b.Rect(f.box(130+190*i, 750, 150, 150), paper().Fade(220))
		b.Rect(f.box(150+190*i, 775, 110, 22), umber().Fade(160))
		b.Rect(f.box(150+190*i, 815, 110, 50), umber().Fade(70))
	}
}

func cart(b *Brush, f field, ink draw.Color) {
	ground(b, f)
	for _, x := range []int{110, 860} {
		b.Rect(f.box(x, 150, 30, 300), draw.Hex(0x8a6a48))
	}
	for i := range 8 {
		stripe := ink
		if i%2 == 1 {
			stripe = draw.Hex(0xfdf8ec)
		}
		b.Fill(f.shape(60+110*i, 30, 170+110*i, 30, 150*(i+1)*1000/1200-90, 190, 150*i*1000/1200-90+10, 190), stripe)
	}
	slab(b, f.box(40, 370, 920, 430), 4, ink)
	for _, x := range []int{240, 760} {
		at := f.at(x, 850)
		wheel(b, at, f.tall(140))
	}
}

func flowerCart(b *Brush, t scene.Thing, f field) {
	cart(b, f, Ink(t, scene.Colour, 0x888888))
	for i := range 13 {
		x, y := 70+70*i, 290+60*(i%2)
		b.Rect(f.box(x, y, 12, 100), draw.Hex(0x4c8a4a))
		b.Oval(draw.Disc(f.at(x+6, y), f.wide(44)), tint(0xf3a6c4, 0xf6d34a, 0xe05a5a, 0xb48ad8, 0xfdf4f0)(b.Rnd))
		b.Oval(draw.Disc(f.at(x+6, y), f.wide(15)), draw.Hex(0x7a5a20))
	}
}

func iceCart(b *Brush, t scene.Thing, f field) {
	cart(b, f, Ink(t, scene.Colour, 0x888888))
	for i, x := range []int{170, 390, 610, 830} {
		b.Fill(f.shape(x-55, 270, x+55, 270, x, 400), draw.Hex(0xd9a662))
		b.Oval(draw.Disc(f.at(x, 240), f.wide(64)), draw.Hex([]uint32{0xf6c6d4, 0xfbf0d0, 0x7a4a30, 0xbfe0c0}[i]))
	}
	b.Line(draw.Style{Font: draw.Comic, Size: draw.Px(16), Ink: draw.Hex(0xffffff)}, f.box(40, 535, 920, 120), draw.Center, "ICE CREAM")
}

func postbox(b *Brush, t scene.Thing, f field) {
	f = f.part(170, 0, 660, 1000)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	b.Rect(f.box(400, 760, 200, 240), draw.Hex(0x4a4f55))
	slab(b, f.box(100, 140, 800, 660), 10, ink)
	b.Fill(new(draw.Path).Corners(f.box(60, 40, 880, 160), [4]draw.Unit{f.wide(300), f.wide(300), 0, 0}), ink.Mix(umber(), 40))
	b.RoundRect(f.box(200, 240, 600, 60), draw.Px(3), draw.Hex(0x1d1f24))
	plate := f.box(250, 650, 500, 110)
	b.Rect(plate, draw.Hex(0xfbf6e8))
	b.Icon("mail", f.box(390, 650, 220, 110), draw.Hex(0x3a2a22))
}

func phoneBox(b *Brush, t scene.Thing, f field) {
	f = f.part(150, -200, 700, 1200)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	slab(b, f.box(50, 60, 900, 940), 3, ink)
	b.Fill(new(draw.Path).Corners(f.box(20, 0, 960, 150), [4]draw.Unit{f.wide(200), f.wide(200), 0, 0}), ink)
	plate := f.box(140, 66, 720, 84)
	b.Rect(plate, draw.Hex(0xfbf6e8))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(12), Ink: draw.Hex(0x3a2a22)}, plate, draw.Center, "PHONE")
	for _, y := range []int{190, 760} {
		for i := range 3 {
			b.Rect(f.box(150+245*i, y, 215, 180), draw.Linear{From: f.at(0, y), To: f.at(1000, y+180), A: draw.Hex(0xd5e6ee), B: draw.Hex(0x7f9fb0)})
		}
	}
	b.Icon("phone", f.box(600, 775, 240, 150), draw.Hex(0x2a2e34))
	b.Rect(f.box(810, 480, 50, 130), draw.Hex(0xd9b44a))
}

func posterColumn(b *Brush, t scene.Thing, f field) {
	f = f.part(170, -160, 660, 1160)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	body := f.box(90, 120, 820, 880)
	lit(b, new(draw.Path).Rect(body), f.all(), ink)
	b.Fill(f.blob(0, 170, 120, 60, 500, -70, 880, 60, 1000, 170, 500, 210), draw.Hex(0x3f5a4c))
	for i, p := range [][4]int{{150, 210, 300, 180}, {520, 220, 330, 170}, {160, 760, 320, 190}, {540, 750, 290, 190}} {
		q := f.part(p[0], p[1], p[2], p[3])
		b.Rect(q.all(), draw.Hex([]uint32{0xf6efdc, 0xe9f0f2, 0xfbe9d0, 0xf2f2ea}[i]))
		b.Oval(q.box(250, 140, 500, 400), tint(0xd9604a, 0x5a9ab0, 0x7aa860, 0xe3b04a)(b.Rnd))
		b.Rect(q.box(120, 680, 760, 110), umber().Fade(150))
	}
	b.Rect(f.box(70, 950, 860, 50), draw.Hex(0x3a3f45))
}

// kerbside are things at a stop, by their names in questions.
func kerbside() map[string]func(*Brush, field) {
	return map[string]func(*Brush, field){
		"a litter bin": litterBin, "a bicycle": bicycle, "a ticket machine": ticketMachine, "a bench": bench, "a fire hydrant": hydrant, "a suitcase": caseOnWheels,
		"a flower tub": flowerTub, "a pushchair": pushchair,
	}
}

func litterBin(b *Brush, f field) {
	f = f.part(220, -150, 560, 1150)
	ground(b, f)
	lit(b, f.shape(120, 200, 880, 200, 780, 1000, 220, 1000), f.all(), draw.Hex(0x5f7f5a))
	for i := range 4 {
		b.Rect(f.box(240+150*i, 280, 30, 650), umber().Fade(90))
	}
	slab(b, f.box(60, 90, 880, 150), 4, draw.Hex(0x3f5a3c))
	b.Oval(f.box(300, 0, 420, 130), draw.Hex(0xe9e4da))
}

func bicycle(b *Brush, f field) {
	f = f.part(-40, -100, 1080, 1100)
	for _, x := range []int{220, 780} {
		b.Stroke(new(draw.Path).Oval(draw.Disc(f.at(x, 720), f.wide(210))), draw.Px(4), draw.Hex(0x22242a))
		b.Oval(draw.Disc(f.at(x, 720), f.wide(40)), draw.Hex(0x8a9098))
	}
	b.Stroke(new(draw.Path).Move(f.at(220, 720)).Line(f.at(400, 340), f.at(700, 340), f.at(480, 720), f.at(220, 720)), draw.Px(4), draw.Hex(0x3a6a8a))
	b.Stroke(new(draw.Path).Move(f.at(480, 720)).Line(f.at(380, 250)), draw.Px(4), draw.Hex(0x3a6a8a))
	b.Stroke(new(draw.Path).Move(f.at(780, 720)).Line(f.at(680, 180), f.at(820, 150)), draw.Px(4), draw.Hex(0x3a6a8a))
	b.RoundRect(f.box(290, 200, 190, 70), draw.Px(3), draw.Hex(0x2a2420))
}

func ticketMachine(b *Brush, f field) {
	f = f.part(200, -420, 600, 1420)
	ground(b, f)
	slab(b, f.all(), 4, draw.Hex(0xc9ced2))
	b.Rect(f.box(0, 0, 1000, 110), draw.Hex(0x2f6f9a))
	b.Icon("ticket", f.box(280, -20, 440, 150), paper())
	b.Rect(f.box(150, 170, 700, 260), draw.Hex(0x1d3a4a))
	for i := range 9 {
		b.Rect(f.box(180+150*(i%3), 490+70*(i/3), 110, 46), draw.Hex(0x5c636b))
	}
	b.Rect(f.box(700, 490, 150, 180), draw.Hex(0xf0c24a))
	b.Rect(f.box(200, 780, 600, 110), draw.Hex(0x22242a))
}

func bench(b *Brush, f field) {
	f = f.part(-60, 50, 1120, 950)
	ground(b, f)
	for _, x := range []int{120, 820} {
		b.Rect(f.box(x, 150, 60, 850), draw.Hex(0x2f3338))
	}
	for _, y := range []int{100, 260, 520, 640} {
		s := f.box(0, y, 1000, 90)
		b.RoundRect(s, draw.Px(2), draw.Down(s, draw.Hex(0xc08a52), draw.Hex(0x7a5230)))
	}
}

func hydrant(b *Brush, f field) {
	f = f.part(260, -50, 480, 1050)
	ground(b, f)
	ink := draw.Hex(0xb83a30)
	slab(b, f.box(200, 240, 600, 760), 3, ink)
	b.Fill(new(draw.Path).Corners(f.box(150, 60, 700, 230), [4]draw.Unit{f.wide(340), f.wide(340), 0, 0}), ink.Mix(paper(), 30))
	b.RoundRect(f.box(420, 0, 160, 80), draw.Px(2), ink)
	slab(b, f.box(0, 400, 1000, 170), 4, ink.Mix(umber(), 30))
	b.Oval(draw.Disc(f.at(500, 485), f.wide(170)), draw.Hex(0xe9e4da))
	b.Rect(f.box(60, 920, 880, 80), ink.Mix(umber(), 60))
}

func caseOnWheels(b *Brush, f field) {
	f = f.part(230, -50, 540, 1050)
	ground(b, f)
	b.Stroke(new(draw.Path).Move(f.at(300, 250)).Line(f.at(300, 20), f.at(700, 20), f.at(700, 250)), draw.Px(4), draw.Hex(0x5c636b))
	slab(b, f.box(60, 220, 880, 720), 6, draw.Hex(0x7a5a8a))
	for _, x := range []int{250, 470, 690} {
		b.Rect(f.box(x, 240, 40, 680), umber().Fade(80))
	}
	b.Rect(f.box(60, 330, 880, 70), draw.Hex(0xd9b44a))
	for _, x := range []int{200, 800} {
		b.Oval(draw.Disc(f.at(x, 965), f.wide(80)), draw.Hex(0x22242a))
	}
}

func flowerTub(b *Brush, f field) {
	f = f.part(100, -150, 800, 1150)
	ground(b, f)
	for i := range 9 {
		at := f.at(140+90*i, 330-(i%3)*110)
		b.Stroke(new(draw.Path).Move(at).Line(f.at(500, 640)), draw.Px(3), draw.Hex(0x4c8a4a))
		b.Oval(draw.Disc(at, f.wide(90)), tint(0xe8607a, 0xf6d34a, 0xfdf4f0)(b.Rnd))
		b.Oval(draw.Disc(at, f.wide(30)), draw.Hex(0x7a5a20))
	}
	lit(b, f.shape(80, 560, 920, 560, 780, 1000, 220, 1000), f.all(), draw.Hex(0x8a6a48))
	b.Rect(f.box(110, 680, 780, 40), draw.Hex(0x3a3f45))
}

func pushchair(b *Brush, f field) {
	f = f.part(60, -200, 880, 1200)
	ground(b, f)
	ink := draw.Hex(0x3f6f86)
	b.Stroke(new(draw.Path).Move(f.at(700, 620)).Line(f.at(980, 120)), draw.Px(4), draw.Hex(0x3a3f45))
	b.Stroke(new(draw.Path).Move(f.at(250, 880)).Line(f.at(640, 560)), draw.Px(4), draw.Hex(0x3a3f45))
	b.Stroke(new(draw.Path).Move(f.at(720, 880)).Line(f.at(330, 560)), draw.Px(4), draw.Hex(0x3a3f45))
	b.Fill(new(draw.Path).Sector(f.at(560, 440), 0, f.wide(400), draw.Turn/2, draw.Turn*7/8), ink.Mix(umber(), 50))
	raised(b, f.blob(130, 430, 820, 420, 800, 640, 560, 720, 260, 690, 160, 560), f.all(), ink)
	wheels(b, f, 890, 110, 240, 720)
}
