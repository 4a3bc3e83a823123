package video

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// walk draws and normalises a video of a wall, after a black title card if it
// is titled, before which a square walks: in 40 frames, 10 of them the card's.
func (b *bench) walk(name, title string, wall, square color.Color) schemas.Video {
	b.t.Helper()
	picture := func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 64, 48))
		if n < 10 && title != "" {
			wall, square := color.Black, color.White
			draw.Draw(img, img.Bounds(), image.NewUniform(wall), image.Point{}, draw.Src)
			draw.Draw(img, image.Rect(20, 20, 40, 24), image.NewUniform(square), image.Point{}, draw.Src)
			return img, true, nil
		}
		draw.Draw(img, img.Bounds(), image.NewUniform(wall), image.Point{}, draw.Src)
		at := image.Pt(int(n), int(n)/2)
		draw.Draw(img, image.Rectangle{at, at.Add(image.Pt(16, 16))}, image.NewUniform(square), image.Point{}, draw.Src)
		return img, n < 40, nil
	}
	blob := b.film(media.FrameSpec{Width: 64, Height: 48, FPS: 25}, picture)
	v := schemas.Video{Media: string(blob.Digest), Name: name, SourceID: name, License: "CC0-1.0", Title: title, Category: "drawn"}
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+name, v, blob.Digest)
	if err != nil {
		b.t.Fatal(err)
	}
	probed, lost := b.run("video.probe", `{"min_frames": 1}`, r)
	normal, more := b.run("video.normalise", tiny, probed...)
	if len(normal) != 1 {
		b.t.Fatalf("%s is lost: %v %v", name, lost, more)
	}
	return b.video(normal[0])
}

// measured is the separability of a pair, whose other fields stay as they are.
func (b *bench) measured(patch string, pair pipeline.Record) schemas.Pair {
	b.t.Helper()
	out, lost := b.run("video.separability", patch, pair)
	if len(out) != 1 || out[0].ID != pair.ID || !slices.Equal(out[0].Blobs, pair.Blobs) {
		b.t.Fatalf("%v became %v, lost %v", pair, out, lost)
	}
	p := testkit.DecodeAll[schemas.Pair](b.t, schemas.NamePair, out)[0]
	if p.Separability == nil {
		b.t.Fatal("nothing was measured")
	}
	return p
}

// TestSeparabilityOfRenderedPairs measures drawn videos: two that look the same
// and two that do not, with and without title cards.
func TestSeparabilityOfRenderedPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes videos; run without -short")
	}
	b := newBench(t)
	red, green, blue := color.RGBA{200, 30, 30, 255}, color.RGBA{30, 160, 30, 255}, color.RGBA{30, 30, 200, 255}
	wall, other := color.RGBA{180, 150, 60, 255}, color.RGBA{60, 160, 170, 255}
	first := b.walk("one", "", wall, red)
	for name, tc := range map[string]struct {
		b         schemas.Video
		low, high float64
	}{
		"the same look":           {b.walk("two", "", wall, red), 0.4, 0.6},
		"another square":          {b.walk("three", "", wall, blue), 0.8, 0.99},
		"another wall and square": {b.walk("four", "", other, green), 0.999, 1},
	} {
		s := b.measured("", b.pairOf(first, tc.b)).Separability
		if s.Accuracy < tc.low || s.Accuracy > tc.high || s.Frames < 60 || s.Blocks != 8 {
			t.Errorf("%s: %+v, want %g to %g", name, s, tc.low, tc.high)
		}
	}
	// The cards look the same and the films do not: only the films are measured.
	titled := b.pairOf(b.walk("five", "North", wall, red), b.walk("six", "South", other, red))
	if s := b.measured("", titled).Separability; s.Accuracy < 0.999 {
		t.Errorf("without the title cards %+v", s)
	}
	if s := b.measured(`{"title_seconds": 0}`, titled).Separability; s.Accuracy > 0.95 {
		t.Errorf("with the title cards %+v; they look the same", s)
	}
	if _, lost := b.run("video.separability", `{"blocks": 50}`, b.pairOf(first, b.walk("seven", "", wall, blue))); codes(lost)["too-short"] != 1 {
		t.Errorf("50 blocks of 40 frames: %v, want too-short", lost)
	}
}

