package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// exercise is what goes on in a sports hall, by who and what is there for it.
func exercise(b *Brush, t scene.Thing) {
	of := map[string]func(*Brush, field){
		"yoga": yoga, "table tennis": tableTennis, "spinning": spinning, "boxing": boxing, "weightlifting": weightlifting, "badminton": badminton,
		"gymnastics": gymnastics, "basketball": basketball, "ballet": ballet, "a blood donation": bloodDonation,
	}
	if paint, ok := of[t.Look[scene.Activity]]; ok {
		paint(b, over(t))
	}
}

// athlete is somebody of limbs along points: head, neck, hip, then hands and feet by
// way of elbows and knees.
func athlete(b *Brush, f field, shirt, trousers draw.Color, xy [11][2]int) {
	at := func(i int) draw.Point { return f.at(xy[i][0], xy[i][1]) }
	skin := tint(0xf0c8a8, 0xd9a27a, 0xa8744c, 0x7a4e30)(b.Rnd)
	thick := max(f.tall(95), draw.Px(9))
	limb := func(ink draw.Color, w draw.Unit, from, by, to int) {
		b.Stroke(new(draw.Path).Move(at(from)).Line(at(by), at(to)), w, ink)
	}
	limb(skin.Mix(umber(), 30), thick*7/10, 1, 3, 4)
	limb(trousers.Mix(umber(), 30), thick, 2, 7, 8)
	limb(trousers, thick, 2, 9, 10)
	b.Stroke(new(draw.Path).Move(at(1)).Line(at(2)), thick*17/10, shirt)
	limb(skin, thick*7/10, 1, 5, 6)
	b.Stroke(new(draw.Path).Move(at(1)).Line(at(0)), thick*8/10, skin.Mix(umber(), 24))
	hair := draw.Disc(draw.Point{X: at(0).X, Y: at(0).Y - thick*22/100}, thick*102/100)
	b.Oval(hair, tint(0x2a1c14, 0x6d4a30, 0xb8863c, 0x3a3a3e)(b.Rnd))
	face := draw.Disc(draw.Point{X: at(0).X, Y: at(0).Y + thick*16/100}, thick*88/100)
	b.Oval(face, draw.Radial{At: face.Mid(), Radius: thick, A: skin.Mix(paper(), 30), B: skin})
	features(b, face)
}

func yoga(b *Brush, f field) {
	for i, ink := range []uint32{0x7a5ab0, 0x3f9a8a, 0xd97a5a} {
		m := f.part(-40+360*i, 620, 320, 300)
		b.Fill(m.shape(120, 0, 880, 0, 1000, 1000, 0, 1000), draw.Hex(ink))
		who := f.part(-40+360*i, 60, 320, 800)
		athlete(b, who, draw.Hex(ink).Mix(paper(), 90), draw.Hex(0x3a4050), [11][2]int{{500, 240}, {500, 400}, {500, 780}, {300, 600}, {160, 820}, {700, 600}, {840, 820}, {160, 900}, {560, 940}, {840, 900}, {440, 940}})
	}
}

func tableTennis(b *Brush, f field) {
	ground(b, f.part(100, 0, 800, 1000))
	for _, x := range []int{180, 780} {
		b.Rect(f.box(x, 560, 26, 420), draw.Hex(0x3a4048))
	}
	b.Fill(f.shape(160, 400, 840, 400, 940, 640, 60, 640), draw.Hex(0x1f5a8a))
	b.Stroke(f.shape(160, 400, 840, 400, 940, 640, 60, 640), draw.Px(4), paper())
	b.Rect(f.box(60, 640, 880, 24), draw.Hex(0x163f60))
	b.Fill(f.shape(490, 270, 508, 270, 512, 660, 486, 660), draw.Hex(0xe4e8ec))
	for _, side := range []int{0, 1} {
		ink := []draw.Color{draw.Hex(0xc0443c), draw.Hex(0x2f7a4a)}[side]
		who := f.part(-150+1000*side, -160, 300, 1120)
		athlete(b, who, ink, draw.Hex(0x2a3040), facing(side, [11][2]int{{460, 130}, {460, 270}, {440, 580}, {600, 400}, {700, 460}, {640, 360}, {860, 320}, {380, 780}, {300, 980}, {600, 780}, {580, 980}}))
		x := 860
		if side == 1 {
			x = 140
		}
		b.Oval(draw.Disc(who.at(x, 280), draw.Px(17)), draw.Hex(0xb02a2a))
	}
	b.Oval(draw.Disc(f.at(620, 240), draw.Px(8)), draw.Hex(0xfff4e0))
}

