package paint

import (
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// drawnRoom is a picture of a room as it was drawn.
type drawnRoom struct {
	of     scene.Scene
	canvas *draw.Canvas
}

// drawLives draws lives of some scenarios, so many of each, and shows each picture to
// a test: all of them at full size, and else those that have a backdrop, a kind of
// thing or something that it tells which few before them have. The pixels of these are
// pinned in a golden file: who means to change them raises the version of visual.render.
func drawLives(t *testing.T, seeds uint64, names []string, each func(n int, d drawnRoom)) {
	t.Helper()
	r, n, had := NewRenderer(), 0, map[string]int{}
	var pixels strings.Builder
	for _, s := range simulate.Scenarios() {
		if !slices.Contains(names, s.Name) {
			continue
		}
		for seed := range seeds {
			l, err := s.Simulate(rand.New(rand.NewPCG(seed, 5)), simulate.Size{Sessions: 3, Rounds: 36, Pictures: 36})
			if err != nil {
				t.Fatal(err)
			}
			for i, sc := range l.Scenes {
				if !isNews(had, sc) && !testsize.Full() {
					continue
				}
				c, err := r.Draw(sc)
				if err != nil {
					t.Fatalf("%s, seed %d, picture %d: %v", s.Name, seed, i, err)
				}
				fmt.Fprintf(&pixels, "%s, seed %d, picture %d, %s, %d x %d: %.12s\n", s.Name, seed, i, sc.Backdrop, sc.Width, sc.Height, c.PixelDigest())
				each(n, drawnRoom{sc, c})
				n++
			}
		}
	}
	if !testsize.Full() {
		golden.Check(t, strings.Join(names, "_"), pixels.String())
	}
}

// isNews counts what is in a scene, and is true where something has been in fewer than
// two before it.
func isNews(had map[string]int, sc scene.Scene) bool {
	has := map[string]bool{sc.Backdrop: true}
	noteKinds(has, sc.Things)
	for _, thing := range sc.NamedThings() {
		for _, a := range thing.Tells {
			has[thing.Kind+" tells "+a] = true
			if a == scene.Setting {
				has[thing.Look[a]] = true
			}
		}
	}
	news := false
	for what := range has {
		news = news || had[what] < 2
	}
	for what := range has {
		if news {
			had[what]++
		}
	}
	return news
}

// TestRoomsShowWhatTheyTell: and nothing that decides is covered.
func TestRoomsShowWhatTheyTell(t *testing.T) {
	used, told, digests := map[string]bool{}, map[string]int{}, map[string]bool{}
	drawLives(t, testsize.Choose[uint64](2, 4), []string{"home_renovation", "cross_scene_archive"}, func(n int, d drawnRoom) {
		checkCovered(t, n, d)
		used[d.of.Backdrop] = true
		noteKinds(used, d.of.Things)
		if p := string(d.canvas.PixelDigest()); digests[p] {
			t.Errorf("two scenes are the same picture")
		} else {
			digests[p] = true
		}
		for _, thing := range d.of.NamedThings() {
			for _, a := range thing.Tells {
				told[a]++
			}
			checkColour(t, d, thing)
			checkText(t, d, thing)
			checkCount(t, d, thing)
		}
	})
	for _, s := range []painters{rooms(), furniture(), samples(), occasions(), museum()} {
		for _, kind := range append(slices.Collect(maps.Keys(s.kinds)), slices.Collect(maps.Keys(s.backdrops))...) {
			if !used[kind] && !isTool(kind) {
				t.Errorf("no picture has a %q", kind)
			}
		}
	}
	for _, a := range []string{scene.Activity, scene.Setting, scene.Place, scene.Beside, scene.Which, scene.Colour, scene.Pattern, scene.Text, scene.Count} {
		if told[a] == 0 {
			t.Errorf("no picture tells a %s", a)
		}
	}
}

// isTool is true of the kinds of which a picture has few of many.
func isTool(kind string) bool {
	for name := range tools() {
		if toolKind(name) == kind {
			return true
		}
	}
	return false
}

func noteKinds(used map[string]bool, things []scene.Thing) {
	for _, thing := range things {
		used[thing.Kind] = true
		noteKinds(used, thing.Parts)
	}
}

// checkColour wants most pixels in the middle of a thing to be near the ink that it
// tells, and near no other.
func checkColour(t *testing.T, d drawnRoom, thing scene.Thing) {
	t.Helper()
	if !slices.Contains(thing.Tells, scene.Colour) {
		return
	}
	img, b := d.canvas.Image(), thing.Box
	near, all := 0, 0
	for y := b[1] + b[3]*3/8; y < b[1]+b[3]*5/8; y++ {
		for x := b[0] + b[2]*3/8; x < b[0]+b[2]*5/8; x++ {
			all++
			if word, far := nearestInk(img, x, y); word == thing.Look[scene.Colour] && far <= 48 {
				near++
			}
		}
	}
	if near*10 < all*7 {
		t.Errorf("%s is told to be %s: %d of %d pixels in its middle are", thing.Name, thing.Look[scene.Colour], near, all)
	}
}

// nearestInk is the word for the colour of a pixel, and how far the pixel is from it
// in the channel that differs most.
func nearestInk(img *image.RGBA, x, y int) (word string, far int) {
	p := img.RGBAAt(x, y)
	best := 1 << 30
	for _, w := range scene.Colours() {
		ink, _ := scene.Ink(w)
		dr, dg, db := int(p.R)-int(ink.R), int(p.G)-int(ink.G), int(p.B)-int(ink.B)
		if d := dr*dr + dg*dg + db*db; d < best {
			best, word, far = d, w, max(dr, -dr, dg, -dg, db, -db)
		}
	}
	return word, far
}

func checkText(t *testing.T, d drawnRoom, thing scene.Thing) {
	t.Helper()
	if !slices.Contains(thing.Tells, scene.Text) {
		return
	}
	inside := image.Rect(thing.Box[0], thing.Box[1], thing.Box[0]+thing.Box[2], thing.Box[1]+thing.Box[3])
	for _, m := range d.canvas.Marks() {
		if m.Kind == "text" && m.Text == thing.Look[scene.Text] && m.Bounds().In(inside) {
			if m.Cut || m.Size < draw.Px(16) {
				t.Errorf("%q on %s is cut (%t) or small (%d)", m.Text, thing.Name, m.Cut, m.Size/64)
			}
			return
		}
	}
	t.Errorf("%q is not written on %s", thing.Look[scene.Text], thing.Name)
}

// checkCount wants as many parts as are told, apart from each other.
func checkCount(t *testing.T, d drawnRoom, thing scene.Thing) {
	t.Helper()
	if !slices.Contains(thing.Tells, scene.Count) {
		return
	}
	marks := d.canvas.Marks()
	var boxes []image.Rectangle
	for _, m := range marks {
		if m.Kind == MarkItem && m.Parent >= 0 && marks[m.Parent].Name == thing.Name {
			boxes = append(boxes, m.Bounds())
		}
	}
	if strconv.Itoa(len(boxes)) != thing.Look[scene.Count] {
		t.Errorf("%s shows %d %s and tells %s", thing.Name, len(boxes), thing.Class, thing.Look[scene.Count])
	}
	for i, one := range boxes {
		for _, another := range boxes[i+1:] {
			if one.Overlaps(another) {
				t.Errorf("two %s of %s overlap: %v and %v", thing.Class, thing.Name, one, another)
			}
		}
	}
}

// checkCovered looks at one in four drawings, of few at one in two, and draws it up to
// each thing that tells something small: what comes after may shade it and no more.
func checkCovered(t *testing.T, n int, d drawnRoom) {
	t.Helper()
	if n%testsize.Choose(2, 4) != 0 {
		return
	}
	r := NewRenderer()
	for i, thing := range d.of.Things {
		areas := decidingAreas(d, thing)
		if len(areas) == 0 {
			continue
		}
		until := d.of
		until.Things = d.of.Things[:i+1]
		c, err := r.Draw(until)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range areas {
			if off := changed(c.Image(), d.canvas.Image(), a); off*50 > a.Dx()*a.Dy() {
				t.Errorf("picture %d: %d of %d pixels of %s at %v are painted over", n, off, a.Dx()*a.Dy(), thing.Name, a)
			}
		}
	}
}

// decidingAreas are where text, counted things and the middle of colours lie.
func decidingAreas(d drawnRoom, thing scene.Thing) []image.Rectangle {
	var out []image.Rectangle
	if slices.Contains(thing.Tells, scene.Colour) {
		b := thing.Box
		out = append(out, image.Rect(b[0]+b[2]*3/8, b[1]+b[3]*3/8, b[0]+b[2]*5/8, b[1]+b[3]*5/8))
	}
	marks := d.canvas.Marks()
	for _, m := range marks {
		if (m.Kind == MarkItem || m.Kind == "text") && m.Parent >= 0 && marks[m.Parent].Name == thing.Name && thing.Name != "" {
			out = append(out, m.Bounds())
		}
	}
	return out
}

func changed(a, b *image.RGBA, in image.Rectangle) int {
	n := 0
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			p, q := a.RGBAAt(x, y), b.RGBAAt(x, y)
			if max(int(p.R)-int(q.R), int(q.R)-int(p.R), int(p.G)-int(q.G), int(q.G)-int(p.G), int(p.B)-int(q.B), int(q.B)-int(p.B)) > 40 {
				n++
			}
		}
	}
	return n
}

