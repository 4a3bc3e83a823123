package paint

import (
	"slices"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// events paints what goes on outdoors: the activity of the scene.
func events() painters { return painters{kinds: map[string]Painter{"event": event}} }

func event(b *Brush, t scene.Thing, f field) {
	of := map[string]func(*Brush, field){
		"a street market": streetMarket, "roadworks": roadworks, "a concert": openStage, "a funfair": funfair, "a Christmas fair": christmasFair,
		"an open-air cinema": cinema, "a chess tournament": chess, "a flea market for books": bookStalls,
	}
	if paint, ok := of[b.Scene.Look[scene.Activity]]; ok {
		paint(b, f)
	}
}

func person(b *Brush, f field) {
	ground(b, f)
	coat := tint(0x4a6a86, 0x9a4a44, 0x5a7a58, 0x8a6a9a, 0xc08a4a, 0x3a4048)(b.Rnd)
	legs := tint(0x2f3a4a, 0x4a3a30, 0x5a5f66)(b.Rnd)
	for _, x := range []int{300, 540} {
		b.RoundRect(f.box(x, 600, 180, 390), f.wide(60), legs)
	}
	lit(b, new(draw.Path).Corners(f.box(190, 210, 620, 480), [4]draw.Unit{f.wide(230), f.wide(230), f.wide(60), f.wide(60)}), f.all(), coat)
	pose := b.Rnd.IntN(5)
	for i, x := range []int{90, 760} {
		y := 250
		if pose == i { // one in five waves with this arm
			y = -10
		}
		b.RoundRect(f.box(x, y, 150, 360), f.wide(75), coat.Mix(umber(), 40))
	}
	skin := tint(0xf0c8a4, 0xc98f66, 0x8a5a3c, 0xe6b48a)(b.Rnd)
	b.Oval(f.box(330, 10, 340, 210), skin)
	features(b, f.box(330, 10, 340, 210))
	b.Fill(new(draw.Path).Corners(f.box(310, 0, 380, 100), [4]draw.Unit{f.wide(180), f.wide(180), 0, 0}), tint(0x2a1c14, 0x7a4a20, 0xb08a4a, 0x8a8a8a)(b.Rnd))
}

func features(b *Brush, head draw.Box) {
	aside := draw.Unit(b.Rnd.IntN(3)-1) * head.W / 10
	mid := draw.Point{X: head.Mid().X + aside, Y: head.Y + head.H*58/100}
	for _, side := range []draw.Unit{-1, 1} {
		b.Oval(draw.Disc(draw.Point{X: mid.X + side*head.W*19/100, Y: mid.Y}, max(head.W*7/100, 64)), draw.Hex(0x2a1c16))
	}
	low := head.Y + head.H*76/100
	smile := new(draw.Path).Move(draw.Point{X: mid.X - head.W*16/100, Y: low}).Quad(draw.Point{X: mid.X, Y: low + head.H*13/100}, draw.Point{X: mid.X + head.W*16/100, Y: low})
	b.Stroke(smile, max(head.W*6/100, 80), draw.Hex(0x8a3a34))
}

// crowd is people of many sizes in twos and threes along a field's lower edge, the
// farthest first. Most look away from the viewer, at the event; some talk to each
// other.
func crowd(b *Brush, f field, n int) {
	depth := make([]int, n)
	for i := range depth {
		depth[i] = b.Rnd.IntN(150)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return depth[i] - depth[j] })
	for _, i := range order {
		together := []int{0, -160 / n, -240 / n}[i%3] // who comes second and third stands closer, and none in another
		p := f.part(1000*i/n+together+b.Rnd.IntN(160/n), depth[i]-40, 680/n, 780+b.Rnd.IntN(170))
		person(b, p)
		if b.Rnd.IntN(5) < 3 {
			b.Fill(new(draw.Path).Corners(p.box(310, 0, 380, 200), [4]draw.Unit{p.wide(190), p.wide(190), p.wide(90), p.wide(90)}), tint(0x2a1c14, 0x7a4a20, 0xb08a4a, 0x8a8a8a)(b.Rnd))
		}
	}
}

func stall(b *Brush, f field, goods func(b *Brush, f field, i int)) {
	ground(b, f)
	ink := tint(0xc8503c, 0x3f7f9a, 0x5a8f56, 0xd9a03c)(b.Rnd)
	for _, x := range []int{50, 920} {
		b.Rect(f.box(x, 200, 30, 760), draw.Hex(0x8a6a48))
	}
	for i := range 8 {
		stripe := ink
		if i%2 == 1 {
			stripe = draw.Hex(0xfdf8ec)
		}
		x := 125 * i
		b.Fill(f.shape(80+105*i, 20, 185+105*i, 20, x+125, 230, x, 230), stripe)
		b.Oval(f.box(x, 190, 125, 90), stripe)
	}
	for i := range 6 {
		goods(b, f.part(50+152*i, 420, 146, 160), i)
	}
	slab(b, f.box(0, 570, 1000, 70), 2, draw.Hex(0xb98a58))
	cloth := f.box(30, 630, 940, 330)
	lit(b, new(draw.Path).Rect(cloth), f.all(), draw.Hex(0xe6dcc6))
}

