package paint

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

//go:embed art/*.txt
var artFiles embed.FS

// art is a drawing as data: shapes on a grid. Inks may be the caller's.
type art struct {
	w, h   int
	shapes []stroke
}

type stroke struct {
	verb string
	bare bool // has no outline
	ink  ink
	wide int // of lines
	at   []int
}

// ink is a colour of its own or one of the caller's (slot 1 and up), lightened
// (positive) or darkened by light of 256 steps, with an opacity.
type ink struct {
	slot  int
	own   draw.Color
	light int
	alpha uint8
}

// readArt reads lists of drawings. Each begins with "art NAME WIDTH HEIGHT", where _
// in a name is a space, and has a line a shape:
//
//	oval INK X Y W H
//	rect INK X Y W H R
//	poly INK X Y X Y ...        straight
//	blob INK X Y X Y ...        round, along the middles of the sides
//	line INK WIDTH X Y X Y ...
//	curve INK WIDTH X Y X Y ...
//
// INK is rrggbb, or @1 to @4 for the caller's, with +N or -N steps to white or dark
// and /N for opacity. A verb that ends with - has no outline.
func readArt(text string, into map[string]art) error {
	name := ""
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if words[0] == "art" && len(words) == 4 {
			name = strings.ReplaceAll(words[1], "_", " ")
			size, err := numbers(words[2:])
			if _, twice := into[name]; err != nil || twice || size[0] < 1 || size[1] < 1 {
				return fmt.Errorf("art, line %d: %q is no new drawing with a size", i+1, line)
			}
			into[name] = art{w: size[0], h: size[1]}
			continue
		}
		s, err := readStroke(words)
		if err != nil || name == "" {
			return fmt.Errorf("art, line %d: %q belongs to no drawing or is no shape: %w", i+1, line, err)
		}
		a := into[name]
		a.shapes = append(a.shapes, s)
		into[name] = a
	}
	return nil
}

func readStroke(words []string) (s stroke, err error) {
	if len(words) < 6 {
		return s, fmt.Errorf("too few words")
	}
	s.verb, s.bare = strings.CutSuffix(words[0], "-")
	if s.ink, err = readInk(words[1]); err != nil {
		return s, err
	}
	if s.at, err = numbers(words[2:]); err != nil {
		return s, err
	}
	n := len(s.at)
	switch s.verb {
	case "oval", "rect":
		if n != 4 && n != 5 {
			return s, fmt.Errorf("want a box")
		}
	case "poly", "blob":
		if n%2 != 0 || n < 6 {
			return s, fmt.Errorf("want three points or more")
		}
	case "line", "curve":
		if s.wide, s.at = s.at[0], s.at[1:]; n%2 != 1 || n < 5 {
			return s, fmt.Errorf("want a width and two points or more")
		}
	default:
		return s, fmt.Errorf("%q is no verb", s.verb)
	}
	return s, nil
}

func numbers(words []string) ([]int, error) {
	out := make([]int, len(words))
	for i, w := range words {
		var err error
		if out[i], err = strconv.Atoi(w); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readInk(word string) (ink, error) {
	out := ink{alpha: 255}
	word, alpha, faint := strings.Cut(word, "/")
	if faint {
		n, err := strconv.ParseUint(alpha, 10, 8)
		if err != nil {
			return out, err
		}
		out.alpha = uint8(n)
	}
	if i := strings.IndexAny(word, "+-"); i > 0 {
		n, err := strconv.Atoi(word[i:])
		if err != nil {
			return out, err
		}
		word, out.light = word[:i], n
	}
	if slot, ok := strings.CutPrefix(word, "@"); ok {
		n, err := strconv.Atoi(slot)
		out.slot = n
		return out, err
	}
	rgb, err := strconv.ParseUint(word, 16, 32)
	out.own = draw.Hex(uint32(rgb))
	return out, err
}

func (k ink) of(inks []draw.Color) draw.Color {
	c := k.own
	if k.slot > 0 && k.slot <= len(inks) {
		c = inks[k.slot-1]
	}
	return shaded(c, k.light).Fade(k.alpha)
}

// shaded returns a colour lightened, or darkened, by light of 256 steps.
func shaded(c draw.Color, light int) draw.Color {
	if light < 0 {
		return c.Mix(draw.Hex(0x20141c), -light)
	}
	return c.Mix(draw.Hex(0xffffff), light)
}

// Art draws a drawing over a box. Each shape is lit a little from above. edge is the
// width of outlines, 0 for none; flip mirrors.
func (b *Brush) Art(name string, box draw.Box, edge draw.Unit, flip bool, inks ...draw.Color) {
	a, ok := b.art[name]
	if !ok {
		b.Fail(fmt.Errorf("draw: there is no art %q", name))
		return
	}
	m := draw.Into(draw.Px(a.w), draw.Px(a.h), box)
	for _, s := range a.shapes {
		p, c := s.path().Transform(m), s.ink.of(inks)
		if flip {
			p = p.Transform(draw.Mirror(box.Mid().X))
		}
		wide := draw.Unit(int64(s.wide) * m.XX >> 10)
		switch {
		case s.wide > 0 && !s.bare && edge > 0:
			b.Stroke(p, wide+2*edge, shaded(c, -150).Fade(c.A))
			b.Stroke(p, wide, c)
		case s.wide > 0:
			b.Stroke(p, wide, c)
		default:
			b.Lit(p, box, c)
			if !s.bare && edge > 0 {
				b.Stroke(p, edge, shaded(c, -150).Fade(c.A))
			}
		}
	}
}

// Lit fills a shape that is a little lighter above and darker below.
func (b *Brush) Lit(p *draw.Path, box draw.Box, c draw.Color) {
	b.Fill(p, draw.Down(box, shaded(c, 18).Fade(c.A), shaded(c, -22).Fade(c.A)))
}

func (s stroke) path() *draw.Path {
	p, n := new(draw.Path), len(s.at)/2
	at := func(i int) draw.Point { return draw.P(s.at[2*(i%n)], s.at[2*(i%n)+1]) }
	mid := func(i int) draw.Point {
		q, r := at(i), at(i+1)
		return draw.Point{X: (q.X + r.X) / 2, Y: (q.Y + r.Y) / 2}
	}
	switch s.verb {
	case "oval":
		return p.Oval(draw.PixelBox(s.at[0], s.at[1], s.at[2], s.at[3]))
	case "rect":
		r := 0
		if len(s.at) > 4 {
			r = s.at[4]
		}
		return p.Round(draw.PixelBox(s.at[0], s.at[1], s.at[2], s.at[3]), draw.Px(r))
	case "blob":
		p.Move(mid(0))
		for i := range n {
			p.Quad(at(i+1), mid(i+1))
		}
		return p.Close()
	case "curve":
		p.Move(at(0))
		for i := 1; i < n-2; i++ {
			p.Quad(at(i), mid(i))
		}
		return p.Quad(at(max(n-2, 0)), at(n-1))
	}
	p.Move(at(0))
	for i := 1; i < n; i++ {
		p.Line(at(i))
	}
	if s.verb == "poly" {
		p.Close()
	}
	return p
}

func everyArt() (map[string]art, error) {
	out := map[string]art{}
	files, err := artFiles.ReadDir("art")
	for _, f := range files {
		var text []byte
		if text, err = artFiles.ReadFile("art/" + f.Name()); err == nil {
			err = readArt(string(text), out)
		}
		if err != nil {
			return nil, fmt.Errorf("drawings %s: %w", f.Name(), err)
		}
	}
	return out, err
}
