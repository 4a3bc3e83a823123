package paint

import (
	"maps"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// surroundings are the setting behind something near, out of focus.
func surroundings(b *Brush, t scene.Thing, f field) {
	of := map[string]func(*Brush, scene.Thing, field){
		"a gym": gymPlace, "a park": parkPlace, "a bus": busPlace, "a beach": beachPlace, "a swimming pool": poolPlace, "a street": streetPlace,
		"a kitchen": kitchenPlace, "an office": officePlace, "a bedroom": bedroomPlace, "a library": libraryPlace, "a pharmacy": pharmacyPlace, "a bathroom": bathroomPlace,
	}
	if paint, ok := of[t.Look[scene.Setting]]; ok {
		paint(b, t, f)
	}
	b.Rect(f.all(), draw.Linear{From: draw.P(0, 0), To: draw.P(f.w, f.h), A: draw.Hex(0xfff4dc).Fade(uint8(40 + b.Rnd.IntN(20))), B: draw.Hex(0x1c2030).Fade(40)})
}

// paintThing draws a thing elsewhere, with another painter and further keys of its look.
func paintThing(b *Brush, t scene.Thing, paint Painter, f field, more ...string) {
	look := map[string]string{}
	maps.Copy(look, t.Look)
	for i := 0; i+1 < len(more); i += 2 {
		look[more[i]] = more[i+1]
	}
	paint(b, scene.Thing{Box: [4]int{f.x, f.y, f.w, f.h}, Look: look}, f)
}

func walls(b *Brush, f field, wall, floor draw.Color, at int) {
	up, low := draw.PixelBox(0, 0, f.w, at), draw.PixelBox(0, at, f.w, f.h-at)
	b.Rect(up, draw.Linear{From: draw.P(0, 0), To: draw.P(f.w, at), A: wall.Mix(paper(), 40), B: wall.Mix(umber(), 30)})
	b.Rect(low, draw.Down(low, floor.Mix(umber(), 50), floor.Mix(paper(), 20)))
}

func gymPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0x9fb0bd), draw.Hex(0x4a4f56), 560)
	for i := range 4 {
		in := draw.PixelBox(20+250*i, 30, 236, 330)
		b.Rect(in, draw.Linear{From: draw.P(20+250*i, 30), To: draw.P(250+250*i, 360), A: draw.Hex(0xdfeaf0), B: draw.Hex(0xaec2ce)})
	}
	for i := range 3 {
		m := field{30 + 340*i + b.Rnd.IntN(30), 150, 260, 420}
		b.Stroke(new(draw.Path).Move(m.at(250, 900)).Line(m.at(130, 160), m.at(330, 120)), draw.Px(15), draw.Hex(0x2e3440))
		slab(b, m.box(60, 60, 260, 120), 8, draw.Hex(0x22262c))
		b.Fill(m.shape(130, 880, 900, 820, 1000, 940, 140, 1000), draw.Hex(0x22262c))
		b.Stroke(new(draw.Path).Move(m.at(150, 360)).Line(m.at(480, 380)), draw.Px(9), draw.Hex(0xd9604a))
	}
	for i := range 5 {
		x := 60 + 210*i
		b.Rect(draw.PixelBox(x, 690, 90, 14), draw.Hex(0x9aa2aa))
		for _, dx := range []int{-12, 84} {
			b.RoundRect(draw.PixelBox(x+dx, 668, 22, 58), draw.Px(6), draw.Hex(0x1d2024))
		}
	}
}

func tree(b *Brush, f field, ink draw.Color) {
	b.Fill(f.shape(440, 500, 560, 500, 600, 1000, 400, 1000), draw.Hex(0x6d4a30))
	for _, c := range [][3]int{{300, 420, 260}, {700, 420, 260}, {500, 240, 280}, {500, 500, 260}} {
		disc := draw.Disc(f.at(c[0], c[1]), f.wide(c[2]))
		b.Oval(disc, draw.Radial{At: draw.Point{X: disc.X + disc.W/3, Y: disc.Y + disc.H/3}, Radius: disc.W, A: ink.Mix(paper(), 50), B: ink.Mix(umber(), 50)})
	}
}

func parkPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0xa9d3ee), draw.Hex(0x86b866), 330)
	b.Fill(f.shape(430, 430, 520, 430, 900, 1000, 250, 1000), draw.Hex(0xdccba4))
	for i := range 6 {
		tree(b, field{-60 + 190*i + b.Rnd.IntN(40), 60 + b.Rnd.IntN(50) + 40*(i%2), 220, 330}, draw.Hex(0x4f8f4a).Mix(draw.Hex(0x8ab04a), b.Rnd.IntN(200)))
	}
	bench := field{700, 560, 260, 130}
	for _, y := range []int{0, 180, 500} {
		slab(b, bench.box(0, y, 1000, 120), 3, draw.Hex(0x9a6a3c))
	}
	for _, x := range []int{80, 860} {
		b.Rect(bench.box(x, 0, 50, 1000), draw.Hex(0x3a3f45))
	}
	for range 40 {
		b.Oval(draw.Disc(draw.P(b.Rnd.IntN(f.w), 480+b.Rnd.IntN(280)), draw.Px(3)), tint(0xfdfaf0, 0xf6d84a, 0xe88ab0)(b.Rnd))
	}
}

func busPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0xd8dde0), draw.Hex(0x6a6f76), 640)
	for i := range 3 {
		in := draw.PixelBox(20+345*i, 60, 310, 270)
		b.RoundRect(in, draw.Px(22), draw.Hex(0x3a4048))
		glass := in.Inset(draw.Px(8), draw.Px(8))
		b.Clip(glass, func() {
			b.Rect(glass, draw.Down(glass, draw.Hex(0xb9dcf0), draw.Hex(0xe8f1f0)))
			for j := range 4 {
				h := 90 + b.Rnd.IntN(110)
				b.Rect(draw.PixelBox(20+345*i+90*j, 330-h, 70, h), tint(0xb08a7a, 0x9aa4b0, 0xc9b48a)(b.Rnd))
			}
		})
	}
	for _, x := range []int{180, 520, 860} {
		b.Rect(draw.PixelBox(x, 0, 12, 768), draw.Across(draw.PixelBox(x, 0, 12, 1), draw.Hex(0xf6d84a), draw.Hex(0xc08a1c)))
	}
	b.Rect(draw.PixelBox(0, 30, f.w, 9), draw.Hex(0xe0b030))
	for i := range 6 {
		x := 60 + 180*i
		b.Stroke(new(draw.Path).Move(draw.P(x, 36)).Line(draw.P(x-16, 96), draw.P(x+16, 96)).Close(), draw.Px(5), draw.Hex(0x4a5058))
	}
	for i := range 4 {
		slab(b, draw.PixelBox(10+256*i, 430, 220, 360), 36, draw.Hex(0x2f5d9a))
		slab(b, draw.PixelBox(60+256*i, 400, 120, 70), 20, draw.Hex(0x24477a))
	}
}

func beachPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0x8fcdf0), draw.Hex(0xf0dca8), 420)
	sea := draw.PixelBox(0, 250, f.w, 180)
	b.Rect(sea, draw.Down(sea, draw.Hex(0x2f7fb0), draw.Hex(0x6fd0d0)))
	b.Fill(f.blob(-100, 540, 300, 570, 700, 530, 1100, 580, 1100, 620, -100, 620), draw.Hex(0xf8f4e4))
	b.Oval(draw.Disc(f.at(820, 130), draw.Px(54)), draw.Hex(0xfff0a8))
	b.Fill(f.shape(260, 180, 260, 335, 190, 335), paper())
	b.Fill(f.shape(268, 210, 268, 335, 320, 335), draw.Hex(0xe86a4a))
	b.Fill(f.shape(180, 345, 330, 345, 305, 375, 205, 375), draw.Hex(0x6d4a30))
	sun := field{640, 330, 320, 400}
	b.Stroke(new(draw.Path).Move(sun.at(500, 60)).Line(sun.at(540, 1000)), draw.Px(8), draw.Hex(0xf4efe2))
	for i := range 6 {
		p := new(draw.Path).Move(sun.at(500, 0)).Line(sun.at(167*i, 380), sun.at(167*i+167, 380)).Close()
		b.Fill(p, []draw.Color{draw.Hex(0xe2574a), draw.Hex(0xfdf7ea)}[i%2])
	}
	b.Fill(f.shape(80, 880, 330, 860, 380, 960, 90, 990), draw.Hex(0x4f9ab0))
	for i := range 4 {
		b.Rect(f.box(110+64*i, 876, 20, 104), paper().Fade(160))
	}
}

func poolPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0xdfeaec), draw.Hex(0x2fa3c8), 300)
	for y := 0; y < 240; y += 40 {
		b.Rect(draw.PixelBox(0, y, f.w, 2), draw.Hex(0xb4c6ca))
	}
	for x := 0; x < f.w; x += 64 {
		b.Rect(draw.PixelBox(x, 0, 2, 240), draw.Hex(0xb4c6ca))
	}
	b.Rect(draw.PixelBox(0, 240, f.w, 62), draw.Hex(0xc9b48a))
	for i := range 5 {
		x := 90 + 200*i
		slab(b, draw.PixelBox(x, 196, 80, 62), 4, draw.Hex(0xf4f6f8))
		b.Line(bold(26, draw.Hex(0x2f5d9a)), draw.PixelBox(x, 200, 80, 50), draw.Center, []string{"1", "2", "3", "4", "5"}[i])
	}
	for i := range 4 {
		for k := range 16 {
			y := 310 + k*k*2
			b.Oval(draw.Disc(draw.P(230+200*i+(i*2-3)*k*7, y), draw.Px(5+k/2)), []draw.Color{draw.Hex(0xd64545), draw.Hex(0xfdfaf2)}[k%2])
		}
	}
	for range 60 {
		x, y := b.Rnd.IntN(f.w), 320+b.Rnd.IntN(430)
		b.Stroke(new(draw.Path).Move(draw.P(x, y)).Quad(draw.P(x+20, y-8), draw.P(x+44, y)), draw.Px(2), paper().Fade(110))
	}
}

func streetPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0xb4d4ea), draw.Hex(0x5a5f66), 520)
	for i := range 5 {
		x, top := -20+210*i, 40+b.Rnd.IntN(110)
		wall := tint(0xc07a5a, 0xd9c09a, 0x9aa8b8, 0xb89a8a, 0xe0d4c0)(b.Rnd)
		b.Rect(draw.PixelBox(x, top, 204, 500-top), draw.Across(draw.PixelBox(x, 0, 204, 1), wall.Mix(paper(), 40), wall.Mix(umber(), 40)))
		for y := top + 24; y < 400; y += 70 {
			for k := range 3 {
				b.Rect(draw.PixelBox(x+20+62*k, y, 38, 46), draw.Hex(0x5a7a94))
			}
		}
		b.Rect(draw.PixelBox(x+70, 420, 64, 80), draw.Hex(0x4a3a30))
	}
	b.Rect(draw.PixelBox(0, 500, f.w, 40), draw.Hex(0xb4b0a8))
	for i := range 6 {
		b.Fill(f.shape(80+160*i, 720, 170+160*i, 720, 140+170*i, 1000, 20+170*i, 1000), draw.Hex(0xeeeae0))
	}
	lamp := 160 + b.Rnd.IntN(700)
	b.Rect(draw.PixelBox(lamp, 130, 10, 400), draw.Hex(0x2e3440))
	b.Oval(draw.Disc(draw.P(lamp+5, 120), draw.Px(22)), draw.Hex(0xfff0b8))
}

func kitchenPlace(b *Brush, t scene.Thing, f field) {
	walls(b, f, draw.Hex(0xe8e0cf), draw.Hex(0xb9a88a), 600)
	paintThing(b, t, splashback, field{0, 190, f.w, 210}, scene.Pattern, "checks")
	paintThing(b, t, cabinets, field{0, 0, 380, 150}, scene.Colour, "")
	paintThing(b, t, cabinets, field{650, 0, 374, 150}, scene.Colour, "")
	b.Fill(f.shape(410, 0, 600, 0, 600, 130, 640, 230, 370, 230, 410, 130), draw.Hex(0xb9c0c6))
	for i, x := range []int{60, 150, 760, 860} {
		jar(b, field{x, 268, 74, 96}, i)
	}
	teapot(b, field{440, 270, 140, 100}, draw.Hex(0xb0473c))
	slab(b, draw.PixelBox(0, 362, f.w, 34), 2, draw.Hex(0x8a6a48))
	for i := range 6 {
		door := draw.PixelBox(6+170*i, 400, 160, 340)
		slab(b, door, 4, draw.Hex(0xd9d4c4))
		b.RoundRect(draw.PixelBox(60+170*i, 418, 52, 7), draw.Px(3), draw.Hex(0x7a7f86))
	}
}

