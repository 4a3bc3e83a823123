package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func furniture() painters {
	return painters{kinds: map[string]Painter{
		"sofa": sofa, "bed": bed, "bedspread": bedspread, "rug": rug, "pouf": pouf, "toy-box": toyBox, "stool": stool, "basket": basket,
		"suitcase": suitcase, "watering-can": wateringCan, "dog": dog, "house-plant": housePlant, "floor-lamp": floorLamp,
		"cabinets": cabinets, "splashback": splashback, "counter": counter, "shelf-board": shelfBoard, "blackboard": blackboard,
		"kettle": kettle, "blind": blind, "fruit-table": fruitTable,
	}}
}

func sofa(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x47769a)
	_, _, dark := wood(t)
	ground(b, f)
	for _, x := range []int{70, 890} {
		b.Fill(f.shape(x, 900, x+50, 900, x+36, 1000, x+14, 1000), dark)
	}
	slab(b, f.box(80, 0, 840, 800), 30, ink.Mix(umber(), 12))
	slab(b, f.box(140, 110, 350, 480), 22, ink)
	slab(b, f.box(500, 100, 360, 490), 22, ink)
	slab(b, f.box(110, 640, 780, 300), 12, ink.Mix(umber(), 26))
	slab(b, f.box(110, 520, 390, 250), 18, ink.Mix(paper(), 14))
	slab(b, f.box(500, 526, 390, 244), 18, ink)
	slab(b, f.box(0, 320, 150, 600), 24, ink)
	slab(b, f.box(850, 310, 150, 610), 24, ink)
	for i, x := range []int{160, 700}[:1+steady(t).IntN(2)] {
		cushion := f.blob(x, 290, x+75, 310, x+150, 280, x+135, 420, x+150, 560, x+75, 530, x, 560, x+15, 420)
		raised(b, cushion, f.box(x, 280, 150, 280), tint(0xe9dcc2, 0xcbb69a, 0xa9b5b0)(steady(t)).Mix(umber(), 20*i))
	}
}

func bed(b *Brush, t scene.Thing, f field) {
	painting(b, f.part(277, -800, 472, 500), t)
	light, mid, dark := wood(t)
	ground(b, f)
	slab(b, f.box(20, 0, 960, 560), 16, mid)
	for x := 90; x < 900; x += 140 {
		b.Rect(f.box(x, 60, 100, 400), draw.Down(f.all(), light.Fade(120), dark.Fade(90)))
	}
	slab(b, f.box(40, 420, 920, 520), 14, draw.Hex(0xf4f0e8))
	for _, x := range []int{110, 540} {
		slab(b, f.box(x, 330, 350, 170), 24, draw.Hex(0xfbf9f4))
	}
	for _, x := range []int{30, 900} {
		b.Rect(f.box(x, 900, 60, 100), dark)
	}
}

func bedspread(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x47769a)
	cloth := new(draw.Path).Move(f.at(0, 90)).Quad(f.at(500, 0), f.at(1000, 90)).Line(f.at(1000, 960)).Quad(f.at(750, 1000), f.at(500, 970)).Quad(f.at(250, 1000), f.at(0, 960)).Close()
	raised(b, cloth, f.all(), ink)
	b.Stroke(new(draw.Path).Move(f.at(0, 230)).Quad(f.at(500, 150), f.at(1000, 230)), draw.Px(3), ink.Mix(paper(), 60))
	for x := 120; x < 1000; x += 150 + b.Rnd.IntN(40) {
		b.Stroke(new(draw.Path).Move(f.at(x, 620)).Quad(f.at(x+12, 800), f.at(x-8, 960)), draw.Px(2), ink.Mix(umber(), 60).Fade(120))
	}
}

// rug lies on the floor in perspective; its pattern is seen from above.
func rug(b *Brush, t scene.Thing, f field) {
	r := steady(t)
	base := tint(0x8c3b3b, 0x2f4f66, 0x3f6b57, 0x6b4a74, 0x8a6430)(r)
	p := f.shape(90, 0, 910, 0, 1000, 1000, 0, 1000)
	b.Shadow(p, 4, 0, 3, umber().Fade(90))
	b.Fill(p, draw.Across(f.all(), base.Mix(paper(), 20), base.Mix(umber(), 30)))
	b.Stroke(f.shape(112, 60, 888, 60, 965, 930, 35, 930), draw.Px(4), draw.Hex(0xe7d3b1))
	patterned(b, f.box(130, 110, 740, 780), patternOf(t), f.h*30/100, draw.Hex(0xf0e2c4))
	for x := 0; x < 1000; x += 22 {
		b.Stroke(new(draw.Path).Move(f.at(x+6, 1000)).Line(f.at(x+3, 1050)), draw.At(1.5), draw.Hex(0xe7d3b1))
	}
}

