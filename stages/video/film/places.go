package film

import "math"

func (s *set) kitchen() {
	s.walls()
	tile := s.accent.light(0.62)
	for row := range 5 {
		for n := range 34 {
			x, y := worldX+float64(n)*22.4, 132+float64(row)*20
			tone := tile
			if (n*5+row*3)%7 == 0 {
				tone = s.accent.light(0.3)
			}
			s.rect(tone.light(0.06*float64((n+row)%2)), x+0.7, y+0.7, 21, 18.6)
		}
	}
	s.rect(s.wood.light(0.15), worldX, 126, worldW, 6)
	s.veil(black, 0.22, black, 0, worldX, 132, worldW, 10)
	s.shelf(70, 66, 130)
	s.shelf(424, 66, 150)
	s.skirting(s.wood)
	s.tiles(cream.dark(0.12), s.floor, 46)
	s.sunbeam(150)
	for _, x := range [3]float64{140, 320, 500} {
		s.pendant(x, 26, s.accent)
	}
}

func (s *set) shelf(x, y, w float64) {
	s.rect(black.light(0.3), x, y+5, w, 3)
	for at := x + 12; at < x+w-14; at += 24 {
		c := []rgb{s.accent, cream, s.wood.light(0.4), s.accent.light(0.5)}[s.r.IntN(4)]
		if s.r.IntN(2) == 0 {
			s.disc(c.dark(0.1), at, y-11, 11)
			s.disc(c.light(0.3), at, y-11, 7)
			continue
		}
		h := 16 + s.r.Float64()*10
		s.round(c, at-8, y-h, 16, h, 4)
		s.round(s.wood, at-7, y-h-4, 14, 5, 2)
	}
	s.rect(s.wood, x, y, w, 5)
}

func (s *set) workshop() {
	s.fade(s.wall.dark(0.14), s.wall.dark(0.3), worldX, worldY, worldW, wallFoot-worldY)
	brick := mix(rgb{0.66, 0.4, 0.31}, s.wall, 0.28)
	for row := range 19 {
		for n := range 24 {
			x := worldX - 16 + float64(n)*32 + 16*float64(row%2)
			s.rect(brick.dark(0.05*float64((n*7+row*5)%5)), x, worldY+float64(row)*14.4, 30, 12.6)
		}
	}
	s.pegboard(206, 34, 228, 72)
	s.glow(rgb{1, 0.9, 0.65}, 0.35, 320, 40, 240)
	s.skirting(rgb{0.3, 0.29, 0.3})
	grey := mix(s.floor, rgb{0.5, 0.5, 0.5}, 0.7)
	s.fade(grey.dark(0.25), grey.light(0.1), worldX, wallFoot, worldW, worldFoot-wallFoot)
	for n := range 7 {
		s.DrawEllipse(60+90*float64(n)+s.r.Float64()*50, 270+s.r.Float64()*90, 16+s.r.Float64()*22, 4+s.r.Float64()*4)
		s.glaze(black, 0.1)
	}
	for _, y := range rows(3)[1:3] {
		s.line(grey.dark(0.25), 1, worldX, y, worldRight, y)
	}
	for n := range 5 { // planks leaning in the corner
		x := 2 + 9*float64(n)
		s.poly(x, 262, x+8, 262, x+22, 50+8*float64(n%3), x+15, 50+8*float64(n%3))
		s.fill(s.wood.light(0.12 * float64(n%3)))
	}
	for _, x := range [2]float64{170, 470} {
		s.pendant(x, 18, rgb{0.35, 0.4, 0.38})
	}
}

func (s *set) pegboard(x, y, w, h float64) {
	s.rect(black.light(0.15), x+3, y+4, w, h)
	s.rect(s.wood.light(0.35), x, y, w, h)
	for i := range 20 {
		for j := range 6 {
			s.disc(s.wood, x+8+11.2*float64(i), y+8+11.2*float64(j), 1)
		}
	}
	c := ink.light(0.1)
	for n := range 6 {
		at := x + 24 + 36*float64(n)
		switch n % 3 {
		case 0:
			s.line(oak.dark(0.2), 4, at, y+18, at, y+58)
			s.rect(c, at-11, y+12, 22, 10)
		case 1:
			s.arc(c, 4, at, y+22, 8, 8, 0.1*math.Pi, 0.9*math.Pi+math.Pi)
			s.line(c, 5, at, y+30, at, y+60)
		default:
			s.poly(at-9, y+14, at+9, y+14, at+3, y+60, at-3, y+60)
			s.fill(steel.dark(0.25))
		}
	}
}

