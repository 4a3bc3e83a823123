package film

import "github.com/memforge/memforge/schemas"

const (
	topBack  = 217.0 // far edge of a table top
	topFront = 231.0 // near edge
)

// surface draws what props stand on. It never moves, so it is part of the
// backdrop.
func (b *brush) surface(x schemas.FilmFixture, accent rgb) {
	c, at := hex(x.Colour), x.At
	b.shadow(at.X, at.Y, 66)
	switch x.Kind {
	case "counter", "sideboard", "desk":
		b.cabinet(c, accent, at.X, at.Y, x.Kind)
	case "round table":
		b.line(c.dark(0.45), 7, at.X, topFront, at.X, at.Y-4)
		b.oval(c.dark(0.5), at.X, at.Y-2, 26, 6)
		b.oval(c.dark(0.35), at.X, topFront-3, 62, 12)
		b.oval(accent.light(0.72), at.X, topFront-7, 62, 12)
		b.oval(accent.light(0.82), at.X, topFront-8, 54, 9)
	case "crate":
		b.crate(c, at.X-30, at.Y)
		b.crate(c.light(0.08), at.X+30, at.Y)
		b.top(c.light(0.2), at.X, 60)
	case "stone ledge":
		b.ledge(at.X, at.Y)
	case "workbench":
		b.legs(c, at.X, at.Y, 9)
		b.rect(c.dark(0.35), at.X-48, at.Y-20, 96, 6)
		b.round(accent.dark(0.1), at.X-30, at.Y-36, 34, 16, 2)
		b.top(c.light(0.25), at.X, 62)
		b.rect(c.light(0.02), at.X-62, topFront, 124, 9)
		b.round(steel.dark(0.4), at.X+48, topFront+2, 16, 14, 2)
	default: // table, picnic table
		b.legs(c, at.X, at.Y, 7)
		b.top(c.light(0.28), at.X, 58)
		b.rect(c.light(0.05), at.X-58, topFront, 116, 6)
	}
}

// top is the plane seen from above.
func (b *brush) top(c rgb, x, half float64) {
	b.poly(x-half+7, topBack, x+half-7, topBack, x+half, topFront, x-half, topFront)
	b.fill(c)
	b.poly(x-half+7, topBack, x+half-7, topBack, x+half-5, topBack+3, x-half+5, topBack+3)
	b.glaze(white, 0.14)
}

func (b *brush) legs(c rgb, x, foot, width float64) {
	for _, dx := range [2]float64{-42, 42} {
		b.line(c.dark(0.5), width-1, x+dx, topFront, x+dx*0.95, foot-10)
	}
	for _, dx := range [2]float64{-52, 52} {
		b.line(c.dark(0.22), width, x+dx, topFront, x+dx, foot-3)
	}
}

func (b *brush) cabinet(c, accent rgb, x, foot float64, kind string) {
	b.rect(c, x-56, topFront, 112, foot-topFront)
	b.veil(black, 0.0, black, 0.28, x-56, topFront, 112, foot-topFront)
	b.rect(black.light(0.1), x-52, foot-3, 104, 4)
	for n := range 3 {
		left := x - 52 + 35.5*float64(n)
		if kind == "desk" && n == 1 {
			b.rect(c.dark(0.6), left, topFront+10, 33, foot-topFront-10)
			continue
		}
		b.round(c.light(0.1), left, topFront+8, 33, foot-topFront-15, 3)
		b.round(c.light(0.02), left+4, topFront+12, 25, foot-topFront-23, 2)
		b.disc(brass, left+16.5, topFront+16, 2.2)
	}
	light := c.light(0.32)
	if kind == "counter" {
		light = accent.light(0.68)
	}
	b.top(light, x, 61)
	b.rect(light.dark(0.25), x-61, topFront, 122, 5)
}

func (b *brush) crate(c rgb, x, foot float64) {
	b.rect(c.light(0.12), x-29, topFront, 58, foot-topFront)
	for n := range 4 {
		y := topFront + 2 + 12.5*float64(n)
		b.rect(c.light(0.22), x-27, y, 54, 10)
	}
	b.line(c.dark(0.1), 5, x-24, topFront+5, x+24, foot-5)
	b.line(c.dark(0.1), 5, x-26, topFront+2, x-26, foot-2)
	b.line(c.dark(0.1), 5, x+26, topFront+2, x+26, foot-2)
}

func (b *brush) ledge(x, foot float64) {
	stone := rgb{0.62, 0.6, 0.57}
	b.rect(stone.dark(0.25), x-56, topFront, 112, foot-topFront)
	for row := range 3 {
		for n := range 4 {
			left := x - 55 + 28*float64(n) - 9*float64(row%2)
			w := 26.0
			if left < x-55 {
				left, w = x-55, 17
			}
			b.round(stone.light(0.06*float64((n+2*row)%3)), left, topFront+3+16*float64(row), min(w, x+55-left), 14, 4)
		}
	}
	b.top(stone.light(0.35), x, 62)
	b.rect(stone.light(0.1), x-62, topFront, 124, 6)
}