// facing turns somebody round where side is 1.
func facing(side int, xy [11][2]int) [11][2]int {
	if side == 1 {
		for i := range xy {
			xy[i][0] = 1000 - xy[i][0]
		}
	}
	return xy
}

func spinning(b *Brush, f field) {
	for i, ink := range []uint32{0xd9604a, 0x3f86b8, 0x8a5ac0} {
		m := f.part(-60+370*i, 0, 330, 960)
		ground(b, m)
		who := m.part(0, -60, 1000, 900)
		b.Oval(draw.Disc(m.at(760, 740), m.wide(200)), draw.Hex(0x2a2e34))
		b.Oval(draw.Disc(m.at(760, 740), m.wide(130)), draw.Hex(0x9aa2aa))
		b.Stroke(new(draw.Path).Move(m.at(330, 960)).Line(m.at(380, 480)), draw.Px(10), draw.Hex(0x2a2e34))
		b.Stroke(new(draw.Path).Move(m.at(360, 760)).Line(m.at(760, 740), m.at(740, 330), m.at(860, 330)), draw.Px(10), draw.Hex(0x3a4048))
		b.RoundRect(m.box(240, 450, 260, 50), draw.Px(6), draw.Hex(0x17191c))
		b.RoundRect(m.box(160, 940, 760, 40), draw.Px(4), draw.Hex(0x2a2e34))
		athlete(b, who, draw.Hex(ink), draw.Hex(0x2a3040), [11][2]int{{640, 130}, {560, 260}, {380, 540}, {640, 420}, {820, 430}, {640, 400}, {820, 420}, {600, 640}, {520, 860}, {640, 560}, {620, 780}})
	}
}

func boxing(b *Brush, f field) {
	b.Rect(f.box(640, -1840, 12, 1680), draw.Hex(0x5a6068))
	ground(b, f.part(560, 0, 180, 960))
	slab(b, f.box(560, -200, 172, 860), 26, draw.Hex(0xa82f2f))
	for _, y := range []int{-120, 560} {
		b.Rect(f.box(560, y, 172, 40), draw.Hex(0x2a1c1c))
	}
	who := f.part(160, -160, 420, 1130)
	ground(b, f.part(200, 0, 300, 975))
	athlete(b, who, draw.Hex(0x2f5d9a), draw.Hex(0x24262c), [11][2]int{{440, 130}, {420, 270}, {400, 580}, {560, 400}, {620, 300}, {640, 330}, {900, 260}, {280, 780}, {160, 980}, {560, 760}, {620, 980}})
	for _, at := range [][2]int{{900, 260}, {640, 290}} {
		b.Oval(draw.Disc(who.at(at[0], at[1]), draw.Px(21)), draw.Hex(0xd63a3a))
	}
}

func weightlifting(b *Brush, f field) {
	ground(b, f.part(250, 0, 500, 985))
	b.RoundRect(f.box(60, 950, 880, 40), draw.Px(3), draw.Hex(0x6a4a30))
	who := f.part(290, -60, 420, 1020)
	athlete(b, who, draw.Hex(0xb83a3a), draw.Hex(0x24262c), [11][2]int{{500, 190}, {500, 320}, {500, 600}, {260, 200}, {200, -40}, {740, 200}, {800, -40}, {340, 760}, {360, 990}, {660, 760}, {640, 990}})
	b.Rect(f.box(20, -120, 960, 24), draw.Hex(0xb8bec6))
	for i, x := range []int{60, 110, 150, 810, 850, 900} {
		h := []int{320, 420, 240, 240, 420, 320}[i]
		b.RoundRect(f.box(x, -108-h/2, 36, h), draw.Px(5), draw.Hex([]uint32{0xd6453c, 0x24272c, 0xe8b83c, 0xe8b83c, 0x24272c, 0xd6453c}[i]))
	}
}

