// Package screenreader reads what the pictures of lifelong tasks show from their pixels: cards,
// tables, charts, screens of applications and views of places. It gets a picture and of
// what kind it is, never what was to be drawn, and imports nothing that draws.
package screenreader

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/draw/ocr"
)

// Kinds of pictures.
const (
	Card   = "card"
	Sheet  = "sheet"
	Chart  = "chart"
	Screen = "screen"
)

// Contents is what a picture shows: its title, and names with their values from the top.
type Contents struct {
	Title string
	Rows  [][2]string
}

// Reader reads; it is safe for concurrent use.
type Reader struct{ papers, screens *ocr.Reader }

// New learns.
func New() (*Reader, error) {
	exhibits, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		return nil, err
	}
	screens, err := ocr.New(ocr.ScreenFonts)
	return &Reader{exhibits, screens}, err
}

// Read reads a picture. An error says what in it cannot be made out.
func (r *Reader) Read(img image.Image, kind string) (Contents, error) {
	if kind == Screen {
		lines, err := r.screens.Lines(img)
		if err != nil {
			return Contents{}, err
		}
		return readScreen(lines)
	}
	as, ok := map[string]string{Card: ocr.Card, Sheet: ocr.Table, Chart: ocr.Chart}[kind]
	if !ok {
		return Contents{}, fmt.Errorf("nobody reads a picture of kind %q", kind)
	}
	seen, err := r.papers.Read(img, as)
	if err != nil {
		return Contents{}, err
	}
	out := Contents{Title: seen.Title}
	for _, row := range seen.Rows {
		if len(row) != 2 || row[1] == "" {
			return out, fmt.Errorf("beside %q stands no value", row[0])
		}
		if kind == Chart {
			row[0] = strings.Join(append(slices.Clone(seen.Columns), row[0]), " in ")
		}
		out.Rows = append(out.Rows, [2]string{row[0], row[1]})
	}
	return out, nil
}

// near is how far apart lines may begin that stand in one column, in pixels: letters have
// room at their left of their own.
const near = 3

// readScreen finds the two columns that most rows share, and the title above them. Menus
// and lists of other things have no such columns or lie further left.
func readScreen(lines [][]ocr.Line) (out Contents, err error) {
	if len(lines) > mostRows || slices.ContainsFunc(lines, func(row []ocr.Line) bool { return len(row) > mostRows }) {
		return out, fmt.Errorf("it has more than %d rows, or more in one of them", mostRows)
	}
	name, value := findColumns(lines)
	if value == 0 {
		return out, fmt.Errorf("no two columns stand beside each other")
	}
	first := 0
	for _, row := range lines {
		n, v := lineAt(row, name), lineAt(row, value)
		if n < 0 || v < 0 {
			continue
		}
		if len(out.Rows) == 0 {
			first = row[n].Min.Y
		}
		out.Rows = append(out.Rows, [2]string{strings.TrimSuffix(row[n].Text, ":"), row[v].Text})
	}
	var code bool
	if out.Title, code = findTitle(lines, name, first); out.Title == "" {
		return out, fmt.Errorf("nothing above %q says what the rows are about", out.Rows[0][0])
	}
	for i := range out.Rows {
		if code { // names of a style sheet have dashes before and between their words
			out.Rows[i][0] = strings.ReplaceAll(strings.TrimLeft(out.Rows[i][0], "-"), "-", " ")
		}
	}
	return out, nil
}

// mostRows is more rows, and more lines in one, than a picture has that is read here.
const mostRows = 64

// findColumns returns where the lines of most rows begin; the rightmost of several such
// pairs.
func findColumns(lines [][]ocr.Line) (name, value int) {
	most := 0
	for _, row := range lines {
		for i := range row {
			for j := i + 1; j < len(row); j++ {
				n := 0
				for _, other := range lines {
					if lineAt(other, row[i].Min.X) >= 0 && lineAt(other, row[j].Min.X) >= 0 {
						n++
					}
				}
				if cmp.Or(cmp.Compare(n, most), cmp.Compare(row[i].Min.X, name+near)) > 0 {
					most, name, value = n, row[i].Min.X, row[j].Min.X
				}
			}
		}
	}
	return name, value
}

// lineAt returns the index of the line that begins at x, or -1.
func lineAt(row []ocr.Line, x int) int {
	return slices.IndexFunc(row, func(l ocr.Line) bool { return l.Min.X >= x-near && l.Min.X <= x+near })
}

// findTitle returns the text of a window's bar, or else of the nearest line above the
// rows that is aligned with them. It also reports whether the rows are code.
func findTitle(lines [][]ocr.Line, x, below int) (text string, code bool) {
	for _, row := range lines {
		for i, l := range row {
			if l.Min.Y >= below {
				continue
			}
			if text, ok := nameInBar(joinLines(row[i:])); ok {
				return text, strings.HasPrefix(l.Text, "/*")
			}
			if l.Min.X >= x-2*near && l.Min.X <= x+2*near && l.Text != "Image properties" {
				text = l.Text
			}
		}
	}
	return text, false
}

func joinLines(row []ocr.Line) string {
	var out []string
	for _, l := range row {
		out = append(out, l.Text)
	}
	return strings.Join(out, " ")
}

// nameInBar returns the part of a bar or path that names a thing.
func nameInBar(text string) (string, bool) {
	for _, f := range [][2]string{{"", " - Workbook"}, {"", " - Document"}, {"Configuration", ""}, {"Home", ""}, {"/*", "*/"}} {
		if len(text) > len(f[0])+len(f[1]) && strings.HasPrefix(text, f[0]) && strings.HasSuffix(text, f[1]) {
			text = strings.TrimSuffix(strings.TrimPrefix(text, f[0]), f[1])
			at := strings.LastIndexAny(text, ">/")
			return strings.TrimSpace(text[at+1:]), true
		}
	}
	return "", false
}