func streetMarket(b *Brush, f field) {
	fruit := func(b *Brush, f field, i int) {
		ink := draw.Hex([]uint32{0xd9443c, 0xf0a03c, 0x7ab04a, 0xf2d24a, 0x8a4a9a, 0xe07a4a}[(i+b.Rnd.IntN(2))%6])
		for k := range 6 {
			at := f.at(200+300*(k%3)+150*(k/3%2), 800-330*(k/3))
			b.Oval(draw.Disc(at, f.wide(190)), draw.Radial{At: at, Radius: f.wide(220), A: ink.Mix(paper(), 70), B: ink})
		}
	}
	for i := range 3 {
		stall(b, f.part(10+335*i, 30+b.Rnd.IntN(60), 300, 660), fruit)
	}
	crowd(b, f.part(60, 440, 880, 560), 6)
}

func bookStalls(b *Brush, f field) {
	books := func(b *Brush, f field, _ int) {
		for x := 0; x < 950; {
			w := 110 + b.Rnd.IntN(90)
			h := 700 + b.Rnd.IntN(300)
			b.Rect(f.box(x, 1000-h, w, h), tint(0x7a3f3a, 0x2f5a6a, 0xc09a4a, 0x4f6a4a, 0x5a4a7a, 0xb0643c)(b.Rnd))
			b.Rect(f.box(x, 1150-h, w, 60), draw.Hex(0xf3e6c0).Fade(190))
			x += w + 14
		}
	}
	for i := range 3 {
		stall(b, f.part(10+335*i, 30+b.Rnd.IntN(60), 300, 660), books)
	}
	for i := range 4 {
		box := f.part(60+250*i, 720, 180, 200)
		carton(b, box)
		books(b, box.part(100, -330, 800, 520), i)
		b.Rect(box.box(0, 150, 1000, 850), draw.Hex(0xc69a66))
	}
	crowd(b, f.part(200, 420, 720, 560), 3)
}

func roadworks(b *Brush, f field) {
	b.Fill(f.blob(120, 760, 400, 690, 800, 710, 960, 820, 820, 960, 300, 980, 100, 880), draw.Hex(0x4a3626))
	b.Fill(f.blob(180, 790, 420, 730, 780, 750, 900, 830, 780, 930, 320, 950, 160, 880), draw.Hex(0x2f2219))
	heap := f.part(30, 420, 300, 320)
	ground(b, heap)
	lit(b, heap.blob(0, 1000, 300, 300, 500, 0, 700, 300, 1000, 1000, 500, 1060), heap.all(), draw.Hex(0x9a7a54))
	digger(b, f.part(360, 0, 560, 740))
	for i := range 5 {
		cone(b, f.part(20+215*i, 830, 80, 170))
	}
	for _, x := range []int{140, 580} {
		barrier(b, f.part(x, 760, 330, 210))
	}
	person(b, f.part(250, 330, 90, 460))
	b.Oval(f.box(272, 318, 48, 50), draw.Hex(0xf6c23c))
}

func digger(b *Brush, f field) {
	ground(b, f)
	yellow := draw.Hex(0xf0b41e)
	for _, arm := range [][]int{{430, 480, 250, 60, 330, 30, 520, 440}, {250, 60, 330, 40, 130, 560, 60, 540}} {
		raised(b, f.shape(arm...), f.all(), yellow)
	}
	lit(b, f.shape(20, 530, 180, 560, 200, 760, 40, 800, 0, 700), f.all(), draw.Hex(0x4a4f55))
	slab(b, f.box(400, 430, 560, 330), 6, yellow)
	slab(b, f.box(430, 180, 260, 340), 8, yellow)
	b.RoundRect(f.box(455, 210, 210, 220), draw.Px(4), draw.Hex(0x8fb4c8))
	slab(b, f.box(360, 780, 640, 200), 24, draw.Hex(0x2f3338))
	for i := range 4 {
		b.Oval(draw.Disc(f.at(450+155*i, 880), f.tall(66)), draw.Hex(0x6a7078))
	}
}

func cone(b *Brush, f field) {
	ground(b, f)
	b.Fill(f.shape(420, 0, 580, 0, 850, 900, 150, 900), draw.Across(f.all(), draw.Hex(0xf88a3a), draw.Hex(0xc8501c)))
	for _, y := range []int{280, 600} {
		b.Fill(f.shape(420-y*3/10, y, 580+y*3/10, y, 580+(y+150)*3/10, y+150, 420-(y+150)*3/10, y+150), draw.Hex(0xfdf8ec))
	}
	b.RoundRect(f.box(0, 880, 1000, 120), draw.Px(3), draw.Hex(0xd9601c))
}

func barrier(b *Brush, f field) {
	for _, x := range []int{80, 860} {
		b.Rect(f.box(x, 100, 50, 900), draw.Hex(0x5c636b))
	}
	slab(b, f.box(0, 150, 1000, 330), 3, draw.Hex(0xfdf8ec))
	b.Clip(f.box(0, 150, 1000, 330), func() {
		for i := range 7 {
			b.Fill(f.shape(170*i-60, 150, 170*i+25, 150, 170*i-35, 480, 170*i-120, 480), draw.Hex(0xd23a2c))
		}
	})
	for _, x := range []int{100, 880} {
		b.Oval(draw.Disc(f.at(x, 80), f.wide(48)), draw.Radial{At: f.at(x, 60), Radius: f.wide(60), A: draw.Hex(0xfff0a0), B: draw.Hex(0xf08a1c)})
	}
}

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
