package paint

import "github.com/memforge/memforge/pipeline/draw"

// openStage is a concert in the open air.
func openStage(b *Brush, f field) {
	stage := f.part(160, 0, 680, 720)
	ground(b, stage)
	b.Rect(stage.box(0, 60, 1000, 700), draw.Down(stage.all(), draw.Hex(0x2a2038), draw.Hex(0x4a2f5c)))
	for i, ink := range []uint32{0xf6d04a, 0xe0508a, 0x50b0e0, 0x8ae06a} {
		x := 130 + 245*i
		b.Fill(stage.shape(x-20, 80, x+20, 80, x+150-60*i, 760, x-110-50*i, 760), draw.Hex(ink).Fade(90))
		b.Oval(draw.Disc(stage.at(x, 80), stage.wide(28)), draw.Hex(ink))
	}
	slab(b, stage.box(-30, 0, 1060, 80), 3, draw.Hex(0x3a3f45))
	for _, x := range []int{-30, 980} {
		b.Rect(stage.box(x, 0, 50, 1000), draw.Hex(0x5c636b))
	}
	slab(b, stage.box(-30, 760, 1060, 240), 3, draw.Hex(0x4a3a30))
	for _, x := range []int{-190, 1040} {
		amp := stage.part(x, 360, 150, 640)
		slab(b, amp.all(), 3, draw.Hex(0x1d1f24))
		for _, y := range []int{220, 520, 800} {
			b.Oval(draw.Disc(amp.at(500, y), amp.wide(330)), draw.Radial{At: amp.at(500, y), Radius: amp.wide(330), A: draw.Hex(0x6a7078), B: draw.Hex(0x2a2e34)})
		}
	}
	for i, play := range []func(*Brush, field){guitarist, singer, pianist} {
		p := stage.part(140+290*i, 300, 140, 460)
		person(b, p)
		play(b, p)
	}
	crowd(b, f.part(0, 620, 1000, 420), 9)
}

// guitarist, singer and pianist are what somebody holds or stands behind.
func guitarist(b *Brush, f field) {
	b.Stroke(new(draw.Path).Move(f.at(380, 560)).Line(f.at(1120, 330)), draw.Px(6), draw.Hex(0x5a3a24))
	b.RoundRect(f.box(1080, 270, 160, 70), draw.Px(3), draw.Hex(0x2a1c14))
	lit(b, f.blob(0, 560, 180, 440, 340, 500, 480, 440, 620, 520, 560, 680, 420, 660, 260, 760, 60, 720), f.all(), draw.Hex(0xd9822c))
	b.Oval(draw.Disc(f.at(330, 580), f.wide(80)), draw.Hex(0x2a1c14))
}

func singer(b *Brush, f field) {
	b.Stroke(new(draw.Path).Move(f.at(880, 990)).Line(f.at(880, 300), f.at(700, 190)), draw.Px(4), draw.Hex(0xb4bac0))
	b.Oval(f.box(600, 140, 170, 90), draw.Hex(0x1d1f24))
	b.Oval(f.box(640, 960, 480, 60), draw.Hex(0x1d1f24))
}

func pianist(b *Brush, f field) {
	for _, x := range []int{-200, 1140} {
		b.Rect(f.box(x, 600, 60, 400), draw.Hex(0x1d1f24))
	}
	slab(b, f.box(-300, 500, 1600, 130), 3, draw.Hex(0x2a2e34))
	for i := range 15 {
		b.Rect(f.box(-250+100*i, 515, 90, 60), draw.Hex(0xfdfaf2))
		b.Rect(f.box(-185+100*i, 515, 44, 34), draw.Hex(0x1d1f24))
	}
}

// funfair is a big wheel and a roundabout.
func funfair(b *Brush, f field) {
	hub := f.at(330, 420)
	for _, x := range []int{190, 470} {
		b.Stroke(new(draw.Path).Move(hub).Line(f.at(x, 980)), draw.Px(10), draw.Hex(0x6a7a8a))
	}
	radius := f.tall(430)
	for _, r := range []draw.Unit{radius, radius * 88 / 100} {
		b.Stroke(new(draw.Path).Oval(draw.Disc(hub, r)), draw.Px(4), draw.Hex(0x7a86a8))
	}
	turn := draw.Angle(b.Rnd.IntN(5461))
	for k := range 12 {
		at := draw.Polar(hub, radius, turn+draw.Turn*draw.Angle(k)/12)
		b.Stroke(new(draw.Path).Move(hub).Line(at), draw.Px(2), draw.Hex(0x98a2ba))
		car := draw.Box{X: at.X - draw.Px(15), Y: at.Y, W: draw.Px(30), H: draw.Px(26)}
		ink := draw.Hex([]uint32{0xd9475a, 0xf0b03c, 0x4f86c8, 0x5aa86a}[k%4])
		b.Fill(new(draw.Path).Corners(car, [4]draw.Unit{0, 0, draw.Px(12), draw.Px(12)}), ink)
		b.Fill(new(draw.Path).Sector(draw.Point{X: at.X, Y: at.Y - draw.Px(2)}, 0, draw.Px(17), draw.Turn/2, draw.Turn), ink.Mix(paper(), 70))
	}
	b.Oval(draw.Disc(hub, draw.Px(18)), draw.Hex(0xf6d04a))
	roundabout(b, f.part(620, 300, 380, 660))
	crowd(b, f.part(60, 700, 560, 320), 6)
}

