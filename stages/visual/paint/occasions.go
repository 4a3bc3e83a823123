package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// occasions paints what goes on in a room, by what is set up for it: the activity
// that the thing tells.
func occasions() painters {
	return painters{kinds: map[string]Painter{"occasion": occasion}}
}

func occasion(b *Brush, t scene.Thing) {
	of := map[string]func(*Brush, field){
		"painting the walls": wallPainting, "moving in": movingIn, "a tea party": teaParty, "a birthday party": birthday, "sewing": sewing,
		"band practice": bandPractice, "office work": officeWork, "a film night": filmNight, "ironing": ironing, "drawing at an easel": easel,
		"a guided tour": guidedTour, "cleaning": cleaning, "a photo shoot": photoShoot, "packing for transport": packing, "a concert": concert,
		"an opening with drinks": reception,
	}
	if paint, ok := of[t.Look[scene.Activity]]; ok {
		paint(b, over(t))
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
