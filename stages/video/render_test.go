package video

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
)

// fixtures finds the real clips, or skips.
func fixtures(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("encodes real clips; run without -short")
	}
	if _, err := media.Locate(); err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	return testfiles.Real(t, "videos/intel")
}

// signs are the source records of the sign-language clips.
func (b *bench) signs(dir string, words ...string) []pipeline.Record {
	b.t.Helper()
	var out []pipeline.Record
	for _, w := range words {
		blob, err := b.store.PutFile(b.t.Context(), filepath.Join(dir, "asl_"+w+".mkv"), false)
		if err != nil {
			b.t.Fatal(err)
		}
		v := schemas.Video{Media: string(blob.Digest), Name: "asl_" + w, SourceID: "src-" + w, License: "CC-BY-4.0", Category: "signs", Labels: map[string]string{"action": w}}
		r, err := pipeline.NewRecord(schemas.NameVideo, "v-"+w, v, blob.Digest)
		if err != nil {
			b.t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

const small = `{"profile": {"width": 160, "height": 120, "fps": 25, "preset": "ultrafast", "crf": 30, "threads": 1}}`

// normalised probes and encodes clips in a small profile.
func (b *bench) normalised(in []pipeline.Record) []pipeline.Record {
	b.t.Helper()
	probed, lost := b.run("video.probe", "", in...)
	if len(lost) > 0 {
		b.t.Fatalf("probe rejects %v", lost)
	}
	out, lost := b.run("video.normalise", small, probed...)
	if len(lost) > 0 {
		b.t.Fatalf("normalise rejects %v", lost)
	}
	for i, r := range out {
		if r.ID != in[i].ID || !slices.Contains(r.Blobs, in[i].Blobs[0]) || len(r.Blobs) != 3 {
			b.t.Errorf("record %s became %s with blobs %v", in[i].ID, r.ID, r.Blobs)
		}
	}
	return out
}

// TestRealClips takes real sign-language clips through the whole family.
func TestRealClips(t *testing.T) {
	dir := fixtures(t)
	b := newBench(t)
	clips := b.normalised(b.signs(dir, "again", "bird", "book", "brother", "eat", "help", "hungry", "learn", "milk"))
	plans, lost := b.run("video.reel-plan", `{"clips_per_reel": 3}`, clips...)
	if len(plans) != 3 || len(lost) != 0 {
		t.Fatalf("%d reels planned, lost %v", len(plans), lost)
	}
	reels, lost := b.run("video.reel", "", plans...)
	if len(reels) != 3 || len(lost) != 0 {
		t.Fatalf("%d reels, lost %v", len(reels), lost)
	}
	checkReels(t, b, reels)
	pairs, lost := b.run("video.pair", anySource, reels...)
	if len(pairs) != 1 || codes(lost)["unpaired"] != 1 {
		t.Fatalf("%d pairs, lost %v", len(pairs), lost)
	}
	t.Run("concat", func(t *testing.T) { checkConcat(t, b.on(t), pairs[0]) })
	t.Run("split", func(t *testing.T) { checkSplit(t, b.on(t), pairs[0]) })
	t.Run("separability", func(t *testing.T) { checkSeparability(t, b.on(t), clips, pairs[0]) })
	t.Run("nback", func(t *testing.T) { checkNBack(t, b.on(t), clips) })
}

// on is the bench reporting to another test.
func (b *bench) on(t *testing.T) *bench {
	c := *b
	c.t = t
	return &c
}

func checkReels(t *testing.T, b *bench, reels []pipeline.Record) {
	t.Helper()
	for _, v := range testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, reels) {
		m := v.Normalised
		sound, err := os.ReadFile(b.store.path(pipeline.Digest(m.Audio)))
		if err != nil {
			t.Fatal(err)
		}
		if n, want := int64(len(packets(t, sound))), 1+(m.Frames*1920+1023)/1024; n != want {
			t.Errorf("reel sound of %d packets, want %d", n, want)
		}
		last := v.Events[len(v.Events)-1]
		if len(v.Events) != 3 || math.Abs(last.End-float64(m.Frames)/25) > 1e-9 || v.License != "CC-BY-4.0" || v.Title != "" {
			t.Errorf("reel %+v of %d frames", v, m.Frames)
		}
	}
}

// hashes are the frames of a stored video, which is decoded once.
func (b *bench) hashes(digest string) []string {
	b.t.Helper()
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	if h, ok := b.store.frames[digest]; ok {
		return h
	}
	h, err := media.Lazy().FrameHashes(b.t.Context(), b.store.path(pipeline.Digest(digest)))
	if err != nil {
		b.t.Fatal(err)
	}
	b.store.frames[digest] = h
	return h
}

// follow reads a sequential recipe out of its sources, frame by frame.
func (b *bench) follow(r schemas.Recipe) []string {
	b.t.Helper()
	var out []string
	for _, s := range r.Segments {
		if s.Region != "full" || s.At != int64(len(out)) {
			b.t.Fatalf("segment %+v at frame %d", s, len(out))
		}
		out = append(out, b.hashes(s.Source)[s.From:s.To]...)
	}
	return out
}

func checkConcat(t *testing.T, b *bench, pair pipeline.Record) {
	out, lost := b.run("video.concat", "", pair)
	cs := testkit.DecodeAll[schemas.Composition](t, schemas.NameComposition, out)
	medias := testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, out)
	tasks := testkit.DecodeAll[schemas.Task](t, schemas.NameTask, out)
	if len(cs) != 2 || len(medias) != 2 || len(tasks) != 1 || len(lost) != 0 {
		t.Fatalf("%d compositions, %d media, %d tasks, lost %v", len(cs), len(medias), len(tasks), lost)
	}
	for _, m := range medias {
		if !slices.Equal(b.hashes(m.MediaID), b.follow(m.Recipe)) {
			t.Errorf("media %s is not what its recipe says", m.MediaID)
		}
		if m.Frames != int64(len(b.hashes(m.MediaID))) || m.Bytes == 0 || m.Width != 160 || m.License != "CC-BY-4.0" {
			t.Errorf("media row %+v", m)
		}
	}
	if len(tasks[0].SourceRecords) != 6 || len(tasks[0].Media) != 2 {
		t.Errorf("task %+v, want six sources and two media", tasks[0])
	}
	asked, lost := b.run("video.ask", "", out...)
	qs := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, asked)
	for _, q := range qs {
		if q.TaskID != tasks[0].TaskID || !slices.Contains(tasks[0].Media, q.Media[0]) {
			t.Errorf("question %s belongs to task %s", q.QuestionID, q.TaskID)
		}
	}
	b.derives(out, asked)
	if len(qs) != 8 || len(lost) != 0 {
		t.Errorf("%d questions and %v, want the inner and the last sign of each reel in both orders", len(qs), lost)
	}
}