func badminton(b *Brush, f field) {
	for _, x := range []int{180, 800} {
		b.Rect(f.box(x, 120, 18, 860), draw.Hex(0x3a4048))
		ground(b, f.part(x-40, 0, 100, 985))
	}
	b.Rect(f.box(190, 140, 620, 30), paper())
	for x := 200; x < 800; x += 24 {
		b.Rect(f.box(x, 170, 3, 330), draw.Hex(0x5a6068))
	}
	for y := 190; y < 500; y += 34 {
		b.Rect(f.box(190, y, 620, 4), draw.Hex(0x5a6068))
	}
	for side := range 2 {
		who := f.part(-180+1000*side, -60, 340, 1040)
		athlete(b, who, []draw.Color{draw.Hex(0xe0a03c), draw.Hex(0x3f8a9a)}[side], draw.Hex(0x34405a), facing(side, [11][2]int{{460, 190}, {460, 320}, {440, 600}, {300, 480}, {240, 600}, {640, 260}, {760, 100}, {360, 780}, {280, 980}, {600, 780}, {620, 980}}))
		hand, head := who.at(760-520*side, 100), who.at(860-720*side, -110)
		b.Stroke(new(draw.Path).Move(hand).Line(head), draw.Px(4), draw.Hex(0x2a2e34))
		b.Stroke(new(draw.Path).Oval(draw.Box{X: head.X - draw.Px(20), Y: head.Y - draw.Px(30), W: draw.Px(40), H: draw.Px(52)}), draw.Px(4), draw.Hex(0xc0443c))
	}
	b.Fill(f.shape(520, -60, 580, -80, 590, -10), paper())
	b.Oval(draw.Disc(f.at(592, -8), draw.Px(6)), draw.Hex(0xd9604a))
}

func gymnastics(b *Brush, f field) {
	for _, x := range []int{760, 880} {
		b.Rect(f.box(x, -1840, 6, 1840), draw.Hex(0x8a7458))
		b.Stroke(new(draw.Path).Oval(draw.Disc(f.at(x+3, 50), draw.Px(21))), draw.Px(7), draw.Hex(0xc99a5c))
	}
	b.Fill(f.shape(-40, 860, 1040, 860, 1100, 1000, -100, 1000), draw.Hex(0x3f6fa8))
	for i, y := range []int{560, 680, 800} {
		lit(b, f.shape(330-30*i, y, 690+30*i, y, 700+30*i, y+110, 320-30*i, y+110), f.all(), draw.Hex(0xd9a860))
	}
	slab(b, f.box(320, 480, 380, 90), 12, draw.Hex(0x8a4a30))
	who := f.part(270, -430, 480, 930)
	athlete(b, who, draw.Hex(0xc0408a), draw.Hex(0xc0408a).Mix(umber(), 40), [11][2]int{{500, 720}, {500, 640}, {500, 380}, {400, 820}, {420, 980}, {600, 820}, {580, 980}, {300, 240}, {60, 120}, {700, 240}, {940, 120}})
}

