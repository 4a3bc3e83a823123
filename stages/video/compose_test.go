package video

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// TestCompositionsAreTheirRecipes renders every order and interleaving of two
// videos of different lengths, one with sound and one without, and of clips of
// a longer one, and decodes them all.
func TestCompositionsAreTheirRecipes(t *testing.T) {
	b := newBench(t)
	long, other := b.footage("secretlabel", 60, 30, 96), b.footage("other", 35, 200, 0)
	annotated := b.video(long)
	annotated.Sections = []schemas.Section{labelled(5, 30, "wave", "hall"), labelled(30, 60, "bow", "hall")}
	in, err := pipeline.NewRecord(schemas.NameVideo, "v-annotated", annotated, long.Blobs...)
	if err != nil {
		t.Fatal(err)
	}
	clips, lost := b.run("video.clip", `{"min_seconds": 0}`, in)
	if len(clips) != 2 {
		t.Fatalf("%d clips, lost %v", len(clips), lost)
	}
	wave, bow := b.video(clips[0]), b.video(clips[1])
	wholes, mixed := b.pairOf(b.video(long), b.video(other)), b.pairOf(bow, b.video(other))
	t.Run("orders", func(t *testing.T) { checkPlayed(t, b.on(t), wholes, "AB", "BA", "AAB", "ABB", "BAA", "BBA") })
	t.Run("orders of clips", func(t *testing.T) { checkPlayed(t, b.on(t), b.pairOf(wave, bow), "AB", "BBA") })
	t.Run("interleaved", func(t *testing.T) { checkInterleaved(t, b.on(t), wholes, 5) })
	t.Run("interleaved clip", func(t *testing.T) { checkInterleaved(t, b.on(t), mixed, 2) })
	t.Run("split clip", func(t *testing.T) { checkSides(t, b.on(t), mixed) })
	t.Run("n-back", func(t *testing.T) { checkClipTrials(t, b.on(t), clips) })
	t.Run("reel", func(t *testing.T) { checkClipReel(t, b.on(t), wave, bow, b.video(other)) })
}

func checkPlayed(t *testing.T, b *bench, pair pipeline.Record, orders ...string) {
	t.Helper()
	out, lost := b.run("video.concat", fmt.Sprintf(`{"orders": ["%s"]}`, strings.Join(orders, `", "`)), pair)
	cs := testkit.DecodeAll[schemas.Composition](t, schemas.NameComposition, out)
	tasks := testkit.DecodeAll[schemas.Task](t, schemas.NameTask, out)
	if len(cs) != len(orders) || len(tasks) != 1 || len(tasks[0].Media) != len(orders) || len(lost) != 0 {
		t.Fatalf("%d compositions in %d tasks, lost %v", len(cs), len(tasks), lost)
	}
	if !strings.Contains(tasks[0].Summary, "with one of them repeated") {
		t.Errorf("summary %q", tasks[0].Summary)
	}
	seen := map[string]bool{}
	for i, c := range cs {
		if c.Order != orders[i] || len(c.Media.Recipe.Segments) != len(c.Order) || c.Media.Recipe.Layout != schemas.LayoutConcat {
			t.Errorf("composition %d is %s with %d segments", i, c.Order, len(c.Media.Recipe.Segments))
		}
		for j, s := range c.Media.Recipe.Segments {
			want := map[byte]schemas.Video{'A': c.Pair.A, 'B': c.Pair.B}[c.Order[j]].Normalised
			if s.Source != want.Video || s.From != want.From || s.To != want.From+want.Frames {
				t.Errorf("%s: segment %d is %+v", c.Order, j, s)
			}
		}
		b.follows(c.Media)
		b.anonymous(c.Media.MediaID)
		seen[c.Media.MediaID] = true
	}
	if len(seen) != len(orders) {
		t.Errorf("%d orders are %d files", len(orders), len(seen))
	}
}

