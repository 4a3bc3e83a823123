package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// wrists paints a watch on an arm, before one place and another.
func wrists() painters {
	return painters{
		backdrops: map[string]Painter{"surroundings": surroundings},
		kinds:     map[string]Painter{"wrist": wrist, "watch-strap": watchStrap, "watch-face": watchFace},
	}
}

// wrist is an arm from the left with a fist at the right.
func wrist(b *Brush, t scene.Thing) {
	f := over(t)
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

// watchStrap is the strap's lower part in its box, and the upper part above it.
func watchStrap(b *Brush, t scene.Thing) {
	f := over(t)
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

func watchFace(b *Brush, t scene.Thing) {
	f := over(t)
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
