package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// setting is the place in which a poster shows a product, with the product before
// it.
func setting(b *Brush, t scene.Thing) {
	of := map[string]func(*Brush, field){
		"a beach": beach, "a kitchen": kitchenScene, "a city street at night": nightStreet, "a mountain meadow": meadow, "a train platform": platform,
		"a forest path": forest, "a library": libraryScene, "a market": marketScene,
	}
	f := over(t)
	if paint, ok := of[t.Look[scene.Setting]]; ok {
		b.Clip(f.all(), func() { paint(b, f) })
	}
	product(b, f, t)
}

// product stands at the side that the logo leaves free.
func product(b *Brush, f field, t scene.Thing) {
	x := 640
	if t.Look["side"] == "left" {
		x = 90
	}
	b.Rnd = steady(t) // a brand's product is the same wherever it is shown
	p := f.part(x, 600, 230, 340)
	foot := p.box(-60, 900, 1120, 140)
	b.Shadow(new(draw.Path).Oval(foot), 10, 0, 8, umber().Fade(130))
	b.Oval(foot, draw.Down(foot, draw.Hex(0xfdfbf6), draw.Hex(0xc9bfae)))
	ink := tint(0x2f6f6a, 0x8a3f3a, 0x3a4f7a, 0xb0803a, 0x5a4a6a)(steady(t))
	switch Number(t, "vary", 0) % 4 {
	case 0:
		teapot(b, p.part(40, 260, 920, 680), ink)
	case 1:
		bottle(b, p.part(0, -120, 1000, 1060), 0)
	case 2:
		mug(b, p.part(50, 120, 900, 820), 0)
	default:
		bag := p.part(160, 80, 680, 860)
		b.Stroke(new(draw.Path).Move(bag.at(300, 200)).Cubic(bag.at(320, -160), bag.at(680, -160), bag.at(700, 200)), draw.Px(6), ink.Mix(umber(), 60))
		raised(b, bag.shape(40, 180, 960, 180, 1000, 1000, 0, 1000), bag.all(), ink)
		b.Rect(bag.box(240, 480, 520, 220), draw.Hex(0xfdf8ec).Fade(220))
	}
}

// under lets something be drawn as a weather shows it.
func under(b *Brush, weather, view string, f func()) {
	was := b.Scene.Look
	b.Scene.Look = map[string]string{scene.Weather: weather, "view": view}
	f()
	b.Scene.Look = was
}

func beach(b *Brush, f field) {
	under(b, "bright sunshine", "", func() {
		m := moodOf(b.Scene)
		b.Rect(f.box(0, 0, 1000, 560), draw.Down(f.box(0, 0, 1000, 560), m.top, m.low))
		heavens(b, f, m)
	})
	sea := f.box(0, 480, 1000, 200)
	b.Rect(sea, draw.Down(sea, draw.Hex(0x1f7fae), draw.Hex(0x6fd0d0)))
	for range 60 {
		b.Rect(f.box(b.Rnd.IntN(1000), 490+b.Rnd.IntN(140), 20+b.Rnd.IntN(50), 4), paper().Fade(110))
	}
	boat(b, f.part(420, 390, 90, 120), 0)
	sand := new(draw.Path).Move(f.at(-10, 660)).Cubic(f.at(250, 610), f.at(500, 700), f.at(1010, 630)).Line(f.at(1010, 1010), f.at(-10, 1010)).Close()
	b.Stroke(sand, draw.Px(16), paper().Fade(210))
	b.Fill(sand, draw.Down(f.box(0, 620, 1, 380), draw.Hex(0xf6e2b0), draw.Hex(0xdcb878)))
	palm(b, f.part(10+b.Rnd.IntN(60), 130+b.Rnd.IntN(60), 330, 600))
	palm(b, f.part(690+b.Rnd.IntN(70), 200+b.Rnd.IntN(50), 280, 520))
	parasol(b, f.part(360+b.Rnd.IntN(80), 470+b.Rnd.IntN(40), 260, 330))
	for range 4 {
		s := f.part(60+b.Rnd.IntN(860), 840+b.Rnd.IntN(110), 40, 44)
		shell(b, s, 0)
	}
}

