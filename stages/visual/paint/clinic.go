package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func clinic() painters {
	return painters{kinds: map[string]Painter{
		"weather-window": weatherWindow, "aquarium": aquarium, "call-screen": callScreen, "waiting-bench": waitingBench, "magazines": magazines,
		"ball-shelf": shelfBoard, "locker": locker, "wall-bars": wallBars, "exercise": exercise,
	}}
}

// weatherWindow looks out on a meadow with a tree, in the weather that it tells.
func weatherWindow(b *Brush, t scene.Thing, f field) {
	frame := new(draw.Path).Rect(f.all())
	b.Shadow(frame, 8, 0, 5, umber().Fade(70))
	b.Fill(frame, draw.Hex(0xfdfbf7))
	pane := f.box(40, 40, 920, 920)
	b.Clip(draw.PixelBox(pane.X.Round(), pane.Y.Round(), pane.W.Round(), pane.H.Round()), func() { view(b, t, f) })
	b.Rect(f.box(488, 40, 24, 920), draw.Hex(0xfdfbf7))
	ledge := f.box(-40, 975, 1080, 60)
	b.Rect(ledge, draw.Down(ledge, paper(), draw.Hex(0xd4c9ba)))
}

func view(b *Brush, t scene.Thing, f field) {
	how := t.Look[scene.Weather]
	top, low := sky(how)
	b.Rect(f.all(), draw.Down(f.all(), top, low))
	upper, _ := f.all().Cut(f.tall(620))
	skyOf(b, t, upper)
	ground, leaves := draw.Hex(0x86b85a), draw.Hex(0x4f8f4a).Mix(top, 60)
	if how == "snowy" {
		ground, leaves = draw.Hex(0xf4f7fa), draw.Hex(0xdfe8ee)
	}
	if how == "sunny" || how == "windy" {
		top = ground
	}
	b.Fill(f.blob(-200, 720, 200, 640, 600, 740, 1200, 660, 1200, 1100, -200, 1100), draw.Down(f.box(0, 660, 1, 340), ground.Mix(paper(), 40), ground.Mix(top, 90)))
	if how == "windy" {
		b.Stroke(new(draw.Path).Move(f.at(620, 780)).Quad(f.at(640, 560), f.at(800, 430)), draw.Px(9), draw.Hex(0x6d4a30))
		b.Fill(f.blob(640, 400, 760, 280, 1000, 330, 1080, 420, 960, 500, 780, 520), draw.Hex(0x5f9a4a))
	} else {
		tree(b, f.part(620, 360, 280, 460), leaves)
	}
	weather(b, t, f.all())
}

// aquarium has fish that swim apart from each other.
func aquarium(b *Brush, t scene.Thing, f field) {
	_, mid, dark := wood(t)
	ground(b, f)
	slab(b, f.box(20, 700, 960, 300), 4, mid)
	b.Rect(f.box(490, 740, 20, 240), dark)
	slab(b, f.box(0, 0, 1000, 60), 4, draw.Hex(0x2e3440))
	water := field{f.x + f.w*2/100, f.y + f.h*6/100, f.w * 96 / 100, f.h * 64 / 100}
	b.Rect(water.all(), draw.Down(water.all(), draw.Hex(0x8fd8ea), draw.Hex(0x2f86b0)))
	b.Rect(water.box(0, 880, 1000, 120), draw.Hex(0xe0cc9a))
	for i, x := range []int{40, 120, 850, 930} {
		b.Stroke(new(draw.Path).Move(water.at(x, 900)).Cubic(water.at(x+50, 700), water.at(x-50, 500), water.at(x+20, 260+60*(i%2))), draw.Px(5), draw.Hex(0x3f8a4a))
	}
	cells := steady(t).Perm(9)
	for _, c := range cells[:min(9, Number(t, scene.Count, 0))] {
		in := water.part(110+260*(c%3)+b.Rnd.IntN(40), 60+270*(c/3)+b.Rnd.IntN(60), 170, 190)
		b.Object(MarkItem, t.Class, "", func() { goldfish(b, in) })
	}
	b.Rect(water.box(30, 30, 24, 800), paper().Fade(90))
}

func goldfish(b *Brush, f field) {
	ink := tint(0xf08030, 0xf6b83c, 0xe85a4a)(b.Rnd)
	b.Fill(f.shape(700, 500, 1000, 200, 940, 500, 1000, 800), ink.Mix(umber(), 30))
	body := f.box(0, 200, 780, 600)
	b.Oval(body, draw.Down(body, ink.Mix(paper(), 70), ink))
	b.Oval(draw.Disc(f.at(180, 430), draw.Px(4)), paper())
	b.Oval(draw.Disc(f.at(175, 430), draw.Px(2)), draw.Hex(0x1d1715))
}

