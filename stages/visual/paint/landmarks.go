package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

func landmarks() painters {
	return painters{kinds: map[string]Painter{
		"clock-tower": clockTower, "church": church, "town-hall": townHall, "fountain": fountain, "theatre": theatre, "bridge": bridge, "pillar": pillar, "quay": counted,
	}}
}

func clockTower(b *Brush, t scene.Thing, f field) {
	r, m := steady(t), moodOf(b.Scene)
	brick := m.below([]uint32{0xb0664a, 0xc9b48e, 0x9a8f86}[r.IntN(3)])
	ground(b, f)
	b.Fill(f.shape(120, 250, 500, 0, 880, 250), draw.Across(f.all(), m.roof(1), m.roof(1).Mix(umber(), 80)))
	b.Rect(f.box(480, -40, 40, 70), draw.Hex(0xd9b44a))
	lit(b, new(draw.Path).Rect(f.box(180, 245, 640, 755)), f.all(), brick)
	slab(b, f.box(110, 240, 780, 250), 2, brick.Mix(paper(), 40))
	dial := draw.Disc(f.at(500, 364), f.wide(270))
	b.Oval(dial, draw.Hex(0x2a2624))
	b.Oval(dial.Inset(draw.Px(4), draw.Px(4)), draw.Hex(0xfdf8e8))
	at := dial.Mid()
	for k := range 12 {
		a := draw.Turn * draw.Angle(k) / 12
		b.Stroke(new(draw.Path).Move(draw.Polar(at, f.wide(200), a)).Line(draw.Polar(at, f.wide(225), a)), draw.Px(2), draw.Hex(0x2a2624))
	}
	hour := draw.Turn * draw.Angle(b.Rnd.IntN(144)) / 144
	b.Stroke(new(draw.Path).Move(at).Line(draw.Polar(at, f.wide(120), hour)), draw.Px(4), draw.Hex(0x2a2624))
	b.Stroke(new(draw.Path).Move(at).Line(draw.Polar(at, f.wide(185), hour*12)), draw.Px(3), draw.Hex(0x2a2624))
	for _, y := range []int{560, 700} {
		b.Fill(arch(f.part(420, y, 160, 90)), m.pane())
	}
	b.Fill(arch(f.part(360, 850, 280, 150)), draw.Hex(0x4a3020))
}

func arch(f field) *draw.Path {
	return new(draw.Path).Corners(f.all(), [4]draw.Unit{f.wide(500), f.wide(500), 0, 0})
}

func church(b *Brush, t scene.Thing, f field) {
	r, m := steady(t), moodOf(b.Scene)
	wall := m.below([]uint32{0xece4d2, 0xd8ccb8, 0xe6d8d0}[r.IntN(3)])
	ground(b, f)
	lit(b, new(draw.Path).Rect(f.box(300, 540, 690, 460)), f.all(), wall)
	b.Fill(f.shape(280, 550, 420, 380, 900, 380, 1010, 550), draw.Down(f.box(0, 380, 1, 170), m.roof(0), m.roof(0).Mix(umber(), 60)))
	lit(b, new(draw.Path).Rect(f.box(40, 360, 330, 640)), f.all(), wall.Mix(paper(), 30))
	b.Fill(f.shape(10, 365, 205, 70, 400, 365), draw.Across(f.box(0, 0, 400, 1), m.roof(1), m.roof(1).Mix(umber(), 80)))
	b.Rect(f.box(194, 0, 22, 90), draw.Hex(0xc9a03c))
	b.Rect(f.box(160, 22, 90, 16), draw.Hex(0xc9a03c))
	b.Oval(draw.Disc(f.at(205, 470), f.wide(75)), draw.Hex(0x3f6a8a))
	b.Stroke(new(draw.Path).Oval(draw.Disc(f.at(205, 470), f.wide(75))), draw.Px(3), draw.Hex(0x8a7a62))
	for i := range 4 {
		w := f.part(425+140*i, 610, 80, 240)
		b.Fill(arch(field{w.x - 3, w.y - 3, w.w + 6, w.h + 6}), draw.Hex(0x8a7a62))
		b.Fill(arch(w), draw.Down(w.all(), draw.Hex([]uint32{0x5a8ac0, 0xc05a5a, 0xd9b04a, 0x5aa07a}[i]), draw.Hex(0x3a4a6a)))
	}
	b.Fill(arch(f.part(125, 760, 160, 240)), draw.Hex(0x5a3a24))
}

