package film

import (
	"embed"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Props are drawn from the files of props, one for each noun, which are written as
// props/README.md says. A noun without a file is drawn as a ball.

//go:embed props/*.txt
var propFiles embed.FS

// propDrawings are by noun.
type propDrawings map[string]propDrawing

// propDrawing is a thing with its foot at the origin, about 34 wide and 34 high.
type propDrawing []drawingLine

// drawingLine is one line of a file: what is traced, and how it is painted.
type drawingLine struct {
	verb  string
	paint paint
	width float64
	trace []traceStep
}

// traceStep adds a shape, or a stretch of a path, to what is traced.
type traceStep struct {
	op string
	at []float64
}

func parseDrawings() (propDrawings, error) {
	files, err := propFiles.ReadDir("props")
	if err != nil {
		return nil, err
	}
	out := propDrawings{}
	for _, f := range files {
		text, err := propFiles.ReadFile(path.Join("props", f.Name()))
		if err != nil {
			return nil, err
		}
		noun := strings.ReplaceAll(strings.TrimSuffix(f.Name(), ".txt"), "-", " ")
		if out[noun], err = parseDrawing(string(text)); err != nil {
			return nil, fmt.Errorf("drawing %s: %w", f.Name(), err)
		}
	}
	return out, nil
}

func parseDrawing(text string) (d propDrawing, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		p, err := parsePart(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		d = append(d, p)
	}
	if len(d) == 0 {
		return nil, fmt.Errorf("it draws nothing")
	}
	return d, nil
}

func parsePart(words []string) (p drawingLine, err error) {
	if len(words) < 3 {
		return p, fmt.Errorf("%q: want a verb, a colour and what is drawn", strings.Join(words, " "))
	}
	p.verb = words[0]
	if p.paint, err = parsePaint(words[1]); err != nil {
		return p, err
	}
	rest := words[2:]
	switch p.verb {
	case "body", "fill":
		p.trace, err = parseTrace(rest)
		return p, err
	case "line", "arc", "glow":
	default:
		return p, fmt.Errorf("verb %q: want body, fill, line, arc or glow", p.verb)
	}
	at, err := numbers(rest)
	if err != nil {
		return p, err
	}
	if p.verb != "glow" {
		p.width, at = at[0], at[1:]
	}
	p.trace = []traceStep{{p.verb, at}}
	return p, p.trace[0].check()
}

func parseTrace(words []string) (out []traceStep, err error) {
	shapes := []string{"disc", "oval", "rect", "round", "poly"}
	if words[0] != "path" && !slices.Contains(shapes, words[0]) {
		return nil, fmt.Errorf("shape %q: want path, %s", words[0], strings.Join(shapes, ", "))
	}
	if words[0] == "path" {
		if words = words[1:]; len(words) == 0 || words[0] != "M" {
			return nil, fmt.Errorf("a path begins with M")
		}
	}
	for i := 0; i < len(words); {
		end := i + 1
		for end < len(words) && !strings.Contains("MLQCZ", words[end]) {
			end++
		}
		s := traceStep{op: words[i]}
		if s.at, err = numbers(words[i+1 : end]); err != nil {
			return nil, err
		}
		if err := s.check(); err != nil {
			return nil, err
		}
		out, i = append(out, s), end
	}
	return out, nil
}

func (s traceStep) check() error {
	counts := map[string]int{"disc": 3, "oval": 4, "rect": 4, "round": 5, "arc": 6, "glow": 3, "M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}
	n, known := counts[s.op]
	switch {
	case s.op == "poly" && len(s.at) >= 6 && len(s.at)%2 == 0, s.op == "line" && len(s.at) >= 4 && len(s.at)%2 == 0:
		return nil
	case !known || len(s.at) != n:
		return fmt.Errorf("%s has %d numbers; see README.md in stages/video/film/props", s.op, len(s.at))
	}
	return nil
}

// numbers parses finite numbers that are not larger than the stage.
func numbers(words []string) ([]float64, error) {
	out := make([]float64, len(words))
	for i, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil || !(v >= -1000 && v <= 1000) {
			return nil, fmt.Errorf("%q: want a number from -1000 to 1000", w)
		}
		out[i] = v
	}
	return out, nil
}

var (
	steel = rgb{0.66, 0.68, 0.73}
	brass = rgb{0.93, 0.76, 0.32}
	oak   = rgb{0.72, 0.5, 0.3}
	cream = rgb{0.98, 0.95, 0.87}

	namedColours = map[string]rgb{"ink": ink, "white": white, "steel": steel, "brass": brass, "oak": oak, "cream": cream}
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

// colourOn returns the colour on a thing, false where the name is no colour's.
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
	default:
		if c, known = namedColours[p.name]; !known {
			return c, false
		}
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
