package picturereader_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/visual/oracle/picturereader"
	"github.com/memforge/memforge/stages/visual/paint"
	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// photo is a scene as a release holds it, decoded once, and where its things were
// drawn: the latter is for painting over and never for the reader.
type photo struct {
	img   *image.RGBA
	drawn map[string]image.Rectangle
}

// photos draws and encodes pictures of a life, each when it is first looked at.
type photos struct {
	painter *paint.Renderer
	life    simulate.Simulation
	taken   map[int]photo
}

func album(p *paint.Renderer, l simulate.Simulation) photos { return photos{p, l, map[int]photo{}} }

func (a photos) of(t testing.TB, at int) photo {
	t.Helper()
	if p, ok := a.taken[at]; ok {
		return p
	}
	c, err := a.painter.Draw(a.life.Scenes[at])
	if err != nil {
		t.Fatal(err)
	}
	encode := c.PNG
	if a.life.Scenes[at].Photo {
		encode = c.JPEG
	}
	data, err := encode()
	if err != nil {
		t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := photo{image.NewRGBA(img.Bounds()), map[string]image.Rectangle{}}
	draw.Draw(out.img, out.img.Rect, img, img.Bounds().Min, draw.Src)
	for _, m := range c.Marks() {
		if m.Kind == paint.MarkThing {
			out.drawn[m.Name] = m.Bounds()
		}
	}
	a.taken[at] = out
	return out
}

// over is a picture with a part painted over in a weave that nothing else has.
func over(img *image.RGBA, box image.Rectangle) *image.RGBA {
	out := image.NewRGBA(img.Rect)
	copy(out.Pix, img.Pix)
	box = box.Intersect(out.Rect)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			ink := uint8(255 * ((x/3 + y/3) % 2))
			out.SetRGBA(x, y, color.RGBA{ink, 0, ink, 255})
		}
	}
	return out
}

// tally is what became of questions of a grain.
type tally struct{ gold, other, unread, blind int }

// seeds of lives, none of which the reader learnt from.
const seeds = 4000

// TestReaderReads: what the reader makes out in an encoded picture is the gold and no
// other option, and once the decisive detail is painted over it makes out nothing.
func TestReaderReads(t *testing.T) {
	if testing.Short() {
		t.Skip("draws for a minute under the race detector; the suites of the stages draw side by side")
	}
	t.Parallel()
	r, err := picturereader.New()
	if err != nil {
		t.Fatal(err)
	}
	painter, n, got := paint.NewRenderer(), 0, map[string]*tally{"X1": {}, "X2": {}, "X3": {}, "X4": {}}
	for seed := range testsize.Choose(1, 2) {
		for i, s := range simulate.Scenarios() {
			if !testsize.Full() && i%2 == 0 {
				continue
			}
			l, err := s.Simulate(rand.New(rand.NewPCG(seeds+uint64(seed), 5)), simulate.Size{Sessions: 4, Rounds: 16, Pictures: 12})
			if err != nil {
				t.Fatal(err)
			}
			pictures, taken := album(painter, l), map[string]int{}
			for _, d := range shuffled(question.WriteDrafts(rand.New(rand.NewPCG(1, 1)), l, question.Quota{PerCell: 12})) {
				if d.Form == question.Value && taken[d.Aspect] < testsize.Choose(1, 4) {
					taken[d.Aspect]++
					n++
					readOne(t, r, pictures, d, got[scene.Granularity(d.Aspect)])
				}
			}
		}
	}
	read := 0
	for _, grain := range []string{"X1", "X2", "X3", "X4"} {
		c := got[grain]
		t.Logf("%s: gold read %d, another option %d, not made out %d, read after painting over %d", grain, c.gold, c.other, c.unread, c.blind)
		if read += c.gold; testsize.Full() && c.gold < fewestRead {
			t.Errorf("%s: %d were read, want at least %d", grain, c.gold, fewestRead)
		}
	}
	if want := testsize.Choose(8, 150); read < want {
		t.Errorf("%d of %d were read, want at least %d", read, n, want)
	}
}

// fewestRead is how many of each granularity are read at full size.
const fewestRead = 15

