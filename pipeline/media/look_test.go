package media

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/disintegration/imaging"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// scene draws one 640x360 picture of a test video.
type scene func(img *image.RGBA, n int64)

func fill(img *image.RGBA, r image.Rectangle, c color.Color) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

func plain(c color.Color) scene {
	return func(img *image.RGBA, _ int64) { fill(img, img.Rect, c) }
}

// written draws lines of writing, letters 26 pixels high, at a place.
func written(at image.Point, ink color.Color, lines ...string) scene {
	return func(img *image.RGBA, _ int64) {
		for i, text := range lines {
			small := image.NewRGBA(image.Rect(0, 0, 7*len(text), 13))
			d := font.Drawer{Dst: small, Src: image.NewUniform(ink), Face: basicfont.Face7x13, Dot: fixed.P(0, 11)}
			d.DrawString(text)
			big := imaging.Resize(small, 2*small.Rect.Dx(), 26, imaging.NearestNeighbor)
			draw.Draw(img, big.Rect.Add(at).Add(image.Pt(0, 30*i)), big, image.Point{}, draw.Over)
		}
	}
}

// drawnVideo encodes 40 pictures of scenes laid over each other.
func drawnVideo(t *testing.T, tl *Tools, layers ...scene) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 640, 360))
	next := func(n int64) (*image.RGBA, bool, error) {
		for _, l := range layers {
			l(img, n)
		}
		return img, n < 40, nil
	}
	path, err := tl.EncodeFrames(context.Background(), FrameSpec{Width: 640, Height: 360, FPS: 25}, next, t.TempDir(), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var (
	darkGreen = color.RGBA{20, 120, 40, 255}
	clearRed  = color.RGBA{220, 20, 20, 255}
	deepBlue  = color.RGBA{20, 40, 200, 255}
)

func TestLookSeesWhatIsDrawn(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	noise := func(img *image.RGBA, n int64) {
		for i := range img.Pix {
			img.Pix[i] = uint8((i*2654435761 + int(n)*40503) >> 7)
		}
	}
	fence := func(img *image.RGBA, _ int64) {
		for x := 0; x < 640; x += 12 {
			fill(img, image.Rect(x, 0, x+6, 360), color.Black)
		}
	}
	for name, c := range map[string]struct {
		layers  []scene
		colours []string
		moving  string
		text    []string
	}{
		"halves": {[]scene{plain(deepBlue), func(img *image.RGBA, _ int64) { fill(img, image.Rect(0, 0, 400, 360), clearRed) }}, []string{"red", "blue"}, "", nil},
		"a mover": {[]scene{plain(darkGreen), func(img *image.RGBA, n int64) {
			x := 440 + int(4*n)
			fill(img, image.Rect(x, 280, x+40, 330), color.White)
		}}, []string{"green"}, "bottom right", nil},
		"all of it moves": {[]scene{noise}, []string{"grey"}, "any", nil},
		"black bars": {[]scene{plain(color.Black), func(img *image.RGBA, _ int64) {
			fill(img, image.Rect(160, 0, 480, 360), color.RGBA{230, 210, 40, 255})
		}}, []string{"yellow"}, "", nil},
		"nothing but black":   {[]scene{plain(color.Black)}, []string{"black"}, "", nil},
		"a title":             {[]scene{plain(deepBlue), written(image.Pt(215, 20), color.White, "GRAND OPENING", "of the museum")}, []string{"blue"}, "", []string{"top"}},
		"a subtitle":          {[]scene{plain(color.Gray{90}), written(image.Pt(20, 300), color.White, "She said: I never saw that red cup!")}, []string{"grey"}, "", []string{"bottom left", "bottom", "bottom right"}},
		"dark on white, left": {[]scene{plain(color.White), written(image.Pt(10, 150), color.Black, "Price 4.20 EUR", "for each piece")}, []string{"white"}, "", []string{"left"}},
		"a fence everywhere":  {[]scene{plain(color.White), fence}, []string{"black", "white"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := drawnVideo(t, tl, c.layers...)
			list, err := tl.MeasureAppearance(context.Background(), path, 25, []Span{{0, 40}})
			if err != nil {
				t.Fatal(err)
			}
			l := list[0]
			if c.moving == "any" && l.MotionAt != "" {
				l.MotionAt = "any"
			}
			slices.Sort(l.Colours)
			slices.Sort(c.colours)
			if !slices.Contains(l.Colours, c.colours[0]) || len(l.Colours) > 1+len(c.colours) || l.MotionAt != c.moving || !slices.Equal(l.Text, c.text) || l.Cuts != 0 {
				t.Errorf("%+v, want colours %v, motion %q, text %v", l, c.colours, c.moving, c.text)
			}
		})
	}
}

func TestLookMeasuresLight(t *testing.T) {
	tl := tools(t)
	for name, c := range map[string]struct {
		layers               []scene
		brightness, contrast float64
	}{
		"white": {[]scene{plain(color.White)}, 1, 0},
		"half":  {[]scene{plain(color.White), func(img *image.RGBA, _ int64) { fill(img, image.Rect(0, 20, 320, 360), color.Black) }}, 0.53, 0.5},
		"grey":  {[]scene{plain(color.Gray{128})}, 0.5, 0},
	} {
		list, err := tl.MeasureAppearance(context.Background(), drawnVideo(t, tl, c.layers...), 25, []Span{{0, 40}})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(list[0].Brightness-c.brightness) > 0.02 || math.Abs(list[0].Contrast-c.contrast) > 0.02 || list[0].Motion != 0 {
			t.Errorf("%s: %+v", name, list[0])
		}
	}
}

func TestLookKeepsSpansApart(t *testing.T) {
	tl := tools(t)
	path := drawnVideo(t, tl, func(img *image.RGBA, n int64) {
		switch {
		case n < 13:
			fill(img, img.Rect, clearRed)
		case n < 30:
			fill(img, img.Rect, darkGreen)
		default:
			fill(img, img.Rect, color.White)
		}
	})
	spans := []Span{{0, 13}, {13, 14}, {14, 36}, {36, 40}}
	list, err := tl.MeasureAppearance(context.Background(), path, 25, spans)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		colour string
		cuts   int32
	}{{"red", 0}, {"green", 0}, {"green", 1}, {"white", 0}}
	for i, w := range want {
		if len(list[i].Colours) == 0 || list[i].Colours[0] != w.colour || list[i].Cuts != w.cuts || list[i].Motion != 0 {
			t.Errorf("span %d: %+v, want %+v and no motion", i, list[i], w)
		}
	}
	again, err := tl.MeasureAppearance(context.Background(), path, 25, spans)
	if err != nil || !reflect.DeepEqual(list, again) {
		t.Errorf("a second look differs (%v)", err)
	}
	for name, bad := range map[string][]Span{"beyond the end": {{0, 41}}, "empty": {{5, 5}}, "backwards": {{10, 20}, {0, 5}}} {
		if _, err := tl.MeasureAppearance(context.Background(), path, 25, bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if none, err := tl.MeasureAppearance(context.Background(), path, 25, nil); err != nil || len(none) != 0 {
		t.Errorf("no spans: %v, %v", none, err)
	}
}

func TestColourNames(t *testing.T) {
	for name, c := range map[string][3]uint8{
		"black": {10, 10, 12}, "white": {250, 250, 245}, "grey": {128, 130, 127}, "red": {200, 20, 30}, "orange": {240, 140, 20},
		"yellow": {240, 230, 40}, "green": {30, 160, 60}, "cyan": {20, 200, 210}, "blue": {30, 60, 200}, "purple": {130, 40, 190},
		"pink": {240, 150, 160}, "brown": {110, 70, 30},
	} {
		if got := colourNames[colourOf(c[0], c[1], c[2])]; got != name {
			t.Errorf("%v is %s, want %s", c, got, name)
		}
	}
}
