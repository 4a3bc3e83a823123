package draw

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"strings"
	"testing"
)

func canvas(t testing.TB, w, h int) *Canvas {
	t.Helper()
	c, err := NewStudio().NewCanvas(w, h, Hex(0xffffff))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var plain = Style{Font: Sans, Size: Px(14), Ink: Hex(0x101010)}

func TestSizes(t *testing.T) {
	for _, s := range [][2]int{{0, 5}, {5, -1}, {MaxSide + 1, 1}, {MaxSide, MaxSide}} {
		if _, err := NewStudio().NewCanvas(s[0], s[1], Color{}); err == nil {
			t.Errorf("a picture of %d x %d was begun", s[0], s[1])
		}
	}
}

func TestSine(t *testing.T) {
	for a := -2 * Turn; a < 2*Turn; a += 7 {
		want := math.Sin(float64(a) / float64(Turn) * 2 * math.Pi)
		if got := float64(sine(a)) / 65536; math.Abs(got-want) > 3e-5 {
			t.Fatalf("sine of %d: %f, want %f", a, got, want)
		}
	}
}

// What reaches out of the picture at the left and the top covers its pixels as
// what lies within does.
func TestEdges(t *testing.T) {
	ink := Hex(0x204060)
	for name, draw := range map[string]func(*Canvas){
		"rect":   func(c *Canvas) { c.Rect(PixelBox(-5, -7, 40, 40), ink) },
		"half":   func(c *Canvas) { c.Rect(Box{-32, -32, Px(40), Px(40)}, ink) },
		"beside": func(c *Canvas) { c.Rect(Box{-Px(20), -Px(20), Px(20) - 32, Px(90)}, ink) },
		"part": func(c *Canvas) {
			c.Clip(PixelBox(10, 10, 5, 5), func() { c.Oval(PixelBox(-30, -30, 90, 90), ink) })
		},
	} {
		c := canvas(t, 30, 30)
		draw(c)
		want := ink
		if name == "beside" {
			want = Hex(0xffffff)
		}
		at := c.img.RGBAAt(12, 12)
		if (Color{at.R, at.G, at.B, at.A}) != want {
			t.Errorf("%s: %v inside", name, at)
		}
		corner := c.img.RGBAAt(0, 0)
		if name == "part" {
			want = Hex(0xffffff)
		}
		if (Color{corner.R, corner.G, corner.B, corner.A}) != want {
			t.Errorf("%s: %v in the corner, want %v", name, corner, want)
		}
	}
}

func TestGradientsReachTheirEnds(t *testing.T) {
	c := canvas(t, 100, 20)
	all := PixelBox(0, 0, 100, 20)
	c.Rect(all, Across(all, Hex(0), Hex(0xff0000)))
	if a, z := c.img.RGBAAt(0, 5).R, c.img.RGBAAt(99, 5).R; a > 2 || z < 253 {
		t.Errorf("from %d to %d", a, z)
	}
	c.Rect(all, Radial{At: P(50, 10), Radius: Px(10), A: Hex(0xff), B: Hex(0xff00)})
	if in, out := c.img.RGBAAt(50, 10), c.img.RGBAAt(0, 10); in.B < 230 || out.G != 255 {
		t.Errorf("from %v to %v", in, out)
	}
}

func TestAbsentGlyph(t *testing.T) {
	for _, text := range []string{"火", "سلام", "ok \U0001f44d", "bad \xff"} {
		c := canvas(t, 200, 40)
		c.Text(plain, P(2, 20), text)
		if _, err := c.PNG(); !errors.Is(err, ErrGlyph) {
			t.Errorf("%q: %v", text, err)
		}
	}
	c := canvas(t, 400, 40)
	for f := range Comic { // which has Latin letters only
		c.Text(Style{Font: f, Size: Px(14)}, P(2, 20), "Ångström 1,250.50 € Żółć Жук λόγος — “q” … 3 ≤ 4")
	}
	if c.Err() != nil {
		t.Error(c.Err())
	}
}

func TestKerning(t *testing.T) {
	c := canvas(t, 10, 10)
	for _, f := range []Font{Sans, SansBold, Serif} {
		s := Style{Font: f, Size: Px(40)}
		if pair, apart := c.Width(s, "AV"), c.Width(s, "A")+c.Width(s, "V"); pair >= apart {
			t.Errorf("%s: AV is %d wide, A and V are %d", f, pair, apart)
		}
	}
}

func TestWrap(t *testing.T) {
	c := canvas(t, 10, 10)
	text := "The ferry leaves at 8:40, not at nine.\nDonaudampfschifffahrtsgesellschaftskapitän waits"
	for _, w := range []int{1, 30, 80, 200, 1000} {
		lines := c.Wrap(plain, text, Px(w))
		if got := strings.Join(strings.Fields(strings.Join(lines, "")), ""); got != strings.Join(strings.Fields(text), "") {
			t.Errorf("at %d pixels something was lost: %q", w, lines)
		}
		for _, l := range lines {
			if c.Width(plain, l) > Px(w) && len([]rune(l)) > 1 {
				t.Errorf("at %d pixels: %q is %d units wide", w, l, c.Width(plain, l))
			}
		}
	}
	for w := Px(0); w < Px(300); w += 40 {
		if s := c.Shorten(plain, "The ferry leaves at 8:40", w); c.Width(plain, s) > w && s != ellipsis {
			t.Errorf("%q is wider than %d", s, w)
		}
	}
	if h := c.Block(plain, PixelBox(0, 0, 60, 40), Left, text); h != 2*plain.Leading() {
		t.Errorf("a block of two lines took %d", h)
	}
	if last := c.Marks()[1].Text; !strings.HasSuffix(last, ellipsis) {
		t.Errorf("what does not fit ends %q", last)
	}
}

func TestMarks(t *testing.T) {
	c := canvas(t, 60, 40)
	c.Object("tray", "oak", "", func() {
		c.Rect(PixelBox(4, 4, 10, 10), Hex(0))
		c.Object("cup", "red", "3", func() { c.Oval(PixelBox(20, 6, 8, 8), Hex(0xff0000)) })
		c.Shadow(new(Path).Rect(PixelBox(0, 0, 60, 40)), 3, 0, 0, Hex(0))
	})
	c.Text(plain, P(50, 20), "cut off")
	m := c.Marks()
	if len(m) != 3 || m[0].Box != [4]int{4, 4, 28, 14} || m[1].Parent != 0 || m[1].Box != [4]int{20, 6, 28, 14} || m[1].Value != "3" || m[2].Parent != -1 || !m[2].Cut || m[2].Box[2] != 60 {
		t.Errorf("%+v", m)
	}
	// Outside of a mark's box nothing of it is painted.
	c = canvas(t, 60, 40)
	c.Text(plain, P(7, 20), "gjÅf")
	for y := range 40 {
		for x := range 60 {
			if !(image.Pt(x, y).In(c.Marks()[0].Bounds())) && c.img.RGBAAt(x, y).R != 255 {
				t.Fatalf("ink at %d,%d, outside of %v", x, y, c.Marks()[0].Box)
			}
		}
	}
}

func TestEncodings(t *testing.T) {
	c := canvas(t, 64, 48)
	c.Oval(PixelBox(4, 4, 40, 40), Hex(0x3366cc))
	asPNG, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.PNG()
	if err != nil || !bytes.Equal(asPNG, again) {
		t.Errorf("the pooled buffer changes bytes: %v", err)
	}
	img, err := png.Decode(bytes.NewReader(asPNG))
	if err != nil {
		t.Fatal(err)
	}
	back := image.NewRGBA(img.Bounds())
	for i := range 64 * 48 {
		back.Set(i%64, i/64, img.At(i%64, i/64))
	}
	if DigestPixels(back) != c.PixelDigest() {
		t.Error("the digest of pixels is not that of the decoded file")
	}
	asJPEG, err := c.JPEG()
	if err != nil {
		t.Fatal(err)
	}
	if cfg, err := jpeg.DecodeConfig(bytes.NewReader(asJPEG)); err != nil || cfg.Width != 64 {
		t.Errorf("JPEG: %v %v", cfg, err)
	}
}

func TestCachesAreBounded(t *testing.T) {
	c := canvas(t, 300, 300)
	s := c.studio
	s.shades, s.glyphs = newCache[string](1<<19), newCache[glyphKey](1<<19)
	for i := range 60 {
		c.Shadow(new(Path).Rect(PixelBox(0, 0, 150+i%8, 150+i/8)), 4, 0, 0, Hex(0))
		c.Text(Style{Size: Unit(60*64 + i), Ink: Hex(0)}, P(0, 100), "Wagon")
	}
	if s.shades.bytes > s.shades.most || s.glyphs.bytes > s.glyphs.most || len(s.shades.of) == 0 || len(s.glyphs.of) == 0 {
		t.Errorf("%d bytes of shades in %d, %d of glyphs in %d", s.shades.bytes, len(s.shades.of), s.glyphs.bytes, len(s.glyphs.of))
	}
}

// Icons that are embedded can be drawn and stay within their box.
func TestIcons(t *testing.T) {
	c := canvas(t, 64, 64)
	c.Icon("house", PixelBox(8, 8, 48, 48), Hex(0))
	for name := range c.studio.icons {
		c.Icon(name, PixelBox(8, 8, 48, 48), Hex(0))
	}
	if len(c.studio.icons) < 150 || c.Err() != nil {
		t.Fatalf("%d icons: %v", len(c.studio.icons), c.Err())
	}
	for _, m := range c.Marks() {
		if b := m.Bounds(); b.Empty() || !b.In(image.Rect(5, 5, 59, 59)) {
			t.Errorf("icon %s touches %v", m.Name, b)
		}
	}
	c.Icon("no such", PixelBox(0, 0, 9, 9), Hex(0))
	if c.Err() == nil {
		t.Error("an icon that is not there was drawn")
	}
}

func TestDrawings(t *testing.T) {
	d, err := ParseDrawings("# a mug\ndrawing mug 10 10\nfill body M 64 64 L 512 64 L 512 512 Z\nstroke 64 #ff000080 M 0 0 Q 1 2 3 4 C 1 2 3 4 5 6\n")
	if err != nil {
		t.Fatal(err)
	}
	c := canvas(t, 40, 40)
	c.Draw(d["mug"], PixelBox(0, 0, 40, 40), map[string]Color{"body": Hex(0x00ff00)})
	if at := c.img.RGBAAt(25, 10); at.G != 255 || at.R != 0 || c.Err() != nil {
		t.Errorf("%v %v", at, c.Err())
	}
	c.Draw(d["mug"], PixelBox(0, 0, 40, 40), nil)
	if c.Err() == nil {
		t.Error("a palette without the ink was taken")
	}
	for _, bad := range []string{
		"fill ink M 1 1", "drawing a", "drawing a 0 5", "drawing a 5 x", "drawing a 5 5\ndrawing a 5 5", "drawing a 5 5\nfill", "drawing a 5 5\nfill ink",
		"drawing a 5 5\nfill ink L 1 1", "drawing a 5 5\nfill ink M 1", "drawing a 5 5\nfill ink M 1 1.5", "drawing a 5 5\nfill ink M 1 99999999999",
		"drawing a 5 5\nstroke 0 ink M 1 1", "drawing a 5 5\nstroke 1", "drawing a 5 5\nfill #12 M 1 1", "drawing a 5 5\ntext ink M 1 1", "drawing a 5 5\nfill ink M 1 1 A 2 2",
	} {
		if _, err := ParseDrawings(bad); err == nil {
			t.Errorf("read %q", bad)
		}
	}
}

func FuzzDrawings(f *testing.F) {
	f.Add("drawing mug 10 10\nfill ink M 64 64 L 512 64 L 512 512 Z\nstroke 64 ink M 0 0 Q 1 2 3 4 C 1 2 3 4 5 6")
	f.Add("drawing a 1 1\nstroke 65536 ink M 1048576 -1048576 Z Z L 1048576 1048576")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		drawings, err := ParseDrawings(text)
		if err != nil {
			return
		}
		c := canvas(t, 40, 30)
		for _, d := range drawings {
			c.Draw(d, PixelBox(-3, 2, 50, 20), map[string]Color{"ink": Hex(0x123456)})
		}
	})
}

