package release

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	goimage "image"
	"image/color"
	"image/png"
	"io"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// memoryStore holds blobs; it has no other method of a store that works.
type memoryStore struct {
	pipeline.Store
	blobs map[pipeline.Digest][]byte
	// spoil changes what is read.
	spoil func(pipeline.Digest, io.Reader) io.Reader
}

func newStore() *memoryStore { return &memoryStore{blobs: map[pipeline.Digest][]byte{}} }

func (s *memoryStore) add(b []byte) string {
	d := pipeline.DigestOf(b)
	s.blobs[d] = b
	return string(d)
}

func (s *memoryStore) OpenBlob(_ context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	b, ok := s.blobs[d]
	if !ok {
		return nil, fmt.Errorf("%s: %w", d, pipeline.ErrNoBlob)
	}
	var r io.Reader = bytes.NewReader(b)
	if s.spoil != nil {
		r = s.spoil(d, r)
	}
	return io.NopCloser(r), nil
}

func record(t testing.TB, schema, id string, v any) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord(schema, id, v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func videoMedia(store *memoryStore, i int) schemas.Media {
	b := bytes.Repeat([]byte(fmt.Sprintf("not really a video %d ", i)), 500)
	return schemas.Media{
		MediaID: store.add(b), Kind: "video", Mime: "video/mp4", Bytes: int64(len(b)),
		Width: 1280, Height: 360, Duration: 12.48, FPS: 25, Frames: 312, HasAudio: i%2 == 0,
		Recipe: schemas.Recipe{Layout: schemas.LayoutSplit, SwapFrames: []int64{100, 200}, Segments: []schemas.Segment{
			{Source: string(pipeline.DigestOf([]byte("a"))), Region: "left", To: 312, Original: string(pipeline.DigestOf([]byte("c"))), SourceID: "clips"},
			{Source: string(pipeline.DigestOf([]byte("b"))), Region: "right", To: 312},
		}},
		License: "CC-BY-4.0",
	}
}

func pngMedia(store *memoryStore) schemas.Media {
	b := picturePNG(64, 48, 7)
	return schemas.Media{MediaID: store.add(b), Kind: "image", Mime: "image/png", Bytes: int64(len(b)), Width: 64, Height: 48, License: "CC0-1.0"}
}

func picturePNG(w, h, shade int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, gradient(w, h, shade)); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func gradient(w, h, shade int) goimage.Image {
	img := goimage.NewRGBA(goimage.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), uint8(shade * 37), 255})
		}
	}
	return img
}

func question(i int, task, media string) schemas.Question {
	keys := []string{"A", "B", "C", "D"}
	roles := []string{schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}
	options := make([]schemas.Option, 4)
	for j := range options {
		options[(i+j)%4] = schemas.Option{Text: fmt.Sprintf("a cup, number %d of question %d", j, i), Role: roles[j]}
	}
	for j := range options {
		options[j].Key = keys[j]
	}
	var revisions []schemas.Revision
	if i%4 == 1 {
		revisions = []schemas.Revision{{Item: "q", Question: "What is in the hand?", Gate: "option-only", Code: "guessable", Reason: "both models are right", Model: "writer-1"}}
	}
	const text = "What did the person in the left video pick up?"
	return schemas.Question{
		Revisions: revisions, QuestionID: fmt.Sprintf("q-%04d", i), Family: "m3eval", TaskID: task,
		Question: text, QuestionMCQ: schemas.MCQ(text, options),
		Options: options, AnswerKey: keys[i%4], AnswerText: options[i%4].Text, Type: []string{"interference", "nback", "source_identification"}[i%3],
		Labels: map[string]string{"direction": []string{"forward", "backward"}[i%2], "n_value": fmt.Sprint(1 + i%3)},
		Evidence: []schemas.Evidence{{Kind: schemas.EvidenceMedia, Ref: media + "#t=3.20,5.00", Role: schemas.RoleClue, Order: 1,
			Modality: schemas.ModalityVideo, Text: "A cup is taken.", Caption: "A hand takes a red cup.", MinimalCaption: "a kitchen", Media: media}},
		Media: []string{media}, Split: []string{"test", "validation"}[i%2],
	}
}

