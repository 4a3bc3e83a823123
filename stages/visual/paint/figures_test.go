package paint_test

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/visual/paint"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// drawn draws the pictures of lives with figures. A golden file pins their pixels.
func drawn(t *testing.T, seeds, pictures int, with func(scenario string, s scene.Scene, c *draw.Canvas)) {
	t.Helper()
	r := paint.NewRenderer()
	var pixels strings.Builder
	for _, sc := range simulate.Scenarios() {
		if sc.Name != "cartoon_companion" && sc.Name != "social_chat" {
			continue
		}
		for seed := range seeds {
			l, err := sc.Simulate(rand.New(rand.NewPCG(uint64(seed), 5)), simulate.Size{Sessions: 1, Rounds: pictures, Pictures: pictures})
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range l.Scenes {
				c, err := r.Draw(s)
				if err != nil {
					t.Fatalf("%s, seed %d, picture %d: %v", sc.Name, seed, i, err)
				}
				fmt.Fprintf(&pixels, "%s, seed %d, picture %d, %s, %d x %d: %.12s\n", sc.Name, seed, i, s.Backdrop, s.Width, s.Height, c.PixelDigest())
				with(sc.Name, s, c)
			}
		}
	}
	golden.Check(t, "figures", pixels.String())
}

// What is told is in the pixels: colours, words, and how many.
func TestFiguresShowWhatTheyTell(t *testing.T) {
	checks := map[string]int{}
	pixels, used := map[string]bool{}, map[string]bool{}
	drawn(t, 4, 6, func(scenario string, s scene.Scene, c *draw.Canvas) {
		used[s.Backdrop] = true
		noteEveryKind(used, s.Things)
		digest := c.PixelDigest()
		if pixels[string(digest)] {
			t.Errorf("%s: two pictures have the same pixels", scenario)
		}
		pixels[string(digest)] = true
		for i, m := range c.Marks() {
			if m.Kind == "text" && m.Cut {
				t.Errorf("%s: %q is cut", scenario, m.Text)
			}
			if m.Kind != paint.MarkThing {
				continue
			}
			thing, _ := s.Find(m.Name)
			for _, a := range thing.Tells {
				switch a {
				case scene.Colour:
					ink, _ := scene.Ink(thing.Look[a])
					if share := shareNear(c.Image(), middle(m.Bounds()), ink); share < 30 {
						t.Errorf("%s: %d %% of the middle of %s is near %s, want 30", scenario, share, m.Name, thing.Look[a])
					}
				case scene.Text:
					if !written(c.Marks(), i, thing.Look[a]) {
						t.Errorf("%s: %q is not written on %s", scenario, thing.Look[a], m.Name)
					}
				case scene.Count:
					if !counted(c.Marks(), i, thing) {
						t.Errorf("%s: %s has not %s %s", scenario, m.Name, thing.Look[a], thing.Class)
					}
				default:
					continue
				}
				checks[scenario+" "+a]++
			}
		}
	})
	everyKind(t, used)
	for _, want := range []string{"cartoon_companion colour", "cartoon_companion count", "social_chat colour", "social_chat count", "social_chat text"} {
		if checks[want] < 20 {
			t.Errorf("%d checks of %s, want 20 or more", checks[want], want)
		}
	}
}

func middle(b image.Rectangle) image.Rectangle {
	return image.Rect(b.Min.X+b.Dx()/4, b.Min.Y+b.Dy()/4, b.Max.X-b.Dx()/4, b.Max.Y-b.Dy()/4)
}

// shareNear is how much of a box is near an ink, in percent: as shaded as painters shade.
func shareNear(img *image.RGBA, b image.Rectangle, ink draw.Color) int {
	near := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if apart(img.RGBAAt(x, y), ink) <= 32 {
				near++
			}
		}
	}
	return near * 100 / max(1, b.Dx()*b.Dy())
}

func apart(c color.RGBA, ink draw.Color) int {
	most := 0
	for _, d := range []int{int(c.R) - int(ink.R), int(c.G) - int(ink.G), int(c.B) - int(ink.B)} {
		most = max(most, d, -d)
	}
	return most
}

func within(marks []draw.Mark, i, of int) bool {
	for i >= 0 && i != of {
		i = marks[i].Parent
	}
	return i == of
}

func written(marks []draw.Mark, of int, words string) bool {
	return slices.ContainsFunc(marks, func(m draw.Mark) bool {
		return m.Kind == "text" && m.Text == words && m.Size >= 16*64 && within(marks, m.Parent, of)
	})
}

// counted says whether as many parts are drawn as told, apart from each other, or the
// number is written.
func counted(marks []draw.Mark, of int, t scene.Thing) bool {
	var parts []image.Rectangle
	for i, m := range marks {
		if m.Kind == "part" && m.Name == t.Class && within(marks, i, of) {
			for _, p := range parts {
				if p.Overlaps(m.Bounds()) {
					return false
				}
			}
			parts = append(parts, m.Bounds())
		}
	}
	n, err := strconv.Atoi(t.Look[scene.Count])
	return err == nil && (len(parts) == n || t.Kind == "chat row" && (n == 0 || written(marks, of, t.Look[scene.Count])))
}

// everyKind holds that every drawing that scenarios name is there, and of those that
// there are none is idle.
func everyKind(t *testing.T, used map[string]bool) {
	t.Helper()
	kinds := "comic phone chat_room panel frame bubble overhead figure garment head held landmark prop beside chat_row member_card avatar bust shoulders face rim dot name member_tag status name_tag margin entries"
	for _, kind := range strings.Fields(kinds) {
		if !used[strings.ReplaceAll(kind, "_", " ")] {
			t.Errorf("no picture has a %s", kind)
		}
	}
}

func noteEveryKind(used map[string]bool, things []scene.Thing) {
	for _, thing := range things {
		used[thing.Kind] = true
		noteEveryKind(used, thing.Parts)
	}
}
