package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func filmNight(b *Brush, f field) {
	s := f.part(60, -900, 880, 1000)
	b.Stroke(new(draw.Path).Move(s.at(500, 1000)).Line(s.at(300, 1250)), draw.Px(5), draw.Hex(0x3a3f45))
	b.Stroke(new(draw.Path).Move(s.at(500, 1000)).Line(s.at(700, 1250)), draw.Px(5), draw.Hex(0x3a3f45))
	slab(b, s.all(), 3, draw.Hex(0x23262a))
	film := field{s.x + 10, s.y + 10, s.w - 20, s.h - 20}
	b.Rect(film.all(), draw.Down(film.all(), draw.Hex(0x2b3f6b), draw.Hex(0xe58a5a)))
	b.Oval(draw.Disc(film.at(680, 560), film.wide(90)), draw.Hex(0xffe7a8))
	b.Clip(film.all(), func() {
		b.Fill(film.shape(0, 800, 200, 560, 380, 760, 560, 500, 820, 820, 1000, 660, 1000, 1000, 0, 1000), draw.Hex(0x2a2038))
	})
	for i := range 3 {
		x := 100 + 290*i
		ground(b, f.part(x, 200, 240, 700))
		slab(b, f.box(x, 420, 240, 500), 30, draw.Hex([]uint32{0x8a4a5a, 0x4a6a8a, 0x6a7a4a}[i]))
		b.Oval(f.box(x+20, 400, 200, 180), paper().Fade(40))
	}
	p := f.part(420, 520, 150, 430)
	for i := range 14 {
		b.Oval(draw.Disc(p.at(100+b.Rnd.IntN(800), 60+b.Rnd.IntN(140)), p.wide(90+10*(i%3))), draw.Hex(0xfdf1c8))
	}
	b.Fill(p.shape(0, 180, 1000, 180, 840, 1000, 160, 1000), draw.Hex(0xfdfaf2))
	for i := range 4 {
		b.Fill(p.shape(100+230*i, 180, 200+230*i, 180, 230+180*i, 1000, 180+180*i, 1000), draw.Hex(0xc93a3a))
	}
}

func ironing(b *Brush, f field) {
	rack := f.part(-60, -700, 480, 1660)
	b.Rect(rack.box(0, 0, 1000, 16), draw.Hex(0x70767d))
	for _, x := range []int{10, 960} {
		b.Rect(rack.box(x, 0, 26, 1000), draw.Hex(0x8a9098))
	}
	for i, ink := range []uint32{0x6fa0c0, 0xf0ebe0, 0xc9798a, 0x8aa870} {
		c := rack.part(40+215*i, 30, 270, 270+30*(i%2))
		b.Stroke(new(draw.Path).Move(c.at(500, -90)).Line(c.at(500, 0)), draw.Px(2), draw.Hex(0x70767d))
		raised(b, c.shape(400, 0, 600, 0, 820, 80, 1000, 460, 860, 520, 780, 340, 780, 1000, 220, 1000, 220, 340, 140, 520, 0, 460, 180, 80), c.all(), draw.Hex(ink))
		b.Stroke(new(draw.Path).Move(c.at(500, 60)).Line(c.at(500, 960)), draw.At(1.5), draw.Hex(ink).Mix(umber(), 70))
	}
	ground(b, f.part(420, 0, 560, 960))
	b.Stroke(new(draw.Path).Move(f.at(560, 400)).Line(f.at(860, 960)), draw.Px(6), draw.Hex(0x8a9098))
	b.Stroke(new(draw.Path).Move(f.at(860, 400)).Line(f.at(560, 960)), draw.Px(6), draw.Hex(0x8a9098))
	raised(b, f.blob(420, 330, 960, 330, 1060, 340, 1060, 420, 960, 440, 420, 440, 400, 400), f.all(), draw.Hex(0x9ab8c8))
	i := f.part(640, 90, 200, 260)
	b.Stroke(new(draw.Path).Move(i.at(330, 480)).Quad(i.at(400, 120), i.at(900, 330)), i.wide(90), draw.Hex(0x3d4650))
	b.Fill(i.shape(0, 860, 300, 460, 960, 460, 1000, 860), draw.Hex(0x4f7fa8))
	b.Rect(i.box(0, 860, 1000, 110), draw.Hex(0xc8ced4))
	b.Fill(f.shape(560, 350, 620, 350, 760, 620, 620, 620), draw.Hex(0xf0ebe0))
}