// goneQuestion is one that no question of the release is.
func goneQuestion() schemas.Question {
	q := question(7, "t-0", "")
	q.QuestionID, q.Media, q.Evidence = "q-gone", nil, nil
	return q
}

// sample is an input with n questions over media of all kinds.
func sample(t testing.TB, n int) (*memoryStore, Input) {
	t.Helper()
	store := newStore()
	in := Input{
		Spec: pipeline.Release{Name: "demo", Version: "auto", Title: "Demo: <memory> & \"video\""},
		Seed: 42, Config: pipeline.DigestOf([]byte("plan")), Tools: map[string]string{"ffmpeg": "5.1.6", "memforge": "dev"},
		Models: []manifest.StepModels{
			{Step: "ask", Kind: "stage", Use: "video.author", Models: []manifest.ModelUse{{Role: "author", Model: "writer-1", Host: "models.example", Sampling: json.RawMessage(`{"temperature":0.7}`)}},
				Prompts: []manifest.PromptUse{{Task: "video.author.interference", Version: "1", Digest: pipeline.DigestOf([]byte("prompt"))}}},
			{Step: "option-only", Kind: "gate", Use: "option-only", Rules: []manifest.RuleUse{{Task: "gate.answer", Version: "1"}}},
		},
		GateCounts: []manifest.GateCounts{
			{Gate: "balance", Use: "balance", In: int64(n) + 3, Passed: int64(n), NotApplicable: 2, Flagged: 1, Dropped: 1, Reasons: []manifest.ReasonCount{{Code: "unbalanced", Count: 1}}, NotApplicableReasons: []manifest.ReasonCount{{Code: "other-label", Count: 1}, {Code: "other-type", Count: 1}}},
			{Gate: "balance", Round: 1, Use: "balance", Source: "clips<1>", In: 3, Insufficient: 1, Errors: 1, Flagged: 1, Revised: 1, Reasons: []manifest.ReasonCount{{Code: "unbalanced", Count: 1}}, InsufficientReasons: []manifest.ReasonCount{{Code: "too-few", Count: 1}}},
		},
		Recipe: []RecipeFile{{RecipeLock, func(w io.Writer) error { _, err := io.WriteString(w, "version: 1\n"); return err }}}, BuildKey: "key-1",
		Sources: []schemas.Source{
			{ID: "clips", Kind: "github", Path: "a.mp4", URL: "https://example.org/a.mp4", Revision: "abc", SHA256: "00", License: "CC-BY-4.0", Bytes: 10, Records: 2},
			{ID: "script", Kind: "generated", License: "CC0-1.0", Records: 3, Losses: 1},
		},
		Rejections: []schemas.Rejection{
			{ID: "q-gone", Stage: "balance", Code: "unbalanced", Reason: "more yes than no | <b>bold</b>"},
			{ID: "clip\xff", Stage: "probe", Code: "no-picture", Reason: "no frame decodes", Source: "clips"},
		},
		Gates: []manifest.GateInfo{
			{Name: "balance", Use: "nback-balance", Summary: "as many yes as no", Version: "1", Config: pipeline.RawConfig(`{"types":[]}`), OnFail: "drop"},
			{Name: "idle", Use: "nback-balance", Version: "1", Config: pipeline.RawConfig(`{"types":[]}`), OnFail: "drop"},
			{Name: "option-only", Use: "option-only", Version: "1", Config: pipeline.RawConfig(`{"runs":1}`), OnFail: "keep", Models: map[string]string{"panel_a": "m"}},
		},
		Flagged: []schemas.FlaggedQuestion{{Question: goneQuestion(), JudgedBy: []string{"balance", "option-only"}}},
		RecordCounts: []manifest.RecordCounts{
			{Step: "clips", Kind: "source", Use: "folder", Out: 12},
			{Step: "probe", Kind: "stage", Use: "video.probe", In: 12, Out: 11, Lost: 1, Reasons: []manifest.ReasonCount{{Code: "no-picture", Count: 1}}},
			{Step: "ask", Kind: "stage", Use: "video.ask", In: 11, Out: int64(n) + 1},
			{Step: "balance", Kind: "gate", Use: "balance", In: int64(n) + 1, Out: int64(n), Flagged: 1, Reasons: []manifest.ReasonCount{{Code: "unbalanced", Count: 1}}},
		},
	}
	var media []schemas.Media
	for i := range 3 {
		media = append(media, videoMedia(store, i))
	}
	media = append(media, pngMedia(store))
	for _, m := range media {
		in.Records = append(in.Records, record(t, schemas.NameMedia, m.MediaID, m))
	}
	for i := range min(3, n) {
		id := fmt.Sprintf("t-%d", i)
		in.Records = append(in.Records, record(t, schemas.NameTask, id, schemas.Task{
			TaskID: id, Family: "m3eval", Domain: "video", Scenario: schemas.LayoutSplit, SourceRecords: []string{"clips", "script"}, Media: []string{media[i].MediaID},
		}))
	}
	in.Records = append(in.Records, record(t, schemas.NameStatements, "statements", sampleStatements()))
	for i := range n {
		q := question(i, fmt.Sprintf("t-%d", i%3), media[i%4].MediaID)
		in.Records = append(in.Records, record(t, schemas.NameQuestion, q.QuestionID, q),
			record(t, schemas.NameVerdict, "v"+q.QuestionID, schemas.Verdict{Item: q.QuestionID, Gate: "balance", Outcome: schemas.Pass}))
	}
	in.Records = append(in.Records,
		record(t, schemas.NameVerdict, "v1", schemas.Verdict{Item: "q-gone", Gate: "balance", Outcome: schemas.Fail, Reason: "more yes than no"}),
		record(t, schemas.NameVerdict, "v3", schemas.Verdict{Item: "q-gone", Gate: "option-only", Outcome: schemas.Pass, CallsMade: 2, CallsFull: 8}))
	var asked schemas.Probes
	for run := range int32(2) {
		asked.Probes = append(asked.Probes, schemas.Probe{
			Item: "q-gone", Gate: "option-only", View: "none", ViewDigest: "ab", Role: "panel-a", Model: "m", Rotation: 1, Sample: run,
			Response: "B, because \"it\"\nsays so", Answer: "B", Mark: schemas.MarkWrong, InputTokens: 120, OutputTokens: 3,
		})
	}
	in.Records = append(in.Records, record(t, schemas.NameProbes, "p", asked))
	return store, in
}

