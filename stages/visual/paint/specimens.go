package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// specimen is a piece of a collection, by the name that its look gives.
func specimen(b *Brush, t scene.Thing) {
	of := map[string]func(*Brush, field){
		"the ammonite": ammonite, "the trilobite": trilobite, "the fish fossil": fishFossil, "the fern fossil": fernFossil, "the skull": skull,
		"the geode": geode, "the piece of amber": amber, "the nest of eggs": nestOfEggs, "the claw": claw, "the footprint": footprint,
	}
	if paint, ok := of[t.Name]; ok {
		paint(b, over(t))
	}
}

func ammonite(b *Brush, f field) {
	stone := draw.Hex(0xb08a5c)
	side := min(f.w, f.h)
	mid := draw.Point{X: draw.Px(f.x + f.w/2), Y: draw.Px(f.y + f.h - side/2)}
	whole := draw.Disc(mid, draw.Px(side/2))
	b.Shadow(new(draw.Path).Oval(whole), 6, 3, 4, umber().Fade(110))
	b.Oval(whole, draw.Radial{At: draw.Point{X: whole.X + whole.W/3, Y: whole.Y + whole.H/3}, Radius: whole.W, A: stone.Mix(paper(), 110), B: stone.Mix(umber(), 90)})
	coil := new(draw.Path)
	for i := range 170 {
		a := draw.Turn * draw.Angle(i) / 56
		q := draw.Polar(mid, draw.Px(side)*draw.Unit(176-i)/360, a)
		if i == 0 {
			coil.Move(q)
			continue
		}
		coil.Line(q)
	}
	for k := range 26 {
		a := draw.Turn * draw.Angle(k) / 26
		b.Stroke(new(draw.Path).Move(draw.Polar(mid, draw.Px(side)*30/100, a)).Quad(draw.Polar(mid, draw.Px(side)*40/100, a+800), draw.Polar(mid, draw.Px(side)*49/100, a)), draw.At(2), stone.Mix(umber(), 130).Fade(170))
	}
	b.Stroke(coil, draw.At(3.5), stone.Mix(umber(), 170))
}

// trilobite has a head shield with spines, a ringed trunk of three lobes, and a tail.
func trilobite(b *Brush, f field) {
	f = f.part(160, 0, 680, 1000)
	stone := draw.Hex(0x6b6054)
	line := stone.Mix(umber(), 200)
	trunk := f.blob(120, 250, 880, 250, 900, 560, 760, 900, 500, 1060, 240, 900, 100, 560)
	raised(b, trunk, f.all(), stone)
	for i := range 9 {
		y, in := 400+58*i, i*i*4
		for _, way := range []int{-1, 1} {
			edge := 500 + way*(390-in)
			b.Stroke(new(draw.Path).Move(f.at(500+way*120, y)).Quad(f.at(500+way*280, y-20), f.at(edge, y+50)), draw.Px(3), line)
		}
		b.Stroke(new(draw.Path).Move(f.at(390, y)).Quad(f.at(500, y+30), f.at(610, y)), draw.Px(2), line)
	}
	for _, way := range []int{-1, 1} {
		b.Stroke(new(draw.Path).Move(f.at(500+way*130, 330)).Quad(f.at(500+way*120, 700), f.at(500+way*30, 960)), draw.Px(2), line)
	}
	head := new(draw.Path).Move(f.at(20, 560)).Quad(f.at(0, 20), f.at(500, 10)).Quad(f.at(1000, 20), f.at(980, 560)).Quad(f.at(900, 360), f.at(500, 350)).Quad(f.at(100, 360), f.at(20, 560)).Close()
	raised(b, head, f.all(), stone.Mix(paper(), 50))
	b.Oval(f.box(360, 60, 280, 290), stone.Mix(paper(), 90))
	for _, x := range []int{230, 690} {
		b.Oval(f.box(x, 150, 90, 120), draw.Hex(0x241e1a))
	}
}

