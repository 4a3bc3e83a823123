// Package videorelease writes a small release of the video family for tests of
// what works on finished releases: every layout and every question type, and
// media that are no videos, so that no tool is needed.
package videorelease

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Write writes the release below root and returns its folder. change may edit
// the questions before they are written.
func Write(ctx context.Context, root string, change func([]schemas.Question) []schemas.Question) (string, error) {
	return WriteVersion(ctx, root, "1.0.0", change)
}

// WriteVersion writes it under another version.
func WriteVersion(ctx context.Context, root, version string, change func([]schemas.Question) []schemas.Question) (string, error) {
	return write(ctx, root, change, func(in *release.Input) { in.Spec.Version = version })
}

// WritePrivate writes it with a source without a licence, and so as a private one.
func WritePrivate(ctx context.Context, root string) (string, error) {
	return write(ctx, root, nil, func(in *release.Input) { in.Sources[0].License = "" })
}

// WriteRejecting writes it with records that its build rejected.
func WriteRejecting(ctx context.Context, root string, lost ...schemas.Rejection) (string, error) {
	return write(ctx, root, nil, func(in *release.Input) { in.Rejections = lost })
}

// WriteUndescribed writes it without what a public release must state.
func WriteUndescribed(ctx context.Context, root string) (string, error) {
	return write(ctx, root, nil, func(in *release.Input) { in.Spec.About = nil })
}

func write(ctx context.Context, root string, change func([]schemas.Question) []schemas.Question, set func(*release.Input)) (string, error) {
	store := blobs{data: map[pipeline.Digest][]byte{}}
	in, err := input(store, change)
	if err != nil {
		return "", err
	}
	set(&in)
	w, err := release.Write(ctx, store, root, in, release.Options{AllowUnlicensed: true})
	return w.Dir, err
}

func input(store blobs, change func([]schemas.Question) []schemas.Question) (release.Input, error) {
	in := release.Input{
		Spec: pipeline.Release{Name: "sample", Version: "1.0.0", About: &pipeline.About{
			URL: "https://example.org/sample", Creators: []pipeline.Creator{{Name: "A Tester"}}, Published: "2026-01-31", Cite: "@misc{sample}",
			Biases: "It has few films.", UseCases: "Tests.", SocialImpact: "None.",
		}}, Seed: 1, Config: pipeline.DigestOf([]byte("plan")),
		Sources:  []schemas.Source{{ID: "films", Kind: "generated", License: "CC0-1.0", Records: 2}},
		BuildKey: "sample",
	}
	media, questions := content(store)
	if change != nil {
		questions = change(questions)
	}
	add := func(schema, id string, v any) error {
		r, err := pipeline.NewRecord(schema, id, v)
		in.Records = append(in.Records, r)
		return err
	}
	for _, m := range media {
		if err := add(schemas.NameMedia, m.MediaID, m); err != nil {
			return in, err
		}
		if !slices.ContainsFunc(questions, func(q schemas.Question) bool { return q.TaskID == taskOf(m) }) {
			continue // a release has no task without a question
		}
		t := schemas.Task{TaskID: taskOf(m), Family: "video", Domain: "kitchen, \"new\"", Scenario: m.Recipe.Layout, SourceRecords: []string{"films"}, Media: []string{m.MediaID}}
		if err := add(schemas.NameTask, t.TaskID, t); err != nil {
			return in, err
		}
	}
	for _, q := range questions {
		if err := add(schemas.NameQuestion, q.QuestionID, q); err != nil {
			return in, err
		}
	}
	return in, nil
}

// content is one medium for each way of showing, and the questions over it.
func content(store blobs) ([]schemas.Media, []schemas.Question) {
	c := collection{store: store}
	for _, swaps := range []int{0, 10} {
		m := c.addMedium(schemas.LayoutSplit, swaps)
		for _, kind := range []string{"source_identification", "order_understanding", "content_retention"} {
			c.addQuestion(m, kind, map[string]string{"metric_group": fmt.Sprintf("swap%d", swaps)})
		}
	}
	for _, direction := range []string{"proactive", "retroactive"} {
		m := c.addMedium(schemas.LayoutConcat, 0)
		for _, target := range []string{"A", "B"} {
			c.addQuestion(m, "interference", map[string]string{
				"metric_group": direction, "interference_direction": direction, "target": target, "repetition": "none",
			})
		}
	}
	c.addQuestion(c.addMedium(schemas.LayoutConcat, 0), "interference", map[string]string{"metric_group": "proactive", "repetition": "target"})
	m := c.addMedium(schemas.LayoutInterleaved, 0)
	for _, kind := range []string{"source_identification", "order_understanding", "content_retention", "false_memory_discrimination", "temporal_grounding"} {
		c.addQuestion(m, kind, map[string]string{"metric_group": "interleaved"})
	}
	for i, attribute := range []string{"action", "scene"} {
		c.questions = append(c.questions, nbackQuestion(c.addMedium(schemas.LayoutNBack, 0), len(c.questions), attribute, i+1, i+3))
	}
	return c.media, c.questions
}