func callScreen(b *Brush, t scene.Thing, f field) {
	c := theme(t).Accent
	slab(b, f.all(), 8, draw.Hex(0x22262c))
	in := f.all().Inset(draw.Px(8), draw.Px(8))
	upper, lower := in.Cut(draw.Px(40))
	b.Rect(upper, c)
	b.Rect(lower, draw.Hex(0xf4f7fa))
	b.Line(bold(18, paper()), upper, draw.Center, "Next please")
	b.Line(bold(52, draw.Hex(0x1d2630)), lower, draw.Center, t.Look[scene.Text])
}

// waitingBench is a row of padded seats. Its colour is that of seats and backs.
func waitingBench(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	for _, x := range []int{90, 880} {
		b.Rect(f.box(x, 700, 24, 300), draw.Hex(0x6a7078))
		b.RoundRect(f.box(x-40, 970, 110, 30), draw.Px(3), draw.Hex(0x4a5058))
	}
	for i := range 3 {
		slab(b, f.box(8+332*i, 0, 318, 640), 20, ink)
		slab(b, f.box(2+334*i, 600, 326, 150), 12, ink.Mix(paper(), 20))
	}
	b.Rect(f.box(40, 760, 920, 40), draw.Hex(0x8a9098))
}

func magazines(b *Brush, t scene.Thing, f field) {
	_, mid, dark := wood(t)
	ground(b, f)
	for _, x := range []int{120, 840} {
		b.Fill(f.shape(x, 300, x+50, 300, x+40, 1000, x+10, 1000), dark)
	}
	top := f.box(0, 180, 1000, 300)
	b.Oval(top, draw.Down(top, mid.Mix(paper(), 50), mid))
	for i, ink := range []uint32{0xb5483a, 0x3f6f8a, 0xd9a441} {
		x := 250 + 180*i
		b.Fill(f.shape(x, 240+30*(i%2), x+160, 220+30*(i%2), x+210, 340, x+30, 370), draw.Hex(ink).Mix(paper(), 30))
		b.Rect(f.box(x+60, 280, 80, 16), paper().Fade(190))
	}
}

func exerciseBall(b *Brush, f field, _ int) {
	ink := tint(0xd9604a, 0x3f86b8, 0xe8b83c, 0x6aa860, 0x8a5ac0)(b.Rnd)
	b.Oval(f.all(), draw.Radial{At: f.at(340, 320), Radius: f.wide(820), A: ink.Mix(paper(), 120), B: ink.Mix(umber(), 40)})
	b.Stroke(new(draw.Path).Move(f.at(60, 620)).Quad(f.at(500, 760), f.at(940, 620)), draw.Px(2), ink.Mix(umber(), 80).Fade(160))
}

func locker(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	slab(b, f.all(), 4, ink)
	for _, y := range []int{90, 130, 170, 820, 860} {
		b.RoundRect(f.box(260, y, 480, 18), draw.Px(2), ink.Mix(umber(), 110))
	}
	b.RoundRect(f.box(800, 470, 80, 130), draw.Px(3), draw.Hex(0xd8dde2))
}

func wallBars(b *Brush, t scene.Thing, f field) {
	light, mid, _ := wood(t)
	for x := 0; x <= 1000; x += 330 {
		slab(b, f.box(min(x, 960), 0, 40, 1000), 2, mid)
	}
	for y := 60; y < 980; y += 100 {
		bar := f.box(0, y, 1000, 30)
		b.Shadow(new(draw.Path).Rect(bar), 4, 0, 4, umber().Fade(80))
		b.Rect(bar, draw.Down(bar, light, mid))
	}
}

func exercise(b *Brush, t scene.Thing, f field) {
	of := map[string]func(*Brush, field){
		"yoga": yoga, "table tennis": tableTennis, "spinning": spinning, "boxing": boxing, "weightlifting": weightlifting, "badminton": badminton,
		"gymnastics": gymnastics, "basketball": basketball, "ballet": ballet, "a blood donation": bloodDonation,
	}
	if paint, ok := of[t.Look[scene.Activity]]; ok {
		paint(b, f)
	}
}

// athlete draws limbs along points: head, neck, hip, then hands and feet with elbows
// and knees.
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