func palm(b *Brush, f field) {
	trunk := new(draw.Path).Move(f.at(430, 1000)).Cubic(f.at(420, 700), f.at(520, 500), f.at(500, 260)).Line(f.at(560, 260)).Cubic(f.at(600, 520), f.at(520, 720), f.at(540, 1000)).Close()
	lit(b, trunk, f.all(), draw.Hex(0x9a6f42))
	root := f.at(530, 260)
	for i := range 9 {
		a := draw.Turn/2 + draw.Turn/2*draw.Angle(i)/8 + draw.Angle(b.Rnd.IntN(2000)) - draw.Turn/40
		if i == 0 || i == 8 {
			a += draw.Turn / 16 * draw.Angle(1-i/4)
		}
		long := f.wide(400 + b.Rnd.IntN(120))
		tip := draw.Polar(root, long, a)
		tip.Y += f.tall(110)
		mid := draw.Polar(root, long*2/3, a)
		ink := draw.Hex(0x2f7a4a).Mix(draw.Hex(0x8abf5a), b.Rnd.IntN(200))
		b.Fill(new(draw.Path).Move(root).Quad(draw.Point{X: mid.X, Y: mid.Y - f.tall(110)}, tip).Quad(draw.Point{X: mid.X, Y: mid.Y + f.tall(20)}, root).Close(), ink)
	}
	for _, x := range []int{500, 560} {
		b.Oval(draw.Disc(f.at(x, 290), f.wide(38)), draw.Hex(0x6a4428))
	}
}

func parasol(b *Brush, f field) {
	b.Stroke(new(draw.Path).Move(f.at(500, 100)).Line(f.at(540, 960)), draw.Px(6), draw.Hex(0xe9e4da))
	for i := range 6 {
		ink := draw.Hex([]uint32{0xe0503c, 0xfdf8ec}[i%2])
		b.Fill(new(draw.Path).Move(f.at(500, 40)).Quad(f.at(60+150*i, 90), f.at(20+160*i, 380)).Line(f.at(180+160*i, 380)).Quad(f.at(210+150*i, 90), f.at(500, 40)).Close(), ink)
	}
	b.Fill(f.shape(-60, 960, 330, 900, 560, 960, 120, 1030), draw.Hex(0x3f8fb0))
	b.Fill(f.shape(40, 950, 110, 938, 300, 995, 220, 1008), draw.Hex(0xf4f0e0))
}

func kitchenScene(b *Brush, f field) {
	thing := func(x, y, w, h int, more ...string) scene.Thing {
		p := f.part(x, y, w, h)
		t := scene.Thing{Box: [4]int{p.x, p.y, p.w, p.h}, Look: map[string]string{"wood": "oak", "tone": digit(b.Rnd.IntN(8)), "vary": digit(b.Rnd.IntN(4)), "floor": "chequered"}}
		for i := 0; i+1 < len(more); i += 2 {
			t.Look[more[i]] = more[i+1]
		}
		return t
	}
	room(b, thing(0, 0, 1000, 1000))
	splashback(b, thing(0, 250, 1000, 270, scene.Pattern, "diamonds"))
	cabinets(b, thing(0, 20, 390, 215))
	cabinets(b, thing(650, 20, 350, 215))
	window(b, thing(410, 40, 220, 360))
	counter(b, thing(-10, 505, 1020, 330, scene.Which, "the star tile"))
	kettle(b, thing(200, 400, 110, 120))
	stove := f.part(420, 500, 210, 330)
	slab(b, stove.all(), 4, draw.Hex(0xe4e6e8))
	b.RoundRect(stove.box(110, 330, 780, 560), draw.Px(6), draw.Hex(0x2a2e34))
	b.RoundRect(stove.box(110, 250, 780, 40), draw.Px(3), draw.Hex(0x8a9098))
	for i := range 4 {
		b.Oval(draw.Disc(stove.at(200+200*i, 150), draw.Px(10)), draw.Hex(0x3a3f45))
	}
	pot := f.part(465, 400, 120, 104)
	slab(b, pot.box(0, 250, 1000, 750), 6, draw.Hex(0xb8443a))
	slab(b, pot.box(-40, 180, 1080, 110), 5, draw.Hex(0x9a352d))
	b.Oval(draw.Disc(pot.at(500, 150), draw.Px(8)), draw.Hex(0x2a2e34))
	for i := range 3 {
		jar(b, f.part(20+56*i, 424, 52, 92), i)
	}
}

func digit(n int) string { return string(rune('0' + n)) }

