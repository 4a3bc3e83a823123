package film

import (
	"fmt"
	"image"
	"strings"

	"github.com/fogleman/gg"

	"github.com/memforge/memforge/schemas"
)

// restCache is the backdrop with all that is at rest drawn on it. It is made anew
// only when something starts or stops moving, about twenty times a film.
type restCache struct {
	key string
	img *image.RGBA
	dc  *gg.Context

	// shot is the part of it in view, as seen under the key below.
	shot    *image.RGBA
	shotKey string
}

// drawResting fills the frame with all that is at rest, seen from (x, y) at zoom.
func (a *frameRenderer) drawResting(s scene, x, y, zoom float64) {
	img := a.restingImage(s)
	if a.rest.shot == nil {
		a.rest.shot = image.NewRGBA(a.frame.Rect)
	}
	if key := fmt.Sprint(x, y, zoom, a.rest.key); key != a.rest.shotKey {
		a.rest.shotKey = key
		resample(a.rest.shot, img, (x-worldX)*a.backPer, (y-worldY)*a.backPer, a.backPer/(a.scale*zoom))
	}
	copy(a.frame.Pix, a.rest.shot.Pix)
}

// restingImage returns the backdrop with the things that are at rest in s.
func (a *frameRenderer) restingImage(s scene) *image.RGBA {
	key := a.restKey(s)
	if a.rest.img != nil && a.rest.key == key {
		return a.rest.img
	}
	if a.rest.img == nil {
		a.rest.img = image.NewRGBA(a.back.Rect)
		a.rest.dc = gg.NewContextForRGBA(a.rest.img)
		a.rest.dc.Scale(a.backPer, a.backPer)
		a.rest.dc.Translate(-worldX, -worldY)
	}
	a.rest.key = key
	copy(a.rest.img.Pix, a.back.Pix)
	a.drawThings(&brush{Context: a.rest.dc, tint: tintOf(a.film.Light), kit: a.kit}, s, true)
	return a.rest.img
}

// restKey says which things rest, and how.
func (a *frameRenderer) restKey(s scene) string {
	var key strings.Builder
	for n := range a.film.Fixtures {
		if atRest(s, n) {
			fmt.Fprintf(&key, "%d %g %q;", n, s.open[n], s.signs[n].text)
		}
	}
	for n, p := range s.props {
		if p.holder < 0 && !p.gone {
			fmt.Fprintf(&key, "%d %v;", n, p.at)
		}
	}
	return key.String()
}

// atRest is true of a fixture that is open, or closed, and not in between.
func atRest(s scene, n int) bool {
	return (s.open[n] == 0 || s.open[n] == 1) && s.signs[n].next == ""
}

// drawThings draws the fixtures and the props nobody holds: those at rest, or
// those that move.
func (a *frameRenderer) drawThings(b *brush, s scene, resting bool) {
	_, sky := skyOf(a.film.Light)
	for n, x := range a.film.Fixtures {
		if atRest(s, n) != resting {
			continue
		}
		switch x.Group {
		case schemas.FilmOpening:
			b.openable(x, s.open[n], sky)
		case schemas.FilmSign:
			b.sign(x, s.signs[n])
		}
	}
	for n, p := range s.props {
		if p.holder < 0 && !p.gone && resting {
			b.DrawEllipse(p.at.X, p.at.Y, 17, 3.4)
			b.glaze(black, 0.22)
			a.drawProp(b, n, p)
		}
	}
}