func shuffled(list []question.Draft) []question.Draft {
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func readOne(t *testing.T, r *picturereader.Reader, pictures photos, d question.Draft, c *tally) {
	t.Helper()
	thing, options := d.Clues[0].Thing, append([]string{d.Gold}, d.Wrong...)
	p := pictures.of(t, d.Clues[0].Scene)
	value, err := r.Value(p.img, thing, d.Aspect, options)
	switch {
	case err != nil:
		t.Fatal(err)
	case value == "":
		c.unread++
		return
	case value != d.Gold:
		c.other++
		t.Errorf("%s: %q: read %q, gold is %q", pictures.life.Scenario, d.OpenQuestion, value, d.Gold)
		return
	}
	c.gold++
	if value, err := r.Value(over(p.img, p.drawn[thing]), thing, d.Aspect, options); err != nil || value != "" {
		c.blind++
		t.Errorf("%s: %q: with it painted over %q is read (%v)", pictures.life.Scenario, d.OpenQuestion, value, err)
	}
}

// TestAnswer answers whole questions, of every form, from views of their pictures.
func TestAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("draws for a minute under the race detector; the suites of the stages draw side by side")
	}
	t.Parallel()
	r, err := picturereader.New()
	if err != nil {
		t.Fatal(err)
	}
	painter, right, other := paint.NewRenderer(), map[string]int{}, map[string]int{}
	for i, s := range simulate.Scenarios() {
		if !testsize.Full() && i != 1 {
			continue
		}
		l, err := s.Simulate(rand.New(rand.NewPCG(seeds, 9)), simulate.Size{Sessions: 4, Rounds: 16, Pictures: 12})
		if err != nil {
			t.Fatal(err)
		}
		pictures, taken := album(painter, l), map[string]int{}
		for _, d := range shuffled(question.WriteDrafts(rand.New(rand.NewPCG(1, 1)), l, question.Quota{PerCell: 12})) {
			most := testsize.Choose(2, 3)
			if d.Form == question.Sum { // what one of several pictures hides is enough to leave it
				most *= 5
			}
			if taken[d.Form+d.Aspect]++; taken[d.Form+d.Aspect] > most {
				continue
			}
			a, ok, err := r.Answer(d.OpenQuestion, append([]string{d.Gold}, d.Wrong...), passages(t, pictures, d.Clues))
			switch {
			case err != nil || !ok:
				t.Fatalf("%q: asked in no way that is known, or %v", d.OpenQuestion, err)
			case a.Option == 0:
				right[d.Form]++
				blank(t, r, d)
			case a.Option > 0:
				other[d.Form]++
				t.Errorf("%s: %q: %s gold is %q", s.Name, d.OpenQuestion, a.Why, d.Gold)
			}
		}
	}
	t.Logf("right %v, other %v", right, other)
	for _, form := range []string{question.Value, question.Match, question.Sum, question.Current, question.Before} {
		if right[form] == 0 && (testsize.Full() || form == question.Value) {
			t.Errorf("no question of the form %s was answered", form)
		}
	}
}

// blank asks the same with no picture to look at.
func blank(t *testing.T, r *picturereader.Reader, d question.Draft) {
	t.Helper()
	a, _, err := r.Answer(d.OpenQuestion, append([]string{d.Gold}, d.Wrong...), []picturereader.Passage{{Text: "[2025-01-01]\nuser: Here it is."}})
	if err != nil || a.Option >= 0 {
		t.Errorf("%q is answered %d without a picture (%v)", d.OpenQuestion, a.Option, err)
	}
}

// passages are the rounds of clues, as evidence quotes them.
func passages(t *testing.T, pictures photos, clues []question.Clue) (out []picturereader.Passage) {
	t.Helper()
	l := pictures.life
	for _, c := range clues {
		for _, s := range l.Sessions {
			for _, round := range s.Rounds {
				if round.Scene == c.Scene {
					out = append(out, picturereader.Passage{
						Text: "[" + s.Date + "]\nuser: " + round.User, ID: strings.Join([]string{l.Scenario, s.Date, c.Thing, string(rune('a' + c.Scene))}, "/"),
						Open: func() (image.Image, error) { return pictures.of(t, c.Scene).img, nil },
					})
				}
			}
		}
	}
	return out
}