func pouf(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0xb98a58)
	ground(b, f)
	slab(b, f.box(30, 120, 940, 880), f.h/3, ink)
	for _, x := range []int{180, 820} {
		b.Stroke(new(draw.Path).Move(f.at(500, 160)).Quad(f.at(x, 260), f.at(x, 960)), draw.Px(2), ink.Mix(umber(), 70).Fade(130))
	}
	top := f.box(90, 60, 820, 330)
	b.Oval(top, ink.Mix(paper(), 36))
	b.Oval(draw.Disc(f.at(500, 200), draw.Px(6)), ink.Mix(umber(), 60))
}

func toyBox(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0xb98a58)
	ground(b, f)
	for i, c := range []uint32{0xe0b060, 0x6fa0c0, 0xb46a6a} {
		ball := draw.Disc(f.at(230+270*i, 180-40*(i%2)), f.wide(120))
		b.Oval(ball, draw.Radial{At: draw.Point{X: ball.X + ball.W/3, Y: ball.Y + ball.H/3}, Radius: ball.W, A: draw.Hex(c).Mix(paper(), 110), B: draw.Hex(c).Mix(umber(), 60)})
	}
	slab(b, f.box(40, 260, 920, 740), 8, ink)
	slab(b, f.box(0, 220, 1000, 130), 6, ink.Mix(paper(), 24))
	b.RoundRect(f.box(400, 860, 200, 60), draw.Px(5), ink.Mix(umber(), 90))
}

func stool(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0xb98a58)
	ground(b, f)
	for _, leg := range [][]int{{140, 380, 230, 380, 120, 1000, 50, 1000}, {770, 380, 860, 380, 950, 1000, 880, 1000}} {
		lit(b, f.shape(leg...), f.all(), ink.Mix(umber(), 40))
	}
	b.Rect(f.box(150, 700, 700, 60), ink.Mix(umber(), 50))
	slab(b, f.box(0, 120, 1000, 480), f.h/8, ink)
	b.Rect(f.box(60, 170, 880, 18), ink.Mix(paper(), 60))
}

func basket(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0xb98a58)
	ground(b, f)
	b.Stroke(new(draw.Path).Move(f.at(160, 420)).Cubic(f.at(200, -60), f.at(800, -60), f.at(840, 420)), draw.Px(7), ink.Mix(umber(), 50))
	body := f.shape(20, 360, 980, 360, 860, 1000, 140, 1000)
	raised(b, body, f.all(), ink)
	for y := 470; y < 980; y += 110 {
		in := (y - 360) * 120 / 640
		b.Stroke(new(draw.Path).Move(f.at(40+in, y)).Line(f.at(960-in, y)), draw.Px(1), ink.Mix(umber(), 80).Fade(120))
	}
	slab(b, f.box(0, 320, 1000, 110), 6, ink.Mix(paper(), 22))
}

func suitcase(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0xb98a58)
	ground(b, f)
	b.Stroke(new(draw.Path).Move(f.at(380, 200)).Line(f.at(400, 60), f.at(600, 60), f.at(620, 200)), draw.Px(7), draw.Hex(0x3b332e))
	slab(b, f.box(0, 180, 1000, 820), 12, ink)
	for _, x := range []int{130, 790} {
		b.Rect(f.box(x, 180, 80, 820), ink.Mix(umber(), 90))
		b.Rect(f.box(x+14, 300, 52, 70), draw.Hex(0xd8b866))
	}
}

func wateringCan(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0xb98a58)
	ground(b, f.part(150, 0, 600, 1000))
	b.Stroke(new(draw.Path).Move(f.at(690, 760)).Line(f.at(940, 330)), draw.Px(10), ink.Mix(umber(), 30))
	b.Fill(f.shape(880, 340, 960, 230, 1000, 380), ink.Mix(umber(), 50))
	b.Stroke(new(draw.Path).Move(f.at(300, 400)).Cubic(f.at(20, 200), f.at(0, 760), f.at(230, 800)), draw.Px(8), ink.Mix(umber(), 40))
	raised(b, f.shape(260, 330, 680, 330, 740, 1000, 200, 1000), f.all(), ink)
	b.Oval(f.box(250, 270, 440, 130), ink.Mix(umber(), 70))
}

