package film

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fogleman/gg"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// script reads a script of testdata.
func script(t testing.TB, name string) schemas.Film {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var f schemas.Film
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	if err := checkScript(f); err != nil {
		t.Fatal(err)
	}
	return f
}

func artistOf(t testing.TB, f schemas.Film) *frameRenderer {
	t.Helper()
	a, err := newFrameRenderer(f)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func near2(a, b schemas.FilmPoint) float64 { return math.Hypot(a.X-b.X, a.Y-b.Y) }

func TestPropsAreInTheHandThatHoldsThem(t *testing.T) {
	f := script(t, "film.json")
	holder := map[string]string{}
	events := 0
	for n := range f.Frames {
		at := float64(n) / float64(f.FPS)
		for ; events < len(f.Events) && f.Events[events].Start <= at; events++ {
			continue
		}
		for _, e := range f.Events[:events] {
			middle := (e.Start + e.End) / 2
			switch {
			case e.Kind == schemas.FilmPicks && at > middle+0.05:
				holder[e.Prop] = e.Actor
			case e.Kind == schemas.FilmPuts && at > middle-0.05, e.Kind == schemas.FilmLeaves && at > e.End-0.05:
				delete(holder, e.Prop)
			case e.Kind == schemas.FilmEnters && e.Prop != "":
				holder[e.Prop] = e.Actor
			}
		}
		s := sceneAt(f, at)
		for id, actor := range holder {
			p, a := s.props[indexProp(f, id)], s.actors[indexActor(f, actor)]
			if p.holder != indexActor(f, actor) {
				t.Fatalf("%.2f s: %s is held by %d, want %s", at, id, p.holder, actor)
			}
			hand := handOf(f.Actors[p.holder], a, at)
			if d := near2(hand, schemas.FilmPoint{X: p.at.X, Y: p.at.Y - grip}); d > 1e-6 {
				t.Fatalf("%.2f s: %s is %.1f units from the hand", at, id, d)
			}
		}
	}
}

func TestHandsReachWhatTheyTake(t *testing.T) {
	f := script(t, "film.json")
	taken := 0
	for _, e := range f.Events {
		if e.Kind != schemas.FilmPicks && e.Kind != schemas.FilmPuts && e.Kind != schemas.FilmOpens {
			continue
		}
		at := (e.Start + e.End) / 2
		s := sceneAt(f, at)
		n := indexActor(f, e.Actor)
		g := figureOf(f.Actors[n], s.actors[n], at)
		best := math.Inf(1)
		for side := range g.hand {
			best = min(best, near2(onStage(f.Actors[n], s.actors[n], g.hand[side]), s.actors[n].target))
			if arm := g.hand[side].sub(g.shoulder(side)).length(); arm > upper+lower+1 && s.actors[n].reach == 1 {
				t.Errorf("%s at %.2f s: an arm of %.0f units", e.Kind, at, arm)
			}
		}
		if best > 1 {
			t.Errorf("%s at %.2f s: the hand misses by %.1f units", e.Kind, at, best)
		}
		taken++
	}
	if taken < 5 {
		t.Fatalf("only %d events were checked", taken)
	}
}

func TestNothingJumps(t *testing.T) {
	f := script(t, "film.json")
	before := sceneAt(f, 0)
	for n := int64(1); n < f.Frames; n++ {
		s := sceneAt(f, float64(n)/float64(f.FPS))
		for k := range s.props {
			if s.props[k].gone || before.props[k].gone {
				continue // it is not seen, or comes in beyond the edge
			}
			if d := near2(s.props[k].at, before.props[k].at); d > 30 {
				t.Errorf("frame %d: prop %d moves %.0f units", n, k, d)
			}
		}
		for k := range s.actors {
			if d := near2(s.actors[k].at, before.actors[k].at); before.actors[k].onStage && d > 16 {
				t.Errorf("frame %d: actor %d moves %.0f units", n, k, d)
			}
		}
		before = s
	}
}

func TestSignsAndOpeningsFollowTheScript(t *testing.T) {
	f := script(t, "film.json")
	for _, e := range f.Events {
		before, after := sceneAt(f, e.Start-0.01), sceneAt(f, e.End)
		switch e.Kind {
		case schemas.FilmChanges:
			n := indexFixture(f, e.Fixture)
			if after.signs[n].text != e.Text || before.signs[n].text == e.Text {
				t.Errorf("sign: %q, then %q; want a change to %q", before.signs[n].text, after.signs[n].text, e.Text)
			}
		case schemas.FilmOpens:
			n := indexFixture(f, e.Fixture)
			if before.open[n] != 0 || after.open[n] != 1 {
				t.Errorf("%s: open %g, then %g", e.Fixture, before.open[n], after.open[n])
			}
		case schemas.FilmEnters, schemas.FilmLeaves:
			n := indexActor(f, e.Actor)
			if in := e.Kind == schemas.FilmEnters; before.actors[n].onStage == in || after.actors[n].onStage != in {
				t.Errorf("%s: %s does not happen", e.Actor, e.Kind)
			}
			checkBrought(t, f, e, before, after)
		}
	}
}

// checkBrought wants what is carried on or off to come with the actor.
func checkBrought(t *testing.T, f schemas.Film, e schemas.FilmEvent, before, after scene) {
	t.Helper()
	k := indexProp(f, e.Prop)
	if k < 0 {
		return
	}
	if in := e.Kind == schemas.FilmEnters; before.props[k].gone != in || after.props[k].gone == in {
		t.Errorf("%s with %s: gone %v, then %v", e.Kind, e.Prop, before.props[k].gone, after.props[k].gone)
	}
}

func TestFramesAreTheSameInAnyOrder(t *testing.T) {
	for _, name := range []string{"film.json", "clip.json"} {
		f := script(t, name)
		f.Width, f.Height = 320, 180
		sums := map[int64][32]byte{}
		a := artistOf(t, f)
		for n := int64(0); n < f.Frames; n += 29 {
			sums[n] = sha256.Sum256(a.drawFrame(n).Pix)
		}
		b := artistOf(t, f)
		distinct := map[[32]byte]bool{}
		for n := f.Frames - 1; n >= 0; n-- {
			if want, ok := sums[n]; ok {
				distinct[want] = true
				if sha256.Sum256(b.drawFrame(n).Pix) != want {
					t.Errorf("%s: frame %d differs when drawn in another order", name, n)
				}
			}
		}
		if len(distinct) < len(sums)-2 {
			t.Errorf("%s: only %d of %d frames differ", name, len(distinct), len(sums))
		}
	}
}

// Every noun that a script may name has a drawing of its own, in its colour.
func TestEveryIconDrawsSomethingElse(t *testing.T) {
	fs, err := loadAssets()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[32]byte]string{}
	for kind := range fs.props {
		for _, colour := range []string{"#d23b34", "#2f6fc9"} {
			dc := gg.NewContext(80, 80)
			b := &brush{Context: dc, tint: white, kit: fs}
			b.prop(kind, hex(colour), 40, 60)
			sum := sha256.Sum256(dc.Image().(*image.RGBA).Pix)
			if other, ok := seen[sum]; ok {
				t.Errorf("%s looks like %s", kind, other)
			}
			seen[sum] = kind
		}
	}
}

