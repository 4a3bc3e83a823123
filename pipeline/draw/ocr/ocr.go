// Package ocr reads charts, tables, cards, programmes and pages from their
// pixels. It gets a picture and its kind, never what was to be drawn, and it
// imports nothing that draws: it knows how letters of some typefaces look (see
// FontSet), and finds lines, letters, columns, bars and their scale by itself.
package ocr

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"
)

// Kinds of pictures.
const (
	Chart  = "chart"
	Table  = "table"
	Card   = "card"
	Poster = "poster"
	Page   = "page"
)

// Content is what a picture shows. A chart has a row for each bar, of its label and its
// value, and the name of its values as the only column. A card has rows of two cells, a
// page one paragraph a row; both have no columns.
type Content struct {
	Title   string
	Columns []string
	Rows    [][]string
}

// Reader reads pictures; it is safe for concurrent use.
type Reader struct {
	typefaces []Typeface
	around    int
}

// New loads the typefaces of a font set.
func New(from FontSet) (*Reader, error) {
	scripts, err := LoadTypefaces(from)
	for i, s := range scripts {
		for _, kern := range s.Kern {
			scripts[i].nearest = append(scripts[i].nearest, min(0, slices.Min(kern)))
		}
		for l := range s.Letters {
			for part := range s.Letters[l].Shapes {
				s.Letters[l].Shapes[part].toColumns()
			}
		}
	}
	around := 40
	if from == ScreenFonts { // whose panels stand close to each other, on other grounds
		around = 16
	}
	return &Reader{scripts, around}, err
}

// Line is a line of letters and where it stands.
type Line struct {
	image.Rectangle
	Text string
}

// line is one that was read.
type line struct {
	image.Rectangle
	text     string
	typeface int
}

func (l line) middle() int { return (l.Min.Y + l.Max.Y) / 2 }

func (l line) centre() int { return (l.Min.X + l.Max.X) / 2 }

// Lines reads all lines of a picture of any kind, those of one height together, from the
// top and the left. What cannot be read is left out.
func (r *Reader) Lines(img image.Image) (out [][]Line, err error) {
	_, rows, err := r.readRows(img)
	for _, row := range rows {
		var to []Line
		for _, l := range row {
			to = append(to, Line{l.Rectangle, l.text})
		}
		out = append(out, to)
	}
	return out, err
}

func (r *Reader) readRows(img image.Image) (*greyImage, [][]line, error) {
	p := newGreyImage(img, r.around)
	lines, err := p.findLines()
	if err != nil {
		return p, nil, err
	}
	texts, err := r.readLines(p, lines)
	return p, rowsOf(texts), err
}

// Read reads a picture. An error says what in it cannot be made out.
func (r *Reader) Read(img image.Image, kind string) (Content, error) {
	p, rows, err := r.readRows(img)
	if err != nil {
		return Content{}, err
	}
	if len(rows) < 2 {
		return Content{}, fmt.Errorf("%d lines of text are to be read in it; want a title and more", len(rows))
	}
	switch kind {
	case Chart:
		return readChart(p, rows)
	case Table, Poster:
		return readTable(rows)
	case Card:
		return readCard(rows)
	case Page:
		return readPage(rows)
	}
	return Content{}, fmt.Errorf("no reader for pictures of kind %q", kind)
}

// readLines reads what looks like lines of text and leaves out what cannot be
// read. It gives up where hardly anything can, since trying all letters on a
// line takes long.
func (r *Reader) readLines(p *greyImage, lines []image.Rectangle) (out []line, err error) {
	unread := 0
	order := make([]int, len(r.typefaces)) // scripts that were met last come first
	for i := range order {
		order[i] = i
	}
	for _, box := range lines {
		if box.Dy() < lowest || box.Dy() > tallest {
			continue
		}
		l, ok := r.readLine(p, box, order)
		if !ok {
			if unread++; unread > mostUnread {
				return nil, fmt.Errorf("%d things in it look like text and are none; an exhibit has at most %d", unread, mostUnread)
			}
			continue
		}
		out = append(out, l)
		at := slices.Index(order, l.typeface)
		order = slices.Insert(slices.Delete(order, at, at+1), 0, l.typeface)
	}
	return out, nil
}

// readLine reads a line in the typeface that explains it best. Thin letters may
// nowhere have their whole ink, so less of it is tried, too.
func (r *Reader) readLine(p *greyImage, box image.Rectangle, order []int) (line, bool) {
	for _, share := range []float64{1, 0.9, 0.8} {
		strip, best, least := p.measureInk(box, share), line{Rectangle: box}, 0.0
		for _, at := range order {
			for base := box.Max.Y; base >= box.Max.Y-deepest && (best.text == "" || least >= certain); base-- {
				text, cost := strip.search(&r.typefaces[at], base)
				if text = strings.TrimSpace(text); text != "" && (best.text == "" || cost < least) {
					best.text, best.typeface, least = text, at, cost
				}
			}
		}
		if best.text != "" {
			return best, true
		}
	}
	return line{}, false
}

const (
	lowest  = 5   // pixels of a line
	deepest = 8   // pixels of a letter below its base line
	certain = 0.3 // wholly wrong pixels of a line up to which no other script is tried

	mostUnread = 50 // lines; none of 300 exhibits has more than 5
)

func rowsOf(lines []line) (out [][]line) {
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.middle(), b.middle()) })
	for _, l := range lines {
		if n := len(out) - 1; n >= 0 && sameHeight(out[n][0], l) {
			out[n] = append(out[n], l)
			continue
		}
		out = append(out, []line{l})
	}
	for _, row := range out {
		slices.SortFunc(row, func(a, b line) int { return cmp.Compare(a.Min.X, b.Min.X) })
	}
	return out
}

func sameHeight(a, b line) bool {
	return min(a.Max.Y, b.Max.Y)-max(a.Min.Y, b.Min.Y) > min(a.Dy(), b.Dy())/2
}

func joinTexts(row []line) string {
	var out []string
	for _, l := range row {
		out = append(out, l.text)
	}
	return strings.Join(out, " ")
}
