package paint

import (
	"maps"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// surroundings are the kind of place that is behind something near, out of focus.
func surroundings(b *Brush, t scene.Thing) {
	of := map[string]func(*Brush, scene.Thing, field){
		"a gym": gymPlace, "a park": parkPlace, "a bus": busPlace, "a beach": beachPlace, "a swimming pool": poolPlace, "a street": streetPlace,
		"a kitchen": kitchenPlace, "an office": officePlace, "a bedroom": bedroomPlace, "a library": libraryPlace, "a pharmacy": pharmacyPlace, "a bathroom": bathroomPlace,
	}
	f := over(t)
	if paint, ok := of[t.Look[scene.Setting]]; ok {
		paint(b, t, f)
	}
	b.Rect(f.all(), draw.Linear{From: draw.P(0, 0), To: draw.P(f.w, f.h), A: draw.Hex(0xfff4dc).Fade(uint8(40 + b.Rnd.IntN(20))), B: draw.Hex(0x1c2030).Fade(40)})
}

// paintThing draws something that has a painter of its own into a box of a place.
func paintThing(b *Brush, t scene.Thing, paint Painter, x, y, w, h int, more ...string) {
	look := maps.Clone(t.Look)
	for i := 0; i+1 < len(more); i += 2 {
		look[more[i]] = more[i+1]
	}
	paint(b, scene.Thing{Box: [4]int{x, y, w, h}, Look: look})
}

// walls are a wall and a floor that meet at a height.
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