type collection struct {
	store     blobs
	media     []schemas.Media
	questions []schemas.Question
}

func (c *collection) addMedium(layout string, swaps int) schemas.Media {
	c.media = append(c.media, newMedium(c.store, layout, len(c.media), swaps))
	return c.media[len(c.media)-1]
}

func (c *collection) addQuestion(m schemas.Media, kind string, labels map[string]string) {
	c.questions = append(c.questions, choiceQuestion(m, len(c.questions), kind, labels))
}

func newMedium(store blobs, layout string, i, swaps int) schemas.Media {
	data := bytes.Repeat(fmt.Appendf(nil, "not really video %d ", i), 20)
	id := pipeline.DigestOf(data)
	store.data[id] = data
	m := schemas.Media{
		MediaID: string(id), Kind: "video", Mime: "video/mp4", Bytes: int64(len(data)), Width: 640, Height: 360,
		Duration: 4, FPS: 25, Frames: 100, License: "CC0-1.0", Recipe: schemas.Recipe{Layout: layout},
	}
	for s := range swaps {
		m.Recipe.SwapFrames = append(m.Recipe.SwapFrames, int64(9*(s+1)))
	}
	for j := range 2 {
		m.Recipe.Segments = append(m.Recipe.Segments, schemas.Segment{
			Source: string(pipeline.DigestOf([]byte{byte(j)})), Region: "full", To: 50, At: int64(50 * j),
			Original: string(pipeline.DigestOf([]byte{9, byte(j)})), SourceID: "films",
		})
	}
	return m
}

func taskOf(m schemas.Media) string { return "task-" + m.MediaID[:16] }

// choiceQuestion has four options; the right one moves with i.
func choiceQuestion(m schemas.Media, i int, kind string, labels map[string]string) schemas.Question {
	roles := []string{schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}
	q := newQuestion(m, i, kind, labels)
	q.Question = fmt.Sprintf("What, in video %d, is \"picked up\" <first> – über all?", i)
	q.Options = make([]schemas.Option, len(roles))
	for j, role := range roles {
		at := (i + j) % len(roles)
		q.Options[at] = schemas.Option{Key: schemas.Letter(at), Text: fmt.Sprintf("thing %d, of %d", j, i), Role: role}
	}
	right := q.Options[i%len(roles)]
	q.AnswerKey, q.AnswerText = right.Key, right.Text
	return q
}

func nbackQuestion(m schemas.Media, i int, attribute string, n, k int) schemas.Question {
	q := newQuestion(m, i, "nback", map[string]string{
		"attribute": attribute, "n_value": fmt.Sprint(n), "clip_count": fmt.Sprint(k), "sequence": "seq-" + attribute,
	})
	q.Question = fmt.Sprintf("Does the last of %d clips show the same %s as the one %d before?", k, attribute, n)
	q.Options = []schemas.Option{{Key: "A", Text: "Yes", Role: schemas.RoleDistractor}, {Key: "B", Text: "No", Role: schemas.RoleCorrect}}
	q.AnswerKey, q.AnswerText = "B", "No"
	return q
}

func newQuestion(m schemas.Media, i int, kind string, labels map[string]string) schemas.Question {
	return schemas.Question{
		QuestionID: fmt.Sprintf("q-%04d", i), Family: "video", TaskID: taskOf(m), Type: kind, Labels: maps.Clone(labels),
		Evidence: []schemas.Evidence{{Kind: "media", Ref: m.MediaID + "#t=0.00,1.00", Role: schemas.RoleClue, SourceID: "films", Order: 1, Modality: schemas.ModalityVideo}},
		Media:    []string{m.MediaID}, Split: "test",
	}
}

// OnlyQuestions keeps the questions of the given ids.
func OnlyQuestions(ids ...string) func([]schemas.Question) []schemas.Question {
	return func(qs []schemas.Question) []schemas.Question {
		return slices.DeleteFunc(qs, func(q schemas.Question) bool { return !slices.Contains(ids, q.QuestionID) })
	}
}

// blobs is as much of a store as writing a release needs.
type blobs struct {
	pipeline.Store
	data map[pipeline.Digest][]byte
}

// OpenBlob is the one method that works.
func (b blobs) OpenBlob(_ context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	data, ok := b.data[d]
	if !ok {
		return nil, fmt.Errorf("%s: %w", d, pipeline.ErrNoBlob)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}