func officePlace(b *Brush, t scene.Thing, f field) {
	walls(b, f, draw.Hex(0xd6dde2), draw.Hex(0x7a828a), 620)
	for i := range 2 {
		in := draw.PixelBox(30+260*i, 30, 230, 240)
		b.Rect(in, draw.Down(in, draw.Hex(0xcfe4f2), draw.Hex(0xeef4f6)))
		for y := 30; y < 270; y += 20 {
			b.Rect(draw.PixelBox(30+260*i, y, 230, 11), draw.Hex(0xf6f4ee))
		}
	}
	for s := range 2 {
		for i := range 8 {
			binder := draw.PixelBox(570+54*i, 36+130*s, 46, 112)
			slab(b, binder, 3, []draw.Color{draw.Hex(0x35507a), draw.Hex(0x2a2e34), draw.Hex(0x8a3a3a), draw.Hex(0x3f6b57)}[(i/2+s)%4])
			b.Rect(draw.PixelBox(580+54*i, 56+130*s, 26, 40), draw.Hex(0xf6f2e6))
			b.Oval(draw.Disc(draw.P(593+54*i, 130+130*s), draw.Px(7)), draw.Hex(0xd8dde2))
		}
		b.Rect(draw.PixelBox(556, 148+130*s, 450, 12), draw.Hex(0x9a7a54))
	}
	for i := range 2 {
		m := field{70 + 500*i, 306, 300, 210}
		slab(b, m.box(430, 780, 140, 240), 2, draw.Hex(0x3a3f45))
		slab(b, m.box(0, 0, 1000, 820), 8, draw.Hex(0x22262c))
		b.Rect(m.box(30, 40, 940, 740), draw.Down(m.all(), draw.Hex(0xe9f1f8), draw.Hex(0xb9cfe2)))
		for k := range 5 {
			b.Rect(m.box(90, 130+120*k, 200+b.Rnd.IntN(600), 40), draw.Hex(0x5a7a9a).Fade(170))
		}
	}
	slab(b, draw.PixelBox(0, 512, f.w, 30), 2, draw.Hex(0xc9a878))
	for _, x := range []int{220, 760} {
		slab(b, draw.PixelBox(x, 560, 180, 200), 26, draw.Hex(0x34505e))
	}
}

func bedroomPlace(b *Brush, t scene.Thing, f field) {
	walls(b, f, draw.Hex(0xd9cfe0), draw.Hex(0xb08a64), 600)
	paintThing(b, t, window, field{60, 40, 220, 270})
	paintThing(b, t, curtains, field{40, 24, 260, 320})
	slab(b, draw.PixelBox(400, 150, 560, 330), 22, draw.Hex(0x8a5f3c))
	slab(b, draw.PixelBox(420, 330, 520, 330), 20, draw.Hex(0xf4f0e8))
	for _, x := range []int{460, 700} {
		slab(b, draw.PixelBox(x, 270, 200, 96), 34, draw.Hex(0xfbf9f4))
	}
	slab(b, draw.PixelBox(410, 420, 540, 300), 22, draw.Hex(0x7a8fb0))
	b.Rect(draw.PixelBox(410, 446, 540, 16), draw.Hex(0xa9b8d0))
	slab(b, draw.PixelBox(296, 430, 96, 200), 4, draw.Hex(0x8a5f3c))
	b.Rect(draw.PixelBox(340, 372, 8, 60), draw.Hex(0x4a3a30))
	b.Fill(new(draw.Path).Move(draw.P(318, 310)).Line(draw.P(370, 310), draw.P(388, 376), draw.P(300, 376)).Close(), draw.Hex(0xfde9b0))
}

func libraryPlace(b *Brush, t scene.Thing, f field) {
	walls(b, f, draw.Hex(0xc9b28a), draw.Hex(0x7a5a3c), 660)
	for i := range 4 {
		paintThing(b, t, bookcase, field{8 + 256*i, 10, 240, 640}, "vary", []string{"11", "23", "37", "41"}[i], "wood", "walnut")
	}
}

func pharmacyPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0xeef3ee), draw.Hex(0xc4ccc8), 620)
	for s := range 4 {
		y := 110 + 110*s
		for x := 20; x < 1000; {
			w, h := 40+b.Rnd.IntN(50), 44+b.Rnd.IntN(44)
			if x > 380 && x < 640 && y < 320 {
				x += 30
				continue
			}
			in := draw.PixelBox(x, y-h, w, h)
			b.Rect(in, draw.Across(in, paper(), draw.Hex(0xe4e8ec)))
			b.Rect(draw.PixelBox(x, y-h/2, w, h/4), tint(0x3b8fd4, 0xe0604a, 0x3fae7a, 0xe8b03c, 0x8a6ac0)(b.Rnd))
			x += w + 8
		}
		b.Rect(draw.PixelBox(0, y, f.w, 9), draw.Hex(0x9ab0a4))
	}
	slab(b, draw.PixelBox(400, 20, 240, 240), 20, draw.Hex(0xfbfdfb))
	b.Rect(draw.PixelBox(490, 50, 60, 180), draw.Hex(0x2fa35a))
	b.Rect(draw.PixelBox(430, 110, 180, 60), draw.Hex(0x2fa35a))
	slab(b, draw.PixelBox(0, 560, f.w, 220), 3, draw.Hex(0xdfe8e2))
	b.Rect(draw.PixelBox(0, 556, f.w, 20), draw.Hex(0x6aa884))
}

func bathroomPlace(b *Brush, _ scene.Thing, f field) {
	walls(b, f, draw.Hex(0xd4e8ea), draw.Hex(0xa9b4b8), 640)
	for y := 0; y < 640; y += 54 {
		b.Rect(draw.PixelBox(0, y, f.w, 2), draw.Hex(0xb0ccd0))
	}
	for x := 0; x < f.w; x += 54 {
		b.Rect(draw.PixelBox(x, 0, 2, 640), draw.Hex(0xb0ccd0))
	}
	mirror := draw.PixelBox(70, 30, 270, 230)
	slab(b, mirror.Inset(draw.Px(-9), draw.Px(-9)), 18, draw.Hex(0xb08a5c))
	b.RoundRect(mirror, draw.Px(12), draw.Linear{From: draw.P(70, 30), To: draw.P(340, 260), A: draw.Hex(0xf4fafc), B: draw.Hex(0xa9c4d0)})
	b.Fill(new(draw.Path).Round(draw.PixelBox(50, 360, 310, 110), draw.Px(46)), draw.Down(draw.PixelBox(50, 360, 310, 110), paper(), draw.Hex(0xc9d0d6)))
	b.Stroke(new(draw.Path).Move(draw.P(205, 360)).Line(draw.P(205, 300)).Quad(draw.P(206, 280), draw.P(240, 300)), draw.Px(11), draw.Hex(0x9aa4ae))
	for i := range 9 {
		in := draw.PixelBox(690+36*i, 40, 38, 560)
		b.Rect(in, draw.Across(in, draw.Hex(0xf6e4e0), draw.Hex(0xd9b0a8)))
	}
	b.Rect(draw.PixelBox(670, 30, 354, 9), draw.Hex(0x8a929c))
	b.Rect(draw.PixelBox(430, 130, 190, 8), draw.Hex(0x8a929c))
	slab(b, draw.PixelBox(460, 132, 130, 210), 8, draw.Hex(0x5aa0a8))
	b.Rect(draw.PixelBox(460, 300, 130, 12), paper().Fade(150))
}

func wrists() painters {
	return painters{
		backdrops: map[string]Painter{"surroundings": surroundings},
		kinds:     map[string]Painter{"wrist": wrist, "watch-strap": watchStrap, "watch-face": watchFace},
	}
}

