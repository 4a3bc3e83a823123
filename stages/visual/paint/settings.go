package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// setting is the surroundings of a product on a poster, with the product.
func setting(b *Brush, t scene.Thing, f field) {
	of := map[string]func(*Brush, field){
		"a beach": beach, "a kitchen": kitchenScene, "a city street at night": nightStreet, "a mountain meadow": meadow, "a train platform": platform,
		"a forest path": forest, "a library": libraryScene, "a market": marketScene,
	}
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

// under draws something in a weather.
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
	paintPart := func(paint Painter, x, y, w, h int, more ...string) {
		look := map[string]string{"wood": "oak", "tone": digit(b.Rnd.IntN(8)), "vary": digit(b.Rnd.IntN(4)), "floor": "chequered"}
		paintThing(b, scene.Thing{Look: look}, paint, f.part(x, y, w, h), more...)
	}
	paintPart(room, 0, 0, 1000, 1000)
	paintPart(splashback, 0, 250, 1000, 270, scene.Pattern, "diamonds")
	paintPart(cabinets, 0, 20, 390, 215)
	paintPart(cabinets, 650, 20, 350, 215)
	paintPart(window, 410, 40, 220, 360)
	paintPart(counter, -10, 505, 1020, 330, scene.Which, "the star tile")
	paintPart(kettle, 200, 400, 110, 120)
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
		paintThing(b, scene.Thing{}, townView, f, "view", "street", "vary", "5")
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
	taxi(b, scene.Thing{}, f.part(390, 770, 220, 150))
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
	paintThing(b, scene.Thing{}, room, f, "wood", "walnut", "tone", "0", "vary", "3")
	for i := range 5 {
		paintThing(b, scene.Thing{}, bookcase, f.part(5+199*i, 10, 194, 680), "wood", "walnut", "vary", digit(1+b.Rnd.IntN(8)))
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

func meadow(b *Brush, f field) {
	under(b, "bright sunshine", "", func() {
		m := moodOf(b.Scene)
		b.Rect(f.all(), draw.Down(f.box(0, 0, 1000, 600), m.top, m.low))
		heavens(b, f, m)
	})
	for i, p := range [][3]int{{-80, 180, 520}, {240, 90, 560}, {600, 200, 520}} {
		peak(b, f, p[0], p[1]+b.Rnd.IntN(60), p[2], i)
	}
	for i, rgb := range []uint32{0x5f9a6a, 0x7fb85a, 0x9acb58} {
		y := 540 + 90*i
		hill := new(draw.Path).Move(f.at(-10, y+50)).Cubic(f.at(240, y-70), f.at(420, y+70), f.at(640, y)).Cubic(f.at(800, y-60), f.at(920, y+20), f.at(1010, y-10)).Line(f.at(1010, 1010), f.at(-10, 1010)).Close()
		b.Fill(hill, draw.Down(f.box(0, y, 1, 400), draw.Hex(rgb), draw.Hex(rgb).Mix(draw.Hex(0x2f6a3a), 110)))
	}
	for range 9 {
		fir(b, f.part(b.Rnd.IntN(960), 500+b.Rnd.IntN(60), 44, 110))
	}
	cabin := f.part(380+b.Rnd.IntN(120), 510+b.Rnd.IntN(30), 150, 130)
	slab(b, cabin.box(80, 420, 840, 580), 2, draw.Hex(0x8a5a34))
	b.Fill(cabin.shape(-20, 450, 500, 40, 1020, 450), draw.Hex(0x5a3a28))
	b.Rect(cabin.box(420, 620, 180, 380), draw.Hex(0x3a2418))
	for _, x := range []int{180, 680} {
		b.Rect(cabin.box(x, 560, 150, 150), draw.Hex(0xd8ecf4))
	}
	for _, x := range []int{260 + b.Rnd.IntN(60), 440 + b.Rnd.IntN(60), 600 + b.Rnd.IntN(60)} {
		cow(b, f.part(x, 690+b.Rnd.IntN(30), 100, 84))
	}
	for range 130 {
		at := f.at(b.Rnd.IntN(1000), 800+b.Rnd.IntN(200))
		b.Rect(draw.Box{X: at.X, Y: at.Y, W: 128, H: draw.Px(14)}, draw.Hex(0x3f7a3a))
		b.Oval(draw.Disc(at, draw.Px(4+b.Rnd.IntN(3))), tint(0xfdf8f0, 0xf6d03a, 0xe05a6a, 0xa86ad0)(b.Rnd))
	}
}

func peak(b *Brush, f field, x, y, w, i int) {
	top := x + w/2
	p := f.shape(x, 640, top, y, x+w, 640)
	b.Fill(p, draw.Linear{From: f.at(x, y), To: f.at(x+w, 640), A: draw.Hex(0x9fb0c4).Mix(paper(), 30*i), B: draw.Hex(0x56697f)})
	b.Fill(f.shape(top, y, top+w/7, y+150, top+w/16, y+110, top, y+170, top-w/18, y+115, top-w/7, y+150), draw.Hex(0xfbfdff))
	b.Fill(f.shape(top, y, x+w, 640, top+w/8, 640), draw.Hex(0x2f4058).Fade(50))
}

func fir(b *Brush, f field) {
	b.Rect(f.box(440, 850, 120, 150), draw.Hex(0x5a3a24))
	for i := range 3 {
		y := 260 * i
		lit(b, f.shape(500, y, 720+110*i, y+360, 280-110*i, y+360), f.all(), draw.Hex(0x2f6a4a).Mix(draw.Hex(0x1f4a38), 60*i))
	}
}

func cow(b *Brush, f field) {
	ground(b, f)
	hide := tint(0xfaf4ea, 0x9a6238, 0xf3e8d8)(b.Rnd)
	for _, x := range []int{260, 380, 680, 800} {
		b.Rect(f.box(x, 600, 70, 400), hide.Mix(umber(), 50))
	}
	lit(b, new(draw.Path).Round(f.box(220, 250, 680, 420), f.wide(120)), f.all(), hide)
	b.Oval(f.box(420, 290, 220, 200), draw.Hex(0x3a2a22))
	b.Oval(f.box(680, 400, 160, 160), draw.Hex(0x3a2a22))
	lit(b, new(draw.Path).Round(f.box(40, 180, 260, 300), f.wide(90)), f.all(), hide)
	b.RoundRect(f.box(20, 360, 210, 150), f.wide(60), draw.Hex(0xe8b0a4))
	b.Oval(f.box(110, 260, 50, 50), umber())
	b.Fill(f.shape(250, 200, 360, 150, 330, 260), draw.Hex(0x3a2a22))
}

func platform(b *Brush, f field) {
	under(b, "a rainbow", "", func() { b.Rect(f.all(), draw.Down(f.box(0, 0, 1000, 400), draw.Hex(0x9cc4e0), draw.Hex(0xe4eff4))) })
	roof := f.box(-10, 0, 1020, 120)
	b.Rect(roof, draw.Down(roof, draw.Hex(0x3a4f5c), draw.Hex(0x5a7484)))
	for i := range 11 {
		b.Stroke(new(draw.Path).Move(f.at(100*i, 120)).Line(f.at(100*i+50, 60), f.at(100*i+100, 120)), draw.Px(4), draw.Hex(0x2c3e4a))
	}
	train(b, f.part(-30, 250, 1060, 430))
	edge := f.box(0, 690, 1000, 20)
	low := f.box(0, 680, 1000, 330)
	b.Rect(low, draw.Down(low, draw.Hex(0x8f9296), draw.Hex(0xbcbcb8)))
	b.Rect(edge, draw.Hex(0xf4f2ea))
	b.Rect(f.box(0, 730, 1000, 16), draw.Hex(0xf0c23a))
	for y := 760; y < 1000; y += 60 {
		b.Rect(f.box(0, y, 1000, 3), umber().Fade(50))
	}
	for _, x := range []int{110, 480, 850} {
		c := f.box(x, 100, 34, 690)
		b.Rect(c, draw.Across(c, draw.Hex(0x6f8a98), draw.Hex(0x2c3e4a)))
		b.Rect(f.box(x-16, 770, 66, 40), draw.Hex(0x2c3e4a))
	}
	sign := f.part(560, 140, 210, 90)
	slab(b, sign.all(), 4, draw.Hex(0x1d4f91))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(28), Ink: paper()}, sign.all(), draw.Center, "Platform 2")
	clock := draw.Disc(f.at(360, 190), draw.Px(46))
	b.Oval(clock, draw.Hex(0x22262c))
	b.Oval(clock.Inset(draw.Px(6), draw.Px(6)), draw.Hex(0xfdfaf0))
	b.Stroke(new(draw.Path).Move(draw.Polar(clock.Mid(), draw.Px(22), draw.Angle(b.Rnd.IntN(65536)))).Line(clock.Mid(), draw.Polar(clock.Mid(), draw.Px(33), draw.Angle(b.Rnd.IntN(65536)))), draw.Px(4), draw.Hex(0x22262c))
	bench(b, f.part(590, 770, 170, 110))
	for _, x := range []int{230, 400} {
		person(b, f.part(x, 620+b.Rnd.IntN(30), 90, 270))
	}
	caseOnWheels(b, f.part(310, 790, 100, 110))
}

