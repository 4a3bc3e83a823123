package film

import (
	"fmt"
	"image"
	"image/draw"
	"math"
	"slices"
	"strings"

	"github.com/fogleman/gg"
	"github.com/memforge/memforge/schemas"
)

// The stage in stage units.
const stageW, stageH = 640.0, 360.0

// cardFade is how many seconds the title card takes to give way.
const cardFade = 0.3

// frameRenderer draws the frames of one film. It belongs to one goroutine.
type frameRenderer struct {
	film    schemas.Film
	kit     *assets
	scale   float64 // pixels a stage unit at zoom 1
	back    *image.RGBA
	backPer float64 // pixels of back a stage unit
	card    *image.RGBA
	frame   *image.RGBA
	dc      *gg.Context
	rest    restCache
}

func newFrameRenderer(f schemas.Film) (*frameRenderer, error) {
	fs, err := loadAssets()
	if err != nil {
		return nil, err
	}
	return newFrameRendererWith(f, fs), nil
}

func newFrameRendererWith(f schemas.Film, fs *assets) *frameRenderer {
	a := &frameRenderer{film: f, kit: fs, scale: pixelsPer(f)}
	a.backPer = a.scale * math.Max(f.Camera.From.Zoom, f.Camera.To.Zoom)
	a.back = backdrop(f, fs, a.backPer)
	if f.Card > 0 {
		a.card = titleCard(f, fs, a.scale)
	}
	a.frame = image.NewRGBA(image.Rect(0, 0, int(f.Width), int(f.Height)))
	a.dc = gg.NewContextForRGBA(a.frame)
	return a
}

// drawFrame draws frame n. The next call draws over the picture.
func (a *frameRenderer) drawFrame(n int64) *image.RGBA {
	t := float64(n) / float64(a.film.FPS)
	if a.card != nil && t < a.film.Card-cardFade {
		draw.Draw(a.frame, a.frame.Rect, a.card, image.Point{}, draw.Src)
		return a.frame
	}
	a.drawStage(t)
	if a.card != nil && t < a.film.Card {
		blend(a.frame, a.card, (a.film.Card-t)/cardFade)
	}
	return a.frame
}

func viewAt(f schemas.Film, t float64) (x, y, zoom float64) {
	c := f.Camera
	u := 0.0
	if t > c.Start && c.End > c.Start {
		u = smooth(t, c.Start, c.End)
	}
	from, to := c.From, c.To
	zoom = lerp(from.Zoom, to.Zoom, u)
	w, h := visibleSize(f, zoom)
	x = lerp(from.Centre.X, to.Centre.X, u) - w/2
	y = lerp(from.Centre.Y, to.Centre.Y, u) - h/2
	x = math.Max(worldX+1, math.Min(worldRight-1-w, x))
	y = math.Max(worldY+1, math.Min(worldFoot-1-h, y))
	return x, y, zoom
}

func pixelsPer(f schemas.Film) float64 {
	return math.Max(float64(f.Width)/stageW, float64(f.Height)/stageH)
}

func visibleSize(f schemas.Film, zoom float64) (w, h float64) {
	per := pixelsPer(f) * zoom
	return float64(f.Width) / per, float64(f.Height) / per
}

func (a *frameRenderer) drawStage(t float64) {
	x, y, zoom := viewAt(a.film, t)
	s := sceneAt(a.film, t)
	a.drawResting(s, x, y, zoom)
	a.dc.Identity()
	a.dc.Scale(a.scale*zoom, a.scale*zoom)
	a.dc.Translate(-x, -y)
	b := &brush{Context: a.dc, tint: lightingOf(a.film.Light).front, kit: a.kit}
	a.drawThings(b, s, false)
	a.drawPeople(b, s)
}

func (a *frameRenderer) drawPeople(b *brush, s scene) {
	for _, n := range byDepth(s.actors) {
		st := s.actors[n]
		b.actor(a.film.Actors[n], st, s.time, func() {
			for k, p := range s.props {
				if p.holder == n {
					a.drawProp(b, k, p)
				}
			}
		})
	}
}

