package widget_test

import (
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline/draw"
)

// room is a living room of some 400 shapes, by light from the left.
func room(c *draw.Canvas) error {
	r := rand.New(rand.NewPCG(4, 21))
	c.Object("wall", "", "", func() { wall(c, r) })
	c.Object("window", "", "", func() { window(c, r) })
	c.Object("picture", "dunes", "", func() { framed(c, 424, 84, 0xd9a05b, 0x7c5a3a) })
	c.Object("picture", "lake", "", func() { framed(c, 566, 96, 0x6d94bd, 0x35506e) })
	c.Object("shelf", "", "", func() { shelf(c, r) })
	c.Object("rug", "", "", func() { rug(c) })
	c.Object("sofa", "blue", "", func() { sofa(c) })
	c.Object("lamp", "", "", func() { lamp(c) })
	c.Object("table", "", "", func() { table(c, r) })
	c.Object("plant", "", "", func() { plant(c, r) })
	all := draw.PixelBox(0, 0, 1024, 768)
	c.Rect(all, draw.Linear{From: draw.P(0, 0), To: draw.P(1024, 500), A: draw.Hex(0xffe9c0).Fade(24), B: draw.Hex(0x241428).Fade(54)})
	return c.Err()
}

var white, umber = draw.Hex(0xffffff), draw.Hex(0x2e1a12)

// solid is a shape lit from the left, standing on a shadow.
func solid(c *draw.Canvas, p *draw.Path, b draw.Box, ink draw.Color) {
	c.Fill(p, draw.Linear{From: draw.Point{X: b.X, Y: b.Y}, To: draw.Point{X: b.X + b.W, Y: b.Y + b.H/3}, A: ink.Mix(white, 60), B: ink.Mix(umber, 60)})
}

func block(c *draw.Canvas, x, y, w, h, radius int, ink uint32) {
	b := draw.PixelBox(x, y, w, h)
	p := new(draw.Path).Round(b, draw.Px(radius))
	c.Shadow(p, 6, 3, 4, umber.Fade(80))
	solid(c, p, b, draw.Hex(ink))
}

// under is the soft shade of something on the floor.
func under(c *draw.Canvas, x, y, w, h int) {
	p := new(draw.Path).Oval(draw.PixelBox(x, y, w, h))
	c.Shadow(p, 3, 0, 0, umber.Fade(110))
	c.Shadow(p, 14, 8, 4, umber.Fade(100))
}

func wall(c *draw.Canvas, r *rand.Rand) {
	upper := draw.PixelBox(0, 0, 1024, 512)
	c.Rect(upper, draw.Linear{From: draw.P(0, 0), To: draw.P(1024, 260), A: draw.Hex(0xeadfcf), B: draw.Hex(0xc9b9a6)})
	c.Rect(draw.PixelBox(0, 356, 1024, 150), draw.Across(upper, draw.Hex(0xf4eee4), draw.Hex(0xddd2c3)))
	c.Rect(draw.PixelBox(0, 350, 1024, 7), draw.Hex(0xfbf7f0))
	c.Rect(draw.PixelBox(0, 357, 1024, 2), draw.Hex(0xc7b9a7))
	for x := 14; x < 1024; x += 112 {
		c.Rect(draw.PixelBox(x, 374, 94, 104), draw.Hex(0xd5c8b7))
		c.Rect(draw.PixelBox(x+2, 376, 92, 102), draw.Across(draw.PixelBox(x, 0, 94, 1), draw.Hex(0xf1eadf), draw.Hex(0xe4dace)))
	}
	c.Rect(draw.PixelBox(0, 490, 1024, 16), draw.Hex(0xf7f2ea))
	c.Rect(draw.PixelBox(0, 506, 1024, 3), draw.Hex(0xa99780))
	floor := draw.PixelBox(0, 509, 1024, 259)
	c.Rect(floor, draw.Down(floor, draw.Hex(0xa27650), draw.Hex(0xc49a6c)))
	for i := -14; i <= 14; i++ {
		x0, x1 := 512+52*i, 512+104*i
		tone := draw.Hex(0x8a6242).Mix(draw.Hex(0xd2aa7c), r.IntN(256)).Fade(64)
		c.Fill(new(draw.Path).Move(draw.P(x0, 509)).Line(draw.P(x0+52, 509), draw.P(x1+104, 768), draw.P(x1, 768)).Close(), tone)
		c.Fill(new(draw.Path).Move(draw.P(x0, 509)).Line(draw.P(x0+1, 509), draw.P(x1+3, 768), draw.P(x1, 768)).Close(), draw.Hex(0x5e3f28).Fade(110))
		for range 2 {
			y := 516 + r.IntN(240)
			k := y - 509
			c.Rect(draw.PixelBox(x0+(x1-x0)*k/259, y, 52+52*k/259, 1), draw.Hex(0x5e3f28).Fade(110))
		}
	}
	c.Rect(draw.PixelBox(0, 509, 1024, 70), draw.Down(draw.PixelBox(0, 509, 1, 70), umber.Fade(88), umber.Fade(0)))
}

