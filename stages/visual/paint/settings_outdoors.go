package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

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
		townView(b, scene.Thing{Box: [4]int{f.x, f.y, f.w, f.h}, Look: map[string]string{"view": "square", "vary": "8"}})
		terrace(b, scene.Thing{Box: [4]int{f.x, f.y + 150, f.w, 420}, Look: map[string]string{"vary": "11"}})
	})
	bunting(b, f.part(0, 150, 1000, 130))
	streetMarket(b, f.part(10, 430, 980, 560))
}
