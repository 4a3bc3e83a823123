package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func kitchenPlace(b *Brush, t scene.Thing, f field) {
	walls(b, f, draw.Hex(0xe8e0cf), draw.Hex(0xb9a88a), 600)
	paintThing(b, t, splashback, 0, 190, f.w, 210, scene.Pattern, "checks")
	paintThing(b, t, cabinets, 0, 0, 380, 150, scene.Colour, "")
	paintThing(b, t, cabinets, 650, 0, 374, 150, scene.Colour, "")
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
	paintThing(b, t, window, 60, 40, 220, 270)
	paintThing(b, t, curtains, 40, 24, 260, 320)
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
		paintThing(b, t, bookcase, 8+256*i, 10, 240, 640, "vary", []string{"11", "23", "37", "41"}[i], "wood", "walnut")
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
