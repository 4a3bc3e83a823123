package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// occasions paints what goes on in a room: the activity of the thing.
func occasions() painters {
	return painters{kinds: map[string]Painter{"occasion": occasion}}
}

func occasion(b *Brush, t scene.Thing, f field) {
	of := map[string]func(*Brush, field){
		"painting the walls": wallPainting, "moving in": movingIn, "a tea party": teaParty, "a birthday party": birthday, "sewing": sewing,
		"band practice": bandPractice, "office work": officeWork, "a film night": filmNight, "ironing": ironing, "drawing at an easel": easel,
		"a guided tour": guidedTour, "cleaning": cleaning, "a photo shoot": photoShoot, "packing for transport": packing, "a concert": concert,
		"an opening with drinks": reception,
	}
	if paint, ok := of[t.Look[scene.Activity]]; ok {
		paint(b, f)
	}
}

func bunting(b *Brush, f field) {
	b.Stroke(new(draw.Path).Move(f.at(0, 0)).Quad(f.at(500, 500), f.at(1000, 0)), draw.Px(2), draw.Hex(0x6b6058))
	inks := []uint32{0xd9604a, 0xf0c24a, 0x5a9ab0, 0x7aa860, 0xe08ab0}
	for i := range 9 {
		x := 60 + 100*i
		y := x * (1000 - x) / 1000
		b.Fill(f.shape(x-38, y, x+38, y, x, y+480), draw.Hex(inks[i%5]))
	}
}

func ladder(b *Brush, f field) {
	ground(b, f)
	for _, s := range [][]int{{420, 0, 470, 0, 60, 1000, 0, 1000}, {530, 0, 580, 0, 1000, 1000, 940, 1000}} {
		lit(b, f.shape(s...), f.all(), draw.Hex(0xc08a4a))
	}
	for i := range 5 {
		y := 160 + 170*i
		in := 440 - y*440/1000
		b.Rect(f.box(in, y, 1000-2*in, 34), draw.Hex(0xe0b070))
	}
	b.Rect(f.box(380, 0, 240, 40), draw.Hex(0x8a5a2c))
}

func bucket(b *Brush, f field, ink draw.Color) {
	ground(b, f)
	b.Stroke(new(draw.Path).Move(f.at(80, 200)).Cubic(f.at(150, -200), f.at(850, -200), f.at(920, 200)), draw.Px(3), draw.Hex(0x70767d))
	lit(b, f.shape(40, 160, 960, 160, 820, 1000, 180, 1000), f.all(), draw.Hex(0xb9bec5))
	b.Oval(f.box(40, 60, 920, 220), ink)
	b.Fill(f.blob(560, 160, 700, 160, 690, 620, 640, 700, 580, 600), ink)
}

func wallPainting(b *Brush, f field) {
	ink := tint(0x9ab8a4, 0xd9a07a, 0x8fa9c8, 0xc9a0b4)(b.Rnd)
	patch := f.part(440, -1060, 620, 940)
	b.Fill(patch.blob(20, 40, 300, 0, 700, 60, 980, 20, 960, 500, 1000, 900, 700, 1000, 420, 920, 60, 980, 40, 500), ink)
	for i := range 5 {
		b.Rect(patch.box(60+180*i, 60, 120, 860+b.Rnd.IntN(120)), ink.Mix(paper(), 26).Fade(120))
	}
	b.Fill(f.shape(60, 780, 940, 760, 1000, 960, 0, 980), draw.Hex(0xd8d2c4))
	b.Stroke(f.shape(60, 780, 940, 760, 1000, 960, 0, 980), draw.Px(1), draw.Hex(0xa9a294))
	ladder(b, f.part(90, -480, 380, 1340))
	bucket(b, f.part(560, 560, 190, 300), ink)
	b.Stroke(new(draw.Path).Move(f.at(860, 880)).Line(f.at(800, -60), f.at(870, -60), f.at(870, -150)), draw.Px(5), draw.Hex(0x8a5a2c))
	slab(b, f.box(770, -230, 210, 100), 8, ink.Mix(paper(), 30))
}