func window(c *draw.Canvas, r *rand.Rand) {
	frame := new(draw.Path).Rect(draw.PixelBox(70, 48, 240, 268))
	c.Shadow(frame, 8, 0, 5, umber.Fade(70))
	c.Fill(frame, draw.Hex(0xfdfbf7))
	pane := draw.PixelBox(82, 60, 216, 244)
	c.Clip(pane, func() {
		c.Rect(pane, draw.Down(pane, draw.Hex(0x86bfe8), draw.Hex(0xeaf6f7)))
		cloud := new(draw.Path)
		for i := range 12 {
			cloud.Oval(draw.Disc(draw.P(104+i%4*22+i/4*48, 108+i/4*24-i%2*9), draw.Px(13+r.IntN(8))))
		}
		c.Fill(cloud, white.Fade(200))
		for i, ink := range []uint32{0x9cc48b, 0x7fb07a, 0x639a66} {
			y := 222 + 20*i
			hill := new(draw.Path).Move(draw.P(60, y+30)).Cubic(draw.P(110+30*i, y-30), draw.P(160, y+36), draw.P(220, y)).Cubic(draw.P(260, y-20), draw.P(290, y+10), draw.P(320, y)).Line(draw.P(320, 320), draw.P(60, 320)).Close()
			c.Fill(hill, draw.Down(draw.PixelBox(0, y-10, 1, 90), draw.Hex(ink), draw.Hex(ink).Mix(draw.Hex(0x2c5a44), 90)))
		}
		for x := 90; x < 300; x += 18 + r.IntN(26) {
			h := 14 + r.IntN(14)
			y := 262 + r.IntN(14)
			c.Rect(draw.PixelBox(x-1, y, 3, 16), draw.Hex(0x5d4130))
			crown := draw.PixelBox(x-h/2, y-h, h, h+6)
			c.Oval(crown, draw.Across(crown, draw.Hex(0x79ad6f), draw.Hex(0x3c7049)))
		}
		c.Rect(draw.PixelBox(186, 60, 8, 244), draw.Hex(0xfdfbf7))
		c.Rect(draw.PixelBox(82, 176, 216, 8), draw.Hex(0xfdfbf7))
		c.Rect(draw.PixelBox(192, 60, 2, 244), draw.Hex(0xd5ccbe))
		c.Rect(draw.PixelBox(82, 182, 216, 2), draw.Hex(0xd5ccbe))
	})
	sill := draw.PixelBox(60, 312, 260, 16)
	c.Rect(sill, draw.Down(sill, white, draw.Hex(0xd4c9ba)))
	for side := range 2 {
		x := 30 + side*250
		for x1 := x + 76; x < x1; {
			w := 11 + r.IntN(8)
			fold := draw.PixelBox(x, 36, w+2, 322+r.IntN(10))
			c.RoundRect(fold, draw.Px(5), draw.Across(fold, draw.Hex(0x67aaa8), draw.Hex(0x2c686c)))
			x += w
		}
	}
	rod := draw.PixelBox(20, 28, 344, 8)
	c.RoundRect(rod, draw.Px(4), draw.Down(rod, draw.Hex(0x8a6546), draw.Hex(0x523623)))
	for _, x := range []int{22, 362} {
		c.Oval(draw.Disc(draw.P(x, 32), draw.Px(8)), draw.Radial{At: draw.P(x-3, 29), Radius: draw.Px(12), A: draw.Hex(0xb68a60), B: draw.Hex(0x5a3c27)})
	}
	patch := new(draw.Path).Move(draw.P(130, 556)).Line(draw.P(318, 556), draw.P(470, 724), draw.P(200, 724)).Close()
	c.Fill(patch, draw.Linear{From: draw.P(150, 560), To: draw.P(300, 740), A: draw.Hex(0xfff1c9).Fade(100), B: draw.Hex(0xfff1c9).Fade(10)})
}

