package film

import (
	"image"
	"math"
	"math/rand/v2"

	"github.com/fogleman/gg"

	"github.com/memforge/memforge/schemas"
)

// The world is a little larger than the stage, so that the camera can move.
const (
	worldX, worldY = -56.0, -34.0
	worldW, worldH = 752.0, 428.0
	worldRight     = worldX + worldW
	worldFoot      = worldY + worldH
	wallFoot       = 236.0
)

// set is the place as the painters see it.
type set struct {
	*brush
	r                         *rand.Rand
	light                     string
	wall, floor, wood, accent rgb
	lighting
}

func (s *set) night() bool { return s.light == "night" }

// dayOrNight returns the one number by night and the other else.
func (s *set) dayOrNight(day, night float64) float64 {
	if s.night() {
		return night
	}
	return day
}

// lit returns a colour that shines by itself, whatever the ambient light.
func (s *set) lit(c rgb) rgb { return rgb{c.r / s.tint.r, c.g / s.tint.g, c.b / s.tint.b} }

// lighting is how a time of day looks. front is the light that falls on people
// and things; the place behind them lies in less of it, behind, so that they
// stand out.
type lighting struct{ front, behind, skyTop, skyFoot rgb }

var lightings = map[string]lighting{
	"day":   {rgb{1, 1, 1}, rgb{0.98, 0.98, 0.98}, hex("#7fc1ec"), hex("#e2f2fa")},
	"dusk":  {rgb{1, 0.94, 0.88}, rgb{0.98, 0.86, 0.78}, hex("#7a6aa8"), hex("#ffb27a")},
	"night": {rgb{0.92, 0.94, 1}, rgb{0.62, 0.68, 0.88}, hex("#16234a"), hex("#4a5f96")},
}

// lightingOf returns how a light looks; an unknown one is that of day.
func lightingOf(light string) lighting {
	if l, known := lightings[light]; known {
		return l
	}
	return lightings["day"]
}

// painters draw the places; an unknown place is a plain room.
var painters = map[string]func(*set){
	"kitchen": (*set).kitchen, "park": (*set).park, "workshop": (*set).workshop, "street cafe": (*set).street,
	"office": (*set).office, "living room": (*set).livingRoom, "library": (*set).library, "station": (*set).station,
}

// backdrop draws everything that never moves, once, at scale pixels a unit.
func backdrop(f schemas.Film, fs *assets, scale float64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, int(math.Ceil(worldW*scale)), int(math.Ceil(worldH*scale))))
	dc := gg.NewContextForRGBA(img)
	dc.Scale(scale, scale)
	dc.Translate(-worldX, -worldY)
	l := lightingOf(f.Light)
	s := &set{
		brush: &brush{Context: dc, tint: l.behind, kit: fs}, r: rand.New(rand.NewPCG(uint64(f.Seed), 7)), light: f.Light,
		wall: hex(f.Palette.Wall), floor: hex(f.Palette.Floor), wood: hex(f.Palette.Wood), accent: hex(f.Palette.Accent),
		lighting: l,
	}
	paint, ok := painters[f.Place]
	if !ok {
		paint = (*set).plainRoom
	}
	paint(s)
	for _, x := range f.Fixtures {
		if x.Group == schemas.FilmSurface {
			s.surface(x, s.accent)
		}
	}
	s.vignette()
	return img
}

func (s *set) plainRoom() {
	s.walls()
	s.boards()
}

func (s *set) walls() {
	s.fade(s.wall.light(0.18), s.wall.dark(0.06), worldX, worldY, worldW, wallFoot-worldY)
	s.glow(rgb{1, 0.95, 0.8}, 0.28, 150, 60, 260)
}

func (s *set) skirting(c rgb) {
	s.rect(c, worldX, wallFoot-9, worldW, 9)
	s.rect(c.light(0.3), worldX, wallFoot-9, worldW, 1.6)
	s.veil(black, 0.3, black, 0, worldX, wallFoot, worldW, 16)
}

func (s *set) boards() {
	s.fade(s.floor.dark(0.18), s.floor.light(0.12), worldX, wallFoot, worldW, worldFoot-wallFoot)
	for n := -16; n <= 16; n++ {
		x := 320 + float64(n)*38
		tone := s.floor.dark(0.04 * float64((n+32)*7%4))
		s.rayQuad(x, x+38)
		s.glaze(tone, 0.5)
		s.line(s.floor.dark(0.3), 0.8, s.atDepth(x, wallFoot), wallFoot, s.atDepth(x, worldFoot), worldFoot)
	}
}