func dog(b *Brush, t scene.Thing, f field) {
	coat := tint(0xd8b488, 0xece2d0, 0x3f3a38)(steady(t))
	ground(b, f)
	b.Stroke(new(draw.Path).Move(f.at(880, 760)).Quad(f.at(1010, 640), f.at(960, 440)), draw.Px(10), coat)
	body := new(draw.Path).Move(f.at(180, 980)).Cubic(f.at(180, 420), f.at(500, 460), f.at(640, 500)).Cubic(f.at(900, 500), f.at(960, 760), f.at(900, 980)).Close()
	raised(b, body, f.all(), coat)
	slab(b, f.box(120, 860, 330, 140), 9, coat.Mix(paper(), 24))
	head := f.blob(60, 260, 240, 120, 420, 240, 430, 560, 260, 680, 60, 600, 0, 480)
	raised(b, head, f.all(), coat.Mix(paper(), 16))
	b.Fill(f.blob(300, 200, 470, 220, 480, 620, 380, 640, 320, 420), coat.Mix(umber(), 110))
	b.Oval(draw.Disc(f.at(180, 370), draw.Px(4)), draw.Hex(0x1d1715))
	b.Oval(f.box(0, 470, 90, 110), draw.Hex(0x1d1715))
	b.Stroke(new(draw.Path).Move(f.at(250, 690)).Line(f.at(420, 620)), draw.Px(6), draw.Hex(0xb23a3a))
}

func housePlant(b *Brush, t scene.Thing, f field) {
	r := steady(t)
	pot := f.part(300, 680, 400, 320)
	ground(b, pot)
	root := f.at(500, 690)
	for i := range 15 {
		a := -draw.Turn/4 + draw.Angle(i%2*2-1)*draw.Angle(i)*draw.Turn/54 + draw.Angle(r.IntN(900))
		long := f.tall(420 + r.IntN(250))
		ink := draw.Hex(0x2e6b45).Mix(draw.Hex(0x8abf74), r.IntN(256))
		tip, mid, wide := draw.Polar(root, long, a), draw.Polar(root, long/2, a), f.wide(50+r.IntN(40))
		leaf := new(draw.Path).Move(root).Quad(draw.Polar(mid, wide, a-draw.Turn/4), tip).Quad(draw.Polar(mid, wide, a+draw.Turn/4), root).Close()
		b.Fill(leaf, draw.Linear{From: root, To: tip, A: ink.Mix(draw.Hex(0x0f2a1c), 100), B: ink})
	}
	clay := tint(0xc06a3c, 0xe8e2d6, 0x50606c, 0xa9b7a0)(r)
	raised(b, pot.shape(40, 100, 960, 100, 820, 1000, 180, 1000), pot.all(), clay)
	slab(b, pot.box(0, 0, 1000, 190), 5, clay.Mix(paper(), 30))
}

func floorLamp(b *Brush, t scene.Thing, f field) {
	foot := f.part(250, 960, 500, 40)
	ground(b, foot)
	b.Oval(foot.all(), draw.Down(foot.all(), draw.Hex(0x5a5350), draw.Hex(0x2b2725)))
	pole := draw.Box{X: f.at(500, 0).X - draw.Px(3), Y: f.at(0, 200).Y, W: draw.Px(6), H: f.tall(770)}
	b.Rect(pole, draw.Across(pole, draw.Hex(0x8a8480), draw.Hex(0x3a3634)))
	b.Oval(draw.Disc(f.at(500, 150), f.wide(1100)), draw.Radial{At: f.at(500, 150), Radius: f.wide(1100), A: draw.Hex(0xffe7a8).Fade(110), B: draw.Hex(0xffe7a8).Fade(0)})
	shade := f.shape(260, 0, 740, 0, 1000, 250, 0, 250)
	b.Fill(shade, draw.Down(f.box(0, 0, 1000, 250), draw.Hex(0xfff3cf), draw.Hex(0xeec77c)))
}

func cabinets(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x8aa39b)
	n := max(2, f.w/130)
	for i := range n {
		door := draw.PixelBox(f.x+f.w*i/n, f.y, f.w/n-2, f.h)
		slab(b, door, 2, ink)
		in := door.Inset(draw.Px(14), draw.Px(16))
		b.Rect(in, ink.Mix(umber(), 50))
		b.Rect(draw.Box{X: in.X + 128, Y: in.Y + 128, W: in.W - 128, H: in.H - 128}, ink)
		x := door.X + draw.Px(8)
		if i%2 == 0 {
			x = door.X + door.W - draw.Px(14)
		}
		b.RoundRect(draw.Box{X: x, Y: door.Y + door.H - draw.Px(46), W: draw.Px(6), H: draw.Px(34)}, draw.Px(3), draw.Hex(0xd4b15c))
	}
}

func splashback(b *Brush, t scene.Thing, f field) {
	ink := tint(0x3f6f8a, 0x4f7f5a, 0x9a5a44, 0x6a5a8a)(steady(t))
	b.Rect(f.all(), draw.Hex(0xf3efe6))
	side := 48
	covered(b, f.all(), patternOf(t), side, ink)
	for x := f.x; x < f.x+f.w; x += side {
		b.Rect(draw.PixelBox(x, f.y, 1, f.h), umber().Fade(40))
	}
	for y := f.y; y < f.y+f.h; y += side {
		b.Rect(draw.PixelBox(f.x, y, f.w, 1), umber().Fade(40))
	}
}