func townHall(b *Brush, t scene.Thing, f field) {
	r, m := steady(t), moodOf(b.Scene)
	wall := m.below([]uint32{0xd9b98a, 0xc98a72, 0xe2d6b8}[r.IntN(3)])
	ground(b, f)
	lit(b, new(draw.Path).Rect(f.box(0, 330, 1000, 670)), f.all(), wall)
	b.Fill(f.shape(-15, 335, 70, 255, 930, 255, 1015, 335), draw.Down(f.box(0, 255, 1, 80), m.roof(2), m.roof(2).Mix(umber(), 60)))
	for _, y := range []int{390, 600} {
		for i := range 5 {
			w := f.part(65+190*i, y, 110, 150)
			b.Fill(arch(field{w.x - 3, w.y - 3, w.w + 6, w.h + 6}), m.below(0xf4eee0))
			b.Fill(arch(w), m.pane())
		}
	}
	b.Rect(f.box(280, 770, 440, 30), m.below(0xf4eee0))
	for i := range 3 {
		b.Fill(arch(f.part(300+145*i, 810, 110, 190)), draw.Hex(0x5a3a28))
	}
	for i := range 4 {
		pillar := f.box(290+140*i-25, 800, 24, 200)
		b.Rect(pillar, draw.Across(pillar, m.below(0xfaf5ea), m.below(0xbfb4a2)))
	}
	counted(b, t, f.part(0, 20, 1000, 240))
}

func flag(b *Brush, f field, i int) {
	b.Rect(f.box(180, 0, 60, 1000), draw.Across(f.box(180, 0, 60, 1), draw.Hex(0xd8d8d8), draw.Hex(0x6a6a6a)))
	cloth := new(draw.Path).Move(f.at(240, 50)).Quad(f.at(500, -60), f.at(640, 70)).Quad(f.at(800, 170), f.at(960, 70)).Line(f.at(960, 520)).Quad(f.at(800, 620), f.at(640, 520)).Quad(f.at(500, 400), f.at(240, 500)).Close()
	lit(b, cloth, f.all(), draw.Hex([]uint32{0xc8443c, 0x2f6fb0, 0xe8b93c, 0x3f8f5a}[i%4]))
}

func fountain(b *Brush, t scene.Thing, f field) {
	m := moodOf(b.Scene)
	ground(b, f)
	stone := m.below(0xc4bbab)
	slab(b, f.box(0, 780, 1000, 220), 12, stone)
	b.Oval(f.box(10, 720, 980, 130), stone.Mix(umber(), 50))
	b.Oval(f.box(50, 735, 900, 100), draw.Hex(0x5aa0c0).Mix(m.low, 40))
	lit(b, f.shape(440, 430, 560, 430, 590, 800, 410, 800), f.all(), stone)
	for _, bowl := range [][3]int{{180, 500, 640}, {320, 270, 360}} {
		lit(b, f.blob(bowl[0], bowl[1], bowl[0]+bowl[2], bowl[1], bowl[0]+bowl[2]*3/4, bowl[1]+110, bowl[0]+bowl[2]/4, bowl[1]+110), f.all(), stone)
		b.Rect(f.box(470, bowl[1]-60, 60, 200), stone)
	}
	spray := draw.Hex(0xf2fbff).Fade(210)
	for k := range 7 {
		x := 500 + (k-3)*(55+b.Rnd.IntN(16))
		b.Stroke(new(draw.Path).Move(f.at(500, 230)).Quad(f.at((500+x)/2, -90+b.Rnd.IntN(60)), f.at(x, 330)), draw.Px(2), spray)
	}
	for k := range 8 {
		x := 215 + 81*k
		b.Stroke(new(draw.Path).Move(f.at(x, 540)).Quad(f.at(x+(x-500)/8, 620), f.at(x+(x-500)/5, 780)), draw.Px(2), spray)
	}
}