func train(b *Brush, f field) {
	ink := tint(0xb8383a, 0x2f6f9a, 0x3f8a5a)(b.Rnd)
	b.Rect(f.box(0, 920, 1000, 120), draw.Hex(0x3a3632))
	for i := range 10 {
		wheel(b, f.at(60+98*i, 945), draw.Px(20))
	}
	for i := range 3 {
		car := f.part(335*i, 80, 330, 830)
		lit(b, new(draw.Path).Round(car.all(), draw.Px(18)), f.all(), ink)
		b.Rect(car.box(0, 560, 1000, 60), draw.Hex(0xf4f0e4))
		for k := range 4 {
			w := car.box(60+240*k, 170, 170, 310)
			b.RoundRect(w, draw.Px(8), draw.Linear{From: draw.Point{X: w.X, Y: w.Y}, To: draw.Point{X: w.X + w.W, Y: w.Y + w.H}, A: draw.Hex(0xcfe4ee), B: draw.Hex(0x4a6476)})
		}
		door := car.box(440, 140, 130, 740)
		b.RoundRect(door, draw.Px(6), ink.Mix(paper(), 70))
		b.Rect(car.box(500, 140, 10, 740), umber().Fade(120))
		b.RoundRect(car.box(460, 200, 90, 240), draw.Px(5), draw.Hex(0x4a6476))
	}
}

