package film

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"strings"

	"github.com/fogleman/gg"

	"github.com/memforge/memforge/schemas"
)

// titleCard is the still that opens a film and names it.
func titleCard(f schemas.Film, fs *fonts, scale float64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, int(f.Width), int(f.Height)))
	dc := gg.NewContextForRGBA(img)
	dc.Translate(float64(f.Width)/2, float64(f.Height)/2)
	dc.Scale(scale, scale)
	dc.Translate(-stageW/2, -stageH/2)
	b := &brush{Context: dc, tint: white, fonts: fs}
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
	b.write(b.fonts.medium, "A LITTLE FILM", 320, 112, 15, 5, gold, 1)
	title := strings.ToUpper(f.Title)
	size := fitted(b.fonts.bold, title, 46, 500)
	b.write(b.fonts.bold, title, 322, 190, size, 1.5, black, 0.4)
	b.write(b.fonts.bold, title, 320, 188, size, 1.5, cream, 1)
	b.line(gold, 1.4, 230, 216, 306, 216)
	b.line(gold, 1.4, 334, 216, 410, 216)
	b.poly(320, 211, 325, 216, 320, 221, 315, 216)
	b.fill(gold)
	if f.Clock != nil {
		place := strings.ToUpper("the " + f.Place + "  ·  " + f.Clock.Date)
		b.write(b.fonts.medium, place, 320, 252, 15, 2.5, cream.dark(0.1), 1)
	}
}

// caption is the clock in the corner. It is drawn anew when its text changes.
type caption struct {
	text string
	img  *image.RGBA
}

// clockText is what the caption says at t: "Tue 14 May  09:41".
func clockText(c schemas.FilmClock, t float64) string {
	m := (int(c.Minute) + int(t*c.Rate)) % (24 * 60)
	return fmt.Sprintf("%s  %02d:%02d", c.Date, m/60, m%60)
}

const captionW, captionH = 168.0, 26.0

func (c *caption) draw(dst *image.RGBA, clock schemas.FilmClock, t float64, fs *fonts, scale float64) {
	if text := clockText(clock, t); text != c.text || c.img == nil {
		c.text, c.img = text, captionImage(text, fs, scale)
	}
	at := image.Pt(int(14*scale), dst.Rect.Dy()-int((12+captionH)*scale))
	draw.Draw(dst, c.img.Rect.Add(at), c.img, image.Point{}, draw.Over)
}

func captionImage(text string, fs *fonts, scale float64) *image.RGBA {
	dc := gg.NewContext(int(math.Ceil(captionW*scale)), int(math.Ceil(captionH*scale)))
	dc.Scale(scale, scale)
	b := &brush{Context: dc, tint: white, fonts: fs}
	b.DrawRoundedRectangle(0, 0, captionW, captionH, 6)
	b.glaze(ink, 0.72)
	b.disc(rgb{0.95, 0.35, 0.3}, 14, captionH/2, 4)
	b.write(fs.mono, text, captionW/2+8, captionH/2+5, fitted(fs.mono, text, 14, captionW-36), 0, cream, 1)
	return dc.Image().(*image.RGBA)
}