// slabOf is a piece of flat rock with an uneven edge.
func slabOf(b *Brush, f field, rock draw.Color) {
	p := f.shape(60, 120, 340, 20, 700, 60, 960, 160, 1000, 560, 930, 960, 560, 1000, 140, 970, 0, 600)
	raised(b, p, f.all(), rock)
	b.Stroke(f.shape(80, 140, 340, 44, 690, 84, 940, 180), draw.Px(2), rock.Mix(paper(), 110))
}

func fishFossil(b *Brush, f field) {
	slabOf(b, f, draw.Hex(0xcdb88e))
	bone := draw.Hex(0x5a4028)
	b.Stroke(new(draw.Path).Move(f.at(260, 520)).Quad(f.at(500, 470), f.at(780, 520)), draw.Px(3), bone)
	for i := range 9 {
		x := 340 + 46*i
		h := 190 - 17*i
		b.Stroke(new(draw.Path).Move(f.at(x, 500)).Quad(f.at(x+30, 500-h/2), f.at(x+36, 500-h)), draw.Px(2), bone)
		b.Stroke(new(draw.Path).Move(f.at(x, 510)).Quad(f.at(x+30, 510+h/2), f.at(x+36, 510+h)), draw.Px(2), bone)
	}
	b.Fill(f.blob(130, 520, 220, 390, 340, 420, 350, 600, 220, 640), bone)
	b.Oval(draw.Disc(f.at(225, 500), draw.Px(3)), draw.Hex(0xcdb88e))
	b.Fill(f.shape(760, 520, 900, 360, 860, 520, 900, 680), bone)
}

func fernFossil(b *Brush, f field) {
	slabOf(b, f, draw.Hex(0x9aa09a))
	leaf := draw.Hex(0x33382f)
	b.Stroke(new(draw.Path).Move(f.at(260, 900)).Quad(f.at(420, 500), f.at(740, 160)), draw.Px(3), leaf)
	for i := range 10 {
		x, y := 290+44*i, 840-66*i
		long := 250 - 20*i
		for _, way := range []int{-1, 1} {
			tip := f.at(x+way*long*6/10+40, y+way*long*5/10-60)
			mid := f.at(x+way*long*3/10+50, y+way*long*2/10-70)
			b.Fill(new(draw.Path).Move(f.at(x, y)).Quad(mid, tip).Quad(f.at(x+way*long*4/10+10, y+way*long*4/10), f.at(x, y)).Close(), leaf)
		}
	}
}

func skull(b *Brush, f field) {
	bone := draw.Hex(0xe2d3b0)
	head := f.blob(40, 420, 160, 160, 460, 20, 820, 60, 980, 320, 940, 620, 700, 700, 420, 690, 140, 760, 20, 620)
	raised(b, head, f.all(), bone)
	jaw := f.blob(80, 800, 420, 740, 760, 720, 900, 640, 900, 820, 620, 960, 160, 980)
	raised(b, jaw, f.all(), bone.Mix(umber(), 40))
	for i := range 7 {
		x := 90 + 62*i
		b.Fill(f.shape(x, 690, x+48, 690, x+24, 820), draw.Hex(0xfbf4e2))
	}
	b.Fill(f.blob(600, 220, 740, 200, 790, 330, 700, 440, 580, 380), draw.Hex(0x2c2018))
	b.Fill(f.blob(160, 380, 260, 330, 280, 430, 180, 470), draw.Hex(0x2c2018))
	b.Fill(f.blob(830, 420, 900, 400, 900, 520, 820, 540), draw.Hex(0x4a3828))
}

func geode(b *Brush, f field) {
	raised(b, f.blob(80, 300, 300, 40, 700, 20, 960, 300, 940, 760, 700, 1000, 260, 980, 40, 720), f.all(), draw.Hex(0x7d7064))
	in := f.part(150, 160, 700, 700)
	violet := draw.Hex(0x8a5ac0)
	b.Fill(in.blob(100, 300, 300, 40, 700, 20, 960, 300, 940, 760, 700, 1000, 260, 980, 40, 720), paper().Mix(violet, 70))
	core := in.part(120, 120, 760, 760)
	b.Fill(core.blob(100, 300, 300, 40, 700, 20, 960, 300, 940, 760, 700, 1000, 260, 980, 40, 720), violet)
	for k := range 16 {
		a := draw.Turn * draw.Angle(k) / 16
		at := draw.Polar(core.at(500, 500), core.wide(210+b.Rnd.IntN(200)), a)
		p := new(draw.Path)
		spikes(p, at, 4, core.wide(90), core.wide(90))
		b.Fill(p, violet.Mix(paper(), 60+b.Rnd.IntN(120)))
	}
}

