package ocr_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"image/color"
	"os"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/ocr"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 .,:;-'&()/?!\""

// face is a typeface in one size.
type face struct {
	font draw.Font
	size int
}

// lesson is what a sheet has: letters, each in some typefaces.
type lesson struct {
	alphabet string
	faces    []face
}

func lessons() map[ocr.FontSet]lesson {
	return map[ocr.FontSet]lesson{
		ocr.PictureFonts: {alphabet, []face{
			{draw.Sans, 12}, {draw.Sans, 14}, {draw.SansMedium, 12}, {draw.SansMedium, 13}, {draw.SansMedium, 14}, {draw.SansBold, 22}, {draw.Serif, 15}, {draw.SerifBold, 26},
		}},
		ocr.ScreenFonts: {alphabet + "<>*%{}", []face{
			{draw.Sans, 11}, {draw.Sans, 12}, {draw.SansMedium, 13}, {draw.SansMedium, 14}, {draw.SansBold, 15}, {draw.SansBold, 16}, {draw.SansBold, 18},
			{draw.Serif, 12}, {draw.SerifBold, 16}, {draw.Mono, 12}, {draw.Mono, 14},
		}},
	}
}

// taught writes each letter of a lesson.
func taught(t *testing.T, of lesson) (out []ocr.Typeface) {
	t.Helper()
	studio := draw.NewStudio()
	for _, s := range of.faces {
		style := draw.Style{Font: s.font, Size: draw.Px(s.size), Ink: draw.Hex(0)}
		script := ocr.Typeface{Name: s.font.String()}
		wide := map[string]int{}
		measure := func(text string) int {
			w, err := studio.Width(style, text)
			if err != nil {
				t.Fatal(err)
			}
			return int(w)
		}
		for _, r := range of.alphabet {
			text := string(r)
			wide[text] = measure(text)
			l := ocr.Letter{Text: text, Advance: wide[text]}
			for part := range l.Shapes {
				l.Shapes[part] = shape(t, studio, style, text, part)
			}
			script.Letters = append(script.Letters, l)
		}
		for _, a := range of.alphabet {
			row := []int{}
			for _, b := range of.alphabet {
				row = append(row, measure(string(a)+string(b))-wide[string(a)]-wide[string(b)])
			}
			script.Kern = append(script.Kern, row)
		}
		out = append(out, script)
	}
	return out
}

// shape is how a letter looks a number of quarters of a pixel to the right.
func shape(t *testing.T, studio *draw.Studio, style draw.Style, text string, part int) (out ocr.Shape) {
	t.Helper()
	const pen, base, side = 16, 44, 72
	c, err := studio.NewCanvas(side, side, draw.Hex(0xffffff))
	if err != nil {
		t.Fatal(err)
	}
	c.Text(style, draw.Point{X: draw.Px(pen) + draw.Unit(16*part), Y: draw.Px(base)}, text)
	img := c.Image()
	ink := func(x, y int) byte { return 255 - color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y }
	x0, y0, x1, y1 := side, side, 0, 0
	for y := range side {
		for x := range side {
			if ink(x, y) > 0 {
				x0, y0, x1, y1 = min(x0, x), min(y0, y), max(x1, x+1), max(y1, y+1)
			}
		}
	}
	if x1 == 0 {
		return out
	}
	out = ocr.Shape{X: x0 - pen, Y: y0 - base, W: x1 - x0, H: y1 - y0}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			out.Pix = append(out.Pix, ink(x, y))
		}
	}
	return out
}

// TestLettersAreLearnt: the reader knows letters as they are written today.
func TestLettersAreLearnt(t *testing.T) {
	for sheet, of := range lessons() {
		want := taught(t, of)
		if golden.Updating() {
			learn(t, sheet, want)
			continue
		}
		got, err := ocr.LoadTypefaces(sheet)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the letters of %s differ from those that are written today (%v); go test ./pipeline/draw/ocr -run TestLettersAreLearnt -update", sheet, err)
		}
	}
}

// learn writes a sheet.
func learn(t *testing.T, sheet ocr.FontSet, scripts []ocr.Typeface) {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if err := json.NewEncoder(z).Encode(scripts); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(string(sheet), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
