package film

import (
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/fogleman/gg"
	"github.com/golang/freetype/truetype"
	"github.com/memforge/memforge/schemas"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/math/fixed"
)

// assets is what is embedded to draw with: faces, whose text is drawn as outlines, so
// that it moves with the camera like everything else, and drawings of props.
type assets struct {
	bold, medium, mono *truetype.Font
	props              propDrawings
}

func loadAssets() (*assets, error) {
	var f assets
	for _, one := range []struct {
		into **truetype.Font
		ttf  []byte
	}{{&f.bold, gobold.TTF}, {&f.medium, gomedium.TTF}, {&f.mono, gomonobold.TTF}} {
		parsed, err := truetype.Parse(one.ttf)
		if err != nil {
			return nil, fmt.Errorf("film: parse a built-in font: %w", err)
		}
		*one.into = parsed
	}
	var err error
	if f.props, err = parseDrawings(); err != nil {
		return nil, fmt.Errorf("film: %w", err)
	}
	return &f, nil
}

// outlineScale is the size outlines are loaded in; they are scaled after.
const outlineScale = 64

// write fills a line of text centred on x with its baseline at y. size is the
// em in the current units, spacing is added between letters.
func (b *brush) write(f *truetype.Font, s string, x, y, size, spacing float64, c rgb, alpha float64) {
	pen := x - textWidth(f, s, size, spacing)/2
	var glyph truetype.GlyphBuf
	k := size / outlineScale
	for _, r := range s {
		at := f.Index(r)
		if glyph.Load(f, fixed.I(outlineScale), at, font.HintingNone) == nil {
			b.glyph(&glyph, pen, y, k)
		}
		pen += units(f.HMetric(fixed.I(outlineScale), at).AdvanceWidth)*k + spacing
	}
	b.use(c, alpha)
	b.SetFillRule(gg.FillRuleWinding)
	b.Fill()
}

func textWidth(f *truetype.Font, s string, size, spacing float64) float64 {
	w := -spacing
	for _, r := range s {
		w += units(f.HMetric(fixed.I(outlineScale), f.Index(r)).AdvanceWidth)*size/outlineScale + spacing
	}
	return w
}

// fitted returns the size, at most the wanted one, at which s is no wider than
// w.
func fitted(f *truetype.Font, s string, size, w float64) float64 {
	if full := textWidth(f, s, size, 0); full > w {
		return size * w / full
	}
	return size
}

func units(v fixed.Int26_6) float64 { return float64(v) / 64 }

func (b *brush) glyph(g *truetype.GlyphBuf, x, y, k float64) {
	start := 0
	for _, end := range g.Ends {
		b.contour(g.Points[start:end], x, y, k)
		start = end
	}
}

// contour adds one closed quadratic spline. Two neighbouring control points
// have an implied point on the curve halfway between them.
func (b *brush) contour(ps []truetype.Point, x, y, k float64) {
	if len(ps) < 2 {
		return
	}
	at := func(n int) (float64, float64, bool) {
		p := ps[n%len(ps)]
		return x + units(p.X)*k, y - units(p.Y)*k, p.Flags&1 != 0
	}
	first := 0
	for first < len(ps)-1 && ps[first].Flags&1 == 0 {
		first++
	}
	px, py, _ := at(first)
	b.NewSubPath()
	b.MoveTo(px, py)
	for n := 1; n <= len(ps); n++ {
		cx, cy, on := at(first + n)
		if on {
			b.LineTo(cx, cy)
			continue
		}
		nx, ny, nextOn := at(first + n + 1)
		if nextOn {
			n++
		} else {
			nx, ny = (cx+nx)/2, (cy+ny)/2
		}
		b.QuadraticTo(cx, cy, nx, ny)
	}
	b.ClosePath()
}

func titleCard(f schemas.Film, fs *assets, scale float64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, int(f.Width), int(f.Height)))
	dc := gg.NewContextForRGBA(img)
	dc.Translate(float64(f.Width)/2, float64(f.Height)/2)
	dc.Scale(scale, scale)
	dc.Translate(-stageW/2, -stageH/2)
	b := &brush{Context: dc, tint: white, kit: fs}
	accent := hex(f.Palette.Accent)
	dark := mix(accent.dark(0.72), ink, 0.25)
	b.rect(dark, 0, 0, stageW, stageH)
	b.glow(accent, 0.55, stageW/2, stageH/2, 380)
	for n := range 24 { // rays behind the title
		a := 2 * math.Pi * float64(n) / 24
		p, q := polar(420, a), polar(420, a+math.Pi/24)
		b.poly(320, 180, 320+p.x, 180+p.y, 320+q.x, 180+q.y)
		b.glaze(accent.light(0.3), 0.06)
	}
	b.border(accent.light(0.55))
	b.titleText(f, accent)
	return img
}

func (b *brush) border(c rgb) {
	for _, inset := range [2]float64{18, 24} {
		b.DrawRectangle(inset, inset, stageW-2*inset, stageH-2*inset)
		b.outline(c, 0.8, 1.2)
	}
	for _, p := range [4]vec{{24, 24}, {stageW - 24, 24}, {24, stageH - 24}, {stageW - 24, stageH - 24}} {
		b.poly(p.x, p.y-9, p.x+9, p.y, p.x, p.y+9, p.x-9, p.y)
		b.fill(c)
	}
}

func (b *brush) titleText(f schemas.Film, accent rgb) {
	gold := accent.light(0.6)
	b.write(b.kit.medium, "A LITTLE FILM", 320, 112, 15, 5, gold, 1)
	title := strings.ToUpper(f.Title)
	size := fitted(b.kit.bold, title, 46, 500)
	b.write(b.kit.bold, title, 322, 190, size, 1.5, black, 0.4)
	b.write(b.kit.bold, title, 320, 188, size, 1.5, cream, 1)
	b.line(gold, 1.4, 230, 216, 306, 216)
	b.line(gold, 1.4, 334, 216, 410, 216)
	b.poly(320, 211, 325, 216, 320, 221, 315, 216)
	b.fill(gold)
	b.write(b.kit.medium, strings.ToUpper("the "+f.Place), 320, 252, 15, 2.5, cream.dark(0.1), 1)
}
