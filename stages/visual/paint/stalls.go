package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func kiosk(b *Brush, t scene.Thing) {
	f := over(t)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	slab(b, f.box(60, 230, 880, 770), 3, ink)
	b.Rect(f.box(120, 250, 760, 110), draw.Hex(0x2f2a26))
	for i := range 6 {
		b.Rect(f.box(140+122*i, 262, 104, 92), tint(0xf4efe2, 0xd9604a, 0x5a9ab0, 0xf0c24a)(b.Rnd))
	}
	slab(b, f.box(30, 640, 940, 60), 2, draw.Hex(0xe9dfc8))
	b.Fill(f.shape(-30, 230, 120, 60, 880, 60, 1030, 230), draw.Hex(0x3a4650))
	plate := f.box(180, 0, 640, 130)
	b.RoundRect(plate, draw.Px(3), draw.Hex(0xfbf6e8))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(15), Ink: draw.Hex(0x3a2a22)}, plate, draw.Center, "NEWS")
	for i := range 4 {
		b.Rect(f.box(130+190*i, 750, 150, 150), paper().Fade(220))
		b.Rect(f.box(150+190*i, 775, 110, 22), umber().Fade(160))
		b.Rect(f.box(150+190*i, 815, 110, 50), umber().Fade(70))
	}
}

// cart is one with two wheels under a striped roof.
func cart(b *Brush, f field, ink draw.Color) {
	ground(b, f)
	for _, x := range []int{110, 860} {
		b.Rect(f.box(x, 150, 30, 300), draw.Hex(0x8a6a48))
	}
	for i := range 8 {
		stripe := ink
		if i%2 == 1 {
			stripe = draw.Hex(0xfdf8ec)
		}
		b.Fill(f.shape(60+110*i, 30, 170+110*i, 30, 150*(i+1)*1000/1200-90, 190, 150*i*1000/1200-90+10, 190), stripe)
	}
	slab(b, f.box(40, 370, 920, 430), 4, ink)
	for _, x := range []int{240, 760} {
		at := f.at(x, 850)
		wheel(b, at, f.tall(140))
	}
}

func flowerCart(b *Brush, t scene.Thing) {
	f := over(t)
	cart(b, f, Ink(t, scene.Colour, 0x888888))
	for i := range 13 {
		x, y := 70+70*i, 290+60*(i%2)
		b.Rect(f.box(x, y, 12, 100), draw.Hex(0x4c8a4a))
		b.Oval(draw.Disc(f.at(x+6, y), f.wide(44)), tint(0xf3a6c4, 0xf6d34a, 0xe05a5a, 0xb48ad8, 0xfdf4f0)(b.Rnd))
		b.Oval(draw.Disc(f.at(x+6, y), f.wide(15)), draw.Hex(0x7a5a20))
	}
}

func iceCart(b *Brush, t scene.Thing) {
	f := over(t)
	cart(b, f, Ink(t, scene.Colour, 0x888888))
	for i, x := range []int{170, 390, 610, 830} {
		b.Fill(f.shape(x-55, 270, x+55, 270, x, 400), draw.Hex(0xd9a662))
		b.Oval(draw.Disc(f.at(x, 240), f.wide(64)), draw.Hex([]uint32{0xf6c6d4, 0xfbf0d0, 0x7a4a30, 0xbfe0c0}[i]))
	}
	b.Line(draw.Style{Font: draw.Comic, Size: draw.Px(16), Ink: draw.Hex(0xffffff)}, f.box(40, 535, 920, 120), draw.Center, "ICE CREAM")
}

func postbox(b *Brush, t scene.Thing) {
	f := over(t).part(170, 0, 660, 1000)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	b.Rect(f.box(400, 760, 200, 240), draw.Hex(0x4a4f55))
	slab(b, f.box(100, 140, 800, 660), 10, ink)
	b.Fill(new(draw.Path).Corners(f.box(60, 40, 880, 160), [4]draw.Unit{f.wide(300), f.wide(300), 0, 0}), ink.Mix(umber(), 40))
	b.RoundRect(f.box(200, 240, 600, 60), draw.Px(3), draw.Hex(0x1d1f24))
	plate := f.box(250, 650, 500, 110)
	b.Rect(plate, draw.Hex(0xfbf6e8))
	b.Icon("mail", f.box(390, 650, 220, 110), draw.Hex(0x3a2a22))
}

