package film

import (
	"fmt"
	"hash/fnv"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/procedural"
)

// written gives scripts of the source procedural in a small size.
func written(t *testing.T, count int, change func(*procedural.Config)) []schemas.Film {
	t.Helper()
	var c procedural.Config
	c.SetDefaults()
	c.Width, c.Height = 320, 180
	change(&c)
	var out []schemas.Film
	for i := range count {
		f, err := procedural.Generate(func(labels ...string) *rand.Rand {
			h := fnv.New64a()
			fmt.Fprintf(h, "%q", labels)
			return rand.New(rand.NewPCG(5, h.Sum64()))
		}, c, i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// TestOnlySignsAndTitleBearText draws frames of films of every place and level
// in other letters. Behind the title card that changes pixels on the sign and
// nowhere else, so no stamp, clock or caption tells which film it is.
func TestOnlySignsAndTitleBearText(t *testing.T) {
	usual, err := loadAssets()
	if err != nil {
		t.Fatal(err)
	}
	other := &assets{bold: usual.mono, medium: usual.bold, mono: usual.medium, props: usual.props}
	for i, f := range written(t, 16, func(c *procedural.Config) { c.Seconds = 20 }) {
		a, b := newFrameRendererWith(f, usual), newFrameRendererWith(f, other)
		if differing(a.drawFrame(3), b.drawFrame(3), image.Rectangle{}) == 0 {
			t.Errorf("film %d: the title card bears no text", i)
		}
		lettered := 0
		for n := int64(f.Card*float64(f.FPS)) + 1; n < f.Frames; n += 97 {
			board := a.boardAt(float64(n) / float64(f.FPS))
			x, y := a.drawFrame(n), b.drawFrame(n)
			lettered += differing(x, y, image.Rectangle{})
			if out := differing(x, y, board); out > 0 {
				t.Errorf("film %d frame %d: text makes %d pixels beside the sign at %v", i, n, out, board)
			}
		}
		if lettered == 0 {
			t.Errorf("film %d: the sign bears no text", i)
		}
	}
}

// boardAt is where the sign is in the frame at t.
func (a *frameRenderer) boardAt(t float64) image.Rectangle {
	x, y, zoom := viewAt(a.film, t)
	k := a.scale * zoom
	for _, s := range a.film.Fixtures {
		if s.Group == schemas.FilmSign {
			w, h := 66.0, 34.0
			return image.Rect(int((s.At.X-w-x)*k), int((s.At.Y-h-y)*k), int(math.Ceil((s.At.X+w-x)*k)), int(math.Ceil((s.At.Y+h-y)*k)))
		}
	}
	return image.Rectangle{}
}

// differing counts the pixels outside a rectangle in which two frames differ.
func differing(a, b *image.RGBA, but image.Rectangle) (n int) {
	for y := range a.Rect.Dy() {
		for x := range a.Rect.Dx() {
			if !image.Pt(x, y).In(but) && a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				n++
			}
		}
	}
	return n
}

// TestTwinsLookMoreAlikeWithLikeness compares the empty backdrops of twins: the
// mean difference of their pixels falls with the level, to that of the things
// which stand in other places.
func TestTwinsLookMoreAlikeWithLikeness(t *testing.T) {
	const pairs = 8
	last := math.Inf(1)
	for _, level := range []float64{0, 0.5, 1} {
		films := written(t, 2*pairs, func(c *procedural.Config) { c.Likeness, c.Seconds = []float64{level}, 12 })
		sum := 0.0
		for i := 0; i < len(films); i += 2 {
			a, b := artistOf(t, films[i]), artistOf(t, films[i+1])
			for n := range a.back.Pix {
				sum += math.Abs(float64(a.back.Pix[n]) - float64(b.back.Pix[n]))
			}
		}
		mean := sum / float64(pairs*len(artistOf(t, films[0]).back.Pix))
		t.Logf("likeness %g: the backdrops of twins differ by %.1f of 255", level, mean)
		if mean > 0.7*last {
			t.Errorf("likeness %g: backdrops differ by %.1f, at the level below by %.1f", level, mean, last)
		}
		last = mean
	}
}

// TestAFilmOfTenMinutesIsDrawn looks at frames over the whole of one.
func TestAFilmOfTenMinutesIsDrawn(t *testing.T) {
	f := written(t, 1, func(c *procedural.Config) { c.Seconds, c.Width, c.Height, c.FPS = 600, 160, 92, 10 })[0]
	if err := checkScript(f); err != nil {
		t.Fatal(err)
	}
	a := artistOf(t, f)
	seen := map[string]bool{}
	for n := int64(0); n < f.Frames; n += 600 {
		seen[string(a.drawFrame(n).Pix)] = true
	}
	if len(seen) != 10 {
		t.Errorf("%d of 10 frames differ", len(seen))
	}
}

// TestFilmsCanBeCutWhereAsked wants keyframes at the bounds of segments, and
// the played film to be as long as its normalised video.
func TestFilmsCanBeCutWhereAsked(t *testing.T) {
	tools := tools(t)
	f := written(t, 1, func(c *procedural.Config) { c.Seconds, c.Width, c.Height, c.FPS = 10, 160, 92, 10 })[0]
	d, err := Render(t.Context(), tools, f, Config{Sound: true, Segments: []int{4}}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if m := d.Normalised; m.Frames != f.Frames || !m.HasAudio || m.KeyEvery != media.DefaultProfile().KeyEvery || fmt.Sprint(m.Keyframes) != "[25 50 75]" {
		t.Errorf("normalised video %+v; want keyframes at 25, 50 and 75 of %d", m, f.Frames)
	}
	facts, err := tools.Probe(t.Context(), d.Path, media.DefaultLimits())
	if err != nil || facts.Frames != f.Frames || !facts.HasAudio {
		t.Errorf("%v: %+v", err, facts)
	}
	if _, err := New(Config{Segments: []int{1}}); err == nil {
		t.Error("one segment is accepted")
	}
}

// TestWhatIsPutDownStays follows every thing that is put down, brought in from
// outside or not: it stands where it was put until somebody picks it up.
func TestWhatIsPutDownStays(t *testing.T) {
	brought, puts := 0, 0
	for _, f := range written(t, 12, func(c *procedural.Config) { c.Seconds = 60 }) {
		for n, e := range f.Events {
			if e.Kind != schemas.FilmPuts {
				continue
			}
			puts++
			if f.Props[indexProp(f, e.Prop)].Away {
				brought++
			}
			until := f.Duration()
			for _, later := range f.Events[n+1:] {
				if later.Kind == schemas.FilmPicks && later.Prop == e.Prop {
					until = later.Start
					break
				}
			}
			for _, at := range []float64{e.End, (e.End + until) / 2, until} {
				p := sceneAt(f, at).props[indexProp(f, e.Prop)]
				if p.gone || p.holder >= 0 || p.at != *e.Place {
					t.Errorf("%s: %s, put at %v at %.2f s, is %+v at %.2f s", f.Title, e.Prop, *e.Place, e.Start, p, at)
				}
			}
		}
	}
	if brought < 10 || puts-brought < 10 {
		t.Errorf("%d things were put down, %d of them brought in; the test wants ten of either sort", puts, brought)
	}
}
