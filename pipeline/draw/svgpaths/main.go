// Command svgpaths turns vector files into the path lists that pipeline/draw reads
// (see draw.Drawings), once, when a drawing is added:
//
//	go run ./pipeline/draw/svgpaths icons/*.svg >> pipeline/draw/drawings/NAME.paths
//
// It knows paths, circles, ellipses, rectangles, lines and polygons with plain
// fills and strokes, and refuses what it does not know rather than leave it out.
package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	for _, name := range os.Args[1:] {
		f, err := os.Open(name)
		if err == nil {
			err = compile(os.Stdout, strings.TrimSuffix(filepath.Base(name), ".svg"), f)
			_ = f.Close()
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "svgpaths: %s: %v\n", name, err)
			os.Exit(1)
		}
	}
}

// attributes of an element, those of its parents where it has none of its own.
type attributes map[string]string

// compile writes one drawing. Currentcolor becomes the ink that a palette calls ink.
func compile(w io.Writer, name string, r io.Reader) error {
	var stack []attributes
	for dec := xml.NewDecoder(r); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			own := attributes{}
			if len(stack) > 0 {
				for _, k := range []string{"fill", "stroke", "stroke-width"} {
					own[k] = stack[len(stack)-1][k]
				}
			}
			for _, a := range t.Attr {
				own[a.Name.Local] = a.Value
			}
			stack = append(stack, own)
			if err := element(w, name, t.Name.Local, own); err != nil {
				return fmt.Errorf("<%s>: %w", t.Name.Local, err)
			}
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		}
	}
}

func element(w io.Writer, name, kind string, a attributes) error {
	for _, k := range []string{"transform", "style", "opacity", "clip-path", "mask"} {
		if a[k] != "" {
			return fmt.Errorf("attribute %s is not known here", k)
		}
	}
	switch kind {
	case "g", "title", "desc":
		return nil
	case "svg":
		box := strings.Fields(a["viewBox"])
		if len(box) != 4 || box[0] != "0" || box[1] != "0" {
			return fmt.Errorf("viewBox %q, want one from 0 0", a["viewBox"])
		}
		_, err := fmt.Fprintf(w, "drawing %s %s %s\n", name, box[2], box[3])
		return err
	}
	p, err := shape(kind, a)
	if err != nil {
		return err
	}
	if fill := ink(a["fill"], "#000000"); fill != "" {
		fmt.Fprintf(w, "fill %s%s\n", fill, p)
	}
	if stroke := ink(a["stroke"], ""); stroke != "" {
		width := 1.0
		if a["stroke-width"] != "" {
			if width, err = strconv.ParseFloat(a["stroke-width"], 64); err != nil {
				return err
			}
		}
		fmt.Fprintf(w, "stroke %d %s%s\n", units(width), stroke, p)
	}
	return nil
}

func ink(value, absent string) string {
	switch {
	case value == "":
		return absent
	case value == "none":
		return ""
	case value == "currentColor":
		return "ink"
	case len(value) == 4 && value[0] == '#':
		value = "#" + strings.Repeat(value[1:2], 2) + strings.Repeat(value[2:3], 2) + strings.Repeat(value[3:], 2)
	}
	return strings.ToLower(value)
}

// shape is an element's outline, each step with a blank before it.
func shape(kind string, a attributes) (string, error) {
	var err error
	num := func(k string) float64 {
		if a[k] == "" {
			return 0
		}
		v, e := strconv.ParseFloat(a[k], 64)
		err = errors.Join(err, e)
		return v
	}
	d := ""
	switch kind {
	case "path":
		d = a["d"]
	case "circle":
		d = oval(num("cx"), num("cy"), num("r"), num("r"))
	case "ellipse":
		d = oval(num("cx"), num("cy"), num("rx"), num("ry"))
	case "line":
		d = fmt.Sprintf("M %v %v L %v %v", num("x1"), num("y1"), num("x2"), num("y2"))
	case "polyline":
		d = "M " + a["points"]
	case "polygon":
		d = "M " + a["points"] + " Z"
	case "rect":
		x, y, w, h := num("x"), num("y"), num("width"), num("height")
		r := min(max(num("rx"), num("ry")), w/2, h/2)
		d = fmt.Sprintf("M %v %v h %v a %v %v 0 0 1 %v %v v %v a %v %v 0 0 1 %v %v h %v a %v %v 0 0 1 %v %v v %v a %v %v 0 0 1 %v %v Z",
			x+r, y, w-2*r, r, r, r, r, h-2*r, r, r, -r, r, 2*r-w, r, r, -r, -r, 2*r-h, r, r, r, -r)
	default:
		return "", errors.New("this element is not known here")
	}
	if err != nil {
		return "", err
	}
	return outline(d)
}

func oval(x, y, rx, ry float64) string {
	return fmt.Sprintf("M %v %v a %v %v 0 1 1 %v 0 a %v %v 0 1 1 %v 0 Z", x-rx, y, rx, ry, 2*rx, rx, ry, -2*rx)
}
