package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// vehicles paints what stands about in streets and squares.
func vehicles() painters {
	return painters{kinds: map[string]Painter{
		"van": van, "taxi": taxi, "scooter": scooter, "bus": bus, "bay": bay, "canopy": canopy,
		"kiosk": kiosk, "flower-cart": flowerCart, "ice-cart": iceCart, "postbox": postbox, "phone-box": phoneBox, "poster-column": posterColumn,
	}}
}

func wheel(b *Brush, at draw.Point, radius draw.Unit) {
	b.Oval(draw.Disc(at, radius), draw.Hex(0x22242a))
	b.Oval(draw.Disc(at, radius*55/100), draw.Hex(0xb4bac0))
	b.Oval(draw.Disc(at, radius*22/100), draw.Hex(0x5c636b))
}

func van(b *Brush, t scene.Thing) {
	f := over(t)
	ground(b, f)
	body := new(draw.Path).Corners(f.box(0, 60, 720, 780), [4]draw.Unit{draw.Px(10), draw.Px(4), 0, draw.Px(6)})
	white := draw.Hex(0xf3f1ea)
	raised(b, body, f.all(), white)
	lit(b, f.blob(690, 100, 860, 140, 980, 500, 1000, 850, 690, 850, 700, 400), f.all(), white)
	b.Fill(f.shape(740, 200, 840, 210, 920, 460, 740, 460), draw.Hex(0x6f94ac))
	b.Rect(f.box(0, 690, 990, 60), draw.Hex(0x3f6f9a))
	b.Rect(f.box(965, 560, 30, 80), draw.Hex(0xffe39a))
	for _, x := range []int{200, 800} {
		wheel(b, f.at(x, 850), f.wide(82))
	}
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(20), Ink: draw.Hex(0x24466e)}, f.box(20, 200, 680, 400), draw.Center, t.Look[scene.Text])
}

func taxi(b *Brush, t scene.Thing) {
	f := over(t)
	ground(b, f)
	paint := draw.Hex(0xf2d9a0)
	cabin := new(draw.Path).Move(f.at(200, 480)).Cubic(f.at(280, 220), f.at(320, 180), f.at(460, 180)).Line(f.at(620, 180)).Cubic(f.at(740, 190), f.at(790, 340), f.at(850, 490)).Close()
	b.Fill(cabin, paint.Mix(umber(), 40))
	b.Fill(f.shape(270, 470, 350, 250, 510, 250, 510, 470), draw.Hex(0x6f94ac))
	b.Fill(f.shape(545, 250, 660, 250, 770, 470, 545, 470), draw.Hex(0x6f94ac))
	raised(b, f.blob(0, 520, 120, 440, 500, 450, 900, 450, 1020, 560, 1010, 880, 500, 860, -10, 880), f.all(), paint)
	for i := range 14 {
		if i%2 == 0 {
			b.Rect(f.box(140+52*i, 620, 50, 36), draw.Hex(0x2a2624))
		}
	}
	sign := f.box(400, 70, 190, 120)
	b.RoundRect(sign, draw.Px(4), draw.Hex(0xfff3b0))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(13), Ink: draw.Hex(0x2a2624)}, sign, draw.Center, "TAXI")
	for _, x := range []int{210, 790} {
		wheel(b, f.at(x, 850), f.wide(85))
	}
}

func scooter(b *Brush, t scene.Thing) {
	f := over(t).part(150, 100, 700, 900)
	ground(b, f)
	ink := draw.Hex(0x7fae9c)
	b.Stroke(new(draw.Path).Move(f.at(760, 780)).Line(f.at(680, 160), f.at(590, 120)), draw.Px(6), draw.Hex(0x5c636b))
	for _, x := range []int{220, 790} {
		wheel(b, f.at(x, 850), f.wide(115))
	}
	raised(b, f.blob(60, 560, 200, 460, 440, 480, 470, 700, 640, 720, 660, 260, 740, 260, 800, 640, 760, 820, 360, 830, 330, 760, 100, 760), f.all(), ink)
	slab(b, f.box(90, 400, 360, 110), 7, draw.Hex(0x4a3428))
	b.Oval(draw.Disc(f.at(730, 300), f.wide(55)), draw.Hex(0xfff3c0))
	slab(b, f.box(0, 180, 230, 240), 5, draw.Hex(0xb08a5a))
}

