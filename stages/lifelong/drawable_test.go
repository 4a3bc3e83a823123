package lifelong_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/oracle/screenreader"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/written"
)

// TestDrawableTextIsRead: the reader of pixels reads every sign that a plan may write into a
// picture, alone and beside others, in cards and in sheets.
func TestDrawableTextIsRead(t *testing.T) {
	r, err := screenreader.New()
	if err != nil {
		t.Fatal(err)
	}
	studio, theme := draw.NewStudio(), widget.Light(draw.Hex(0x2563eb))
	var texts []string
	for c := rune(' '); c < 127; c++ {
		for _, text := range []string{fmt.Sprintf("25 %c", c), fmt.Sprintf("%c 25", c), fmt.Sprintf("a%cb", c), fmt.Sprintf("10%c20", c)} {
			if text == strings.TrimSpace(text) && written.Drawable(text) {
				texts = append(texts, text)
			}
		}
	}
	for _, kind := range []string{written.Card, written.Table} {
		for some := range slices.Chunk(texts, 8) {
			x := simulate.Picture{Kind: kind, Title: "Notes of Tuesday"}
			for i, text := range some {
				x.Rows = append(x.Rows, [2]string{fmt.Sprintf("Row %c", 'A'+i), text})
			}
			c, err := lifelong.Paint(studio, theme, x)
			if err != nil {
				t.Fatal(err)
			}
			got, err := r.Read(c.Image(), kind)
			if err != nil || got.Title != x.Title || !slices.Equal(got.Rows, x.Rows) {
				t.Errorf("%s: read %q of %q, %v", kind, got.Rows, x.Rows, err)
			}
		}
	}
}