func checkSplit(t *testing.T, b *bench, pair pipeline.Record) {
	out, lost := b.run("video.split", `{"swaps": 4}`, pair)
	cs := testkit.DecodeAll[schemas.Composition](t, schemas.NameComposition, out)
	if len(cs) != 2 || len(lost) != 0 {
		t.Fatalf("%d compositions, lost %v", len(cs), lost)
	}
	p := cs[0].Pair
	n := min(p.A.Normalised.Frames, p.B.Normalised.Frames)
	for i, c := range cs {
		if c.Media.Frames != n || c.Media.Width != 160 || c.Media.Height != 60 || int64(len(b.hashes(c.Media.MediaID))) != n {
			t.Errorf("media %+v, want %d frames of 160x60", c.Media, n)
		}
		if len(c.Media.Recipe.SwapFrames) != 4*i || c.Swaps != int32(4*i) {
			t.Errorf("variant %d swaps at %v", i, c.Media.Recipe.SwapFrames)
		}
	}
	asked, lost := b.run("video.ask", "", out...)
	t.Logf("%d questions, %v", len(asked), codes(lost))
	if len(asked) > 0 {
		b.derives(out, asked)
	}
	_, lost = b.run("video.split", fmt.Sprintf(`{"swaps": %d}`, min(n, 1000)), pair)
	if n <= 1000 && codes(lost)["too-short"] != 1 {
		t.Errorf("%d swaps in %d frames: %v, want too-short", n, n, lost)
	}
}

func checkNBack(t *testing.T, b *bench, clips []pipeline.Record) {
	const cfg = `{"allow_repeat": true, "k": [2, 3, 4], "n": [1, 2], "clips_per_sequence": 4}`
	trials, _ := b.run("video.nback-plan", cfg, clips[:4]...)
	out, lost := b.run("video.nback", "", trials...)
	qs := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	medias := testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, out)
	tasks := testkit.DecodeAll[schemas.Task](t, schemas.NameTask, out)
	if len(qs) != 10 || len(tasks) != 6 || len(lost) != 0 {
		t.Fatalf("%d questions, %d tasks, lost %v; want 5 cells in 3 videos of 2 sequences", len(qs), len(tasks), lost)
	}
	b.derives(out)
	byID := map[string]schemas.Media{}
	for _, m := range medias {
		byID[m.MediaID] = m
		if !slices.Equal(b.hashes(m.MediaID), b.follow(m.Recipe)) {
			t.Errorf("media %s is not what its recipe says", m.MediaID)
		}
	}
	action := map[string]string{}
	for _, v := range testkit.DecodeAll[schemas.Video](t, schemas.NameVideo, clips) {
		action[v.Normalised.Video] = v.Labels["action"]
	}
	t.Logf("%d trials are %d files; %s -> %s", len(qs), len(medias), qs[0].QuestionMCQ, qs[0].AnswerText)
	for _, q := range qs {
		segments := byID[q.Media[0]].Recipe.Segments
		var n int
		fmt.Sscan(q.Labels["n_value"], &n)
		last, asked := segments[len(segments)-1], segments[len(segments)-1-n]
		if want := map[bool]string{true: "Yes", false: "No"}[action[last.Source] == action[asked.Source]]; q.AnswerText != want {
			t.Errorf("%s: answer %s, and the clips are %s and %s", q.Question, q.AnswerText, action[asked.Source], action[last.Source])
		}
		if len(q.Evidence) != 2 || !strings.HasPrefix(q.Evidence[1].Ref, fmt.Sprintf("%s#t=%.2f,", q.Media[0], float64(last.At)/25)) {
			t.Errorf("evidence %+v, want the last clip at frame %d", q.Evidence, last.At)
		}
	}
	again, _ := b.run("video.nback", "", trials...)
	if !bytes.Equal(encodeAll(t, out), encodeAll(t, again)) {
		t.Error("a second run gives other records")
	}
}

func TestProbeRejectsGarbage(t *testing.T) {
	fixtures(t)
	b := newBench(t)
	text := b.blob("this is no video")
	r, err := pipeline.NewRecord(schemas.NameVideo, "v-text", schemas.Video{Media: text}, pipeline.Digest(text))
	if err != nil {
		t.Fatal(err)
	}
	out, lost := b.run("video.probe", "", r)
	if len(out) != 0 || len(lost) != 1 || lost[0].Code == "" || lost[0].ID != "v-text" {
		t.Errorf("records %v, rejections %+v; want one with a code", out, lost)
	}
	_, lost = b.run("video.normalise", "", r)
	if codes(lost)["not-probed"] != 1 {
		t.Errorf("normalise without facts: %v", lost)
	}
}