func theatre(b *Brush, t scene.Thing, f field) {
	m := moodOf(b.Scene)
	ground(b, f)
	stone := m.below([]uint32{0xe9e2d4, 0xd9cfc4}[Number(t, "vary", 0)%2])
	b.Rect(f.box(20, 300, 960, 640), stone.Mix(umber(), 70))
	b.Fill(arch(f.part(400, 560, 200, 380)), draw.Hex(0x4a2c20))
	for _, x := range []int{215, 655} {
		b.Rect(f.box(x, 560, 110, 200), draw.Hex(0xb0303c))
	}
	lit(b, f.shape(-30, 290, 500, 30, 1030, 290), f.all(), stone)
	b.Fill(f.shape(130, 262, 500, 82, 870, 262), stone.Mix(umber(), 50))
	b.Icon("music", f.box(430, 130, 140, 130), stone.Mix(paper(), 90))
	slab(b, f.box(-10, 285, 1020, 90), 2, stone)
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(17), Ink: draw.Hex(0x4a4038)}, f.box(0, 288, 1000, 84), draw.Center, "THEATRE")
	for i := range 5 {
		c := f.box(20+215*i, 375, 100, 565)
		b.Rect(c, draw.Across(c, stone.Mix(paper(), 60), stone.Mix(umber(), 60)))
		b.Rect(f.box(5+215*i, 375, 130, 28), stone)
	}
	for i := range 3 {
		b.Rect(f.box(-10-20*i, 935+22*i, 1020+40*i, 22), stone.Mix(umber(), 20*i))
	}
}

func bridge(b *Brush, t scene.Thing, f field) {
	r, m := steady(t), moodOf(b.Scene)
	rgb := []uint32{0xbfae94, 0xa9a39a, 0xb08a70}[r.IntN(3)]
	stone := m.below(rgb)
	deck := new(draw.Path).Rect(f.box(0, 240, 1000, 760))
	lit(b, deck, f.all(), stone)
	for y := 260; y < 1000; y += 90 {
		for x := y / 90 % 2 * 30; x < 1000; x += 60 {
			b.Stroke(f.shape(x, y, x+58, y, x+58, y+86, x, y+86), draw.Px(1), stone.Mix(umber(), 60).Fade(80))
		}
	}
	for i := range 4 {
		a := f.part(20+250*i, 430, 210, 570)
		b.Fill(arch(field{a.x - 7, a.y - 7, a.w + 14, a.h + 7}), stone.Mix(paper(), 50))
		b.Fill(arch(a), draw.Down(a.all(), draw.Hex(0x2c3a40), draw.Hex(0x3f6478)))
	}
	for x := 8; x < 1000; x += 24 {
		c := f.box(x, 110, 12, 130)
		b.Rect(c, draw.Across(c, stone.Mix(paper(), 60), stone.Mix(umber(), 60)))
	}
	b.Rect(f.box(0, 90, 1000, 40), stone.Mix(paper(), 60))
	b.Rect(f.box(0, 215, 1000, 40), stone.Mix(paper(), 30))
}

func pillar(b *Brush, t scene.Thing, f field) {
	m := moodOf(b.Scene)
	stone := m.below(0xcfc4b0)
	slab(b, f.box(180, 430, 640, 570), 2, stone)
	slab(b, f.box(110, 398, 780, 50), 2, stone.Mix(paper(), 50))
	plate := f.box(340, 500, 320, 100)
	b.RoundRect(plate, draw.Px(4), draw.Hex(0x3a3430))
	b.Line(draw.Style{Font: draw.SerifBold, Size: draw.Px(24), Ink: draw.Hex(0xf3e2b0)}, plate, draw.Center, t.Look["letter"])
	if paint, ok := statues()[t.Look[scene.Which]]; ok {
		paint(b, f.part(0, 0, 1000, 400), draw.Hex(0x4f6f66))
	}
}