func carton(b *Brush, f field) {
	ground(b, f)
	card := draw.Hex(0xc69a66)
	slab(b, f.box(0, 120, 1000, 880), 2, card)
	b.Fill(f.shape(0, 120, 1000, 120, 920, 0, 80, 0), card.Mix(paper(), 50))
	b.Rect(f.box(440, 0, 120, 420), draw.Hex(0xe6cfa4))
	b.Rect(f.box(120, 700, 240, 150), card.Mix(umber(), 60))
}

func movingIn(b *Brush, f field) {
	for _, c := range [][4]int{{40, 380, 330, 560}, {370, 300, 300, 640}, {90, -60, 270, 440}, {400, -20, 240, 330}, {620, 560, 240, 400}} {
		carton(b, f.part(c[0], c[1], c[2], c[3]))
	}
	roll := f.part(880, -120, 100, 1060)
	ground(b, roll)
	slab(b, roll.all(), roll.w/2, draw.Hex(0x9a5a4a))
	b.Oval(roll.box(60, 0, 880, 70), draw.Hex(0xd0a08a))
}

func clothTable(b *Brush, f field, cloth draw.Color) {
	ground(b, f)
	p := new(draw.Path).Move(f.at(0, 120)).Quad(f.at(500, 0), f.at(1000, 120)).Line(f.at(960, 900)).Quad(f.at(840, 820), f.at(720, 920)).Quad(f.at(600, 840), f.at(480, 930)).Quad(f.at(360, 840), f.at(260, 920)).Quad(f.at(140, 830), f.at(40, 900)).Close()
	raised(b, p, f.all(), cloth)
	b.Oval(f.box(0, 0, 1000, 240), cloth.Mix(paper(), 80))
}

func teapot(b *Brush, f field, ink draw.Color) {
	b.Stroke(new(draw.Path).Move(f.at(780, 400)).Cubic(f.at(1040, 360), f.at(1020, 860), f.at(740, 820)), f.wide(70), ink)
	b.Fill(f.shape(280, 720, 60, 330, 0, 330, 140, 300, 330, 500), ink)
	body := f.box(200, 300, 620, 700)
	b.Oval(body, draw.Radial{At: f.at(400, 480), Radius: f.wide(620), A: ink.Mix(paper(), 120), B: ink})
	b.Oval(f.box(320, 230, 380, 160), ink.Mix(umber(), 40))
	b.Oval(draw.Disc(f.at(510, 210), f.wide(60)), ink)
}

func cake(b *Brush, f field, candles int) {
	b.Oval(f.box(0, 800, 1000, 200), draw.Hex(0xf6f3ec))
	slab(b, f.box(80, 420, 840, 480), 6, draw.Hex(0xe7b9c4))
	b.Oval(f.box(80, 340, 840, 180), draw.Hex(0xfdf3f0))
	for i := range 6 {
		b.Oval(f.box(80+140*i, 420, 140, 170), draw.Hex(0xfdf3f0))
	}
	for i := range candles {
		x := 240 + 520*i/max(1, candles-1)
		b.Rect(f.box(x-16, 120, 32, 300), draw.Hex([]uint32{0x5a9ab0, 0xd9604a, 0xf0c24a}[i%3]))
		b.Oval(f.box(x-26, 10, 52, 120), draw.Hex(0xf8c23c))
	}
}

func teaParty(b *Brush, f field) {
	bunting(b, f.part(-160, -1300, 1320, 300))
	clothTable(b, f.part(80, 240, 840, 760), draw.Hex(0xf3efe6))
	teapot(b, f.part(400, -10, 220, 340), draw.Hex(0x4f7fa8))
	for _, x := range []int{170, 290, 680, 800} {
		c := f.part(x, 230, 90, 130)
		b.Oval(c.box(-200, 800, 1300, 260), draw.Hex(0xdfe6ea))
		mug(b, c, 0)
	}
	cake(b, f.part(560, 60, 150, 260), 0)
}