// atDepth follows a line on the floor that lies at x on the wall down to y.
func (s *set) atDepth(x, y float64) float64 {
	const vanish = 90.0
	return 320 + (x-320)*(y-vanish)/(wallFoot-vanish)
}

func (s *set) rayQuad(x0, x1 float64) {
	s.poly(s.atDepth(x0, wallFoot), wallFoot, s.atDepth(x1, wallFoot), wallFoot,
		s.atDepth(x1, worldFoot), worldFoot, s.atDepth(x0, worldFoot), worldFoot)
}

// rows returns the heights of floor lines that get farther apart towards the
// viewer.
func rows(n int) []float64 {
	out := make([]float64, n+1)
	for k := range out {
		u := float64(k) / float64(n)
		out[k] = wallFoot + (worldFoot-wallFoot)*(0.35*u+0.65*u*u)
	}
	return out
}

func (s *set) tiles(a, c rgb, pitch float64) {
	s.fade(a.dark(0.14), a.light(0.1), worldX, wallFoot, worldW, worldFoot-wallFoot)
	ys := rows(6)
	for k := range 6 {
		for n := -14; n < 14; n++ {
			if (n+k)%2 != 0 {
				continue
			}
			x0, x1 := 320+float64(n)*pitch, 320+float64(n+1)*pitch
			s.poly(s.atDepth(x0, ys[k]), ys[k], s.atDepth(x1, ys[k]), ys[k], s.atDepth(x1, ys[k+1]), ys[k+1], s.atDepth(x0, ys[k+1]), ys[k+1])
			s.glaze(c, 0.75)
		}
	}
}

func (s *set) sunbeam(x float64) {
	if s.night() {
		return
	}
	s.poly(x, 240, x+70, 240, x+190, worldFoot, x+40, worldFoot)
	s.glaze(rgb{1, 0.95, 0.75}, 0.16)
	s.poly(x+88, 240, x+130, 240, x+290, worldFoot, x+212, worldFoot)
	s.glaze(rgb{1, 0.95, 0.75}, 0.12)
}

func (s *set) pendant(x, y float64, c rgb) {
	s.line(ink, 1.6, x, worldY, x, y-14)
	s.glow(s.lit(rgb{1, 0.84, 0.55}), s.dayOrNight(0.22, 0.55), x, y+6, 110)
	s.oval(s.lit(rgb{1, 0.95, 0.75}), x, y+1, 9, 5)
	s.poly(x-5, y-16, x+5, y-16, x+20, y, x-20, y)
	s.body(c)
}

func (s *set) picture(x, y, w, h float64) {
	s.rect(black.light(0.2), x+2, y+3, w, h)
	s.rect(s.wood, x, y, w, h)
	s.rect(cream, x+4, y+4, w-8, h-8)
	s.fade(s.accent.light(0.6), cream, x+8, y+8, w-16, h-16)
	s.poly(x+8, y+h-8, x+w*0.4, y+h*0.45, x+w*0.62, y+h*0.68, x+w*0.75, y+h*0.55, x+w-8, y+h-8)
	s.fill(s.accent)
}

func (s *set) plant(x, y float64) {
	s.shadow(x, y, 22)
	leaf := rgb{0.24, 0.5, 0.3}
	for n := range 9 {
		p := polar(52+10*float64(n%3), -math.Pi*(0.12+0.095*float64(n)))
		s.MoveTo(x, y-34)
		s.QuadraticTo(x+p.x*0.35, y-42+p.y, x+p.x, y-34+p.y*0.92)
		s.QuadraticTo(x+p.x*0.7, y-30+p.y*0.5, x, y-34)
		s.fill(leaf.dark(0.16 * float64(n%3)).light(0.05 * float64(n%2)))
	}
	s.poly(x-17, y-36, x+17, y-36, x+12, y, x-12, y)
	s.fill(s.accent)
	s.rect(s.accent.light(0.2), x-19, y-40, 38, 7)
}

func (s *set) vignette() {
	x, y := s.TransformPoint(320, 180)
	x1, _ := s.TransformPoint(worldRight, 180)
	inner, width := (x1-x)*0.45, (x1-x)*0.75
	dark := s.dayOrNight(0.42, 0.6)
	img := s.Image().(*image.RGBA)
	shade(img, img.Rect, s.nrgba(black, 1), func(px, py float64) float64 {
		u := clamp((math.Sqrt((px-x)*(px-x)+(py-y)*(py-y)) - inner) / width)
		return dark * u * u
	})
}