func (s *set) office() {
	s.walls()
	s.fade(s.skyTop, s.skyFoot, 12, 26, 616, 112)
	for n := range 22 {
		h := 24 + s.r.Float64()*74
		x := 12 + float64(n)*28
		s.rect(mix(s.skyTop.dark(0.45), s.accent, 0.2).light(0.1*float64(n%3)), x, 138-h, 27, h)
		s.cityLights(x, 138-h, h)
	}
	for n := range 5 {
		s.rect(s.wall.dark(0.5), 8+154*float64(n), 22, 7, 120)
	}
	s.rect(s.wall.dark(0.5), 8, 20, 624, 6)
	s.rect(s.wall.light(0.5), 4, 138, 632, 7)
	for n := range 3 {
		s.rect(white, 70+200*float64(n), worldY+20, 110, 6)
		s.glow(white, 0.3, 125+200*float64(n), -8, 120)
	}
	s.skirting(s.wall.dark(0.45))
	carpet := mix(s.floor, s.accent, 0.45)
	s.tiles(carpet, carpet.dark(0.14), 60)
	s.sunbeam(60)
	s.sunbeam(360)
	s.plant(-16, 272)
	s.plant(652, 272)
}

func (s *set) cityLights(x, y, h float64) {
	for row := y + 6; row < y+h-6; row += 9 {
		for k := range 3 {
			if s.r.IntN(3) == 0 {
				s.rect(s.lit(rgb{1, 0.93, 0.65}), x+4+7.6*float64(k), row, 4, 4.4)
			}
		}
	}
}

func (s *set) livingRoom() {
	s.walls()
	for n := range 24 {
		x := worldX + 32*float64(n)
		s.rect(s.wall.dark(0.07), x, worldY, 14, wallFoot-worldY)
		for k := range 4 {
			s.disc(s.accent.light(0.55), x+23, 18+60*float64(k)+30*float64(n%2), 3)
		}
	}
	s.rect(s.wall.light(0.45), worldX, 172, worldW, wallFoot-172)
	s.rect(s.wall.dark(0.15), worldX, 168, worldW, 5)
	for n := range 13 {
		s.DrawRoundedRectangle(worldX+8+58*float64(n), 182, 46, 40, 2)
		s.outline(s.wall.dark(0.08), 1, 2)
	}
	s.picture(104, 26, 60, 46)
	s.picture(458, 30, 74, 44)
	s.skirting(s.wall.light(0.5))
	s.boards()
	s.oval(s.accent.dark(0.15), 320, 324, 262, 47)
	s.oval(s.accent.light(0.25), 320, 323, 250, 43)
	s.oval(s.accent, 320, 323, 214, 35)
	s.oval(s.accent.light(0.4), 320, 323, 120, 19)
	s.sunbeam(60)
	s.floorLamp(2, 276)
	s.floorLamp(640, 276)
}

func (s *set) floorLamp(x, y float64) {
	s.shadow(x, y, 22)
	s.oval(ink, x, y-2, 15, 4)
	s.line(ink, 3, x, y-2, x, y-150)
	s.glow(s.lit(rgb{1, 0.84, 0.52}), s.dayOrNight(0.25, 0.6), x, y-150, 150)
	s.poly(x-15, y-182, x+15, y-182, x+27, y-142, x-27, y-142)
	s.fill(s.lit(rgb{1, 0.93, 0.74}))
}