func phoneBox(b *Brush, t scene.Thing) {
	f := over(t).part(150, -200, 700, 1200)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	slab(b, f.box(50, 60, 900, 940), 3, ink)
	b.Fill(new(draw.Path).Corners(f.box(20, 0, 960, 150), [4]draw.Unit{f.wide(200), f.wide(200), 0, 0}), ink)
	plate := f.box(140, 66, 720, 84)
	b.Rect(plate, draw.Hex(0xfbf6e8))
	b.Line(draw.Style{Font: draw.SansBold, Size: draw.Px(12), Ink: draw.Hex(0x3a2a22)}, plate, draw.Center, "PHONE")
	for _, y := range []int{190, 760} {
		for i := range 3 {
			b.Rect(f.box(150+245*i, y, 215, 180), draw.Linear{From: f.at(0, y), To: f.at(1000, y+180), A: draw.Hex(0xd5e6ee), B: draw.Hex(0x7f9fb0)})
		}
	}
	b.Icon("phone", f.box(600, 775, 240, 150), draw.Hex(0x2a2e34))
	b.Rect(f.box(810, 480, 50, 130), draw.Hex(0xd9b44a))
}

func posterColumn(b *Brush, t scene.Thing) {
	f := over(t).part(170, -160, 660, 1160)
	ink := Ink(t, scene.Colour, 0x888888)
	ground(b, f)
	body := f.box(90, 120, 820, 880)
	lit(b, new(draw.Path).Rect(body), f.all(), ink)
	b.Fill(f.blob(0, 170, 120, 60, 500, -70, 880, 60, 1000, 170, 500, 210), draw.Hex(0x3f5a4c))
	for i, p := range [][4]int{{150, 210, 300, 180}, {520, 220, 330, 170}, {160, 760, 320, 190}, {540, 750, 290, 190}} {
		q := f.part(p[0], p[1], p[2], p[3])
		b.Rect(q.all(), draw.Hex([]uint32{0xf6efdc, 0xe9f0f2, 0xfbe9d0, 0xf2f2ea}[i]))
		b.Oval(q.box(250, 140, 500, 400), tint(0xd9604a, 0x5a9ab0, 0x7aa860, 0xe3b04a)(b.Rnd))
		b.Rect(q.box(120, 680, 760, 110), umber().Fade(150))
	}
	b.Rect(f.box(70, 950, 860, 50), draw.Hex(0x3a3f45))
}

// kerbside are things that stand about at a stop, by the names of questions.
func kerbside() map[string]func(*Brush, field) {
	return map[string]func(*Brush, field){
		"a litter bin": litterBin, "a bicycle": bicycle, "a ticket machine": ticketMachine, "a bench": bench, "a fire hydrant": hydrant, "a suitcase": caseOnWheels,
		"a flower tub": flowerTub, "a pushchair": pushchair,
	}
}

func litterBin(b *Brush, f field) {
	f = f.part(220, -150, 560, 1150)
	ground(b, f)
	lit(b, f.shape(120, 200, 880, 200, 780, 1000, 220, 1000), f.all(), draw.Hex(0x5f7f5a))
	for i := range 4 {
		b.Rect(f.box(240+150*i, 280, 30, 650), umber().Fade(90))
	}
	slab(b, f.box(60, 90, 880, 150), 4, draw.Hex(0x3f5a3c))
	b.Oval(f.box(300, 0, 420, 130), draw.Hex(0xe9e4da))
}

func bicycle(b *Brush, f field) {
	f = f.part(-40, -100, 1080, 1100)
	for _, x := range []int{220, 780} {
		b.Stroke(new(draw.Path).Oval(draw.Disc(f.at(x, 720), f.wide(210))), draw.Px(4), draw.Hex(0x22242a))
		b.Oval(draw.Disc(f.at(x, 720), f.wide(40)), draw.Hex(0x8a9098))
	}
	b.Stroke(new(draw.Path).Move(f.at(220, 720)).Line(f.at(400, 340), f.at(700, 340), f.at(480, 720), f.at(220, 720)), draw.Px(4), draw.Hex(0x3a6a8a))
	b.Stroke(new(draw.Path).Move(f.at(480, 720)).Line(f.at(380, 250)), draw.Px(4), draw.Hex(0x3a6a8a))
	b.Stroke(new(draw.Path).Move(f.at(780, 720)).Line(f.at(680, 180), f.at(820, 150)), draw.Px(4), draw.Hex(0x3a6a8a))
	b.RoundRect(f.box(290, 200, 190, 70), draw.Px(3), draw.Hex(0x2a2420))
}

