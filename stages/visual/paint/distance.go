package paint

import "github.com/memforge/memforge/pipeline/draw"

// What lies behind a place, down to the horizon.

func farSea(b *Brush, box draw.Box, horizon int) {
	sea := draw.Box{X: box.X, Y: draw.Px(horizon) - box.H/4, W: box.W, H: box.H / 4}
	b.Rect(sea, draw.Down(sea, draw.Hex(0x3a8ac0), draw.Hex(0x6ac4d8)))
	for range 14 {
		x, y := sea.X+draw.Unit(b.Rnd.IntN(int(sea.W))), sea.Y+draw.Px(4)+draw.Unit(b.Rnd.IntN(int(sea.H)))
		b.Stroke(new(draw.Path).Move(draw.Point{X: x, Y: y}).Quad(draw.Point{X: x + draw.Px(9), Y: y - draw.Px(6)}, draw.Point{X: x + draw.Px(18), Y: y}), draw.Px(2), draw.Hex(0xffffff).Fade(150))
	}
}

// ridge is a line of round heights in an ink.
func ridge(b *Brush, box draw.Box, base, high int, ink draw.Color) {
	x, end := box.X.Round(), (box.X + box.W).Round()
	p := new(draw.Path).Move(draw.P(x-40, base))
	for x -= 40; x < end+60; {
		w := 120 + b.Rnd.IntN(140)
		p.Quad(draw.P(x+w/2, base-2*(high/2+b.Rnd.IntN(high/2+1))), draw.P(x+w, base))
		x += w
	}
	p.Close()
	b.Fill(p, draw.Down(draw.PixelBox(0, base-high, 1, high), shaded(ink, 26), shaded(ink, -30)))
}

func farHills(b *Brush, box draw.Box, horizon int) {
	ridge(b, box, horizon+6, 90, draw.Hex(0x9cc48a))
	ridge(b, box, horizon+10, 60, draw.Hex(0x82b46a))
}

func farDunes(b *Brush, box draw.Box, horizon int) {
	for i := range 3 {
		x, h := box.X.Round()+box.W.Round()*(2*i+1)/7+b.Rnd.IntN(60), 60+b.Rnd.IntN(50)
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h, horizon+4), draw.P(x-h, horizon+4)).Close(), draw.Hex(0xd8a868))
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h, horizon+4), draw.P(x+h/3, horizon+4)).Close(), draw.Hex(0xb07e48))
	}
	ridge(b, box, horizon+8, 44, draw.Hex(0xeac488))
}

func farPeaks(b *Brush, box draw.Box, horizon int) {
	for i := range 5 {
		x, h := box.X.Round()+box.W.Round()*i/4-30+b.Rnd.IntN(60), box.H.Round()*(44+b.Rnd.IntN(26))/100
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h, horizon+4), draw.P(x-h, horizon+4)).Close(), draw.Down(draw.PixelBox(0, horizon-h, 1, h), draw.Hex(0x8a9cb4), draw.Hex(0xb4c4cc)))
		b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Line(draw.P(x+h/3, horizon-h*2/3), draw.P(x+h/8, horizon-h*3/4), draw.P(x, horizon-h*3/5), draw.P(x-h/8, horizon-h*3/4), draw.P(x-h/3, horizon-h*2/3)).Close(), draw.Hex(0xfafcff))
	}
}

func farTrees(b *Brush, box draw.Box, horizon int) {
	for row, ink := range []uint32{0x5c9a60, 0x437f4c, 0x32683e} {
		for x := box.X.Round() - 20; x < (box.X+box.W).Round()+20; x += 34 + b.Rnd.IntN(26) {
			h := box.H.Round()*(58-12*row)/100 + b.Rnd.IntN(40)
			c := shaded(draw.Hex(ink), b.Rnd.IntN(40)-20)
			b.Rect(draw.PixelBox(x-4, horizon-h/2, 8, h/2+4), draw.Hex(0x5a4030))
			b.Fill(new(draw.Path).Move(draw.P(x, horizon-h)).Quad(draw.P(x+34, horizon-h/2), draw.P(x+30, horizon-h/4)).Line(draw.P(x-30, horizon-h/4)).Quad(draw.P(x-34, horizon-h/2), draw.P(x, horizon-h)).Close(), c)
		}
	}
}

func farHouses(b *Brush, box draw.Box, horizon int) {
	for x := box.X.Round() - b.Rnd.IntN(40); x < (box.X + box.W).Round(); {
		w, h := 84+b.Rnd.IntN(60), box.H.Round()*(44+b.Rnd.IntN(28))/100
		wall := draw.Hex([]uint32{0xe0a890, 0xe8cfa0, 0xa8c0c8, 0xc8a8b4, 0xb4c4a0, 0xd8c8b8}[b.Rnd.IntN(6)])
		house := draw.PixelBox(x, horizon-h, w, h+6)
		b.Rect(house, draw.Down(house, wall, shaded(wall, -24)))
		roof := new(draw.Path).Move(draw.P(x-6, horizon-h)).Line(draw.P(x+w/2, horizon-h-36), draw.P(x+w+6, horizon-h)).Close()
		b.Fill(roof, draw.Hex([]uint32{0xa8503c, 0x7a4a3a, 0x5a6a7a}[b.Rnd.IntN(3)]))
		for wy := horizon - h + 16; wy < horizon-34; wy += 42 {
			for wx := x + 14; wx < x+w-26; wx += 34 {
				b.Rect(draw.PixelBox(wx, wy, 18, 24), draw.Hex(0xfdf6e0))
				b.Rect(draw.PixelBox(wx+2, wy+2, 14, 20), draw.Hex(0x6a8aa4))
			}
		}
		x += w
	}
}