func (s *set) library() {
	s.fade(s.wood.dark(0.4), s.wood.dark(0.2), worldX, worldY, worldW, wallFoot-worldY)
	hues := []rgb{hex("#8f3b3b"), hex("#3f6b57"), hex("#3c4f7c"), hex("#a8823f"), hex("#6b4a6e"), hex("#9a5a35"), hex("#d8c9a4"), s.accent}
	for row := range 5 {
		foot := 14 + 54*float64(row)
		s.rect(s.wood.dark(0.62), worldX, foot-46, worldW, 46)
		for x := worldX + 4; x < worldRight-8; {
			w, h := 5+s.r.Float64()*6, 28+s.r.Float64()*14
			s.rect(hues[s.r.IntN(len(hues))].dark(0.22), x, foot-h, w-0.8, h)
			if s.r.IntN(3) == 0 {
				s.rect(brass.dark(0.2), x+1, foot-h*0.75, w-2.8, 2)
			}
			x += w
		}
		s.rect(s.wood, worldX, foot, worldW, 8)
		s.rect(s.wood.light(0.25), worldX, foot, worldW, 1.6)
	}
	for n := range 6 {
		x := worldX + 8 + 148*float64(n)
		s.rect(s.wood.light(0.05), x, worldY, 12, wallFoot-worldY)
		s.rect(s.wood.light(0.25), x+2, worldY, 2, wallFoot-worldY)
	}
	s.glow(s.lit(rgb{1, 0.82, 0.5}), 0.4, 320, 60, 330)
	s.skirting(s.wood.dark(0.3))
	s.boards()
	red := mix(s.accent, rgb{0.55, 0.15, 0.17}, 0.55)
	s.poly(110, 262, 530, 262, 640, worldFoot, 0, worldFoot)
	s.fill(red)
	s.poly(128, 268, 512, 268, 604, worldFoot, 36, worldFoot)
	s.fill(brass.dark(0.2))
	s.poly(133, 270, 507, 270, 596, worldFoot, 44, worldFoot)
	s.fill(red.light(0.08))
	for _, x := range [3]float64{134, 320, 506} {
		s.pendant(x, 20, rgb{0.2, 0.45, 0.32})
	}
}

func (s *set) sky(foot float64) {
	s.fade(s.skyTop, s.skyFoot, worldX, worldY, worldW, foot-worldY)
	if s.night() {
		for range 60 {
			s.disc(white, worldX+s.r.Float64()*worldW, worldY+s.r.Float64()*120, 0.5+s.r.Float64()*0.7)
		}
		s.glow(rgb{0.9, 0.93, 1}, 0.5, 540, 40, 70)
		s.disc(s.lit(rgb{1, 0.98, 0.88}), 540, 40, 17)
		return
	}
	x := 90 + s.r.Float64()*90
	s.glow(rgb{1, 0.95, 0.7}, 0.9, x, 46, 120)
	s.disc(rgb{1, 0.97, 0.8}, x, 46, 20)
	for n := range 4 {
		s.cloud(60+170*float64(n)+s.r.Float64()*60, 14+s.r.Float64()*46, 0.7+s.r.Float64()*0.6)
	}
}

func (s *set) cloud(x, y, k float64) {
	for _, p := range [5][3]float64{{-30, 4, 13}, {-12, -4, 18}, {10, -6, 20}, {30, 3, 14}, {0, 8, 18}} {
		s.DrawEllipse(x+p[0]*k, y+p[1]*k, p[2]*k*1.3, p[2]*k*0.8)
		s.glaze(mix(white, s.skyFoot, 0.25), 0.75)
	}
}

func (s *set) park() {
	s.sky(210)
	for k, c := range [3]rgb{{0.5, 0.66, 0.62}, {0.42, 0.62, 0.45}, {0.36, 0.58, 0.36}} {
		base := 172 + 16*float64(k)
		s.MoveTo(worldX, wallFoot+10)
		for n := range 25 {
			x := worldX + worldW*float64(n)/24
			s.LineTo(x, base-18*math.Sin(float64(n)*(0.5+0.14*float64(k))+float64(s.r.IntN(3))*0.12)-14)
		}
		s.LineTo(worldRight, wallFoot+10)
		s.ClosePath()
		s.fill(mix(c, s.skyFoot, 0.42-0.16*float64(k)))
	}
	for _, x := range [5]float64{-20, 132, 262, 380, 640} {
		s.tree(x+s.r.Float64()*24, 236+s.r.Float64()*6, 0.8+s.r.Float64()*0.35)
	}
	grass := mix(rgb{0.45, 0.68, 0.34}, s.accent, 0.12)
	s.fade(grass.dark(0.12), grass.light(0.08), worldX, 230, worldW, worldFoot-230)
	s.MoveTo(worldX, 300)
	s.CubicTo(150, 278, 430, 292, worldRight, 276)
	s.LineTo(worldRight, 330)
	s.CubicTo(460, 352, 190, 338, worldX, 362)
	s.ClosePath()
	s.fill(rgb{0.86, 0.77, 0.6})
	s.tufts(grass)
}