func basketball(b *Brush, f field) {
	b.Rect(f.box(860, -500, 30, 1480), draw.Hex(0x4a5058))
	ground(b, f.part(800, 0, 160, 985))
	board := f.box(700, -760, 230, 420)
	slab(b, board, 4, draw.Hex(0xf4f6f8))
	b.Stroke(new(draw.Path).Rect(f.box(750, -590, 110, 170)), draw.Px(4), draw.Hex(0xd6453c))
	b.Oval(f.box(600, -400, 190, 44), draw.Hex(0xe2602c))
	for i := range 6 {
		b.Stroke(new(draw.Path).Move(f.at(610+34*i, -380)).Line(f.at(640+22*i, -150)), draw.Px(2), paper())
	}
	who := f.part(220, -130, 400, 1100)
	ground(b, f.part(260, 0, 300, 985))
	athlete(b, who, draw.Hex(0xe0902c), draw.Hex(0x2f4a8a), [11][2]int{{440, 180}, {440, 310}, {440, 590}, {560, 220}, {640, 40}, {600, 260}, {700, 60}, {340, 770}, {300, 980}, {560, 770}, {580, 980}})
	for _, at := range [][2]int{{500, -120}, {80, 900}} {
		ball := draw.Disc(f.at(at[0], at[1]), draw.Px(26))
		b.Oval(ball, draw.Radial{At: draw.Point{X: ball.X + ball.W/3, Y: ball.Y + ball.H/3}, Radius: ball.W, A: draw.Hex(0xf6a050), B: draw.Hex(0xb8561c)})
		b.Rect(draw.Box{X: ball.X, Y: ball.Y + ball.H/2 - 64, W: ball.W, H: 128}, draw.Hex(0x4a2410))
		b.Rect(draw.Box{X: ball.X + ball.W/2 - 64, Y: ball.Y, W: 128, H: ball.H}, draw.Hex(0x4a2410))
	}
}

func ballet(b *Brush, f field) {
	b.RoundRect(f.box(-60, 330, 1120, 26), draw.Px(4), draw.Hex(0xc99a5c))
	for _, x := range []int{-20, 480, 980} {
		b.Rect(f.box(x, 340, 16, 640), draw.Hex(0x8a6a48))
	}
	for i, ink := range []uint32{0xe88ab0, 0x9ab0e0} {
		who := f.part(80+480*i, -220, 400, 1190)
		ground(b, f.part(130+480*i, 0, 300, 985))
		athlete(b, who, draw.Hex(ink), draw.Hex(0xf6e0dc), [11][2]int{{500, 220}, {500, 340}, {500, 560}, {300, 220}, {440, 40}, {760, 380}, {960, 300}, {500, 780}, {500, 990}, {760, 640}, {980, 560}})
		b.Fill(who.blob(120, 560, 400, 480, 600, 480, 880, 560, 820, 680, 500, 640, 180, 680), draw.Hex(ink).Mix(paper(), 90).Fade(220))
	}
}

func bloodDonation(b *Brush, f field) {
	couch := f.part(120, 420, 620, 560)
	ground(b, couch)
	for _, x := range []int{120, 820} {
		b.Rect(couch.box(x, 500, 40, 500), draw.Hex(0x8a9098))
	}
	b.Fill(couch.shape(0, 120, 110, 80, 300, 420, 1000, 420, 1000, 560, 230, 560), draw.Hex(0x3f8a9a))
	who := f.part(150, -160, 600, 1000)
	athlete(b, who, draw.Hex(0xe8e0c8), draw.Hex(0x3a4a6a), [11][2]int{{70, 440}, {140, 510}, {340, 640}, {300, 610}, {420, 620}, {300, 610}, {460, 600}, {620, 640}, {930, 650}, {620, 660}, {940, 670}})
	b.Rect(f.box(870, -420, 14, 1400), draw.Hex(0x8a9098))
	b.Rect(f.box(800, -420, 150, 14), draw.Hex(0x8a9098))
	slab(b, f.box(800, -380, 90, 230), 8, draw.Hex(0xb02a34))
	b.Rect(f.box(812, -360, 66, 60), draw.Hex(0xf4efe6))
	b.Stroke(new(draw.Path).Move(f.at(845, -150)).Cubic(f.at(850, 300), f.at(700, 300), f.at(430, 560)), draw.Px(4), draw.Hex(0xb02a34))
	sign := f.part(-160, -500, 220, 560)
	slab(b, sign.all(), 6, draw.Hex(0xf8f6f2))
	drop := new(draw.Path).Move(sign.at(500, 140)).Cubic(sign.at(980, 640), sign.at(820, 880), sign.at(500, 880)).Cubic(sign.at(180, 880), sign.at(20, 640), sign.at(500, 140)).Close()
	b.Fill(drop, draw.Hex(0xd6343c))
}
