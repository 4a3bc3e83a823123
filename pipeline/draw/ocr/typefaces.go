package ocr

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
)

// FontSet names typefaces that a reader can read. A reader of one set knows
// nothing of the other, so that what is read by one stays as it is when the
// other changes.
type FontSet string

// The sheets: what charts, tables, cards and pages are set in, and what screens are.
const (
	PictureFonts FontSet = "letters.json.gz"
	ScreenFonts  FontSet = "screens.json.gz"
)

// fontFiles are how letters of the typefaces look. A test holds them against what is
// written today, and says how they are made anew.
//
//go:embed letters.json.gz screens.json.gz
var fontFiles embed.FS

// maxFontFile bounds the learnt letters, in bytes.
const maxFontFile = 16 << 20

// Typeface is a typeface in one size.
type Typeface struct {
	Name    string   `json:"name"`
	Letters []Letter `json:"letters"`
	// Kern is how much nearer or further the second of two letters stands, in 1/64
	// pixel, for each pair.
	Kern [][]int `json:"kern"`
	// nearest is the least of a letter's Kern, 0 where none is less. A Reader works it
	// out once, for it is asked of every letter that is tried.
	nearest []int
}

// Letter is one letter of a typeface.
type Letter struct {
	Text string `json:"text"`
	// Advance is to the next letter, in 1/64 pixel.
	Advance int `json:"advance"`
	// Shapes are how it looks 0 to 3 quarters of a pixel to the right.
	Shapes [4]Shape `json:"shapes"`
}

// Shape is how much ink lies on each pixel, row by row, 0 to 255. X and Y are where its
// first pixel lies from that of the pen on the base line.
type Shape struct {
	X   int    `json:"x"`
	Y   int    `json:"y"`
	W   int    `json:"w"`
	H   int    `json:"h"`
	Pix []byte `json:"pix"`
	// columns are Pix column by column, and sums the ink of each: a Reader works them
	// out once, for it asks for columns only.
	columns []byte
	sums    []int
}

func (s *Shape) toColumns() {
	s.columns, s.sums = make([]byte, 0, len(s.Pix)), make([]int, s.W)
	for x := range s.W {
		for y := range s.H {
			s.columns = append(s.columns, s.Pix[y*s.W+x])
			s.sums[x] += int(s.Pix[y*s.W+x])
		}
	}
}

// addColumn adds the ink of a column from that of the pen to rows of which the
// first is so far from the base line.
func (s *Shape) addColumn(rows []int, x, first int) {
	if x -= s.X; x < 0 || x >= s.W {
		return
	}
	from := max(0, first-s.Y)
	column := s.columns[x*s.H+from : (x+1)*s.H]
	rows = rows[s.Y+from-first:]
	for i, ink := range column[:min(len(column), len(rows))] {
		rows[i] += int(ink)
	}
}

func (s *Shape) columnSum(x int) int {
	if x -= s.X; x < 0 || x >= s.W {
		return 0
	}
	return s.sums[x]
}

// LoadTypefaces returns the typefaces of a font set.
func LoadTypefaces(from FontSet) ([]Typeface, error) {
	sheet, err := fontFiles.ReadFile(string(from))
	if err != nil {
		return nil, fmt.Errorf("letters of the reader: %w", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(sheet))
	if err != nil {
		return nil, fmt.Errorf("letters of the reader: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxFontFile))
	if err != nil {
		return nil, fmt.Errorf("letters of the reader: %w", err)
	}
	var out []Typeface
	if err := json.Unmarshal(data, &out); err != nil {
		return nil, fmt.Errorf("letters of the reader: %w", err)
	}
	return out, nil
}