func checkInterleaved(t *testing.T, b *bench, pair pipeline.Record, n int) {
	out, lost := b.run("video.interleave", fmt.Sprintf(`{"segments": %d, "min_segment": 0}`, n), pair)
	cs := testkit.DecodeAll[schemas.Composition](t, schemas.NameComposition, out)
	if len(cs) != 2 || len(lost) != 0 {
		t.Fatalf("%d compositions, lost %v", len(cs), lost)
	}
	for i, c := range cs {
		first := []schemas.Video{c.Pair.A, c.Pair.B}[i].Normalised
		s := c.Media.Recipe.Segments
		if c.Order != []string{"AB", "BA"}[i] || int(c.Segments) != n || len(s) != 2*n || s[0].Source != first.Video || s[0].From != first.From {
			t.Errorf("order %s of %d segments: %d, first %+v", c.Order, c.Segments, len(s), s[0])
		}
		if c.Media.Frames != c.Pair.A.Normalised.Frames+c.Pair.B.Normalised.Frames || c.Media.Recipe.Layout != schemas.LayoutInterleaved {
			t.Errorf("%d frames of layout %s", c.Media.Frames, c.Media.Recipe.Layout)
		}
		b.follows(c.Media)
		b.anonymous(c.Media.MediaID)
	}
	if _, lost := b.run("video.interleave", `{"segments": 900}`, pair); codes(lost)["too-short"] != 1 {
		t.Errorf("900 segments: %v, want too-short", lost)
	}
}

// checkSides compares the left half's first frame with that of the video on
// the left.
func checkSides(t *testing.T, b *bench, pair pipeline.Record) {
	out, lost := b.run("video.split", `{"swaps": 2, "threads": 1}`, pair)
	cs := testkit.DecodeAll[schemas.Composition](t, schemas.NameComposition, out)
	if len(cs) != 2 || len(lost) != 0 {
		t.Fatalf("%d compositions, lost %v", len(cs), lost)
	}
	m := cs[0].Media
	for _, s := range m.Recipe.Segments {
		if s.To-s.From != m.Frames {
			t.Errorf("segment %+v of %d frames", s, m.Frames)
		}
		x := map[string]int{regionLeft: 0, regionRight: 32}[s.Region]
		for _, n := range []int64{0, m.Frames - 1} {
			shown, source := b.frame(m.MediaID, n), b.frame(s.Source, s.From+n)
			sum := 0
			for y := range 24 {
				for dx := range 32 {
					sum += apartBy(shown.At(x+dx, y), source.At(2*dx, 2*y))
				}
			}
			if mean := sum / (24 * 32); mean > 12 {
				t.Errorf("%s half of frame %d is %d from frame %d of its source", s.Region, n, mean, s.From+n)
			}
		}
	}
	b.anonymous(m.MediaID)
}

func (b *bench) frame(digest string, n int64) image.Image {
	b.t.Helper()
	stills, err := media.Lazy().Stills(b.t.Context(), b.store.path(pipeline.Digest(digest)), []int64{n}, 0)
	if err != nil {
		b.t.Fatal(err)
	}
	return stills[0].Picture
}

// apartBy is the greatest difference of two colours' parts, 0 to 255.
func apartBy(a, b color.Color) int {
	r, g, bl, _ := a.RGBA()
	r2, g2, bl2, _ := b.RGBA()
	diff := func(x, y uint32) int { d := int(x>>8) - int(y>>8); return max(d, -d) }
	return max(diff(r, r2), diff(g, g2), diff(bl, bl2))
}

func checkClipTrials(t *testing.T, b *bench, clips []pipeline.Record) {
	trials, lost := b.run("video.nback-plan", `{"allow_repeat": true, "k": [2, 4], "n": [1, 2], "clips_per_sequence": 4, "labels_per_sequence": 2}`, clips...)
	if len(trials) != 4 || len(lost) != 0 {
		t.Fatalf("%d trials, lost %v", len(trials), lost)
	}
	out, lost := b.run("video.nback", "", trials...)
	medias := testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, out)
	qs := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	if len(qs) != 6 || len(medias) == 0 || len(medias) > 4 || len(lost) != 0 {
		t.Fatalf("%d questions about %d videos, lost %v", len(qs), len(medias), lost)
	}
	b.follows(medias...)
	b.derives(out)
	for _, m := range medias {
		b.anonymous(m.MediaID)
	}
	ids := map[string]bool{}
	for _, q := range qs {
		ids[q.QuestionID] = true
	}
	if len(ids) != len(qs) {
		t.Errorf("%d ids for %d questions", len(ids), len(qs))
	}
}

