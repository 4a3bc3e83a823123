package film

import (
	"image"
	"math"
	"strings"

	"github.com/fogleman/gg"

	"github.com/memforge/memforge/schemas"
)

// titleCard is the still that opens a film and names it.
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
		b.use(c, 0.8)
		b.SetLineWidth(1.2)
		b.Stroke()
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