func framed(c *draw.Canvas, x, y int, sky, land uint32) {
	frame := new(draw.Path).Rect(draw.PixelBox(x, y, 108, 132))
	c.Shadow(frame, 8, 4, 6, umber.Fade(100))
	c.Fill(frame, draw.Hex(0x46332a))
	c.Rect(draw.PixelBox(x+6, y+6, 96, 120), draw.Hex(0xfaf6ee))
	art := draw.PixelBox(x+18, y+20, 72, 90)
	c.Clip(art, func() {
		c.Rect(art, draw.Down(art, draw.Hex(sky).Mix(white, 150), draw.Hex(sky)))
		c.Oval(draw.Disc(draw.P(x+64, y+46), draw.Px(11)), draw.Hex(0xfff2d2))
		for i := range 3 {
			yy := y + 76 + 12*i
			c.Fill(new(draw.Path).Move(draw.P(x, yy)).Cubic(draw.P(x+30, yy-26+9*i), draw.P(x+60, yy+18), draw.P(x+108, yy-10)).Line(draw.P(x+108, y+132), draw.P(x, y+132)).Close(), draw.Hex(sky).Mix(draw.Hex(land), 120+60*i))
		}
	})
}

func shelf(c *draw.Canvas, r *rand.Rand) {
	p := new(draw.Path).Rect(draw.PixelBox(736, 112, 240, 400))
	c.Shadow(p, 12, -6, 6, umber.Fade(110))
	under(c, 740, 502, 236, 12)
	c.Fill(p, draw.Across(draw.PixelBox(736, 0, 240, 1), draw.Hex(0x7d5638), draw.Hex(0x5c3c26)))
	c.Rect(draw.PixelBox(746, 122, 220, 380), draw.Across(draw.PixelBox(746, 0, 220, 1), draw.Hex(0x452c1c), draw.Hex(0x5a3b27)))
	inks := []uint32{0xb5483a, 0x2f5d73, 0xd9a441, 0x4f7a5a, 0x7b4b6e, 0xe8dcc2, 0x35455c, 0xc9703f, 0x8fa9a3}
	for s := range 5 {
		top := 122 + 77*s
		c.Rect(draw.PixelBox(746, top, 220, 16), draw.Down(draw.PixelBox(0, top, 1, 16), draw.Hex(0x1a0e08).Fade(150), draw.Hex(0x1a0e08).Fade(0)))
		for x := 749; x < 938; {
			if r.IntN(10) == 0 {
				x += 8 + r.IntN(18)
				continue
			}
			w, h := 8+r.IntN(13), 42+r.IntN(20)
			book := draw.PixelBox(x, top+68-h, w, h)
			path := new(draw.Path).Round(book, draw.Px(1))
			if r.IntN(9) == 0 {
				path = path.Transform(draw.Rotate(draw.Turn/72, draw.P(x+w, top+68)))
			}
			ink := draw.Hex(inks[r.IntN(len(inks))])
			c.Fill(path, draw.Across(book, ink.Mix(white, 44), ink.Mix(umber, 90)))
			for k := range 1 + r.IntN(2) {
				c.Rect(draw.PixelBox(x+2, top+68-h+7+5*k, w-4, 2), draw.Hex(0xf5e8c8).Fade(190))
			}
			x += w
		}
		board := draw.PixelBox(746, top+68, 220, 9)
		c.Rect(board, draw.Down(board, draw.Hex(0x9a6e45), draw.Hex(0x65402a)))
	}
}

func rug(c *draw.Canvas) {
	under(c, 216, 592, 656, 148)
	for i, ink := range []uint32{0x8c3b3b, 0xe7d3b1, 0xa84c45, 0x2f4f66, 0xe7d3b1, 0xb65a4b} {
		w, h := 656-86*i, 152-20*i
		c.Oval(draw.PixelBox(544-w/2, 664-h/2, w, h), draw.Across(draw.PixelBox(544-w/2, 0, w, 1), draw.Hex(ink).Mix(white, 20), draw.Hex(ink).Mix(umber, 30)))
	}
}