func roundabout(b *Brush, f field) {
	ground(b, f)
	for i := range 10 {
		ink := draw.Hex([]uint32{0xd9475a, 0xfdf4e0}[i%2])
		b.Fill(f.shape(500, 0, 100*i, 320, 100*i+100, 320), ink)
		b.Oval(f.box(100*i, 280, 100, 90), ink)
	}
	b.Oval(draw.Disc(f.at(500, 0), draw.Px(8)), draw.Hex(0xf6d04a))
	b.Rect(f.box(440, 330, 120, 560), draw.Across(f.box(440, 0, 120, 1), draw.Hex(0xf3d27a), draw.Hex(0xb0803a)))
	for i, x := range []int{100, 310, 690, 890} {
		b.Rect(f.box(x, 330, 14, 560), draw.Hex(0xd9b44a))
		h := f.part(x-95, 500+70*(i%2), 200, 260)
		ink := draw.Hex([]uint32{0xfdf8ec, 0x8a5a3c, 0x3f6f9a, 0xe0a0b4}[i])
		for _, l := range []int{250, 650} {
			b.Rect(h.box(l, 600, 90, 400), ink.Mix(umber(), 30))
		}
		lit(b, h.blob(150, 420, 500, 380, 820, 420, 860, 720, 160, 720), h.all(), ink)
		lit(b, h.blob(600, 120, 800, 0, 1000, 180, 960, 260, 860, 240, 820, 520, 660, 480), h.all(), ink)
	}
	slab(b, f.box(0, 880, 1000, 120), 8, draw.Hex(0x4a6a9a))
}

// christmasFair is a tall tree with lights between huts.
func christmasFair(b *Brush, f field) {
	for _, x := range []int{20, 690} {
		hut(b, f.part(x, 380, 290, 500))
	}
	tree := f.part(330, -330, 340, 1270)
	ground(b, tree)
	b.Rect(tree.box(450, 880, 100, 110), draw.Hex(0x5a3a24))
	for i := range 4 {
		y := 40 + 200*i
		half := 200 + 95*i
		lit(b, tree.shape(500, y, 500+half, y+330, 500-half, y+330), tree.all(), draw.Hex(0x2f6f4a).Mix(draw.Hex(0x1d4a34), 40*i))
	}
	for i := range 26 {
		y := 180 + 28*i
		half := 60 + y*38/100
		at := tree.at(500-half+b.Rnd.IntN(2*half), y)
		ink := draw.Hex([]uint32{0xffe27a, 0xe0483c, 0x7ac8f0, 0xfdf4e0}[i%4])
		b.Oval(draw.Disc(at, draw.Px(11)), ink.Fade(70))
		b.Oval(draw.Disc(at, draw.Px(6)), ink)
	}
	star := new(draw.Path)
	spikes(star, tree.at(500, 30), 10, draw.Px(26), draw.Px(11))
	b.Fill(star, draw.Hex(0xffd84a))
	for i, ink := range []uint32{0xc0443c, 0x3f7fa8, 0xe0b03c} {
		g := f.part(390+80*i, 870, 70, 100)
		slab(b, g.all(), 2, draw.Hex(ink))
		b.Rect(g.box(420, 0, 160, 1000), draw.Hex(0xfdf4e0))
	}
	crowd(b, f.part(40, 600, 300, 400), 3)
	crowd(b, f.part(680, 600, 300, 400), 3)
}