func forest(b *Brush, f field) {
	b.Rect(f.all(), draw.Down(f.all(), draw.Hex(0xdcebb0), draw.Hex(0x7faf66)))
	b.Oval(draw.Disc(f.at(500, 330), f.tall(420)), draw.Radial{At: f.at(500, 330), Radius: f.tall(420), A: draw.Hex(0xfffbd8), B: draw.Hex(0xfffbd8).Fade(0)})
	for row, rgb := range []uint32{0x8aa878, 0x5f8056, 0x4a5a3a} {
		for range 12 - 2*row {
			x := b.Rnd.IntN(1000)
			if row > 0 && x > 330 && x < 670 {
				x = (x + 400) % 1000
			}
			trunk(b, f, x, 16+22*row+b.Rnd.IntN(12), 620+70*row, draw.Hex(rgb))
		}
		low := 600 + 80*row
		fern := new(draw.Path).Move(f.at(-10, 1010))
		for x := -10; x < 1040; x += 25 {
			fern.Line(f.at(x, low-b.Rnd.IntN(50)), f.at(x+12, low+10))
		}
		b.Fill(fern.Line(f.at(1010, 1010)).Close(), draw.Hex([]uint32{0x86ad5c, 0x649048, 0x4a7638}[row]))
	}
	path := new(draw.Path).Move(f.at(478, 560)).Cubic(f.at(430, 660), f.at(640, 720), f.at(520, 820)).Cubic(f.at(420, 900), f.at(300, 940), f.at(240, 1010)).Line(f.at(840, 1010)).Cubic(f.at(780, 900), f.at(760, 840), f.at(700, 780)).Cubic(f.at(620, 690), f.at(480, 660), f.at(520, 560)).Close()
	b.Fill(path, draw.Down(f.box(0, 560, 1, 440), draw.Hex(0xe6d2a0), draw.Hex(0xa98658)))
	for range 40 {
		at := f.at(330+b.Rnd.IntN(400), 850+b.Rnd.IntN(150))
		b.Oval(draw.Box{X: at.X, Y: at.Y, W: draw.Px(8), H: draw.Px(5)}, umber().Fade(60))
	}
	for i := range 3 {
		mushroom(b, f.part(130+330*i, 850+b.Rnd.IntN(60), 54, 80))
	}
	leaves := new(draw.Path)
	for range 90 {
		leaves.Oval(draw.Disc(f.at(b.Rnd.IntN(1000), b.Rnd.IntN(150)-40), draw.Px(24+b.Rnd.IntN(34))))
	}
	b.Fill(leaves, draw.Down(f.box(0, 0, 1, 200), draw.Hex(0x3f6f34), draw.Hex(0x7aa84a)))
}

func trunk(b *Brush, f field, x, w, foot int, bark draw.Color) {
	p := f.box(x, 0, w, foot)
	b.Rect(p, draw.Across(p, bark.Mix(paper(), 50), bark.Mix(umber(), 90)))
	for range 5 {
		b.Rect(f.box(x+b.Rnd.IntN(w), 150+b.Rnd.IntN(foot-200), 3, 50), umber().Fade(70))
	}
	b.Fill(f.shape(x-w/3, foot+12, x, foot-60, x+w, foot-60, x+w+w/3, foot+12), bark.Mix(umber(), 40))
}

func mushroom(b *Brush, f field) {
	lit(b, f.blob(380, 300, 620, 300, 640, 1000, 360, 1000), f.all(), draw.Hex(0xf6ecd8))
	b.Fill(new(draw.Path).Sector(f.at(500, 460), 0, f.wide(480), draw.Turn/2, draw.Turn), draw.Hex(0xc8382c))
	for _, p := range [][2]int{{300, 360}, {500, 240}, {690, 370}} {
		b.Oval(draw.Disc(f.at(p[0], p[1]), f.wide(60)), paper())
	}
}

func marketScene(b *Brush, f field) {
	under(b, "bright sunshine", "square", func() {
		paintThing(b, scene.Thing{}, townView, f, "view", "square", "vary", "8")
		paintThing(b, scene.Thing{}, terrace, field{f.x, f.y + 150, f.w, 420}, "vary", "11")
	})
	bunting(b, f.part(0, 150, 1000, 130))
	streetMarket(b, f.part(10, 430, 980, 560))
}