// counter is a worktop with cupboards. A tile leans on it.
func counter(b *Brush, t scene.Thing, f field) {
	light, mid, _ := wood(t)
	ground(b, f)
	front := draw.Hex([]uint32{0xdfe3dd, 0xcdd6dc, 0xe6dccb, 0xbfc9bd}[Number(t, "vary", 0)%4])
	slab(b, f.box(10, 60, 980, 900), 2, front)
	n := max(2, f.w/150)
	for i := range n {
		door := draw.PixelBox(f.x+10+(f.w-20)*i/n+6, f.y+f.h*14/100, (f.w-20)/n-12, f.h*76/100)
		slab(b, door, 3, front.Mix(paper(), 30))
		b.RoundRect(draw.Box{X: door.X + door.W/2 - draw.Px(16), Y: door.Y + draw.Px(10), W: draw.Px(32), H: draw.Px(5)}, draw.Px(2), draw.Hex(0x8a8480))
	}
	b.Rect(f.box(30, 950, 940, 50), draw.Hex(0x3a3634))
	top := f.box(0, 0, 1000, 90)
	slab(b, top, 2, mid.Mix(light, 160))
	tile(b, f.part(645, -485, 170, 544), t.Look[scene.Which], t)
}

func shelfBoard(b *Brush, t scene.Thing, f field) {
	light, mid, dark := wood(t)
	board := draw.PixelBox(f.x, f.y+f.h-10, f.w, 10)
	for _, x := range []int{60, 920} {
		b.Rect(draw.PixelBox(f.x+f.w*x/1000, f.y+f.h, 6, 18), dark)
	}
	b.Shadow(new(draw.Path).Rect(board), 6, 0, 8, umber().Fade(90))
	b.Rect(board, draw.Down(board, light, mid))
	counted(b, t, f)
}

func blackboard(b *Brush, t scene.Thing, f field) {
	_, mid, _ := wood(t)
	slab(b, f.all(), 3, mid)
	b.Rect(f.all().Inset(draw.Px(9), draw.Px(9)), draw.Hex(0x2f3a38))
	b.Line(draw.Style{Font: draw.Comic, Size: draw.Px(26), Ink: draw.Hex(0xf2f0e6)}, f.all().Inset(draw.Px(14), draw.Px(10)), draw.Center, t.Look[scene.Text])
}

func kettle(b *Brush, t scene.Thing, f field) {
	ground(b, f.part(150, 0, 650, 1000))
	teapot(b, f, draw.Hex(0x9aa4ac))
}

func blind(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0xd8cdb8)
	raised(b, new(draw.Path).Rect(f.box(20, 30, 960, 930)), f.all(), ink)
	for y := 220; y < 900; y += 190 {
		b.Rect(f.box(20, y, 960, 12), ink.Mix(umber(), 46).Fade(130))
	}
	slab(b, f.box(0, 0, 1000, 90), 5, draw.Hex(0xf4f0e8))
	slab(b, f.box(10, 930, 980, 60), 4, ink.Mix(umber(), 30))
}

func fruitTable(b *Brush, t scene.Thing, f field) {
	light, mid, dark := wood(t)
	ground(b, f.part(200, 0, 600, 1000))
	b.Fill(f.shape(460, 400, 540, 400, 560, 940, 440, 940), draw.Across(f.box(440, 0, 120, 1), mid, dark))
	b.Oval(f.box(250, 900, 500, 90), dark)
	for i, ink := range []draw.Color{dark, light} {
		b.Oval(f.box(0, 330-40*i, 1000, 200), ink)
	}
	for i, ink := range []uint32{0xc8402f, 0xe8a02c, 0x7aa03c, 0xd9662c} {
		fruit := draw.Disc(f.at(370+85*i, 230-40*(i%2)), f.wide(75))
		b.Oval(fruit, draw.Radial{At: draw.Point{X: fruit.X + fruit.W/3, Y: fruit.Y + fruit.H/3}, Radius: fruit.W, A: draw.Hex(ink).Mix(paper(), 100), B: draw.Hex(ink).Mix(umber(), 50)})
	}
	bowl := new(draw.Path).Move(f.at(260, 230)).Quad(f.at(300, 440), f.at(500, 440)).Quad(f.at(700, 440), f.at(740, 230)).Close()
	lit(b, bowl, f.box(260, 230, 480, 210), draw.Hex(0xe9e4da))
}
