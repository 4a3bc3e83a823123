package draw

import (
	"embed"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Drawing is a picture made of paths, as data: a grid and layers from back to
// front.
type Drawing struct {
	W, H   Unit
	layers []layer
}

// layer is filled where its width is 0.
type layer struct {
	width Unit
	ink   string
	path  *Path
}

// ParseDrawings reads a list of drawings, by name. Each begins with a line
//
//	drawing NAME WIDTH HEIGHT
//
// in pixels of a grid of its own, and has a line for each layer,
//
//	fill INK PATH
//	stroke WIDTH INK PATH
//
// where INK is #rrggbb, #rrggbbaa or a name that a palette gives a colour, and PATH
// is of M, L, Q, C and Z with absolute whole numbers of 1/64 pixel. Lines that
// begin with # are comments.
func ParseDrawings(text string) (map[string]Drawing, error) {
	out := map[string]Drawing{}
	name := ""
	for i, text := range strings.Split(text, "\n") {
		words := strings.Fields(text)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		var err error
		d := out[name]
		if words[0] == "drawing" {
			name, d, err = parseHead(words[1:])
			if _, twice := out[name]; twice && err == nil {
				err = fmt.Errorf("drawing %s is there twice", name)
			}
		} else if name == "" {
			err = fmt.Errorf("%q stands before any drawing", words[0])
		} else {
			var l layer
			l, err = parseLayer(words)
			d.layers = append(d.layers, l)
		}
		if err != nil {
			return nil, fmt.Errorf("drawings, line %d: %w", i+1, err)
		}
		out[name] = d
	}
	return out, nil
}

func parseHead(words []string) (string, Drawing, error) {
	if len(words) != 3 {
		return "", Drawing{}, fmt.Errorf("want: drawing NAME WIDTH HEIGHT")
	}
	w, errW := strconv.Atoi(words[1])
	h, errH := strconv.Atoi(words[2])
	if errW != nil || errH != nil || w < 1 || h < 1 || w > 4096 || h > 4096 {
		return "", Drawing{}, fmt.Errorf("drawing %s: want a grid of 1 to 4096 pixels", words[0])
	}
	return words[0], Drawing{W: Px(w), H: Px(h)}, nil
}

func parseLayer(words []string) (layer, error) {
	var l layer
	skip := 2
	if words[0] == "stroke" && len(words) > 2 {
		w, err := strconv.Atoi(words[1])
		if err != nil || w < 1 || w > 1<<16 {
			return l, fmt.Errorf("a stroke of width %q, want 1 to 65536", words[1])
		}
		l.width, skip = Unit(w), 3
	} else if words[0] != "fill" {
		return l, fmt.Errorf("%q, want fill or stroke with width, ink and path", words[0])
	}
	if len(words) <= skip {
		return l, fmt.Errorf("a %s without a path", words[0])
	}
	l.ink = words[skip-1]
	if _, err := inkColor(l.ink, nil); err != nil && strings.HasPrefix(l.ink, "#") {
		return l, err
	}
	var err error
	l.path, err = parsePath(words[skip:])
	return l, err
}

func parsePath(words []string) (*Path, error) {
	p := &Path{}
	for len(words) > 0 {
		v := slices.Index([]string{"M", "L", "Q", "C", "Z"}, words[0])
		if v < 0 || len(p.verbs) == 0 && verb(v) != move {
			return nil, fmt.Errorf("%q in a path, which begins with M and goes on with M, L, Q, C or Z", words[0])
		}
		words = words[1:]
		n := taken[v]
		if len(words) < 2*n {
			return nil, fmt.Errorf("a path ends within a point")
		}
		points := make([]Point, n)
		for i := range 2 * n {
			x, err := strconv.ParseInt(words[i], 10, 32)
			if err != nil || Unit(x) > maxCoordinate || Unit(x) < -maxCoordinate {
				return nil, fmt.Errorf("%q in a path, want a whole number up to %d", words[i], maxCoordinate)
			}
			if i%2 == 0 {
				points[i/2].X = Unit(x)
			} else {
				points[i/2].Y = Unit(x)
			}
		}
		p.add(verb(v), points...)
		words = words[2*n:]
	}
	if p.long {
		return nil, fmt.Errorf("a path of more than %d points", maxPoints)
	}
	return p, nil
}

func inkColor(ink string, palette map[string]Color) (Color, error) {
	if c, ok := palette[ink]; ok {
		return c, nil
	}
	rgba, err := hex.DecodeString(strings.TrimPrefix(ink, "#"))
	switch {
	case err == nil && ink[0] == '#' && len(rgba) == 3:
		return Color{rgba[0], rgba[1], rgba[2], 255}, nil
	case err == nil && ink[0] == '#' && len(rgba) == 4:
		return Color{rgba[0], rgba[1], rgba[2], rgba[3]}, nil
	}
	return Color{}, fmt.Errorf("ink %q is neither #rrggbb nor in the palette", ink)
}

// Draw draws a drawing over a box. Strokes keep their part of the box's width.
func (c *Canvas) Draw(d Drawing, b Box, palette map[string]Color) {
	m := Into(d.W, d.H, b)
	for _, l := range d.layers {
		ink, err := inkColor(l.ink, palette)
		if err != nil {
			c.fail("draw a drawing: %w", err)
			return
		}
		if p := l.path.Transform(m); l.width == 0 {
			c.Fill(p, ink)
		} else {
			c.Stroke(p, Unit(int64(l.width)*m.XX>>16), ink)
		}
	}
}

//go:embed drawings/*.paths
var drawingFiles embed.FS

// Icon draws one of the embedded icons in one colour; see drawings/ for names.
func (c *Canvas) Icon(name string, b Box, ink Color) {
	if c.studio.icons == nil {
		data, err := drawingFiles.ReadFile("drawings/lucide.paths")
		if err == nil {
			c.studio.icons, err = ParseDrawings(string(data))
		}
		if err != nil {
			c.fail("icons: %w", err)
			return
		}
	}
	d, ok := c.studio.icons[name]
	if !ok {
		c.fail("icon %q is not in drawings/lucide.paths; add it with pipeline/draw/svgpaths", name)
		return
	}
	c.Object("icon", name, "", func() { c.Draw(d, b, map[string]Color{"ink": ink}) })
}
