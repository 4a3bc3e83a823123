package paint

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// motif adds one figure of a pattern to a path, within a square about a point.
type motif func(p *draw.Path, at draw.Point, side draw.Unit)

// motifs are the patterns of single figures, by their names in questions.
func motifs() map[string]motif {
	return map[string]motif{
		"dots":     func(p *draw.Path, at draw.Point, s draw.Unit) { p.Oval(draw.Disc(at, s/4)) },
		"diamonds": func(p *draw.Path, at draw.Point, s draw.Unit) { spikes(p, at, 4, s*3/8, s*3/8) },
		"stars":    func(p *draw.Path, at draw.Point, s draw.Unit) { spikes(p, at, 10, s*3/8, s/6) },
		"crosses":  cross,
		"rings":    func(p *draw.Path, at draw.Point, s draw.Unit) { ring(p, at, s/3, s/5) },
		"leaves":   leafMotif,
		"flowers": func(p *draw.Path, at draw.Point, s draw.Unit) {
			for k := range 5 {
				p.Oval(draw.Disc(draw.Polar(at, s/4, draw.Turn*draw.Angle(k)/5-draw.Turn/4), s/7))
			}
		},
		"triangles": func(p *draw.Path, at draw.Point, s draw.Unit) { spikes(p, at, 3, s*2/5, s*2/5) },
	}
}

// spikes is a figure with corners at two distances in turn.
func spikes(p *draw.Path, at draw.Point, corners int, outer, inner draw.Unit) {
	for k := range corners {
		away := outer
		if k%2 == 1 {
			away = inner
		}
		q := draw.Polar(at, away, draw.Turn*draw.Angle(k)/draw.Angle(corners)-draw.Turn/4)
		if k == 0 {
			p.Move(q)
			continue
		}
		p.Line(q)
	}
	p.Close()
}

// ring has few corners, because walls have hundreds of rings.
func ring(p *draw.Path, at draw.Point, outer, inner draw.Unit) {
	const corners = 28
	for _, way := range []struct {
		away draw.Unit
		turn draw.Angle
	}{{outer, draw.Turn}, {inner, -draw.Turn}} {
		p.Move(draw.Polar(at, way.away, 0))
		for k := 1; k < corners; k++ {
			p.Line(draw.Polar(at, way.away, way.turn*draw.Angle(k)/corners))
		}
		p.Close()
	}
}

func cross(p *draw.Path, at draw.Point, s draw.Unit) {
	a, c := s/3, s/10
	p.Rect(draw.Box{X: at.X - a, Y: at.Y - c, W: 2 * a, H: 2 * c}).Rect(draw.Box{X: at.X - c, Y: at.Y - a, W: 2 * c, H: 2 * a})
}

func leafMotif(p *draw.Path, at draw.Point, s draw.Unit) {
	for _, a := range []draw.Angle{draw.Turn * 5 / 8, draw.Turn * 7 / 8} {
		foot := draw.Point{X: at.X, Y: at.Y + s/3}
		tip, mid := draw.Polar(foot, s*5/8, a), draw.Polar(foot, s/3, a)
		p.Move(foot).Quad(draw.Polar(mid, s/4, a-draw.Turn/4), tip).Quad(draw.Polar(mid, s/4, a+draw.Turn/4), foot).Close()
	}
}

// patterned covers a box with a pattern: rows of whole figures, every other one
// shifted, or lines. An unknown name leaves it plain.
func patterned(b *Brush, in draw.Box, name string, side int, ink draw.Color) {
	s := draw.Px(side)
	m, ok := motifs()[name]
	if !ok {
		b.Clip(in, func() { lined(b, in, name, s, ink) })
		return
	}
	p, row := new(draw.Path), 0
	top, left := in.Y+in.H%s/2+s/2, in.X+in.W%s/2+s/2
	for y := top; y+s/2 <= in.Y+in.H; y += s {
		for x := left + draw.Unit(row%2)*s/2; x+s/2 <= in.X+in.W; x += s {
			m(p, draw.Point{X: x, Y: y}, s)
		}
		row++
	}
	b.Fill(p, ink)
}

// covered is patterned up to the edges of a box, where figures are cut.
func covered(b *Brush, in draw.Box, name string, side int, ink draw.Color) {
	more := draw.Px(side)
	b.Clip(in, func() { patterned(b, in.Inset(-more, -more), name, side, ink) })
}

func lined(b *Brush, in draw.Box, name string, s draw.Unit, ink draw.Color) {
	if name == "stripes" || name == "checks" {
		for x := in.X + s/4; x < in.X+in.W; x += s {
			b.Rect(draw.Box{X: x, Y: in.Y, W: s / 2, H: in.H}, ink)
		}
	}
	if name == "checks" {
		for y := in.Y + s/4; y < in.Y+in.H; y += s {
			b.Rect(draw.Box{X: in.X, Y: y, W: in.W, H: s / 2}, ink)
		}
	}
	if name != "zigzags" && name != "waves" {
		return
	}
	for y := in.Y + s/2; y < in.Y+in.H+s/2; y += s {
		p := new(draw.Path).Move(draw.Point{X: in.X - s, Y: y})
		up := -s / 3
		for x := in.X - s/2; x < in.X+in.W+s; x += s / 2 {
			if name == "waves" {
				p.Quad(draw.Point{X: x - s/4, Y: y + 2*up}, draw.Point{X: x, Y: y})
			} else {
				p.Line(draw.Point{X: x, Y: y + up})
			}
			up = -up
		}
		b.Stroke(p, s/6, ink)
	}
}

func patternOf(t scene.Thing) string { return t.Look[scene.Pattern] }