func boat(b *Brush, f field, i int) {
	b.Oval(f.box(60, 900, 880, 110), draw.Hex(0x16384a).Fade(110))
	b.Rect(f.box(470, 40, 30, 660), draw.Hex(0x6a4a2c))
	sail := draw.Hex([]uint32{0xfaf4e4, 0xf0d9a0, 0xe8ece8}[b.Rnd.IntN(3)])
	lit(b, f.shape(520, 60, 900, 620, 520, 620), f.all(), sail)
	lit(b, f.shape(450, 120, 450, 620, 170, 620), f.all(), sail.Mix(umber(), 18))
	hull := new(draw.Path).Move(f.at(40, 700)).Line(f.at(970, 700)).Quad(f.at(900, 930), f.at(740, 950)).Line(f.at(260, 950)).Quad(f.at(120, 930), f.at(40, 700)).Close()
	lit(b, hull, f.all(), draw.Hex([]uint32{0x9a3f30, 0x2f5a7a, 0x6a4a2c, 0x3f6a4a}[i%4]))
	b.Rect(f.box(60, 720, 890, 36), paper().Fade(200))
}

// statues are figures of bronze on a plinth, by their names in questions.
func statues() map[string]func(*Brush, field, draw.Color) {
	return map[string]func(*Brush, field, draw.Color){
		"the owl": owlStatue, "the swan": swanStatue, "the dolphin": dolphinStatue, "the eagle": eagleStatue, "the obelisk": obeliskStatue,
		"the globe": globeStatue, "the angel": angelStatue, "the bear": bearStatue, "the urn": urnStatue, "the rabbit": rabbitStatue,
	}
}

func owlStatue(b *Brush, f field, ink draw.Color) {
	raised(b, f.blob(300, 150, 500, 90, 700, 150, 800, 520, 720, 960, 500, 1040, 280, 960, 200, 520), f.all(), ink)
	for _, x := range []int{300, 700} {
		lit(b, f.shape(x, 60, x+90, 260, x-90, 260), f.all(), ink)
	}
	for _, x := range []int{400, 600} {
		b.Oval(draw.Disc(f.at(x, 330), f.wide(95)), ink.Mix(paper(), 120))
		b.Oval(draw.Disc(f.at(x, 330), f.wide(45)), ink.Mix(umber(), 200))
	}
	b.Fill(f.shape(460, 380, 540, 380, 500, 470), draw.Hex(0xc9a24a))
	for i := range 9 {
		b.Stroke(new(draw.Path).Sector(f.at(380+120*(i%3), 560+120*(i/3)), 0, f.wide(50), 0, draw.Turn/2), draw.Px(2), ink.Mix(umber(), 110))
	}
}

func swanStatue(b *Brush, f field, ink draw.Color) {
	neck := new(draw.Path).Move(f.at(330, 800)).Cubic(f.at(60, 560), f.at(480, 420), f.at(330, 200)).Cubic(f.at(280, 120), f.at(180, 140), f.at(160, 230))
	b.Stroke(neck, f.wide(95), ink)
	b.Oval(f.box(90, 150, 170, 130), ink)
	b.Fill(f.shape(120, 190, 20, 280, 130, 260), draw.Hex(0xc9a24a))
	raised(b, f.blob(200, 760, 400, 560, 760, 480, 980, 420, 900, 800, 760, 980, 300, 980), f.all(), ink)
	for i := range 3 {
		b.Stroke(new(draw.Path).Move(f.at(460+40*i, 640+80*i)).Quad(f.at(700, 660+70*i), f.at(880, 520+110*i)), draw.Px(3), ink.Mix(umber(), 110))
	}
}