func farWall(b *Brush, box draw.Box, horizon int) {
	x0, w, h := box.X.Round(), box.W.Round(), box.H.Round()*46/100
	stone := draw.Hex(0xb4aca4)
	p := new(draw.Path).Rect(draw.PixelBox(x0, horizon-h, w, h+6))
	for x := x0; x < x0+w; x += 44 {
		p.Rect(draw.PixelBox(x, horizon-h-18, 24, 20))
	}
	tower := x0 + w/4 + b.Rnd.IntN(w/2)
	p.Rect(draw.PixelBox(tower-46, horizon-h-50, 92, h+50))
	for i := range 4 {
		p.Rect(draw.PixelBox(tower-54+i*29, horizon-h-68, 21, 20))
	}
	b.Fill(p, draw.Down(draw.PixelBox(0, horizon-h-60, 1, h+60), shaded(stone, 30), shaded(stone, -40)))
	for range w * h / 2400 {
		x, y := x0+b.Rnd.IntN(w), horizon-b.Rnd.IntN(h)
		b.RoundRect(draw.PixelBox(x, y, 22, 10), draw.Px(3), shaded(stone, -50).Fade(90))
	}
	b.RoundRect(draw.PixelBox(tower-9, horizon-h-20, 18, 40), draw.Px(9), draw.Hex(0x4a4450))
}

func farStars(b *Brush, box draw.Box, horizon int) {
	b.Rect(box, draw.Down(box, draw.Hex(0xc4ccd8), draw.Hex(0x94a0b4)))
	x0, w, h := box.X.Round(), box.W.Round(), box.H.Round()
	for x := x0; x < x0+w; x += 118 {
		b.Rect(draw.PixelBox(x, box.Y.Round(), 3, h), draw.Hex(0x7c889c))
	}
	r := min(h*3/10, 84)
	for i := range max(1, w/330) {
		at := draw.P(x0+w*(2*i+1)/(2*max(1, w/330)), horizon-h*42/100)
		b.Oval(draw.Disc(at, draw.Px(r+12)), draw.Hex(0x5c687c))
		b.Oval(draw.Disc(at, draw.Px(r)), draw.Hex(0x141a34))
		for range 16 {
			b.Oval(draw.Disc(draw.Polar(at, draw.Px(b.Rnd.IntN(r-6)), draw.Angle(b.Rnd.IntN(int(draw.Turn)))), draw.Px(1+b.Rnd.IntN(3))), draw.Hex(0xfff6d8))
		}
		b.Oval(draw.Disc(draw.Point{X: at.X + draw.Px(r/3), Y: at.Y + draw.Px(r/4)}, draw.Px(r/4)), draw.Hex([]uint32{0xd88a5a, 0x8ab0d8, 0xc8a0d8}[b.Rnd.IntN(3)]))
	}
}

func farTiles(b *Brush, box draw.Box, horizon int) {
	wall := draw.Hex([]uint32{0xf2e2c4, 0xdcead8, 0xe4e0ee, 0xf4dcd4}[b.Rnd.IntN(4)])
	b.Rect(box, draw.Down(box, shaded(wall, 20), shaded(wall, -16)))
	x0, w, h := box.X.Round(), box.W.Round(), box.H.Round()
	for y := horizon - h*4/10; y < horizon; y += 30 {
		for x := x0; x < x0+w; x += 30 {
			b.RoundRect(draw.PixelBox(x+1, y+1, 28, 28), draw.Px(3), shaded(draw.Hex(0xbcd8dc), b.Rnd.IntN(70)-20))
		}
	}
	for i := range max(1, w/340) {
		x, y := x0+70+i*330+b.Rnd.IntN(60), box.Y.Round()+h*22/100
		b.Rect(draw.PixelBox(x, y, 150, 8), draw.Hex(0x8a5a34))
		for k, ink := range []uint32{0xd8503c, 0x4a8ab0, 0xe8b84a, 0x5aa05a} {
			b.RoundRect(draw.PixelBox(x+8+36*k, y-32, 24, 32), draw.Px(6), draw.Hex(ink))
			b.Rect(draw.PixelBox(x+10+36*k, y-36, 20, 6), draw.Hex(0xf4ecdc))
		}
	}
}

func farShelves(b *Brush, box draw.Box, horizon int) {
	b.Rect(box, draw.Down(box, draw.Hex(0x7a5434), draw.Hex(0x5c3c22)))
	x0, end := box.X.Round(), (box.X + box.W).Round()
	for y := horizon - 62; y > box.Y.Round()-60; y -= 70 {
		for x := x0 + 6; x < end; {
			w, h := 10+b.Rnd.IntN(12), 38+b.Rnd.IntN(20)
			c := draw.Hex([]uint32{0xa8443c, 0x3f6a8a, 0xc89a3f, 0x5a7a4a, 0x7a4a6a, 0xd8c8a8}[b.Rnd.IntN(6)])
			b.RoundRect(draw.PixelBox(x, y+56-h, w, h), draw.Px(2), shaded(c, b.Rnd.IntN(40)-30))
			if x += w + 1; b.Rnd.IntN(14) == 0 {
				x += 16
			}
		}
		b.Rect(draw.PixelBox(x0, y+56, end-x0, 8), draw.Hex(0x9a6e44))
	}
}
