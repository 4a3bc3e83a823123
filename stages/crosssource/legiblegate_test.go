package crosssource

import (
	"image"
	"image/color"
	idraw "image/draw"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/ocr"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// TestExhibitsAreRead: a reader that shares no code with what draws reads whole
// exhibits of every kind, in every colour, back from their encoded files.
func TestExhibitsAreRead(t *testing.T) {
	t.Parallel()
	each := testsize.Choose(3, 15) // of a kind
	r, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		t.Fatal(err)
	}
	studio, tried, read, n := draw.NewStudio(), map[string]int{}, map[string]int{}, 0
	exhibits(t, 12, func(_ *rand.Rand, x simulate.Picture) bool {
		if tried[x.Kind] == each {
			return false
		}
		n++
		tried[x.Kind]++
		theme := widget.Light(draw.Hex(0x2563eb))
		if n%3 == 0 && x.Kind != simulate.Poster && x.Kind != simulate.Page {
			theme = widget.Dark(theme.Accent)
		}
		_, img := encoded(t, studio, theme, x)
		seen, err := r.Read(img, x.Kind)
		if err != nil {
			t.Errorf("%s %q: %v", x.Kind, x.Title, err)
		} else if why := differenceFromRow(seen, renderedPicture("", x)); why != "" {
			t.Errorf("%s %q: %s", x.Kind, x.Title, why)
		} else {
			read[x.Kind]++
		}
		return n == 5*each
	})
	for _, kind := range []string{simulate.Chart, simulate.Sheet, simulate.Card, simulate.Poster, simulate.Page} {
		if read[kind] != each {
			t.Errorf("%d pictures of kind %s were read, want %d", read[kind], kind, each)
		}
	}
	t.Logf("%d pictures tried, read whole: %v", n, read)
}

// TestNumbersAboveBarsAreRead wherever the bar stands and whichever its height: a part of
// a tall bar of the dark look was once taken for a letter of the number above it.
func TestNumbersAboveBarsAreRead(t *testing.T) {
	t.Parallel()
	r, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		t.Fatal(err)
	}
	studio, light := draw.NewStudio(), widget.Light(draw.Hex(0x2563eb))
	looks := testsize.Choose([]widget.Theme{widget.Dark(light.Accent)}, []widget.Theme{widget.Dark(light.Accent), light})
	for _, theme := range looks {
		for place := range testsize.Choose(1, 6) {
			for v := 1001; v < 1200; v += 19 {
				x := simulate.Picture{Kind: simulate.Chart, Title: "Nelming: bird count by reserve", Columns: []string{"reserve", "bird count"}}
				for i, other := range []int{597, 374, 473, 315, 918, 1043} {
					if i == place {
						other = v
					}
					x.Rows = append(x.Rows, []string{"UJ-22" + strconv.Itoa(i), strconv.Itoa(other)})
				}
				_, img := encoded(t, studio, theme, x)
				if j := compareReading(r, img, renderedPicture("", x)); j.Outcome != pipeline.Pass {
					t.Errorf("%d at place %d: %s", v, place, j.Reason)
				}
			}
		}
	}
}

// TestNoPictureOfManyWorldsIsLost: what worlds of the default size show passes the gate, in
// the looks that they are drawn in.
func TestNoPictureOfManyWorldsIsLost(t *testing.T) {
	t.Parallel()
	r, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		t.Fatal(err)
	}
	studio, n, want := draw.NewStudio(), 0, testsize.Choose(30, 250)
	exhibits(t, 77, func(rnd *rand.Rand, x simulate.Picture) bool {
		n++
		_, img := encoded(t, studio, pickTheme(rnd, x.Kind), x)
		if j := compareReading(r, img, renderedPicture("", x)); j.Outcome != pipeline.Pass {
			t.Errorf("%s %q: %s", x.Kind, x.Title, j.Reason)
		}
		return n == want
	})
	if n != want {
		t.Errorf("%d pictures were read, want %d", n, want)
	}
}

// TestLegibleFindsWhatIsPlanted: another word or number in the row, a row too many, a
// value painted over and a bar that ends elsewhere are found, each by its code, and the
// exhibit as it was passes.
func TestLegibleFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	r, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		t.Fatal(err)
	}
	x := simulate.Picture{Kind: simulate.Chart, Title: "Wunnel: loaf count by bakery", Columns: []string{"bakery", "loaf count"}, Rows: [][]string{{"BH-258", "983"}, {"ML-280", "475"}, {"YN-697", "535"}}}
	table := simulate.Picture{Kind: simulate.Sheet, Title: "Stouzar: codes", Columns: []string{"code", "bakery"}, Rows: [][]string{{"YN-697", "Wolor Bakery"}, {"BH-258", "Beban Bakery"}}}
	for name, c := range map[string]struct {
		drawn simulate.Picture
		spoil func(*RenderedPicture, *image.RGBA)
		code  string
	}{
		"chart":          {x, func(*RenderedPicture, *image.RGBA) {}, ""},
		"table":          {table, func(*RenderedPicture, *image.RGBA) {}, ""},
		"other number":   {x, func(e *RenderedPicture, _ *image.RGBA) { e.Rows[1].Cells[1] = "476" }, "other-content"},
		"other label":    {table, func(e *RenderedPicture, _ *image.RGBA) { e.Rows[0].Cells[0] = "YN-691" }, "other-content"},
		"other order":    {table, func(e *RenderedPicture, _ *image.RGBA) { e.Rows[0], e.Rows[1] = e.Rows[1], e.Rows[0] }, "other-content"},
		"other title":    {x, func(e *RenderedPicture, _ *image.RGBA) { e.Title = "Wunnel: loaf counts by bakery" }, "other-content"},
		"row too many":   {table, func(e *RenderedPicture, _ *image.RGBA) { e.Rows = append(e.Rows, e.Rows[0]) }, "other-content"},
		"painted over":   {x, func(_ *RenderedPicture, img *image.RGBA) { blot(img, image.Rect(120, 90, 240, 118)) }, "illegible"},
		"another bar":    {x, func(_ *RenderedPicture, img *image.RGBA) { blot(img, image.Rect(160, 118, 260, 300)) }, "illegible"},
		"no such kind":   {x, func(e *RenderedPicture, _ *image.RGBA) { e.Kind = "map" }, "illegible"},
		"nothing at all": {x, func(_ *RenderedPicture, img *image.RGBA) { blot(img, img.Rect) }, "illegible"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			canvas, err := drawPicture(draw.NewStudio(), widget.Light(draw.Hex(0x2563eb)), c.drawn)
			if err != nil {
				t.Fatal(err)
			}
			img, row := canvas.Image(), renderedPicture("", with(c.drawn, 0, c.drawn.Rows[0][1]))
			c.spoil(&row, img)
			if got := compareReading(r, img, row); got.Code != c.code {
				t.Errorf("%s: %+v, want %q", name, got, c.code)
			}
		})
	}
}

func blot(img *image.RGBA, box image.Rectangle) {
	idraw.Draw(img, box, image.NewUniform(color.White), image.Point{}, idraw.Src)
}