func sofa(c *draw.Canvas) {
	under(c, 366, 574, 344, 40)
	for _, x := range []int{380, 676} {
		c.Fill(new(draw.Path).Move(draw.P(x, 586)).Line(draw.P(x+16, 586), draw.P(x+12, 612), draw.P(x+4, 612)).Close(), draw.Hex(0x4a2e1c))
	}
	const blue = 0x47769a
	block(c, 384, 372, 306, 180, 32, 0x3d6888)
	block(c, 402, 398, 134, 120, 24, blue)
	block(c, 540, 396, 132, 122, 26, 0x44718f)
	block(c, 396, 520, 284, 72, 12, 0x2f5470)
	block(c, 394, 488, 148, 62, 20, 0x4f80a4)
	block(c, 540, 490, 146, 60, 18, 0x4a7a9e)
	block(c, 356, 442, 56, 152, 25, blue)
	block(c, 662, 440, 58, 154, 25, 0x3f6b8c)
	for i, ink := range []uint32{0xe0a13c, 0xd8553f} {
		b := draw.PixelBox(420+166*i, 432, 64, 60)
		cushion := new(draw.Path).Move(draw.P(420+166*i, 432)).
			Quad(draw.P(452+166*i, 442), draw.P(484+166*i, 430)).Quad(draw.P(476+166*i, 462), draw.P(484+166*i, 494)).
			Quad(draw.P(452+166*i, 484), draw.P(420+166*i, 494)).Quad(draw.P(428+166*i, 462), draw.P(420+166*i, 432)).Close().
			Transform(draw.Rotate(draw.Turn/40-draw.Angle(i)*draw.Turn/24, b.Mid()))
		c.Shadow(cushion, 5, 3, 4, umber.Fade(100))
		solid(c, cushion, b, draw.Hex(ink))
	}
}

func lamp(c *draw.Canvas) {
	under(c, 236, 586, 66, 16)
	foot := draw.PixelBox(234, 580, 68, 18)
	c.Oval(foot, draw.Down(foot, draw.Hex(0x5a5350), draw.Hex(0x2b2725)))
	pole := draw.PixelBox(265, 330, 6, 258)
	c.Rect(pole, draw.Across(pole, draw.Hex(0x8a8480), draw.Hex(0x3a3634)))
	c.Oval(draw.Disc(draw.P(268, 300), draw.Px(190)), draw.Radial{At: draw.P(268, 300), Radius: draw.Px(190), A: draw.Hex(0xffe7a8).Fade(140), B: draw.Hex(0xffe7a8).Fade(0)})
	shade := new(draw.Path).Move(draw.P(240, 264)).Quad(draw.P(268, 260), draw.P(296, 264)).Line(draw.P(322, 338)).Quad(draw.P(268, 346), draw.P(214, 338)).Close()
	c.Fill(shade, draw.Down(draw.PixelBox(0, 262, 1, 80), draw.Hex(0xfff3cf), draw.Hex(0xeec77c)))
	c.Stroke(new(draw.Path).Move(draw.P(214, 338)).Quad(draw.P(268, 346), draw.P(322, 338)), draw.Px(3), draw.Hex(0xc99c55))
}