func hut(b *Brush, f field) {
	ground(b, f)
	slab(b, f.box(60, 280, 880, 720), 2, draw.Hex(0x8a5a34))
	for y := 340; y < 1000; y += 90 {
		b.Rect(f.box(60, y, 880, 8), umber().Fade(90))
	}
	b.Rect(f.box(140, 400, 720, 280), draw.Hex(0xffd98a))
	for i := range 5 {
		b.Oval(draw.Disc(f.at(220+140*i, 600), f.wide(54)), draw.Hex([]uint32{0x9a4a2c, 0xc8503c, 0x6a3a20}[i%3]))
	}
	slab(b, f.box(100, 670, 800, 60), 2, draw.Hex(0xb98a58))
	b.Fill(f.shape(-30, 320, 500, 0, 1030, 320), draw.Hex(0xf4f7fb))
	b.Fill(f.shape(80, 320, 500, 70, 920, 320), draw.Hex(0x7a4a2c))
	for i := range 9 {
		b.Oval(draw.Disc(f.at(60+110*i, 345+(i%2)*24), draw.Px(6)), draw.Hex([]uint32{0xffe27a, 0xe0483c, 0x7ac8f0}[i%3]))
	}
}

// cinema is a screen in the open with rows of deck chairs.
func cinema(b *Brush, f field) {
	for _, x := range []int{150, 820} {
		b.Rect(f.box(x, 0, 26, 640), draw.Hex(0x4a4f55))
	}
	screen := f.part(110, -60, 780, 560)
	b.Shadow(new(draw.Path).Rect(screen.all()), 16, 0, 4, draw.Hex(0xfdf8ec).Fade(160))
	b.Rect(screen.all(), draw.Hex(0x17191d))
	in := screen.part(18, 28, 964, 944)
	b.Clip(in.all(), func() {
		b.Rect(in.all(), draw.Down(in.all(), draw.Hex(0xf2c98a), draw.Hex(0xf6e6c0)))
		b.Oval(draw.Disc(in.at(720, 330), in.wide(90)), draw.Hex(0xf08a4a))
		b.Fill(in.shape(-20, 1000, 240, 420, 420, 760, 600, 480, 1020, 1000), draw.Hex(0x7a5a6a))
		b.Fill(in.blob(-100, 1060, 200, 760, 600, 860, 1100, 700, 1100, 1100), draw.Hex(0x4a3a4a))
		b.Icon("play", in.box(430, 360, 140, 240), paper().Fade(230))
	})
	for row := range 2 {
		for i := range 6 + row {
			chair := f.part(40*(1-row)+i*(1000-40)/(6+row), 600+190*row, 110+14*row, 190+20*row)
			ground(b, chair)
			cloth := tint(0xc8503c, 0x3f7f9a, 0x5a8f56, 0xd9a03c)(b.Rnd)
			b.Fill(chair.shape(150, 0, 850, 0, 960, 760, 40, 760), cloth)
			for k := range 3 {
				b.Fill(chair.shape(240+210*k, 0, 320+210*k, 0, 330+220*k, 760, 220+220*k, 760), paper().Fade(190))
			}
			for _, x := range []int{60, 880} {
				b.Rect(chair.box(x, 0, 60, 1000), draw.Hex(0x8a6a48))
			}
			if b.Rnd.IntN(2) == 0 {
				b.Oval(chair.box(290, -330, 420, 340), tint(0x2a1c14, 0x7a4a20, 0xb08a4a)(b.Rnd))
			}
		}
	}
}

// chess is played at long tables.
func chess(b *Brush, f field) {
	bunting(b, f.part(-20, -150, 1040, 250))
	for row := range 2 {
		for i := range 3 {
			t := f.part(30*(1-row)+i*340, 320+310*row, 290, 330)
			person(b, t.part(-40, -280, 240, 900))
			person(b, t.part(800, -280, 240, 900))
			chessTable(b, t)
		}
	}
}

func chessTable(b *Brush, f field) {
	ground(b, f)
	for _, x := range []int{180, 760} {
		b.Rect(f.box(x, 400, 60, 600), draw.Hex(0x6a4a30))
	}
	slab(b, f.box(60, 350, 880, 130), 3, draw.Hex(0xb98a58))
	for i := range 8 {
		for j := range 3 {
			ink := draw.Hex([]uint32{0xf6efdc, 0x4a3424}[(i+j)%2])
			b.Rect(f.box(200+75*i, 250+45*j, 75, 45), ink)
		}
	}
	for i := range 6 {
		ink := draw.Hex([]uint32{0xfdf8ec, 0x2a2018}[i/3])
		p := f.part(220+95*i, 90+b.Rnd.IntN(60), 70, 210)
		b.Fill(p.shape(300, 400, 700, 400, 900, 1000, 100, 1000), ink)
		b.Oval(draw.Disc(p.at(500, 260), p.wide(420)), ink)
	}
}