func nightStreet(b *Brush, f field) {
	under(b, "a clear night", "street", func() {
		townView(b, scene.Thing{Box: [4]int{f.x, f.y, f.w, f.h}, Look: map[string]string{"view": "street", "vary": "5"}})
		for i := range 6 {
			w, h := 130+b.Rnd.IntN(60), 330+b.Rnd.IntN(280)
			tower(b, field{f.x + 174*i - 10, 524 - h, w, h})
		}
	})
	for i, word := range []string{"BAR", "HOTEL", "CINEMA"} {
		neon := f.part(80+320*i, 430+b.Rnd.IntN(60), 150, 66)
		ink := draw.Hex([]uint32{0xff5a8a, 0x5ae0ff, 0xffd24a}[i])
		b.Shadow(new(draw.Path).Rect(neon.all()), 16, 0, 0, ink.Fade(190))
		b.RoundRect(neon.all(), draw.Px(8), draw.Hex(0x151a30))
		b.Stroke(new(draw.Path).Round(neon.all(), draw.Px(8)), draw.Px(3), ink)
		b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(26), Ink: ink}, neon.all(), draw.Center, word)
	}
	for _, x := range []int{20, 350, 690, 960} {
		lamp := f.part(x, 390, 24, 380)
		b.Rect(lamp.all(), draw.Hex(0x0d1020))
		at := lamp.at(500, -10)
		b.Oval(draw.Disc(at, draw.Px(90)), draw.Radial{At: at, Radius: draw.Px(90), A: draw.Hex(0xffe9a0).Fade(170), B: draw.Hex(0xffe9a0).Fade(0)})
		b.Oval(draw.Disc(at, draw.Px(15)), draw.Hex(0xfff6d0))
	}
	car := f.part(390, 770, 220, 150)
	taxi(b, scene.Thing{Box: [4]int{car.x, car.y, car.w, car.h}})
	glow := f.part(605, 790, 260, 120)
	b.Fill(glow.shape(0, 430, 1000, 150, 1000, 1000, 0, 560), draw.Linear{From: glow.at(0, 500), To: glow.at(1000, 500), A: draw.Hex(0xfff0b0).Fade(150), B: draw.Hex(0xfff0b0).Fade(0)})
}

func tower(b *Brush, f field) {
	wall := draw.Hex([]uint32{0x1c2340, 0x262c4a, 0x2c2a48}[b.Rnd.IntN(3)])
	b.Rect(f.all(), draw.Down(f.all(), wall.Mix(paper(), 20), wall))
	for y := f.y + 18; y < f.y+f.h-70; y += 30 {
		for x := f.x + 14; x < f.x+f.w-18; x += 26 {
			if b.Rnd.IntN(5) > 1 {
				b.Rect(draw.PixelBox(x, y, 13, 17), draw.Hex([]uint32{0xffdb80, 0xffc860, 0x9fc0e0}[b.Rnd.IntN(3)]))
			}
		}
	}
}

func libraryScene(b *Brush, f field) {
	shelf := func(x, y, w, h int) {
		p := f.part(x, y, w, h)
		bookcase(b, scene.Thing{Box: [4]int{p.x, p.y, p.w, p.h}, Look: map[string]string{"wood": "walnut", "vary": digit(1 + b.Rnd.IntN(8))}})
	}
	room(b, scene.Thing{Box: [4]int{f.x, f.y, f.w, f.h}, Look: map[string]string{"wood": "walnut", "tone": "0", "vary": "3"}})
	for i := range 5 {
		shelf(5+199*i, 10, 194, 680)
	}
	steps := f.part(430, 60, 130, 700)
	ladder(b, steps)
	table := f.part(210, 720, 580, 260)
	deskTable(b, table)
	for _, x := range []int{120, 560} {
		lamp := table.part(x, -560, 170, 570)
		b.Rect(lamp.box(460, 200, 80, 760), draw.Hex(0xc9a03c))
		b.RoundRect(lamp.box(200, 920, 600, 70), draw.Px(3), draw.Hex(0xa8802c))
		b.Oval(draw.Disc(lamp.at(500, 320), draw.Px(80)), draw.Radial{At: lamp.at(500, 320), Radius: draw.Px(80), A: draw.Hex(0xfff2b8).Fade(150), B: draw.Hex(0xfff2b8).Fade(0)})
		b.Fill(lamp.shape(200, 60, 800, 60, 1000, 330, 0, 330), draw.Down(lamp.box(0, 60, 1, 270), draw.Hex(0x2f8a5c), draw.Hex(0x1d5a3c)))
	}
	book := table.part(330, -60, 210, 130)
	b.Fill(book.blob(0, 200, 250, 0, 500, 200, 750, 0, 1000, 200, 1000, 900, 500, 1000, 0, 900), draw.Hex(0xfdf8e8))
	b.Rect(book.box(490, 200, 20, 760), umber().Fade(90))
}