func wrist(b *Brush, t scene.Thing, f field) {
	skin := draw.Hex([]uint32{0xf0c8a8, 0xd9a27a, 0xa8744c, 0x7a4e30}[Number(t, "skin", 0)%4])
	sleeve := tint(0x3d5a6a, 0x7a4a5a, 0x5a6a4a, 0xd8d2c4, 0x4a4a5a)(b.Rnd)
	arm := new(draw.Path).Move(f.at(-20, 210)).Cubic(f.at(300, 200), f.at(560, 290), f.at(760, 270)).Line(f.at(760, 780)).Cubic(f.at(560, 770), f.at(300, 860), f.at(-20, 880)).Close()
	b.Shadow(arm, 18, 0, 12, umber().Fade(110))
	b.Fill(arm, draw.Down(f.box(0, 200, 1000, 680), skin.Mix(paper(), 50), skin.Mix(umber(), 70)))
	hand := f.blob(700, 250, 800, 170, 930, 190, 985, 380, 980, 640, 900, 820, 760, 830, 690, 700)
	b.Shadow(hand, 10, 0, 8, umber().Fade(70))
	b.Fill(hand, draw.Down(f.box(0, 170, 1000, 660), skin.Mix(paper(), 50), skin.Mix(umber(), 66)))
	for i := range 4 {
		y := 230 + 140*i
		finger := f.box(850-10*(i%3), y, 130+8*(i%2), 150)
		b.RoundRect(finger, finger.H/2, draw.Down(finger, skin.Mix(paper(), 44), skin.Mix(umber(), 54)))
	}
	thumb := f.blob(720, 560, 820, 520, 930, 560, 940, 640, 830, 690, 730, 680)
	b.Fill(thumb, draw.Down(f.box(0, 520, 1000, 170), skin.Mix(paper(), 60), skin.Mix(umber(), 40)))
	nail := f.box(890, 575, 40, 60)
	b.RoundRect(nail, nail.H/2, skin.Mix(paper(), 120))
	cloth := new(draw.Path).Move(f.at(-20, 150)).Line(f.at(200, 160)).Quad(f.at(240, 520), f.at(200, 920)).Line(f.at(-20, 950)).Close()
	b.Shadow(cloth, 8, 4, 2, umber().Fade(100))
	b.Fill(cloth, draw.Down(f.all(), sleeve.Mix(paper(), 40), sleeve.Mix(umber(), 80)))
	b.Stroke(new(draw.Path).Move(f.at(180, 165)).Quad(f.at(220, 520), f.at(180, 915)), draw.Px(3), sleeve.Mix(umber(), 90).Fade(150))
}

// watchStrap is the lower part of the strap in its box, and the upper part above it.
func watchStrap(b *Brush, t scene.Thing, f field) {
	ink := Ink(t, scene.Colour, 0x333333)
	for _, y := range []int{-280, 0} {
		in := draw.PixelBox(f.x, f.y+y, f.w, f.h)
		p := new(draw.Path).Rect(in)
		b.Shadow(p, 6, 2, 0, umber().Fade(100))
		lit(b, p, in, ink)
	}
	for _, x := range []int{40, 940} {
		b.Rect(f.box(x, 0, 20, 1000), ink.Mix(umber(), 50))
		b.Rect(draw.PixelBox(f.x+f.w*x/1000, f.y-280, 3, f.h), ink.Mix(umber(), 50))
	}
}

func watchFace(b *Brush, t scene.Thing, f field) {
	whole := new(draw.Path).Round(f.all(), draw.Px(52))
	b.Shadow(whole, 12, 4, 8, umber().Fade(140))
	b.Fill(whole, draw.Linear{From: f.at(0, 0), To: f.at(1000, 1000), A: draw.Hex(0x6a7078), B: draw.Hex(0x24282e)})
	b.RoundRect(f.box(1000, 420, 50, 160), draw.Px(4), draw.Hex(0x4a5058))
	b.RoundRect(f.all().Inset(draw.Px(9), draw.Px(9)), draw.Px(44), draw.Hex(0x0d1014))
	at, ring := f.at(500, 500), draw.Hex([]uint32{0x5ac8a0, 0xf0a63c, 0x6ea0ff, 0xee86b7}[Number(t, "vary", 0)%4])
	b.Fill(new(draw.Path).Sector(at, f.wide(370), f.wide(420), 0, draw.Turn-1), ring.Mix(draw.Hex(0x0d1014), 190))
	part := draw.Turn/3 + draw.Angle(b.Rnd.IntN(int(draw.Turn/2)))
	b.Fill(new(draw.Path).Sector(at, f.wide(370), f.wide(420), -draw.Turn/4, -draw.Turn/4+part), ring)
	b.Icon("footprints", f.box(430, 200, 140, 140), ring)
	b.Line(bold(38, paper()), f.box(100, 380, 800, 240), draw.Center, t.Look[scene.Text])
	b.Line(words(16, draw.Hex(0xa9b2bc)), f.box(100, 610, 800, 110), draw.Center, "steps")
}