func easel(b *Brush, f field) {
	ground(b, f.part(260, 0, 480, 970))
	for _, leg := range [][2]int{{490, 500}, {400, 240}, {600, 760}} {
		b.Stroke(new(draw.Path).Move(f.at(leg[0], -900)).Line(f.at(leg[1], 960)), draw.Px(9), draw.Hex(0xa9763f))
	}
	canvas := f.part(180, -760, 640, 1180)
	slab(b, canvas.all(), 2, draw.Hex(0xfaf6ec))
	b.Rect(f.box(150, 410, 700, 60), draw.Hex(0x8a5a2c))
	art := canvas.part(70, 60, 860, 880)
	b.Clip(art.all(), func() {
		b.Rect(art.all(), draw.Down(art.all(), draw.Hex(0xbfe0ee), draw.Hex(0xf7e9c8)))
		b.Fill(art.shape(0, 700, 300, 420, 560, 680, 780, 500, 1000, 720, 1000, 1000, 0, 1000), draw.Hex(0x7aa06a))
		b.Oval(draw.Disc(art.at(720, 240), art.wide(100)), draw.Hex(0xf2b03c))
	})
	p := f.part(820, 560, 230, 380)
	b.Oval(p.all(), draw.Hex(0xc69a66))
	for i, ink := range []uint32{0xd9475a, 0xf0c24a, 0x4f86c8, 0x5aa86a, 0xf6f3ec} {
		b.Oval(draw.Disc(draw.Polar(p.at(500, 500), p.wide(300), draw.Turn*draw.Angle(i)/6), p.wide(100)), draw.Hex(ink))
	}
	for i := range 3 {
		jarAt := f.part(20+90*i, 700, 70, 230)
		lit(b, new(draw.Path).Round(jarAt.all(), draw.Px(4)), jarAt.all(), draw.Hex([]uint32{0xd9604a, 0x4f86c8, 0xf0c24a}[i]))
		b.Rect(jarAt.box(100, -90, 800, 130), draw.Hex(0xe6e8ea))
	}
}

// figure is somebody seen from behind or before, standing.
func figure(b *Brush, f field, coat draw.Color, facing bool) {
	f = field{f.x - f.w/4, f.y, f.w * 3 / 2, f.h}
	skin := tint(0xf0c8a4, 0xd29a6c, 0x9a6840, 0x6b4630)(b.Rnd)
	hair := tint(0x2a1c14, 0x5a3a20, 0xb8863c, 0x8a8a8a, 0x7a2f1c)(b.Rnd)
	legs := tint(0x3a4656, 0x4a4038, 0x2f3a34, 0x5a5a66)(b.Rnd)
	ground(b, f)
	for _, x := range []int{290, 520} {
		lit(b, new(draw.Path).Round(f.box(x, 560, 190, 420), f.wide(60)), f.all(), legs)
		b.RoundRect(f.box(x-20, 955, 220, 45), f.wide(60), draw.Hex(0x2a2420))
	}
	for _, x := range []int{120, 730} {
		lit(b, new(draw.Path).Round(f.box(x, 240, 150, 350), f.wide(75)), f.all(), coat.Mix(umber(), 30))
		b.Oval(f.box(x+20, 560, 110, 60), skin)
	}
	raised(b, new(draw.Path).Corners(f.box(200, 210, 600, 400), [4]draw.Unit{f.wide(180), f.wide(180), f.wide(60), f.wide(60)}), f.all(), coat)
	b.Rect(f.box(430, 170, 140, 70), skin.Mix(umber(), 40))
	b.Oval(f.box(325, 15, 350, 175), skin)
	if !facing {
		b.Oval(f.box(310, 0, 380, 180), hair)
		return
	}
	b.Fill(new(draw.Path).Move(f.at(315, 105)).Cubic(f.at(300, -35), f.at(700, -35), f.at(685, 105)).Cubic(f.at(640, 45), f.at(480, 50), f.at(315, 105)).Close(), hair)
	for _, x := range []int{430, 570} {
		b.Oval(draw.Disc(f.at(x, 105), max(64, f.wide(20))), draw.Hex(0x241a14))
	}
	b.Stroke(new(draw.Path).Move(f.at(450, 142)).Quad(f.at(500, 162), f.at(550, 142)), draw.At(1.5), draw.Hex(0x7a3a30))
}