func balloon(b *Brush, f field, ink draw.Color) {
	b.Stroke(new(draw.Path).Move(f.at(500, 560)).Quad(f.at(420, 800), f.at(540, 1000)), draw.Px(2), draw.Hex(0x8a8078))
	b.Fill(f.shape(440, 600, 560, 600, 500, 530), ink)
	b.Oval(f.box(0, 0, 1000, 570), draw.Radial{At: f.at(330, 170), Radius: f.wide(900), A: ink.Mix(paper(), 140), B: ink})
}

func birthday(b *Brush, f field) {
	bunting(b, f.part(-160, -1300, 1320, 300))
	for i, ink := range []uint32{0xd9475a, 0xf0b03c, 0x4f86c8, 0x8a5ac0, 0x5aa86a} {
		balloon(b, f.part(40+220*i, -560-90*(i%2)-b.Rnd.IntN(60), 130, 760), draw.Hex(ink))
	}
	clothTable(b, f.part(180, 260, 640, 740), draw.Hex(0xe9c46a))
	cake(b, f.part(340, -20, 320, 360), 5)
	for i, x := range []int{-20, 830} {
		g := f.part(x, 620, 180, 360)
		ground(b, g)
		slab(b, g.box(0, 160, 1000, 840), 2, draw.Hex([]uint32{0x5a9ab0, 0xc05a7a}[i]))
		b.Rect(g.box(420, 160, 160, 840), draw.Hex(0xf6e7b0))
		b.Fill(g.blob(500, 160, 200, 0, 120, 200), draw.Hex(0xf6e7b0))
		b.Fill(g.blob(500, 160, 800, 0, 880, 200), draw.Hex(0xf6e7b0))
	}
}

func deskTable(b *Brush, f field) {
	ground(b, f)
	for _, x := range []int{40, 900} {
		b.Rect(f.box(x, 80, 60, 920), draw.Hex(0x5f4330))
	}
	slab(b, f.box(0, 0, 1000, 110), 3, draw.Hex(0xb98a58))
}

func sewing(b *Brush, f field) {
	form := f.part(780, -520, 200, 1440)
	ground(b, form)
	b.Rect(form.box(470, 500, 60, 480), draw.Hex(0x5f4330))
	bust := new(draw.Path).Move(form.at(420, 20)).Line(form.at(580, 20), form.at(600, 70)).Quad(form.at(900, 90), form.at(920, 190)).Cubic(form.at(900, 300), form.at(740, 330), form.at(740, 400)).Cubic(form.at(760, 480), form.at(900, 500), form.at(920, 640)).Quad(form.at(500, 690), form.at(80, 640)).Cubic(form.at(100, 500), form.at(240, 480), form.at(260, 400)).Cubic(form.at(260, 330), form.at(100, 300), form.at(80, 190)).Quad(form.at(100, 90), form.at(400, 70)).Close()
	raised(b, bust, form.all(), draw.Hex(0xb46a78))
	b.Stroke(new(draw.Path).Move(form.at(500, 60)).Line(form.at(500, 660)), draw.At(1.5), umber().Fade(90))
	deskTable(b, f.part(20, 380, 700, 600))
	m := f.part(150, -20, 360, 410)
	slab(b, m.box(0, 820, 1000, 180), 4, draw.Hex(0x3d4650))
	slab(b, m.box(700, 100, 260, 760), 8, draw.Hex(0xe9e4da))
	slab(b, m.box(60, 100, 900, 260), 12, draw.Hex(0xe9e4da))
	slab(b, m.box(100, 300, 160, 330), 4, draw.Hex(0xd2cbbd))
	b.Rect(m.box(170, 620, 20, 200), draw.Hex(0x8a9098))
	b.Oval(m.box(900, 150, 170, 340), draw.Hex(0x6a7078))
	b.Rect(m.box(620, -60, 90, 160), draw.Hex(0xd9475a))
	b.Fill(f.blob(60, 350, 260, 380, 330, 370, 300, 640, 120, 720, 40, 560), draw.Hex(0x6fa0c0))
	for i, ink := range []uint32{0xe9b44a, 0x7aa860, 0x8a6ac0} {
		slab(b, f.box(560, 190+60*i, 140, 60), 7, draw.Hex(ink))
	}
}