func (s *set) tufts(grass rgb) {
	petals := []rgb{{0.95, 0.45, 0.5}, {1, 0.9, 0.45}, {0.95, 0.95, 1}, {0.7, 0.55, 0.9}}
	for range 90 {
		x, y := worldX+s.r.Float64()*worldW, 244+s.r.Float64()*140
		if y > 276 && y < 358 {
			continue
		}
		s.line(grass.dark(0.3), 1.2, x-3, y, x-4, y-6)
		s.line(grass.dark(0.3), 1.2, x, y, x+1, y-8)
		if s.r.IntN(3) == 0 {
			s.disc(petals[s.r.IntN(4)], x+1, y-9, 2.4)
		}
	}
}

func (s *set) tree(x, y, k float64) {
	s.shadow(x, y+2, 46*k)
	bark, leaf := rgb{0.42, 0.3, 0.22}, mix(rgb{0.27, 0.52, 0.28}, s.accent, 0.1)
	s.poly(x-8*k, y, x-5*k, y-90*k, x+5*k, y-90*k, x+9*k, y)
	s.fill(bark)
	for n, p := range [7][3]float64{{-30, -92, 30}, {28, -90, 32}, {0, -76, 30}, {-16, -122, 32}, {18, -124, 30}, {0, -146, 26}, {4, -104, 34}} {
		s.disc(leaf.dark(0.13*float64(n%3)), x+p[0]*k, y+p[1]*k, p[2]*k)
	}
	for _, p := range [4][3]float64{{-24, -128, 13}, {6, -154, 12}, {-34, -98, 11}, {14, -116, 14}} {
		s.DrawCircle(x+p[0]*k, y+p[1]*k, p[2]*k)
		s.glaze(leaf.light(0.35), 0.5)
	}
}

func (s *set) street() {
	s.sky(150)
	for n := range 6 {
		x := worldX + 126*float64(n)
		c := []rgb{s.wall, s.accent.light(0.5), s.wall.dark(0.14), s.floor.light(0.35), s.accent.light(0.3), s.wall.light(0.3)}[n]
		s.facade(x, 12+float64(s.r.IntN(3))*12, 126, c)
	}
	s.awning(30, 58, 190)
	s.awning(420, 58, 190)
	s.veil(black, 0.32, black, 0, worldX, wallFoot, worldW, 14)
	stone := mix(s.floor, rgb{0.62, 0.6, 0.58}, 0.65)
	s.fade(stone.dark(0.3), stone, worldX, wallFoot, worldW, worldFoot-wallFoot)
	ys := rows(9)
	for k := range 9 {
		for n := -22; n < 22; n++ {
			x0 := 320 + 27*(float64(n)+0.5*float64(k%2))
			l, r := s.atDepth(x0, ys[k]), s.atDepth(x0+27, ys[k])
			s.DrawRoundedRectangle(l+1, ys[k]+1, r-l-2, ys[k+1]-ys[k]-2, 4)
			s.fill(stone.light(0.04 + 0.07*float64((n*n+k*3)%4)))
		}
	}
	s.bulbs()
}

func (s *set) facade(x, top, w float64, c rgb) {
	s.fade(c.light(0.1), c.dark(0.14), x, top, w, wallFoot-top)
	s.rect(c.dark(0.3), x-3, top-6, w+6, 8)
	s.rect(c.dark(0.42), x, wallFoot-14, w, 14)
	for k := range 2 {
		for row := range 2 {
			wx, wy := x+16+54*float64(k), top+22+68*float64(row)
			glass := mix(s.skyTop.dark(0.3), s.skyFoot, 0.3)
			if s.night() || s.r.IntN(5) == 0 {
				glass = s.lit(rgb{1, 0.84, 0.5})
			}
			s.rect(c.light(0.55), wx-4, wy-4, 42, 52)
			s.rect(glass, wx, wy, 34, 44)
			s.rect(c.light(0.55), wx+15.5, wy, 3, 44)
			s.rect(c.light(0.55), wx, wy+20, 34, 3)
			s.rect(c.dark(0.3), wx-6, wy+46, 46, 5)
		}
	}
}