func table(c *draw.Canvas, r *rand.Rand) {
	under(c, 470, 696, 200, 24)
	for _, x := range []int{490, 636} {
		leg := draw.PixelBox(x, 640, 14, 72)
		c.Fill(new(draw.Path).Move(draw.P(x, 644)).Line(draw.P(x+14, 644), draw.P(x+9, 712), draw.P(x+4, 712)).Close(), draw.Across(leg, draw.Hex(0x8a5a36), draw.Hex(0x4f311c)))
	}
	for i, ink := range [][2]uint32{{0xb98253, 0x7d4e2c}, {0xe0b384, 0xb88555}} {
		top := draw.PixelBox(450, 615-7*i, 240, 52)
		c.Oval(top, draw.Across(top, draw.Hex(ink[0]), draw.Hex(ink[1])))
	}
	under(c, 596, 626, 42, 12)
	for range 13 {
		x, y := 582+r.IntN(70), 516+r.IntN(34)
		c.Stroke(new(draw.Path).Move(draw.P(616, 586)).Quad(draw.P(616+(x-616)/4, 556), draw.P(x, y)), draw.At(1.75), draw.Hex(0x4f7a4a))
		flower := draw.Hex([]uint32{0xf28482, 0xf6bd60, 0xf7ede2, 0xd96c8a}[r.IntN(4)])
		petals := new(draw.Path)
		for k := range 5 {
			petals.Oval(draw.Disc(draw.Polar(draw.P(x, y), draw.Px(4), draw.Turn*draw.Angle(k)/5), draw.At(3.5)))
		}
		c.Fill(petals, flower)
		c.Oval(draw.Disc(draw.P(x, y), draw.At(2.25)), draw.Hex(0xfff0b8))
	}
	vase := new(draw.Path).Move(draw.P(601, 634)).Cubic(draw.P(588, 606), draw.P(607, 600), draw.P(606, 578)).Line(draw.P(626, 578)).Cubic(draw.P(625, 600), draw.P(644, 606), draw.P(631, 634)).Quad(draw.P(616, 639), draw.P(601, 634)).Close()
	c.Fill(vase, draw.Across(draw.PixelBox(592, 0, 48, 1), draw.Hex(0xf6f3ec), draw.Hex(0xa9b4b6)))
	under(c, 512, 632, 36, 8)
	c.Stroke(new(draw.Path).Move(draw.P(543, 613)).Cubic(draw.P(557, 611), draw.P(557, 631), draw.P(543, 629)), draw.At(3.5), draw.Hex(0xa92f1f))
	mug := draw.PixelBox(514, 607, 30, 31)
	c.Fill(new(draw.Path).Corners(mug, [4]draw.Unit{0, 0, draw.Px(7), draw.Px(7)}), draw.Across(mug, draw.Hex(0xec6049), draw.Hex(0xa5321f)))
	c.Oval(draw.PixelBox(514, 603, 30, 8), draw.Hex(0xc8452f))
	c.Oval(draw.PixelBox(516, 604, 26, 6), draw.Hex(0x4a241a))
}

func plant(c *draw.Canvas, r *rand.Rand) {
	under(c, 852, 664, 88, 26)
	pot := draw.PixelBox(850, 590, 88, 86)
	root := draw.P(894, 588)
	leaf := func(a draw.Angle, l int, ink draw.Color) {
		tip := draw.Polar(root, draw.Px(l), a)
		mid, wide := draw.Polar(root, draw.Px(l/2), a), draw.Px(11+r.IntN(8))
		tip.Y += draw.Px(r.IntN(22))
		p := new(draw.Path).Move(root).Quad(draw.Polar(mid, wide, a-draw.Turn/4), tip).Quad(draw.Polar(mid, wide, a+draw.Turn/4), root).Close()
		c.Fill(p, draw.Linear{From: root, To: tip, A: ink.Mix(draw.Hex(0x0f2a1c), 100), B: ink})
		c.Stroke(new(draw.Path).Move(root).Quad(mid, tip), draw.Px(1), draw.Hex(0xcfe8b8).Fade(130))
	}
	for i := range 17 {
		a := -draw.Turn/4 + draw.Angle(i%2*2-1)*draw.Angle(i)*draw.Turn/52 + draw.Angle(r.IntN(900))
		leaf(a, 100+r.IntN(70), draw.Hex(0x2e6b45).Mix(draw.Hex(0x8abf74), r.IntN(256)))
	}
	c.Fill(new(draw.Path).Move(draw.P(850, 590)).Line(draw.P(938, 590), draw.P(926, 672)).Quad(draw.P(894, 682), draw.P(862, 672)).Close(), draw.Across(pot, draw.Hex(0xdf9465), draw.Hex(0x93492b)))
	rim := draw.PixelBox(844, 580, 100, 18)
	c.RoundRect(rim, draw.Px(5), draw.Across(rim, draw.Hex(0xeda376), draw.Hex(0xa0552f)))
	c.Rect(draw.PixelBox(852, 598, 84, 4), umber.Fade(60))
}