func guidedTour(b *Brush, f field) {
	coats := tint(0x6a8ab0, 0xb06a5a, 0x7a9a6a, 0x8a7ab0, 0xc0a060, 0x5a6a78)
	guide := f.part(20, -420, 200, 1380)
	figure(b, guide, draw.Hex(0xb83a3a), true)
	b.Stroke(new(draw.Path).Move(guide.at(830, 560)).Line(guide.at(900, -120)), draw.Px(4), draw.Hex(0x6b5138))
	b.Fill(guide.shape(900, -120, 1500, -60, 900, 30), draw.Hex(0xf0c24a))
	for i := range 4 {
		h := b.Rnd.IntN(140)
		figure(b, f.part(360+165*i, -360+h+40*(i%2), 185, 1330-h), coats(b.Rnd), false)
	}
}

func cleaning(b *Brush, f field) {
	b.Oval(f.box(120, 760, 560, 200), draw.Hex(0xcfe4ee).Fade(150))
	figure(b, f.part(240, -420, 210, 1360), draw.Hex(0x4f7fa8), true)
	b.Stroke(new(draw.Path).Move(f.at(500, -60)).Line(f.at(600, 860)), draw.Px(6), draw.Hex(0xc69a66))
	b.Fill(f.blob(520, 840, 680, 840, 740, 960, 460, 960), draw.Hex(0xe9e4d8))
	bucket(b, f.part(30, 620, 180, 330), draw.Hex(0xbfe0ee))
	sign := f.part(780, 330, 190, 640)
	ground(b, sign)
	raised(b, sign.shape(330, 0, 670, 0, 1000, 1000, 0, 1000), sign.all(), draw.Hex(0xf2c230))
	b.Fill(sign.shape(500, 250, 700, 620, 300, 620), draw.Hex(0x2a2420))
	b.Rect(sign.box(300, 720, 400, 50), draw.Hex(0x2a2420))
}

func photoShoot(b *Brush, f field) {
	sheet := f.part(250, -760, 500, 1560)
	b.Fill(sheet.shape(0, 0, 1000, 0, 1000, 760, 1160, 1000, -160, 1000, 0, 760), draw.Down(sheet.all(), draw.Hex(0xf4f1ea), draw.Hex(0xdcd6ca)))
	b.Rect(sheet.box(-60, -20, 1120, 30), draw.Hex(0x5a5048))
	plinth := f.part(520, 260, 170, 400)
	ground(b, plinth)
	slab(b, plinth.all(), 2, draw.Hex(0xcfc8bc))
	vase(b, f.part(520, -240, 170, 510), "star", scene.Thing{})
	for i, x := range []int{20, 800} {
		l := f.part(x, -700, 190, 1660)
		ground(b, l)
		b.Stroke(new(draw.Path).Move(l.at(500, 200)).Line(l.at(500, 860), l.at(150, 1000)), draw.Px(5), draw.Hex(0x2a2e34))
		b.Stroke(new(draw.Path).Move(l.at(500, 860)).Line(l.at(850, 1000)), draw.Px(5), draw.Hex(0x2a2e34))
		slab(b, l.box(0, 0, 1000, 240), 4, draw.Hex(0x24282c))
		b.Rect(l.box(80, 20, 840, 200), draw.Across(l.all(), draw.Hex(0xfffdf2), draw.Hex(0xf2ead0).Mix(umber(), 12*i)))
	}
	c := f.part(250, 20, 250, 960)
	ground(b, c)
	for _, x := range []int{60, 500, 940} {
		b.Stroke(new(draw.Path).Move(c.at(500, 330)).Line(c.at(x, 1000)), draw.Px(6), draw.Hex(0x3a3f45))
	}
	slab(b, c.box(100, 60, 800, 300), 8, draw.Hex(0x24282c))
	slab(b, c.box(360, 0, 280, 90), 4, draw.Hex(0x34393f))
	lens := draw.Disc(c.at(500, 210), c.wide(230))
	b.Oval(lens, draw.Hex(0x4a5058))
	b.Oval(lens.Inset(draw.Px(8), draw.Px(8)), draw.Radial{At: c.at(440, 180), Radius: c.wide(260), A: draw.Hex(0x9ac0e0), B: draw.Hex(0x101418)})
}