func bandPractice(b *Brush, f field) {
	ground(b, f.part(200, 0, 560, 960))
	for i, x := range []int{270, 520} {
		b.Oval(f.box(x, 120-i*20, 170, 170), draw.Hex(0xb83a3a))
		b.Oval(f.box(x, 110-i*20, 170, 70), draw.Hex(0xf4efe4))
	}
	bass := draw.Disc(f.at(480, 620), f.tall(340))
	b.Oval(bass, draw.Hex(0x9a2a2a))
	b.Oval(bass.Inset(draw.Px(9), draw.Px(9)), draw.Radial{At: f.at(450, 540), Radius: f.tall(380), A: draw.Hex(0xfdfaf2), B: draw.Hex(0xcdc4b2)})
	for _, x := range []int{150, 740} {
		b.Stroke(new(draw.Path).Move(f.at(x+20, 40)).Line(f.at(x+40, 960)), draw.Px(4), draw.Hex(0x70767d))
		b.Oval(f.box(x-100, 0, 260, 80), draw.Down(f.box(0, 0, 1, 80), draw.Hex(0xf4dc8a), draw.Hex(0xa8801f)))
	}
	g := f.part(860, -60, 190, 1040)
	ground(b, g)
	b.Rect(g.box(430, 60, 140, 560), draw.Hex(0x3f2a1c))
	b.Rect(g.box(380, 0, 240, 110), draw.Hex(0x2a1c12))
	raised(b, g.blob(200, 500, 500, 460, 800, 500, 860, 640, 780, 720, 960, 860, 820, 1000, 180, 1000, 40, 860, 220, 720, 140, 640), g.all(), draw.Hex(0xc8762c))
	b.Oval(g.box(380, 680, 240, 100), draw.Hex(0x2a1c12))
	mike := f.part(-40, -200, 140, 1180)
	b.Stroke(new(draw.Path).Move(mike.at(500, 960)).Line(mike.at(500, 160), mike.at(800, 60)), draw.Px(4), draw.Hex(0x3a3f45))
	b.Oval(mike.box(650, 0, 330, 90), draw.Hex(0x24282c))
	b.Oval(mike.box(150, 950, 700, 50), draw.Hex(0x24282c))
}

func officeWork(b *Brush, f field) {
	deskTable(b, f.part(60, 380, 880, 600))
	screen := f.part(300, -160, 400, 540)
	slab(b, screen.box(420, 780, 160, 220), 2, draw.Hex(0x4a5058))
	slab(b, screen.box(0, 0, 1000, 820), 6, draw.Hex(0x2a2e34))
	b.Rect(screen.box(30, 40, 940, 740), draw.Down(screen.all(), draw.Hex(0xe9f1f8), draw.Hex(0xc4d7e8)))
	for i := range 6 {
		b.Rect(screen.box(90, 120+100*i, 200+b.Rnd.IntN(560), 34), draw.Hex(0x5a7a9a).Fade(170))
	}
	b.RoundRect(f.box(330, 350, 330, 40), draw.Px(2), draw.Hex(0xd6d8da))
	mug(b, f.part(160, 240, 90, 150), 0)
	b.Stroke(new(draw.Path).Move(f.at(820, 380)).Line(f.at(860, 120), f.at(760, -20)), draw.Px(5), draw.Hex(0x3a3f45))
	b.Fill(f.shape(690, 60, 740, -60, 820, -10, 790, 110), draw.Hex(0xd9604a))
	chair := f.part(400, 470, 200, 520)
	ground(b, chair)
	slab(b, chair.box(0, 0, 1000, 470), 14, draw.Hex(0x3d5a6a))
	slab(b, chair.box(-60, 520, 1120, 150), 8, draw.Hex(0x34505e))
	b.Rect(chair.box(450, 660, 100, 220), draw.Hex(0x2a2e34))
	b.Stroke(new(draw.Path).Move(chair.at(100, 980)).Line(chair.at(500, 860), chair.at(900, 980)), draw.Px(6), draw.Hex(0x2a2e34))
}

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

// figure is a standing person, seen from behind or in front.
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
	for i := range 3 {
		h := b.Rnd.IntN(140)
		figure(b, f.part(370+225*i, -360+h+40*(i%2), 185, 1330-h), coats(b.Rnd), false)
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