// What moves on a still stage changes pixels near it and nowhere else.
func TestAClipMovesOnlyItsActor(t *testing.T) {
	f := script(t, "clip.json")
	a := artistOf(t, f)
	first := bytes.Clone(a.drawFrame(5).Pix)
	then := a.drawFrame(20).Pix
	changed := 0
	for n := range first {
		if first[n] != then[n] {
			changed++
		}
	}
	if share := float64(changed) / float64(len(first)); share < 0.003 || share > 0.2 {
		t.Errorf("%.1f %% of the picture changes", 100*share)
	}
}

func TestTruthIsToldInWords(t *testing.T) {
	f := script(t, "film.json")
	v := GroundTruth(f)
	told := 0
	for _, e := range f.Events {
		if e.Kind != schemas.FilmWalks {
			told++
		}
	}
	if len(v.Events) != told || v.Title != f.Title || v.Category != f.Place || v.License != "CC0-1.0" {
		t.Fatalf("told %d of %d events: %+v", len(v.Events), told, v)
	}
	for _, e := range v.Events {
		if e.Subject == "" || (e.Object == "") != (e.Kind == schemas.FilmEnters || e.Kind == schemas.FilmLeaves) {
			t.Errorf("event %+v", e)
		}
		if strings.Contains(e.Object+e.Subject, "prop-") || strings.Contains(e.Subject, "actor-") {
			t.Errorf("event names an id: %+v", e)
		}
	}
	clip := GroundTruth(script(t, "clip.json"))
	if len(clip.Events) != 0 || clip.Labels["action"] == "" || clip.Labels["scene"] == "" {
		t.Errorf("clip: %+v", clip)
	}
}

func TestBadScriptsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*schemas.Film){
		"size": func(f *schemas.Film) { f.Width = 1 << 20 }, "fps": func(f *schemas.Film) { f.FPS = 0 },
		"frames": func(f *schemas.Film) { f.Frames = 1 << 40 }, "11 minutes": func(f *schemas.Film) { f.Frames = 660 * int64(f.FPS) }, "zoom": func(f *schemas.Film) { f.Camera.To.Zoom = math.NaN() },
		"actor": func(f *schemas.Film) { f.Actors = nil }, "prop": func(f *schemas.Film) { f.Props = nil },
		"fixture": func(f *schemas.Film) { f.Fixtures = nil }, "time": func(f *schemas.Film) { f.Events[0].End = 1e9 },
		"way": func(f *schemas.Film) { f.Events[0].To = nil },
	} {
		f := script(t, "film.json")
		change(&f)
		if _, err := Render(context.Background(), media.Lazy(), f, Config{}, t.TempDir()); err == nil {
			t.Errorf("%s: drawn", name)
		}
	}
}

func TestSoundFillsTheFilm(t *testing.T) {
	f := script(t, "film.json")
	a, b := soundOf(f).pcm(), soundOf(f).pcm()
	if want := int(f.Frames) * 4 * rate / int(f.FPS); len(a) != want {
		t.Fatalf("%d bytes, want %d", len(a), want)
	}
	if sha256.Sum256(a) != sha256.Sum256(b) {
		t.Fatal("two mixes differ")
	}
	s := soundOf(f)
	peak, loud := float32(0), 0
	for _, v := range s.left {
		peak = max(peak, max(v, -v))
		if v > 0.95 || v < -0.95 {
			loud++
		}
	}
	if peak < 0.05 || loud > 0 {
		t.Errorf("peak %g, %d samples clip", peak, loud)
	}
}

func tools(t testing.TB) *media.Tools {
	t.Helper()
	tools, err := media.Locate()
	var missing *media.MissingToolError
	if errors.As(err, &missing) {
		t.Skipf("no ffmpeg: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func TestRenderedFilmsDecodeInFull(t *testing.T) {
	ctx, tools := context.Background(), tools(t)
	for _, name := range []string{"film.json", "clip.json"} {
		f := script(t, name)
		f.Width, f.Height = 320, 180
		sums := map[string]bool{}
		for range 2 {
			drawn, err := Render(ctx, tools, f, Config{Sound: true, Segments: []int{10}}, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(drawn.Path)
			if err != nil {
				t.Fatal(err)
			}
			if sum := fmt.Sprintf("%x", sha256.Sum256(raw)); !sums[sum] {
				sums[sum] = true
			} else {
				continue // the same file
			}
			facts, err := tools.Probe(ctx, drawn.Path, media.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			if facts.Frames != f.Frames || !facts.HasAudio || facts.Width != f.Width || facts.Height != f.Height {
				t.Errorf("%s: %+v; want %d frames with sound", name, facts, f.Frames)
			}
		}
		if len(sums) != 1 {
			t.Errorf("%s: two renderings differ", name)
		}
	}
}