func dolphinStatue(b *Brush, f field, ink draw.Color) {
	p := new(draw.Path).Move(f.at(60, 520)).Quad(f.at(200, 440), f.at(260, 360)).Cubic(f.at(460, 60), f.at(860, 200), f.at(860, 720)).Line(f.at(980, 860), f.at(840, 840), f.at(720, 960), f.at(750, 740)).Cubic(f.at(680, 520), f.at(480, 500), f.at(340, 560)).Quad(f.at(200, 600), f.at(60, 520)).Close()
	lit(b, f.shape(500, 230, 700, 40, 680, 280), f.all(), ink)
	raised(b, p, f.all(), ink)
	lit(b, f.shape(420, 520, 560, 520, 440, 720), f.all(), ink.Mix(umber(), 50))
	b.Oval(draw.Disc(f.at(300, 430), f.wide(26)), paper())
	for i := range 3 {
		b.Fill(f.blob(200+190*i, 980, 300+190*i, 820, 420+190*i, 980, 300+190*i, 1030), ink.Mix(paper(), 60))
	}
}

func eagleStatue(b *Brush, f field, ink draw.Color) {
	for _, s := range []int{1, -1} {
		x := func(n int) int { return 500 + s*n }
		wing := f.shape(x(40), 420, x(200), 200, x(470), 60, x(520), 200, x(440), 320, x(460), 420, x(350), 500, x(340), 600, x(230), 640, x(180), 740, x(60), 700)
		raised(b, wing, f.all(), ink)
		for i := range 3 {
			b.Stroke(new(draw.Path).Move(f.at(x(110), 430+70*i)).Line(f.at(x(420-60*i), 230+120*i)), draw.Px(2), ink.Mix(umber(), 120))
		}
	}
	raised(b, f.blob(400, 240, 500, 200, 600, 240, 620, 600, 560, 960, 440, 960, 380, 600), f.all(), ink.Mix(paper(), 24))
	b.Oval(draw.Disc(f.at(490, 220), f.wide(100)), ink.Mix(paper(), 90))
	b.Fill(f.shape(410, 190, 300, 270, 420, 290), draw.Hex(0xc9a24a))
	b.Oval(draw.Disc(f.at(460, 200), f.wide(22)), umber())
}

func obeliskStatue(b *Brush, f field, ink draw.Color) {
	stone := draw.Hex(0xa99c88)
	slab(b, f.box(280, 880, 440, 120), 2, stone)
	b.Fill(f.shape(440, 130, 500, 20, 560, 130, 640, 880, 360, 880), draw.Across(f.box(360, 0, 280, 1), stone.Mix(paper(), 60), stone.Mix(umber(), 60)))
	b.Fill(f.shape(440, 130, 500, 20, 560, 130), draw.Hex(0xd9b44a))
	for i := range 5 {
		b.Rect(f.box(455-8*i, 260+120*i, 90+16*i, 24), ink)
	}
}

func globeStatue(b *Brush, f field, ink draw.Color) {
	lit(b, f.shape(420, 700, 580, 700, 720, 1000, 280, 1000), f.all(), ink)
	at := f.at(500, 430)
	b.Oval(draw.Disc(at, f.wide(380)), draw.Radial{At: f.at(400, 300), Radius: f.wide(600), A: ink.Mix(paper(), 110), B: ink})
	for _, w := range []int{120, 260} {
		b.Stroke(new(draw.Path).Oval(draw.Box{X: at.X - f.wide(w), Y: at.Y - f.wide(380), W: f.wide(2 * w), H: f.wide(760)}), draw.Px(2), ink.Mix(umber(), 130))
	}
	for _, y := range []int{-180, 0, 180} {
		half := 340 + (1-min(1, y*y))*40
		b.Stroke(new(draw.Path).Move(f.at(500-half, 430+y)).Line(f.at(500+half, 430+y)), draw.Px(2), ink.Mix(umber(), 130))
	}
}