// bus is one seen from the front, with its line over the windscreen.
func bus(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	for _, x := range []int{80, 790} {
		b.RoundRect(f.box(x, 880, 130, 120), draw.Px(4), draw.Hex(0x22242a))
	}
	raised(b, new(draw.Path).Corners(f.box(0, 0, 1000, 930), [4]draw.Unit{draw.Px(16), draw.Px(16), draw.Px(6), draw.Px(6)}), f.all(), ink)
	b.RoundRect(f.box(35, 30, 930, 100), draw.Px(4), draw.Hex(0x17191d))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(20), Ink: draw.Hex(0xffc23a)}, f.box(35, 30, 930, 100), draw.Center, t.Look[scene.Text])
	glass := f.box(60, 150, 880, 210)
	b.RoundRect(glass, draw.Px(8), draw.Linear{From: f.at(0, 150), To: f.at(1000, 360), A: draw.Hex(0xa9c8d8), B: draw.Hex(0x3d5566)})
	b.Rect(f.box(490, 150, 20, 210), draw.Hex(0x17191d))
	b.Oval(f.box(650, 215, 120, 95), draw.Hex(0x2a3038).Fade(190))
	b.Rect(f.box(630, 300, 160, 60), draw.Hex(0x2a3038).Fade(190))
	for _, x := range []int{-75, 1005} {
		b.RoundRect(f.box(x, 170, 70, 130), draw.Px(3), draw.Hex(0x22242a))
	}
	for y := 650; y < 730; y += 24 {
		b.RoundRect(f.box(250, y, 500, 12), draw.Px(2), umber().Fade(110))
	}
	b.Stroke(new(draw.Path).Move(f.at(480, 352)).Line(f.at(250, 240)), draw.Px(2), draw.Hex(0x17191d))
	b.Stroke(new(draw.Path).Move(f.at(880, 352)).Line(f.at(640, 240)), draw.Px(2), draw.Hex(0x17191d))
	for _, x := range []int{70, 800} {
		b.Oval(f.box(x, 690, 130, 60), draw.Hex(0xfff6d0))
	}
	b.RoundRect(f.box(300, 800, 400, 70), draw.Px(3), draw.Hex(0x3a3f45))
	b.Rect(f.box(0, 880, 1000, 50), draw.Hex(0x2a2e34))
}

// bay is a place where a bus stops, with its letter on a post and something right
// beside it.
func bay(b *Brush, t scene.Thing) {
	f := over(t)
	post := f.box(820, 100, 36, 880)
	b.Rect(post, draw.Across(post, draw.Hex(0xb4bac0), draw.Hex(0x5c636b)))
	plate := draw.PixelBox(f.x+f.w*838/1000-26, f.y+18, 52, 52)
	slab(b, plate, 8, draw.Hex(0xf6d04a))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(32), Ink: draw.Hex(0x1d1f24)}, plate, draw.Center, t.Look["letter"])
	if paint, ok := kerbside()[t.Look[scene.Beside]]; ok {
		paint(b, f.part(660, 780, 330, 190))
	}
}

func canopy(b *Brush, t scene.Thing) {
	f, m := over(t), moodOf(b.Scene)
	b.Rect(f.box(0, 200, 1000, 800), draw.Down(f.all(), m.below(0xa8b4bc), m.below(0x8a969e)))
	for x := 10; x < 1000; x += 90 {
		b.Rect(f.box(x, 230, 80, 760), m.pane().Mix(paper(), 110).Fade(130))
	}
	roof := f.box(-10, 0, 1020, 130)
	b.Shadow(new(draw.Path).Rect(roof), 10, 0, 12, umber().Fade(110))
	b.Rect(roof, draw.Down(roof, draw.Hex(0x4a6a7a).Mix(m.ground, m.by/3), draw.Hex(0x2c4250).Mix(m.ground, m.by/3)))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(28), Ink: draw.Hex(0xf4f6f6)}, f.box(0, 10, 1000, 110), draw.Center, "BUS STATION")
}
