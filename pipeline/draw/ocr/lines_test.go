package ocr_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/ocr"
)

// TestLinesAreRead: lines are read as they were written, with those of one height together,
// from the top and the left.
func TestLinesAreRead(t *testing.T) {
	r, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		t.Fatal(err)
	}
	c, err := draw.NewStudio().NewCanvas(420, 200, draw.Hex(0xffffff))
	if err != nil {
		t.Fatal(err)
	}
	write := func(font draw.Font, size, x, y int, text string) {
		c.Text(draw.Style{Font: font, Size: draw.Px(size), Ink: draw.Hex(0)}, draw.Point{X: draw.Px(x), Y: draw.Px(y)}, text)
	}
	write(draw.SansBold, 22, 40, 50, "Opening hours")
	write(draw.Sans, 14, 40, 100, "Monday")
	write(draw.Sans, 14, 240, 100, "9 to 17")
	write(draw.Serif, 15, 40, 150, "Closed on Sundays.")
	rows, err := r.Lines(c.Image())
	if err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, row := range rows {
		var texts []string
		for _, l := range row {
			texts = append(texts, l.Text)
		}
		got = append(got, texts)
	}
	want := [][]string{{"Opening hours"}, {"Monday", "9 to 17"}, {"Closed on Sundays."}}
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q is read, want %q", got, want)
	}
}
