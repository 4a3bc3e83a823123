package paint

import (
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func rooms() painters {
	return painters{
		backdrops: map[string]Painter{"room": room},
		kinds: map[string]Painter{
			"wallpaper": wallpaper, "window": window, "curtains": curtains, "fireplace": fireplace, "room-door": roomDoor,
			"bookcase": bookcase, "room-light": roomLight, "sill": counted, "mantel": counted,
			"wardrobe": wardrobe,
		},
	}
}

// floorLine is where wall and floor of a room meet, of 768.
const floorLine = 512

func wallTone(t scene.Thing) draw.Color {
	tones := []uint32{0xe9dfcd, 0xdde3d3, 0xe6d9d2, 0xd5dfe6, 0xe8e4dc, 0xe3d7c0, 0xdcd6e2, 0xcfdcd8}
	return draw.Hex(tones[Number(t, "tone", 0)%len(tones)])
}

func room(b *Brush, t scene.Thing, f field) {
	upper := draw.PixelBox(0, 0, f.w, floorLine)
	tone := wallTone(t)
	b.Rect(upper, draw.Linear{From: draw.P(0, 0), To: draw.P(f.w, 300), A: tone.Mix(paper(), 60), B: tone.Mix(umber(), 26)})
	panelling(b, t, f, tone)
	flooring(b, t, f)
	skirting(b, f)
	x := 120 + b.Rnd.IntN(500)
	patch := new(draw.Path).Move(draw.P(x, 560)).Line(draw.P(x+160, 560), draw.P(x+290, 724), draw.P(x+50, 724)).Close()
	b.Fill(patch, draw.Linear{From: draw.P(x, 560), To: draw.P(x+150, 740), A: draw.Hex(0xfff1c9).Fade(70), B: draw.Hex(0xfff1c9).Fade(6)})
}

func panelling(b *Brush, t scene.Thing, f field, tone draw.Color) {
	cornice := draw.PixelBox(0, 0, f.w, 14)
	b.Rect(cornice, draw.Down(cornice, draw.Hex(0xfbf8f2), draw.Hex(0xe2dace)))
	b.Rect(draw.PixelBox(0, 14, f.w, 3), umber().Fade(40))
	switch t.Look["panel"] {
	case "wainscot":
		low := draw.PixelBox(0, 370, f.w, floorLine-370)
		b.Rect(low, draw.Across(low, tone.Mix(paper(), 150), tone.Mix(paper(), 80)))
		b.Rect(draw.PixelBox(0, 364, f.w, 7), draw.Hex(0xfbf7f0))
		b.Rect(draw.PixelBox(0, 371, f.w, 2), umber().Fade(60))
		for x := 14; x < f.w; x += 112 {
			b.Rect(draw.PixelBox(x, 388, 94, 86), umber().Fade(34))
			b.Rect(draw.PixelBox(x+2, 390, 92, 84), tone.Mix(paper(), 130))
		}
	case "boards":
		for x := 0; x < f.w; x += 32 {
			b.Rect(draw.PixelBox(x, 380, 1, floorLine-380), umber().Fade(60))
			b.Rect(draw.PixelBox(x+1, 380, 1, floorLine-380), paper().Fade(110))
		}
		b.Rect(draw.PixelBox(0, 374, f.w, 8), tone.Mix(paper(), 170))
		b.Rect(draw.PixelBox(0, 382, f.w, 2), umber().Fade(60))
	case "rail":
		b.Rect(draw.PixelBox(0, 44, f.w, 6), tone.Mix(paper(), 170))
		b.Rect(draw.PixelBox(0, 50, f.w, 2), umber().Fade(60))
	}
}

func flooring(b *Brush, t scene.Thing, f field) {
	low := draw.PixelBox(0, floorLine, f.w, f.h-floorLine)
	switch t.Look["floor"] {
	case "tiles":
		tiledFloor(b, f, draw.Hex(0xd8d2c6), draw.Hex(0xb7ad9d))
	case "terracotta":
		tiledFloor(b, f, draw.Hex(0xc98a66), draw.Hex(0xb87650))
	case "chequered":
		tiledFloor(b, f, draw.Hex(0xe8e4dc), draw.Hex(0x84807a))
	case "concrete":
		b.Rect(low, draw.Down(low, draw.Hex(0x8f8f8c), draw.Hex(0xb4b3ae)))
	case "carpet":
		carpet(b, f)
	default:
		planks(b, t, f)
	}
}

func skirting(b *Brush, f field) {
	b.Rect(draw.PixelBox(0, floorLine-20, f.w, 18), draw.Hex(0xf7f2ea))
	b.Rect(draw.PixelBox(0, floorLine-22, f.w, 2), draw.Hex(0xcabfae))
	b.Rect(draw.PixelBox(0, floorLine-2, f.w, 3), draw.Hex(0x93846f))
	shade := draw.PixelBox(0, floorLine, f.w, 60)
	b.Rect(shade, draw.Down(shade, umber().Fade(80), umber().Fade(0)))
}

func planks(b *Brush, t scene.Thing, f field) {
	r := steady(t)
	light, mid, dark := wood(t)
	low := draw.PixelBox(0, floorLine, f.w, f.h-floorLine)
	b.Rect(low, draw.Down(low, mid.Mix(dark, 60), light))
	deep := f.h - floorLine
	for i := -14; i <= 14; i++ {
		x0, x1 := f.w/2+52*i, f.w/2+104*i
		b.Fill(new(draw.Path).Move(draw.P(x0, floorLine)).Line(draw.P(x0+52, floorLine), draw.P(x1+104, f.h), draw.P(x1, f.h)).Close(), dark.Mix(light, r.IntN(256)).Fade(60))
		b.Fill(new(draw.Path).Move(draw.P(x0, floorLine)).Line(draw.P(x0+1, floorLine), draw.P(x1+3, f.h), draw.P(x1, f.h)).Close(), dark.Mix(umber(), 90).Fade(110))
		for range 2 {
			k := 7 + r.IntN(deep-16)
			b.Rect(draw.PixelBox(x0+(x1-x0)*k/deep, floorLine+k, 52+52*k/deep, 1), dark.Mix(umber(), 90).Fade(110))
		}
	}
}

func tiledFloor(b *Brush, f field, one, two draw.Color) {
	low := draw.PixelBox(0, floorLine, f.w, f.h-floorLine)
	b.Rect(low, draw.Down(low, one.Mix(umber(), 40), one))
	rows := []int{0, 22, 52, 92, 142, 204, 284}
	deep := f.h - floorLine
	for j := range len(rows) - 1 {
		for i := -8; i < 8; i++ {
			if (i+j)%2 != 0 {
				continue
			}
			edge := func(k, y int) int { return f.w/2 + k*(90+90*y/deep) }
			y0, y1 := rows[j], rows[j+1]
			p := new(draw.Path).Move(draw.P(edge(i, y0), floorLine+y0)).Line(draw.P(edge(i+1, y0), floorLine+y0), draw.P(edge(i+1, y1), floorLine+y1), draw.P(edge(i, y1), floorLine+y1)).Close()
			b.Fill(p, draw.Down(low, two.Mix(umber(), 30), two))
		}
	}
}

func carpet(b *Brush, f field) {
	low := draw.PixelBox(0, floorLine, f.w, f.h-floorLine)
	b.Rect(low, draw.Down(low, draw.Hex(0xa59c8e), draw.Hex(0xcabfae)))
	for range 260 {
		b.Rect(draw.PixelBox(b.Rnd.IntN(f.w), floorLine+4+b.Rnd.IntN(f.h-floorLine-4), 3+b.Rnd.IntN(5), 1), umber().Fade(36))
	}
}

func wallpaper(b *Brush, t scene.Thing, f field) {
	ink := tint(0xb4674e, 0x4f7f86, 0x6f8a52, 0x8a6a9c, 0xb28a3c, 0x5b7db0)(steady(t))
	tone := wallTone(t)
	b.Rect(f.all(), draw.Linear{From: draw.P(f.x, f.y), To: draw.P(f.x+f.w, f.y+300), A: tone.Mix(paper(), 70), B: tone.Mix(umber(), 14)})
	covered(b, f.all(), patternOf(t), 56, ink.Fade(150))
}

// window looks out on hills. Its sky differs from picture to picture.
func window(b *Brush, t scene.Thing, f field) {
	frame := new(draw.Path).Rect(f.all())
	b.Shadow(frame, 8, 0, 5, umber().Fade(70))
	b.Fill(frame, draw.Hex(0xfdfbf7))
	pane := f.box(50, 45, 900, 910)
	b.Clip(pane, func() { outdoors(b, field{f.x, f.y, f.w, f.h}) })
	for _, bar := range []draw.Box{f.box(485, 40, 30, 920), f.box(40, 440, 920, 26)} {
		b.Rect(bar, draw.Hex(0xfdfbf7))
	}
	ledge := f.box(-50, 975, 1100, 60)
	b.Rect(ledge, draw.Down(ledge, paper(), draw.Hex(0xd4c9ba)))
}

func outdoors(b *Brush, f field) {
	skies := [][2]uint32{{0x86bfe8, 0xeaf6f7}, {0x9fb4c8, 0xe2e6e8}, {0x7f9fd8, 0xf7dcc0}, {0x6fb2e0, 0xdff1f0}}
	sky := skies[b.Rnd.IntN(len(skies))]
	b.Rect(f.all(), draw.Down(f.all(), draw.Hex(sky[0]), draw.Hex(sky[1])))
	cloud := new(draw.Path)
	x, y := 60+b.Rnd.IntN(500), 90+b.Rnd.IntN(200)
	for i := range 9 {
		cloud.Oval(draw.Disc(f.at(x+i%5*70+i/5*40, y+i/5*40-i%2*24), f.wide(50+b.Rnd.IntN(30))))
	}
	b.Fill(cloud, paper().Fade(200))
	for i, ink := range []uint32{0x9cc48b, 0x7fb07a, 0x639a66} {
		y := 660 + 80*i + b.Rnd.IntN(40)
		hill := new(draw.Path).Move(f.at(-20, y+80)).Cubic(f.at(200+100*i, y-120), f.at(400, y+120), f.at(640, y)).Cubic(f.at(800, y-70), f.at(900, y+30), f.at(1040, y)).Line(f.at(1040, 1040), f.at(-20, 1040)).Close()
		b.Fill(hill, draw.Down(f.box(0, y-40, 1, 340), draw.Hex(ink), draw.Hex(ink).Mix(draw.Hex(0x2c5a44), 90)))
	}
}

func curtains(b *Brush, t scene.Thing, f field) {
	r := steady(t)
	ink := tint(0x67aaa8, 0xc9a98a, 0xb9c2cc, 0xa8b89a, 0xc8b4c4)(r)
	for _, left := range []int{0, 760} {
		cloth := f.box(left, 40, 240, 950)
		b.Shadow(new(draw.Path).Rect(cloth), 6, 2, 4, umber().Fade(60))
		for x := cloth.X; x < cloth.X+cloth.W; {
			w := min(draw.Px(12+r.IntN(9)), cloth.X+cloth.W-x)
			fold := draw.Box{X: x, Y: cloth.Y, W: w + 64, H: cloth.H + draw.Px(r.IntN(8))}
			b.RoundRect(fold, draw.Px(5), draw.Across(fold, ink.Mix(paper(), 34), ink.Mix(umber(), 34)))
			x += w
		}
	}
	_, mid, dark := wood(t)
	rod := f.box(-30, 10, 1060, 24)
	b.RoundRect(rod, rod.H/2, draw.Down(rod, mid, dark))
	for _, x := range []int{-30, 1030} {
		b.Oval(draw.Disc(f.at(x, 22), draw.Px(8)), draw.Radial{At: f.at(x-6, 14), Radius: draw.Px(12), A: mid.Mix(paper(), 60), B: dark})
	}
}

func fireplace(b *Brush, t scene.Thing, f field) {
	painting(b, f.part(168, -953, 664, 586), t)
	ground(b, f)
	stone := draw.Hex([]uint32{0xe5ded2, 0xcfc6b8, 0xb9573f}[Number(t, "vary", 0)%3])
	slab(b, f.box(40, 60, 920, 940), 3, stone)
	hearth := new(draw.Path).Move(f.at(220, 1000)).Line(f.at(220, 480)).Cubic(f.at(220, 260), f.at(780, 260), f.at(780, 480)).Line(f.at(780, 1000)).Close()
	b.Fill(hearth, draw.Down(f.box(0, 300, 1, 700), draw.Hex(0x17110e), draw.Hex(0x35241b)))
	for i, tone := range []uint32{0xc4401e, 0xee8a24, 0xf8d25c} {
		h := 330 - 95*i + b.Rnd.IntN(50)
		w := 150 - 40*i
		flame := new(draw.Path).Move(f.at(500-w, 950)).Cubic(f.at(500-w, 950-h/2), f.at(470, 950-h/2), f.at(490+b.Rnd.IntN(30), 950-h)).Cubic(f.at(530, 950-h/2), f.at(500+w, 950-h/2), f.at(500+w, 950)).Close()
		b.Fill(flame, draw.Hex(tone))
	}
	for i := range 3 {
		log := f.box(300+i*110, 930-i%2*30, 200, 60)
		b.RoundRect(log, log.H/2, draw.Down(log, draw.Hex(0x7b5030), draw.Hex(0x3f2616)))
	}
	shelf := f.box(0, 20, 1000, 60)
	slab(b, shelf, 3, stone.Mix(paper(), 90))
}

func roomDoor(b *Brush, t scene.Thing, f field) {
	leaf := draw.Hex([]uint32{0xf3efe7, 0xb4936a, 0x7f9a94, 0xd9cfc0}[Number(t, "vary", 0)%4])
	slab(b, f.box(0, 0, 1000, 1000), 2, leaf.Mix(paper(), 90))
	lit(b, new(draw.Path).Rect(f.box(60, 30, 880, 970)), f.all(), leaf)
	for _, p := range []draw.Box{f.box(150, 80, 300, 360), f.box(550, 80, 300, 360), f.box(150, 520, 300, 400), f.box(550, 520, 300, 400)} {
		b.Rect(p, leaf.Mix(umber(), 50))
		b.Rect(draw.Box{X: p.X + 128, Y: p.Y + 128, W: p.W - 128, H: p.H - 128}, draw.Across(p, leaf.Mix(paper(), 40), leaf.Mix(umber(), 12)))
	}
	knob := draw.Disc(f.at(120, 500), draw.Px(7))
	b.Oval(knob, draw.Radial{At: f.at(112, 494), Radius: draw.Px(10), A: draw.Hex(0xf2d58a), B: draw.Hex(0x8a6a2c)})
}

func wardrobe(b *Brush, t scene.Thing, f field) {
	light, mid, dark := wood(t)
	ground(b, f)
	slab(b, f.box(20, 30, 960, 950), 3, mid)
	slab(b, f.box(0, 0, 1000, 50), 3, dark)
	for i := range 2 {
		door := f.box(50+460*i, 70, 440, 760)
		b.Rect(door, dark)
		b.Rect(draw.Box{X: door.X + 128, Y: door.Y + 128, W: door.W - 192, H: door.H - 192}, draw.Across(door, light.Mix(mid, 90), mid))
		panel := door.Inset(f.wide(70), f.tall(50))
		b.Rect(panel, mid.Mix(dark, 110))
		b.Rect(draw.Box{X: panel.X + 128, Y: panel.Y + 128, W: panel.W - 128, H: panel.H - 128}, light.Mix(mid, 140))
		b.Oval(draw.Disc(f.at(450+100*i, 470), draw.Px(5)), draw.Hex(0xd4b15c))
	}
	slab(b, f.box(50, 850, 900, 110), 2, mid.Mix(light, 60))
	b.RoundRect(f.box(440, 890, 120, 16), draw.Px(3), draw.Hex(0xd4b15c))
}

func bookcase(b *Brush, t scene.Thing, f field) {
	r := steady(t)
	light, mid, dark := wood(t)
	ground(b, f)
	p := new(draw.Path).Rect(f.all())
	b.Shadow(p, 12, -4, 6, umber().Fade(100))
	b.Fill(p, draw.Across(f.all(), mid, dark))
	inner := field{f.x + 9, f.y + 9, f.w - 18, f.h - 14}
	b.Rect(inner.all(), draw.Across(inner.all(), dark.Mix(umber(), 90), dark.Mix(umber(), 30)))
	inks := []uint32{0xb5483a, 0x2f5d73, 0xd9a441, 0x4f7a5a, 0x7b4b6e, 0xe8dcc2, 0x35455c, 0xc9703f, 0x8fa9a3}
	step := inner.h / 5
	for s := range 5 {
		top := inner.y + step*s
		for x := inner.x + 3; x < inner.x+inner.w-22; {
			if r.IntN(9) == 0 {
				x += 8 + r.IntN(18)
				continue
			}
			w, h := 8+r.IntN(13), step*54/100+r.IntN(step*28/100)
			book := draw.PixelBox(x, top+step-8-h, w, h)
			ink := draw.Hex(inks[r.IntN(len(inks))])
			b.RoundRect(book, 64, draw.Across(book, ink.Mix(paper(), 44), ink.Mix(umber(), 90)))
			b.Rect(draw.PixelBox(x+2, top+step-h, w-4, 2), draw.Hex(0xf5e8c8).Fade(190))
			x += w
		}
		board := draw.PixelBox(inner.x, top+step-8, inner.w, 8)
		b.Rect(board, draw.Down(board, light, mid))
	}
}

// painting hangs in a frame. Its subject is the icon of the word that the thing tells.
func painting(b *Brush, f field, t scene.Thing) {
	r := steady(t)
	frame := new(draw.Path).Rect(f.all())
	b.Shadow(frame, 8, 4, 6, umber().Fade(100))
	_, mid, dark := wood(t)
	b.Fill(frame, draw.Across(f.all(), mid, dark))
	b.Rect(f.box(60, 60, 880, 880), draw.Hex(0xfaf6ee))
	art := f.box(150, 150, 700, 700)
	ground := tint(0xd9a05b, 0x8fb3d0, 0xa7c59a, 0xd9a9a0, 0xcbb8dc, 0xe6cf86)(r)
	b.Rect(art, draw.Down(art, ground.Mix(paper(), 120), ground))
	side := min(art.W, art.H) * 88 / 100
	b.Icon(strings.TrimPrefix(t.Look[scene.Which], "the "), draw.Box{X: art.X + (art.W-side)/2, Y: art.Y + (art.H-side)/2, W: side, H: side}, draw.Hex(0x2c3440))
}

func roomLight(b *Brush, _ scene.Thing, _ field) {
	w, h := b.Size()
	warm := tint(0xffe9c0, 0xfff4dc, 0xffdcae, 0xe8f2ff)(b.Rnd)
	b.Rect(draw.PixelBox(0, 0, w, h), draw.Linear{From: draw.P(0, 0), To: draw.P(w, 500), A: warm.Fade(uint8(8 + b.Rnd.IntN(10))), B: draw.Hex(0x241428).Fade(uint8(12 + b.Rnd.IntN(12)))})
}