func (a *frameRenderer) drawProp(b *brush, n int, p propState) {
	b.prop(a.film.Props[n].Kind, hex(a.film.Props[n].Colour), p.at.X, p.at.Y)
}

func byDepth(actors []actorState) []int {
	var out []int
	for n := range actors {
		if actors[n].onStage {
			out = append(out, n)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int {
		return int(math.Round(8 * (actors[i].at.Y - actors[j].at.Y)))
	})
	return out
}

// maxSeconds bounds a film, and with it what drawing one may take.
const maxSeconds = 600

func checkScript(f schemas.Film) error {
	switch {
	case f.Width < 16 || f.Height < 16 || f.Width > 4096 || f.Height > 4096 || f.Width%4 != 0 || f.Height%4 != 0:
		return fmt.Errorf("size %dx%d: want multiples of 4 from 16 to 4096", f.Width, f.Height)
	case f.FPS < 1 || f.FPS > 120 || 48000%f.FPS != 0:
		return fmt.Errorf("%d frames per second: want a divisor of 48000 up to 120", f.FPS)
	case f.Frames < 1 || f.Frames > maxSeconds*int64(f.FPS):
		return fmt.Errorf("%d frames: want 1 to %d seconds", f.Frames, maxSeconds)
	case !zoomable(f.Camera.From) || !zoomable(f.Camera.To):
		return fmt.Errorf("camera zoom must be 1 to 4 around a point on the stage")
	}
	for n, e := range f.Events {
		if err := checkEvent(f, e); err != nil {
			return fmt.Errorf("event %d (%s): %w", n, e.Kind, err)
		}
	}
	return nil
}

func zoomable(v schemas.FilmView) bool {
	return v.Zoom >= 1 && v.Zoom <= 4 && v.Centre.X >= 0 && v.Centre.X <= stageW && v.Centre.Y >= 0 && v.Centre.Y <= stageH
}

func checkEvent(f schemas.Film, e schemas.FilmEvent) error {
	if !(e.End > e.Start) || e.Start < 0 || e.End > f.Duration()+1e-6 {
		return fmt.Errorf("it lasts from %g to %g in a film of %g s", e.Start, e.End, f.Duration())
	}
	if e.Kind == schemas.FilmChanges || e.Kind == schemas.FilmOpens {
		if indexFixture(f, e.Fixture) < 0 {
			return fmt.Errorf("there is no fixture %q", e.Fixture)
		}
	}
	if e.Kind == schemas.FilmChanges {
		return nil
	}
	if indexActor(f, e.Actor) < 0 || e.From == nil || e.To == nil {
		return fmt.Errorf("actor %q is unknown or goes from nowhere", e.Actor)
	}
	if (e.Kind == schemas.FilmPicks || e.Kind == schemas.FilmPuts || e.Prop != "") && indexProp(f, e.Prop) < 0 {
		return fmt.Errorf("there is no prop %q", e.Prop)
	}
	if e.Place == nil && (e.Kind == schemas.FilmPuts || e.Kind == schemas.FilmActs) {
		return fmt.Errorf("it needs a place")
	}
	return nil
}

func (a *frameRenderer) nextFrame(n int64) (*image.RGBA, bool, error) {
	if n >= a.film.Frames {
		return nil, false, nil
	}
	return a.drawFrame(n), true, nil
}

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

// drawResting fills the frame with all that is at rest, seen from (x, y) at
// zoom.
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
	a.drawThings(&brush{Context: a.rest.dc, tint: lightingOf(a.film.Light).front, kit: a.kit}, s, true)
	return a.rest.img
}

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

func atRest(s scene, n int) bool {
	return (s.open[n] == 0 || s.open[n] == 1) && s.signs[n].next == ""
}

func (a *frameRenderer) drawThings(b *brush, s scene, resting bool) {
	for n, x := range a.film.Fixtures {
		if atRest(s, n) != resting {
			continue
		}
		switch x.Group {
		case schemas.FilmOpening:
			b.openable(x, s.open[n], lightingOf(a.film.Light).skyFoot)
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
