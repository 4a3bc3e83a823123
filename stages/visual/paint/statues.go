package paint

import "github.com/memforge/memforge/pipeline/draw"

// statues are figures of bronze on a plinth, by the name that a question gives. Each
// stands on the lower edge of its field.
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