// TestSeparabilityBlocksAreClips: what a reel was joined of is its blocks.
func TestSeparabilityBlocksAreClips(t *testing.T) {
	s := &separabilityStage{cfg: SeparabilityConfig{Blocks: 4, Frames: 8, TitleSeconds: 2}}
	reel := reelOf(ruler("a", 40, 1), ruler("b", 80, 1))
	titled := ruler("c", 250, 1)
	titled.Title, titled.Normalised.From = "North", 100
	short := ruler("d", 40, 1)
	short.Title = "South"
	for name, tc := range map[string]struct {
		v    schemas.Video
		want string
	}{
		"reel":           {reel, "[{5 35} {50 110}]"},
		"titled":         {titled, "[{156 194} {206 244} {256 294} {306 344}]"},
		"short, titled":  {short, "[{10 17} {18 24} {25 32} {33 39}]"},
		"without a card": {ruler("e", 160, 1), "[{5 35} {45 75} {85 115} {125 155}]"},
	} {
		if got := fmt.Sprint(s.blockSpans(tc.v)); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestSeparabilityReachesQuestions: the label of every question, the summary of
// every task, and what is not asked below the floor.
func TestSeparabilityReachesQuestions(t *testing.T) {
	b := newBench(t)
	pair := testkit.DecodeAll[schemas.Pair](t, schemas.NamePair, b.films()[:1])[0]
	at := func(accuracy float64) []pipeline.Record {
		p := pair
		p.Separability = &schemas.Separability{Method: "m", Accuracy: accuracy, Low: 0.5, High: 0.75, Frames: 128, Blocks: 8}
		return []pipeline.Record{b.turns(p, orderAB)}
	}
	types := func(patch string, in []pipeline.Record) []string {
		out, lost := b.run("video.ask", patch, in...)
		seen := map[string]bool{}
		for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
			seen[q.Type] = true
			if got := q.Labels[schemas.LabelSeparability]; got != "0.62" {
				t.Errorf("label %q of a question, want 0.62", got)
			}
		}
		for code := range codes(lost) {
			seen[code] = true
		}
		return slices.Sorted(maps.Keys(seen))
	}
	all := types("", at(0.62))
	if !slices.Contains(all, schemas.TypeSourceIdentification) || !slices.Contains(all, schemas.TypeContentRetention) {
		t.Fatalf("types %v; the test needs a type of either sort", all)
	}
	if got := types(`{"min_separability": 0.62}`, at(0.62)); !slices.Equal(got, all) {
		t.Errorf("at the floor %v are asked, want %v", got, all)
	}
	below := types(`{"min_separability": 0.63}`, at(0.62))
	if want := slices.DeleteFunc(all, func(s string) bool { return slices.Contains(sourceTypes, s) }); !slices.Equal(below, want) {
		t.Errorf("below the floor %v are asked, want %v", below, want)
	}
	if got := types(`{"min_separability": 0.63, "types": ["source_identification"]}`, at(0.62)); !slices.Equal(got, []string{"not-separable"}) {
		t.Errorf("nothing is left to ask: %v", got)
	}
	unmeasured := pair
	unmeasured.Separability = nil
	if _, lost := b.run("video.ask", `{"min_separability": 0.1}`, b.turns(unmeasured, orderAB)); codes(lost)["not-measured"] != 1 {
		t.Errorf("a floor without a measurement: %v", lost)
	}
	pair.Separability = &schemas.Separability{Method: "m", Accuracy: 0.62, Low: 0.5, High: 0.75, Frames: 128, Blocks: 8}
	if got, want := separabilityText(pair), " Single frames tell the two apart in 62 % [50, 75] (128 frames in 8 blocks; m)."; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

// TestReelsOfOneSigner: reels that share a label, pairs that differ in it, and
// questions that name a video by it.
func TestReelsOfOneSigner(t *testing.T) {
	b := newBench(t)
	var clips []pipeline.Record
	for i, signer := range strings.Fields("ann ann ann bob bob cyd") {
		clips = append(clips, b.edited(b.clip(fmt.Sprint(i), fmt.Sprint("sign", i)), func(v *schemas.Video) { v.Labels["signer"] = signer }))
	}
	clips = append(clips, b.clip("unknown", "sign9"))
	plans, lost := b.run("video.reel-plan", `{"clips_per_reel": 2, "same": ["signer"]}`, clips...)
	if len(plans) != 2 || codes(lost)["no-label"] != 1 || codes(lost)["no-reel"] != 2 {
		t.Fatalf("%d reels, lost %v", len(plans), lost)
	}
	var reels []pipeline.Record
	for i, signer := range []string{"the man in grey", "the woman", "a woman", "the woman"} {
		reels = append(reels, b.edited(b.clip(fmt.Sprint("r", i), ""), func(v *schemas.Video) {
			v.Labels, v.Title, v.Category = map[string]string{"signer": signer}, "", "reels"
			for j := range 3 {
				v.Events = append(v.Events, schemas.Event{Kind: groundtruth.Shows, Object: fmt.Sprintf("word%d%d", i, j), Start: float64(2 * j), End: float64(2*j + 2)})
			}
		}))
	}
	for _, name := range b.pairNames(`{"within": ["category"], "apart": ["signer"], "max_use": 3}`, reels...) {
		if !strings.Contains(name, "r0") {
			t.Errorf("%s is a pair whose signers cannot be told apart", name)
		}
	}
	pairs, lost := b.run("video.pair", `{"within": ["category"], "apart": ["signer"]}`, append(reels[:2:2], clips[6])...)
	if len(pairs) != 1 || codes(lost)["no-label"] != 1 {
		t.Fatalf("%d pairs, lost %v", len(pairs), lost)
	}
	p := testkit.DecodeAll[schemas.Pair](t, schemas.NamePair, pairs)[0]
	out, lost := b.run("video.ask", `{"identify": "the video signed by {signer}"}`, b.turns(p, orderAB))
	named, asked := 0, testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	for _, q := range asked {
		if strings.Contains(q.QuestionMCQ, "the video signed by the man in grey") || strings.Contains(q.QuestionMCQ, "the video signed by the woman") {
			named++
		}
	}
	if named == 0 || named != len(asked) {
		t.Errorf("%d of %d questions name a video by its signer, lost %v", named, len(asked), lost)
	}
	if _, lost := b.run("video.ask", `{"identify": "the video signed by {author}"}`, b.turns(p, orderAB)); codes(lost)["too-few-facts"] != 1 {
		t.Errorf("a label that no video has: %v", lost)
	}
}

// checkSeparability: reels of one signer can be told apart, of reels of
// everybody that cannot be said. Who signs is what one sees in the clips.
func checkSeparability(t *testing.T, b *bench, clips []pipeline.Record, mixed pipeline.Record) {
	signers := map[string]string{"again": "skull", "brother": "skull", "book": "orange", "learn": "orange", "bird": "grey", "milk": "grey"}
	var of []pipeline.Record
	for _, r := range clips {
		v := b.video(r)
		if v.Labels["signer"] = signers[v.Labels["action"]]; v.Labels["signer"] == "" {
			continue
		}
		known, err := pipeline.NewRecord(schemas.NameVideo, r.ID, v, r.Blobs...)
		if err != nil {
			t.Fatal(err)
		}
		of = append(of, known)
	}
	plans, _ := b.run("video.reel-plan", `{"clips_per_reel": 2, "same": ["signer"]}`, of...)
	reels, _ := b.run("video.reel", "", plans...)
	pairs, lost := b.run("video.pair", `{"within": ["category"], "apart": ["signer"], "max_use": 2}`, reels...)
	if len(pairs) != 3 {
		t.Fatalf("%d pairs of %d reels, lost %v", len(pairs), len(reels), lost)
	}
	for _, p := range pairs {
		if s := b.measured("", p); s.Separability.Accuracy < 0.8 {
			t.Errorf("%s and %s: %+v", s.A.Labels["signer"], s.B.Labels["signer"], s.Separability)
		}
	}
	if s := b.measured("", mixed).Separability; s.Low > 0.6 || s.Blocks != 3 {
		t.Errorf("reels of several signers: %+v", s)
	}
}