// TestRoomsValuesLookDifferent draws one thing with each value that it could tell:
// no two may be the same picture, nor may one be no picture at all.
func TestRoomsValuesLookDifferent(t *testing.T) {
	pools := map[string][]string{}
	for _, s := range simulate.Scenarios() {
		l, err := s.Simulate(rand.New(rand.NewPCG(1, 1)), simulate.Size{Sessions: 1, Rounds: 1, Pictures: 1})
		if err != nil {
			t.Fatal(err)
		}
		if s.Name == "home_renovation" || s.Name == "cross_scene_archive" {
			for k, v := range l.Pools {
				pools[k] = append(pools[k], v...)
			}
		}
	}
	r := NewRenderer()
	var pixels strings.Builder
	for _, tc := range []struct{ kind, aspect, pool string }{
		{"bed", scene.Which, "which:painting"}, {"fireplace", scene.Which, "which:painting"}, {"counter", scene.Which, "which:tile"},
		{"occasion", scene.Activity, scene.Activity}, {"mat", scene.Which, "which:tile"}, {"front-stand", scene.Which, "which:cabinet front"},
		{"pedestal", scene.Which, "which:vase"}, {"wallpaper", scene.Pattern, scene.Pattern}, {"rug", scene.Pattern, scene.Pattern},
		{"splashback", scene.Pattern, scene.Pattern},
		{"", scene.Beside, scene.Beside},
	} {
		values := pools[tc.pool]
		slices.Sort(values)
		values = slices.Compact(values)
		picture := scene.Scene{Backdrop: "room", Width: 1024, Height: 640}
		seen := map[string]string{pixelsOf(t, r, picture): "nothing"}
		for _, v := range values {
			kind := tc.kind
			if kind == "" {
				kind = toolKind(v)
			}
			picture.Things = []scene.Thing{{Kind: kind, Box: [4]int{0, 300, 1024, 340}, Look: map[string]string{tc.aspect: v}}}
			p := pixelsOf(t, r, picture)
			fmt.Fprintf(&pixels, "%s %s: %.12s\n", kind, v, pipeline.DigestOf([]byte(p)))
			if seen[p] != "" {
				t.Errorf("%s: %s looks as %s does", tc.kind, v, seen[p])
			}
			seen[p] = v
		}
		if len(values) < 8 {
			t.Errorf("%s has %d values", tc.kind, len(values))
		}
	}
	golden.Check(t, "rooms_values", pixels.String())
}

func pixelsOf(t *testing.T, r *Renderer, s scene.Scene) string {
	t.Helper()
	c, err := r.Draw(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(c.PixelDigest())
}