func angelStatue(b *Brush, f field, ink draw.Color) {
	for _, s := range []int{1, -1} {
		x := func(n int) int { return 500 + s*n }
		raised(b, f.blob(x(60), 380, x(300), 120, x(440), 80, x(420), 460, x(280), 700, x(80), 640), f.all(), ink.Mix(paper(), 70))
	}
	raised(b, f.shape(400, 330, 600, 330, 740, 1000, 260, 1000), f.all(), ink)
	b.Oval(draw.Disc(f.at(500, 230), f.wide(115)), ink.Mix(paper(), 40))
	b.Stroke(new(draw.Path).Oval(f.box(360, 20, 280, 80)), draw.Px(4), draw.Hex(0xd9b44a))
	b.Stroke(new(draw.Path).Move(f.at(410, 400)).Line(f.at(500, 540), f.at(590, 400)), f.wide(80), ink.Mix(umber(), 50))
}

func bearStatue(b *Brush, f field, ink draw.Color) {
	for _, x := range []int{310, 690} {
		b.Oval(draw.Disc(f.at(x, 130), f.wide(105)), ink)
		b.Oval(f.box(x-190+(x-500)/3, 830, 380, 190), ink.Mix(umber(), 30))
	}
	raised(b, f.blob(250, 420, 500, 380, 750, 420, 860, 960, 500, 1040, 140, 960), f.all(), ink)
	b.Oval(draw.Disc(f.at(500, 280), f.wide(260)), draw.Radial{At: f.at(430, 180), Radius: f.wide(420), A: ink.Mix(paper(), 80), B: ink})
	b.Oval(f.box(380, 290, 240, 150), ink.Mix(paper(), 110))
	b.Oval(f.box(450, 295, 100, 60), umber())
	for _, x := range []int{400, 600} {
		b.Oval(draw.Disc(f.at(x, 230), f.wide(30)), umber())
	}
	for _, x := range []int{230, 770} {
		b.Oval(f.box(x-80, 560, 160, 300), ink.Mix(umber(), 40))
	}
}

func urnStatue(b *Brush, f field, ink draw.Color) {
	for _, s := range []int{1, -1} {
		b.Stroke(new(draw.Path).Move(f.at(500+s*250, 360)).Cubic(f.at(500+s*520, 300), f.at(500+s*480, 640), f.at(500+s*230, 620)), f.wide(60), ink)
	}
	p := new(draw.Path).Move(f.at(300, 200)).Line(f.at(700, 200)).Cubic(f.at(640, 320), f.at(860, 420), f.at(740, 660)).Cubic(f.at(680, 780), f.at(560, 800), f.at(560, 880)).Line(f.at(700, 1000), f.at(300, 1000), f.at(440, 880)).Cubic(f.at(440, 800), f.at(320, 780), f.at(260, 660)).Cubic(f.at(140, 420), f.at(360, 320), f.at(300, 200)).Close()
	raised(b, p, f.all(), ink)
	b.Oval(f.box(290, 160, 420, 90), ink.Mix(umber(), 110))
	b.Rect(f.box(250, 480, 500, 36), draw.Hex(0xd9b44a))
}

func rabbitStatue(b *Brush, f field, ink draw.Color) {
	for _, x := range []int{340, 560} {
		b.Oval(f.box(x-60, 10, 130, 420), ink)
		b.Oval(f.box(x-25, 70, 60, 300), ink.Mix(paper(), 90))
	}
	raised(b, f.blob(260, 560, 600, 480, 880, 640, 880, 1000, 200, 1000, 180, 760), f.all(), ink)
	b.Oval(draw.Disc(f.at(450, 470), f.wide(210)), draw.Radial{At: f.at(390, 400), Radius: f.wide(360), A: ink.Mix(paper(), 80), B: ink})
	b.Oval(draw.Disc(f.at(890, 860), f.wide(110)), ink.Mix(paper(), 110))
	for _, x := range []int{370, 520} {
		b.Oval(draw.Disc(f.at(x, 430), f.wide(30)), umber())
	}
	b.Fill(f.shape(410, 510, 480, 510, 445, 550), umber())
}