func checkClipReel(t *testing.T, b *bench, vs ...schemas.Video) {
	plan := struct {
		Attribute string          `json:"attribute"`
		Clips     []schemas.Video `json:"clips"`
	}{"action", vs}
	in, err := pipeline.NewRecord("reel", "reel-1", plan, normalisedBlobs(vs...)...)
	if err != nil {
		t.Fatal(err)
	}
	out, lost := b.run("video.reel", "", in)
	if len(out) != 1 {
		t.Fatalf("lost %v", lost)
	}
	reel := b.video(out[0])
	m := reel.Normalised
	if m.From != 0 || m.Of != 0 || m.Frames != 25+30+35 || !slices.Equal(m.Keyframes, []int64{5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85}) {
		t.Errorf("normalised video of a reel %+v", m)
	}
	if got, want := b.hashes(m.Video), b.follow(schemas.Recipe{Segments: reel.Parts}); !slices.Equal(got, want) {
		t.Error("the reel is not what its parts say")
	}
	whole, err := os.ReadFile(b.store.path(pipeline.Digest(vs[0].Normalised.Audio)))
	if err != nil {
		t.Fatal(err)
	}
	joined, err := os.ReadFile(b.store.path(pipeline.Digest(m.Audio)))
	if err != nil {
		t.Fatal(err)
	}
	// The first two clips are frames 5 to 60 of one source: 103 packets of 1024
	// samples from the nearest to their begin on, and one before to prime.
	parts := packets(t, whole)
	want := bytes.Join(parts[9:9+1+103], nil)
	for len(packets(t, want)) < 170 {
		want = append(want, silence...)
	}
	if !bytes.Equal(joined, want) {
		t.Errorf("the reel has %d packets of sound that are not those of its clips", len(packets(t, joined)))
	}
}

// silence is a packet of silent sound.
var silence = []byte{0xff, 0xf1, 0x4c, 0x80, 0x01, 0xbf, 0xfc, 0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c}

// packets takes ADTS sound apart.
func packets(t *testing.T, sound []byte) [][]byte {
	t.Helper()
	var list [][]byte
	for len(sound) > 0 {
		if len(sound) < 7 {
			t.Fatal("half a header of a packet of sound")
		}
		n := int(sound[3]&3)<<11 | int(sound[4])<<3 | int(sound[5])>>5
		if n < 7 || n > len(sound) {
			t.Fatalf("a packet of %d bytes in %d", n, len(sound))
		}
		list, sound = append(list, sound[:n]), sound[n:]
	}
	return list
}

// anonymous checks that a file a solver sees says nothing in its metadata: no
// word but those of its format, and no trace of a name.
func (b *bench) anonymous(digest string) {
	b.t.Helper()
	tags, err := media.Lazy().Tags(b.t.Context(), b.store.path(pipeline.Digest(digest)))
	if err != nil {
		b.t.Fatal(err)
	}
	known := []string{
		"file: compatible_brands=isomiso2avc1mp41", "file: major_brand=isom", "file: minor_version=512", "stream: encoder=Lavc libx264",
		"stream: handler_name=SoundHandler", "stream: handler_name=VideoHandler", "stream: language=und", "stream: vendor_id=[0][0][0][0]",
	}
	for _, tag := range tags {
		if !slices.Contains(known, tag) {
			b.t.Errorf("the file says %q", tag)
		}
	}
	raw, err := os.ReadFile(b.store.path(pipeline.Digest(digest)))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, word := range []string{"secretlabel", "wave", "hall", "drawn", os.TempDir() + "/"} {
		if bytes.Contains(raw, []byte(word)) {
			b.t.Errorf("the file holds %q", word)
		}
	}
}