func (s *set) awning(x, y, w float64) {
	n := 10
	for k := range n {
		l, r := x+w*float64(k)/float64(n), x+w*float64(k+1)/float64(n)
		c := s.accent
		if k%2 == 1 {
			c = cream
		}
		s.MoveTo(l, y-20)
		s.LineTo(r, y-20)
		s.LineTo(r+(r-x-w/2)*0.08, y+12)
		s.QuadraticTo((l+r)/2, y+23, l+(l-x-w/2)*0.08, y+12)
		s.ClosePath()
		s.fill(c)
	}
	s.veil(black, 0.25, black, 0, x-4, y+22, w+8, 14)
}

func (s *set) bulbs() {
	strength := s.dayOrNight(0.35, 0.8)
	for span := range 3 {
		x := -40 + 240*float64(span)
		for n := range 13 {
			u := float64(n) / 12
			px, py := x+240*u, 2+40*4*u*(1-u)*0.6
			if n > 0 {
				v := float64(n-1) / 12
				s.line(ink, 1.2, x+240*v, 2+40*4*v*(1-v)*0.6, px, py)
			}
			s.glow(s.lit(rgb{1, 0.82, 0.45}), strength, px, py+4, 12)
			s.disc(s.lit(rgb{1, 0.93, 0.7}), px, py+4, 3)
		}
	}
}

func (s *set) station() {
	s.sky(200)
	s.train()
	iron := mix(s.accent.dark(0.5), ink, 0.4)
	s.rect(iron, worldX, worldY, worldW, 34)
	for n := range 7 {
		x := -28 + 116*float64(n)
		s.NewSubPath()
		s.DrawEllipticalArc(x, 56, 58, 56, math.Pi, 2*math.Pi)
		s.outline(iron, 1, 6)
		s.line(iron, 2, x-40, 16, x, 0, x+40, 16)
	}
	for n := range 4 {
		x := 30 + 193.3*float64(n)
		s.rect(iron, x-6, 0, 12, wallFoot+6)
		s.rect(iron.light(0.25), x-3, 0, 3, wallFoot+6)
		s.rect(iron.dark(0.2), x-11, wallFoot-8, 22, 16)
	}
	slab := mix(s.floor, rgb{0.7, 0.69, 0.67}, 0.6)
	s.tiles(slab, slab.dark(0.1), 74)
	s.rect(rgb{0.95, 0.78, 0.2}, worldX, wallFoot+6, worldW, 7)
	s.veil(black, 0.35, black, 0, worldX, wallFoot-1, worldW, 8)
}

func (s *set) train() {
	s.rect(rgb{0.25, 0.24, 0.26}, worldX, 190, worldW, 60)
	body := s.accent
	s.fade(body.light(0.2), body.dark(0.2), worldX, 82, worldW, 146)
	s.rect(cream.dark(0.06), worldX, 82, worldW, 12)
	s.rect(cream, worldX, 178, worldW, 9)
	for n := range 9 {
		x := worldX + 14 + 84*float64(n)
		if n%4 == 3 {
			s.round(body.dark(0.28), x+12, 98, 46, 130, 4)
			s.round(mix(s.skyFoot, white, 0.2), x+20, 108, 30, 46, 3)
			continue
		}
		glass := mix(s.skyFoot, rgb{0.35, 0.5, 0.6}, 0.6)
		if s.night() {
			glass = s.lit(rgb{1, 0.88, 0.58})
		}
		s.round(body.dark(0.4), x, 106, 70, 54, 7)
		s.round(glass, x+4, 110, 62, 46, 5)
		s.poly(x+14, 156, x+34, 110, x+46, 110, x+26, 156)
		s.glaze(white, 0.25)
	}
	s.rect(ink, worldX, 226, worldW, 10)
}