// gallery shows the first questions by id that are asked about media, as many as there
// are pictures, and one more without.
func gallery(t testing.TB, in Input) []GalleryImage {
	t.Helper()
	var asked []string
	for _, r := range in.Records {
		if r.Schema != schemas.NameQuestion {
			continue
		}
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			t.Fatal(err)
		}
		if len(q.Media) > 0 {
			asked = append(asked, q.QuestionID)
		}
	}
	slices.Sort(asked)
	out := []GalleryImage{{Data: picturePNG(320, 180, 1)}, {Data: picturePNG(320, 180, 3)}, {Data: picturePNG(320, 180, 6)}, {}}
	for i := range min(len(out), len(asked)) {
		out[i].QuestionID = asked[i]
	}
	return out[:min(len(out), len(asked))]
}

// write writes a release that must succeed and verify.
func write(t testing.TB, store pipeline.Store, root string, in Input) Written {
	t.Helper()
	got, err := Write(t.Context(), store, root, in, Options{Gallery: gallery(t, in)})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func mustVerify(t testing.TB, dir string) Report {
	t.Helper()
	r, err := Verify(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func replaceRecord(t testing.TB, in *Input, schema, id string, v any) {
	t.Helper()
	for i, r := range in.Records {
		if r.Schema == schema && r.ID == id {
			in.Records[i] = record(t, schema, id, v)
			return
		}
	}
	t.Fatalf("no %s %s", schema, id)
}
