package film

import (
	"fmt"
	"math"
	"strings"
)

var (
	steel = rgb{0.66, 0.68, 0.73}
	brass = rgb{0.93, 0.76, 0.32}
	oak   = rgb{0.72, 0.5, 0.3}
	cream = rgb{0.98, 0.95, 0.87}
)

// paint is a colour as a drawing names it: own, which is the thing's, trim, which
// stands out from that, one with a name, or three shares of red, green and blue;
// then how far it is darkened or lightened; and how much it covers.
type paint struct {
	name   string
	fixed  rgb
	shades []mixed
	alpha  float64
}

type mixed struct {
	dark bool
	by   float64
}

func parsePaint(word string) (p paint, err error) {
	words := strings.Split(word, ":")
	p = paint{name: words[0], alpha: 1}
	if strings.Contains(p.name, ",") {
		if p.fixed, err = parseShares(p.name); err != nil {
			return p, err
		}
		p.name = ""
	}
	if _, known := p.colourOn(black); !known {
		return p, fmt.Errorf("colour %q: want own, trim, ink, white, steel, brass, oak, cream, or red,green,blue", p.name)
	}
	for i := 1; i < len(words); i += 2 {
		by, err := numbers(words[min(i+1, len(words)):min(i+2, len(words))])
		if err != nil || len(by) != 1 || by[0] < 0 || by[0] > 1 {
			return p, fmt.Errorf("colour %q: want a share from 0 to 1 after %s", word, words[i])
		}
		switch words[i] {
		case "dark", "light":
			p.shades = append(p.shades, mixed{words[i] == "dark", by[0]})
		case "alpha":
			p.alpha = by[0]
		default:
			return p, fmt.Errorf("colour %q: want dark, light or alpha after a colon", word)
		}
	}
	return p, nil
}

func parseShares(word string) (rgb, error) {
	v, err := numbers(strings.Split(word, ","))
	if err != nil || len(v) != 3 || min(v[0], v[1], v[2]) < 0 || max(v[0], v[1], v[2]) > 1 {
		return rgb{}, fmt.Errorf("colour %q: want three shares from 0 to 1", word)
	}
	return rgb{v[0], v[1], v[2]}, nil
}

// colourOn is the colour on a thing, false where the name is no colour's.
func (p paint) colourOn(own rgb) (c rgb, known bool) {
	switch p.name {
	case "":
		c = p.fixed
	case "own":
		c = own
	case "trim":
		if c = cream; own.r > 0.9 && own.g > 0.9 {
			c = rgb{0.85, 0.25, 0.3}
		}
	case "ink":
		c = ink
	case "white":
		c = white
	case "steel":
		c = steel
	case "brass":
		c = brass
	case "oak":
		c = oak
	case "cream":
		c = cream
	default:
		return c, false
	}
	for _, s := range p.shades {
		if s.dark {
			c = c.dark(s.by)
		} else {
			c = c.light(s.by)
		}
	}
	return c, true
}

// prop draws a prop on the stage.
func (b *brush) prop(kind string, c rgb, x, y float64) {
	d, ok := b.kit.props[kind]
	if !ok {
		d = b.kit.props["ball"]
	}
	b.Push()
	b.Translate(x, y)
	for _, p := range d {
		b.mark(p, c)
	}
	b.Pop()
}

func (b *brush) mark(p drawingLine, own rgb) {
	c, _ := p.paint.colourOn(own) // its name was checked
	switch at := p.trace[0].at; p.verb {
	case "line":
		b.line(c, p.width, at...)
	case "arc":
		b.arc(c, p.width, at[0], at[1], at[2], at[3], at[4]*math.Pi/180, at[5]*math.Pi/180)
	case "glow":
		b.glow(c, p.paint.alpha, at[0], at[1], at[2])
	default:
		for _, s := range p.trace {
			b.step(s)
		}
		if p.verb == "body" {
			b.body(c)
		} else {
			b.glaze(c, p.paint.alpha)
		}
	}
}

func (b *brush) step(s traceStep) {
	at := s.at
	switch s.op {
	case "M":
		b.MoveTo(at[0], at[1])
	case "L":
		b.LineTo(at[0], at[1])
	case "Q":
		b.QuadraticTo(at[0], at[1], at[2], at[3])
	case "C":
		b.CubicTo(at[0], at[1], at[2], at[3], at[4], at[5])
	case "Z":
		b.ClosePath()
	case "disc":
		b.DrawCircle(at[0], at[1], at[2])
	case "oval":
		b.DrawEllipse(at[0], at[1], at[2], at[3])
	case "rect":
		b.DrawRectangle(at[0], at[1], at[2], at[3])
	case "round":
		b.DrawRoundedRectangle(at[0], at[1], at[2], at[3], at[4])
	case "poly":
		b.poly(at...)
	}
}