// FuzzScene draws what the bytes say: any shapes anywhere, without a panic, inside
// the picture, and what was recorded lies in it.
func FuzzScene(f *testing.F) {
	f.Add([]byte("\x01\x00\x10\x00\x20\x05\x00\x00\x30\x02\x7f\xff\x80\x00\x03\x01\x02\x03\x04"))
	f.Add(bytes.Repeat([]byte{2, 0x7f, 0xff, 0x80, 1, 0, 3}, 30))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 400 {
			return
		}
		next := func() int {
			if len(data) < 3 {
				data = nil
				return 0
			}
			v := int(int16(data[0])<<8|int16(data[1])) << (data[2] % 14)
			data = data[3:]
			return v
		}
		point := func() Point { return Point{X: Unit(next()), Y: Unit(next())} }
		c := canvas(t, 50, 40)
		p, texts := new(Path), 0
		for len(data) > 0 {
			op := data[0] % 12
			data = data[1:]
			switch op {
			case 0:
				p.Move(point())
			case 1:
				p.Line(point())
			case 2:
				p.Quad(point(), point())
			case 3:
				p.Cubic(point(), point(), point())
			case 4:
				p.Close()
			case 5:
				p.Corners(Box{Unit(next()), Unit(next()), Unit(next()), Unit(next())}, [4]Unit{Unit(next()), 64, 0, -5})
			case 6:
				p.Sector(point(), Unit(next()), Unit(next()), Angle(next()%(1<<17)), Angle(next()%(1<<17)))
			case 7:
				c.Fill(p, Linear{point(), point(), Hex(0), Hex(0xffffff)})
			case 8:
				c.Stroke(p, Unit(next()), Radial{point(), Unit(next()), Hex(0xff), Hex(0xff00)})
				p = new(Path)
			case 9:
				c.Shadow(p.Transform(Rotate(Angle(next()), point())), next(), next()%1000, next()%1000, Hex(0))
			case 10:
				if texts++; texts < 4 {
					c.Block(Style{Font: Font(next() & 3), Size: Unit(next())}, Box{Unit(next()), Unit(next()), Unit(next()), Unit(next())}, Align(next()), "a long word and 12")
				}
			case 11:
				c.Object("thing", "", "", func() {
					c.Picture(c.img, Box{Unit(next()), Unit(next()), Unit(next() % 9000), Unit(next() % 9000)}, 64)
				})
			}
		}
		for _, m := range c.Marks() {
			if !m.Bounds().In(c.img.Rect) {
				t.Errorf("%+v lies outside", m)
			}
		}
	})
}