func amber(b *Brush, f field) {
	gold := draw.Hex(0xe39a2c)
	p := f.blob(200, 240, 500, 60, 860, 220, 940, 620, 700, 960, 300, 960, 60, 640)
	b.Shadow(p, 6, 3, 4, umber().Fade(110))
	b.Fill(p, draw.Radial{At: f.at(380, 340), Radius: f.wide(760), A: draw.Hex(0xfbd98a), B: gold.Mix(umber(), 40)})
	dark := draw.Hex(0x3a2410)
	for _, leg := range [][4]int{{430, 520, 300, 420}, {430, 560, 280, 600}, {560, 520, 700, 420}, {560, 560, 720, 600}} {
		b.Stroke(new(draw.Path).Move(f.at(leg[0], leg[1])).Line(f.at(leg[2], leg[3])), draw.At(1.5), dark)
	}
	b.Oval(f.box(430, 420, 140, 300), dark)
	b.Oval(f.box(450, 350, 100, 100), dark)
	b.Fill(f.blob(280, 300, 400, 200, 460, 240, 340, 380), paper().Fade(130))
}

func nestOfEggs(b *Brush, f field) {
	nest := f.part(0, 420, 1000, 580)
	raised(b, nest.blob(0, 300, 200, 100, 800, 100, 1000, 300, 900, 1000, 100, 1000), nest.all(), draw.Hex(0x8a6f4c))
	for i, x := range []int{80, 370, 650} {
		e := f.part(x-30, 150-60*(i%2), 340, 520)
		b.Fill(eggShape(e), draw.Radial{At: e.at(380, 380), Radius: e.tall(700), A: draw.Hex(0xf6efdc), B: draw.Hex(0xa08a66)})
	}
	for range 34 {
		x, y := b.Rnd.IntN(800), 350+b.Rnd.IntN(560)
		b.Stroke(new(draw.Path).Move(nest.at(x, y)).Quad(nest.at(x+100, y-60), nest.at(x+200, y+20)), draw.At(1.5), draw.Hex(0x5a4428).Mix(draw.Hex(0xc0a070), b.Rnd.IntN(256)))
	}
}

func claw(b *Brush, f field) {
	p := new(draw.Path).Move(f.at(120, 960)).Cubic(f.at(60, 300), f.at(480, -40), f.at(960, 260)).Cubic(f.at(620, 260), f.at(480, 560), f.at(440, 960)).Close()
	b.Shadow(p, 6, 3, 4, umber().Fade(110))
	b.Fill(p, draw.Linear{From: f.at(100, 100), To: f.at(800, 900), A: draw.Hex(0x6a5848), B: draw.Hex(0x241a14)})
	b.Stroke(new(draw.Path).Move(f.at(210, 880)).Cubic(f.at(200, 400), f.at(480, 160), f.at(800, 240)), draw.Px(3), draw.Hex(0xa08a70).Fade(190))
	slab(b, f.box(70, 880, 420, 120), 8, draw.Hex(0x8a7a66))
}

func footprint(b *Brush, f field) {
	slabOf(b, f, draw.Hex(0xb5714e))
	dark := draw.Hex(0x5c3320)
	b.Fill(f.blob(420, 620, 580, 620, 640, 800, 500, 900, 360, 800), dark)
	for _, toe := range []draw.Angle{draw.Turn * 5 / 8, draw.Turn * 3 / 4, draw.Turn * 7 / 8} {
		root := f.at(500, 700)
		tip, mid := draw.Polar(root, f.tall(520), toe), draw.Polar(root, f.tall(300), toe)
		b.Fill(new(draw.Path).Move(root).Quad(draw.Polar(mid, f.wide(130), toe-draw.Turn/4), tip).Quad(draw.Polar(mid, f.wide(130), toe+draw.Turn/4), root).Close(), dark)
	}
}