func packing(b *Brush, f field) {
	for i, c := range [][4]int{{0, 280, 320, 660}, {660, 360, 330, 580}} {
		k := f.part(c[0], c[1], c[2], c[3])
		ground(b, k)
		slab(b, k.all(), 2, draw.Hex(0xc69a5a))
		for y := 120; y < 1000; y += 220 {
			b.Rect(k.box(0, y, 1000, 16), draw.Hex(0x8a6234))
		}
		for _, x := range []int{0, 890} {
			b.Rect(k.box(x, 0, 110, 1000), draw.Hex(0xa97c42))
		}
		if i == 0 {
			b.Fill(k.blob(60, 40, 200, -120, 400, -20, 620, -140, 900, -40, 960, 60), draw.Hex(0xf0dfae))
		}
		b.Icon("wine", k.box(380, 330, 240, 240), draw.Hex(0x3a2a1c))
		b.Icon("arrow-up", k.box(380, 610, 240, 240), draw.Hex(0x3a2a1c))
	}
	figure(b, f.part(390, -420, 210, 1380), draw.Hex(0x6a7a5a), true)
}

func concert(b *Brush, f field) {
	piano := f.part(30, -60, 460, 1020)
	ground(b, piano)
	slab(b, piano.box(0, 0, 1000, 1000), 5, draw.Hex(0x2a2420))
	b.Rect(piano.box(40, 440, 920, 130), draw.Hex(0xf8f5ee))
	for i := range 14 {
		b.Rect(piano.box(60+65*i, 440, 28, 80), draw.Hex(0x17110e))
	}
	b.Rect(piano.box(300, 120, 400, 240), draw.Hex(0xf6efdc))
	figure(b, f.part(560, -380, 200, 1340), draw.Hex(0x7a2f4a), true)
	stand := f.part(800, 120, 180, 840)
	b.Stroke(new(draw.Path).Move(stand.at(500, 300)).Line(stand.at(500, 1000)), draw.Px(4), draw.Hex(0x3a3f45))
	slab(b, stand.box(0, 0, 1000, 340), 2, draw.Hex(0xf6efdc))
	for i, x := range []int{520, 700, 860} {
		b.Icon("music", f.box(x, -640+90*(i%2), 80, 150), draw.Hex(0x5a4a78))
	}
}

func reception(b *Brush, f field) {
	clothTable(b, f.part(60, 330, 560, 650), draw.Hex(0xf6f3ec))
	for i := range 5 {
		g := f.part(120+90*i, 170+30*(i%2), 60, 260)
		b.Fill(g.shape(150, 0, 850, 0, 600, 560, 400, 560), draw.Hex(0xf0d68a).Fade(220))
		b.Rect(g.box(460, 540, 80, 380), draw.Hex(0xc8d0d4))
		b.Oval(g.box(200, 900, 600, 100), draw.Hex(0xc8d0d4))
	}
	figure(b, f.part(640, -400, 190, 1360), draw.Hex(0x34405a), true)
	figure(b, f.part(880, -360, 190, 1320), draw.Hex(0xa8485a), true)
	bunting(b, f.part(340, -1240, 720, 260))
}
