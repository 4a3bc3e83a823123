package paint

import (
	"slices"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// events paints what goes on at a place outdoors: the activity of the scene, which
// the thing that has its name tells.
func events() painters { return painters{kinds: map[string]Painter{"event": event}} }

func event(b *Brush, t scene.Thing) {
	of := map[string]func(*Brush, field){
		"a street market": streetMarket, "roadworks": roadworks, "a concert": openStage, "a funfair": funfair, "a Christmas fair": christmasFair,
		"an open-air cinema": cinema, "a chess tournament": chess, "a flea market for books": bookStalls,
	}
	if paint, ok := of[b.Scene.Look[scene.Activity]]; ok {
		paint(b, over(t))
	}
}

// person is one who stands there, from head to foot.
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

// features are eyes and mouth of a head, which looks a little to one side.
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

// crowd is people of many sizes in twos and threes along a field's lower edge, those
// behind first. Most look away from us, at what goes on; some talk to each other.
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
		together := []int{0, -220 / n, -330 / n}[i%3] // who comes second and third stands closer
		p := f.part(1000*i/n+together+b.Rnd.IntN(300/n), depth[i]-40, 680/n, 780+b.Rnd.IntN(170))
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