func ticketMachine(b *Brush, f field) {
	f = f.part(200, -420, 600, 1420)
	ground(b, f)
	slab(b, f.all(), 4, draw.Hex(0xc9ced2))
	b.Rect(f.box(0, 0, 1000, 110), draw.Hex(0x2f6f9a))
	b.Icon("ticket", f.box(280, -20, 440, 150), paper())
	b.Rect(f.box(150, 170, 700, 260), draw.Hex(0x1d3a4a))
	for i := range 9 {
		b.Rect(f.box(180+150*(i%3), 490+70*(i/3), 110, 46), draw.Hex(0x5c636b))
	}
	b.Rect(f.box(700, 490, 150, 180), draw.Hex(0xf0c24a))
	b.Rect(f.box(200, 780, 600, 110), draw.Hex(0x22242a))
}

func bench(b *Brush, f field) {
	f = f.part(-60, 50, 1120, 950)
	ground(b, f)
	for _, x := range []int{120, 820} {
		b.Rect(f.box(x, 150, 60, 850), draw.Hex(0x2f3338))
	}
	for _, y := range []int{100, 260, 520, 640} {
		s := f.box(0, y, 1000, 90)
		b.RoundRect(s, draw.Px(2), draw.Down(s, draw.Hex(0xc08a52), draw.Hex(0x7a5230)))
	}
}

func hydrant(b *Brush, f field) {
	f = f.part(260, -50, 480, 1050)
	ground(b, f)
	ink := draw.Hex(0xb83a30)
	slab(b, f.box(200, 240, 600, 760), 3, ink)
	b.Fill(new(draw.Path).Corners(f.box(150, 60, 700, 230), [4]draw.Unit{f.wide(340), f.wide(340), 0, 0}), ink.Mix(paper(), 30))
	b.RoundRect(f.box(420, 0, 160, 80), draw.Px(2), ink)
	slab(b, f.box(0, 400, 1000, 170), 4, ink.Mix(umber(), 30))
	b.Oval(draw.Disc(f.at(500, 485), f.wide(170)), draw.Hex(0xe9e4da))
	b.Rect(f.box(60, 920, 880, 80), ink.Mix(umber(), 60))
}

func caseOnWheels(b *Brush, f field) {
	f = f.part(230, -50, 540, 1050)
	ground(b, f)
	b.Stroke(new(draw.Path).Move(f.at(300, 250)).Line(f.at(300, 20), f.at(700, 20), f.at(700, 250)), draw.Px(4), draw.Hex(0x5c636b))
	slab(b, f.box(60, 220, 880, 720), 6, draw.Hex(0x7a5a8a))
	for _, x := range []int{250, 470, 690} {
		b.Rect(f.box(x, 240, 40, 680), umber().Fade(80))
	}
	b.Rect(f.box(60, 330, 880, 70), draw.Hex(0xd9b44a))
	for _, x := range []int{200, 800} {
		b.Oval(draw.Disc(f.at(x, 965), f.wide(80)), draw.Hex(0x22242a))
	}
}

func flowerTub(b *Brush, f field) {
	f = f.part(100, -150, 800, 1150)
	ground(b, f)
	for i := range 9 {
		at := f.at(140+90*i, 330-(i%3)*110)
		b.Stroke(new(draw.Path).Move(at).Line(f.at(500, 640)), draw.Px(3), draw.Hex(0x4c8a4a))
		b.Oval(draw.Disc(at, f.wide(90)), tint(0xe8607a, 0xf6d34a, 0xfdf4f0)(b.Rnd))
		b.Oval(draw.Disc(at, f.wide(30)), draw.Hex(0x7a5a20))
	}
	lit(b, f.shape(80, 560, 920, 560, 780, 1000, 220, 1000), f.all(), draw.Hex(0x8a6a48))
	b.Rect(f.box(110, 680, 780, 40), draw.Hex(0x3a3f45))
}

func pushchair(b *Brush, f field) {
	f = f.part(60, -200, 880, 1200)
	ground(b, f)
	ink := draw.Hex(0x3f6f86)
	b.Stroke(new(draw.Path).Move(f.at(700, 620)).Line(f.at(980, 120)), draw.Px(4), draw.Hex(0x3a3f45))
	b.Stroke(new(draw.Path).Move(f.at(250, 880)).Line(f.at(640, 560)), draw.Px(4), draw.Hex(0x3a3f45))
	b.Stroke(new(draw.Path).Move(f.at(720, 880)).Line(f.at(330, 560)), draw.Px(4), draw.Hex(0x3a3f45))
	b.Fill(new(draw.Path).Sector(f.at(560, 440), 0, f.wide(400), draw.Turn/2, draw.Turn*7/8), ink.Mix(umber(), 50))
	raised(b, f.blob(130, 430, 820, 420, 800, 640, 560, 720, 260, 690, 160, 560), f.all(), ink)
	for _, x := range []int{240, 720} {
		wheel(b, f.at(x, 890), f.wide(110))
	}
}
