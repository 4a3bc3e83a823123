package release_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// forgePlan builds a release in which every column has a value: videos of every
// layout, questions that a panel was asked about, and an album of pictures with
// whatever the video stages never set, some of it wrong.
const forgePlan = `version: 1
seed: 3
release: {name: forged, title: To be forged, from: [mirrored, positions, leaks, integrity, album-roles]}
sources:
  films: {use: procedural, with: {kind: film, count: 4, seconds: 10, width: 160, height: 92, fps: 10}}
  clips: {use: procedural, with: {kind: clip, count: 8, seconds: 1.6, width: 160, height: 92, fps: 10, actions: 2, scenes: 4}}
  album: {use: test.album, max_loss: 0.2}
stages:
  draw-films: {use: film.render, from: [films]}
  probe-films: {use: video.probe, from: [draw-films]}
  films-normal: {use: video.normalise, from: [probe-films], with: {profile: {width: 160, height: 92, fps: 10}}}
  pair: {use: video.pair, from: [films-normal]}
  concat: {use: video.concat, from: [pair], with: {orders: [AB, BA]}}
  interleave: {use: video.interleave, from: [pair], with: {segments: 4}}
  split: {use: video.split, from: [pair], with: {swaps: 3}}
  ask: {use: video.ask, from: [concat]}
  ask-split: {use: video.ask, from: [split]}
  ask-interleaved: {use: video.ask, from: [interleave]}
  draw-clips: {use: film.render, from: [clips]}
  probe-clips: {use: video.probe, from: [draw-clips]}
  clips-normal: {use: video.normalise, from: [probe-clips], with: {profile: {width: 160, height: 92, fps: 10}}}
  plan: {use: video.nback-plan, from: [clips-normal], with: {clips_per_sequence: 4, labels_per_sequence: 2, n: [1], k: [4]}}
  nback: {use: video.nback, from: [plan]}
gates:
  roles: {use: interference-roles, from: [ask]}
  blind: {use: option-only, from: [roles], with: {full_protocol: true}, on_fail: keep}
  mirrored: {use: mirror-pairs, from: [blind]}
  options: {use: option-roles, from: [ask-split, ask-interleaved]}
  positions: {use: answer-position, from: [options], max_insufficient: 1}
  balance: {use: nback-balance, from: [nback]}
  leaks: {use: nback-leak, from: [balance]}
  integrity: {use: video-integrity, from: [concat, interleave, split, nback]}
  album-words: {use: test.words, from: [album], on_fail: revise}
  album-roles: {use: interference-roles, from: [album-words]}
revise: {use: test.reword, rounds: 1}
`

// album is a source of questions about pictures, with a value in every column.
type album struct{}

func (album) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameQuestion, schemas.NameTask, schemas.NameMedia, schemas.NameSession, schemas.NameCheckpoint}, License: "CC0-1.0"}
}

func (album) Needs() []pipeline.Need {
	return []pipeline.Need{{From: fetch.Local, Root: "album", Include: []string{"*"}, License: "CC0-1.0"}}
}

func (album) Read(_ context.Context, scope *pipeline.Scope, assets []pipeline.Asset, emit func(pipeline.Record) error) error {
	var media []string
	for i, a := range assets {
		m := schemas.Media{
			MediaID: string(a.Blob), Kind: "image", Mime: []string{"image/jpeg", "image/png"}[i], Bytes: a.Size, Width: 64, Height: int32(48 + i),
			Caption: fmt.Sprint("picture ", i), License: "CC0-1.0",
		}
		media = append(media, m.MediaID)
		if err := give(emit, schemas.NameMedia, m.MediaID, m, a.Blob); err != nil {
			return err
		}
		t := schemas.Task{TaskID: fmt.Sprint("t-", i), Family: "album", Domain: "holidays", Scenario: "one", Summary: "A picture.", SourceRecords: []string{"album"}, Media: media[i:]}
		if err := give(emit, schemas.NameTask, t.TaskID, t); err != nil {
			return err
		}
	}
	scope.Reject("q-torn", pipeline.Reject("torn", "the picture is torn"))
	scope.Reject(assets[0].Path, pipeline.Reject("torn", "a corner of the picture is torn"))
	for i := range 8 {
		q := albumQuestion(i, media[i%2])
		s := schemas.Session{SessionID: q.Evidence[0].SessionID, TaskID: q.TaskID, Kind: schemas.KindImage, Order: int32(i)}
		s.Turns = []schemas.Turn{{
			TurnID: schemas.TurnIDOf(s.SessionID, 1), SessionID: s.SessionID, Order: 1, Role: schemas.TurnUser,
			Attachments: []schemas.Attachment{{MediaID: media[i%2], Caption: "A full corner."}},
		}}
		c := schemas.Checkpoint{CheckpointID: q.CheckpointID, TaskID: q.TaskID, Order: int32(i), Sessions: []string{s.SessionID}}
		err := errors.Join(give(emit, schemas.NameQuestion, q.QuestionID, q), give(emit, schemas.NameSession, s.SessionID, s), give(emit, schemas.NameCheckpoint, c.CheckpointID, c))
		if err != nil {
			return err
		}
	}
	return nil
}

func give(emit func(pipeline.Record) error, schema, id string, v any, blobs ...pipeline.Digest) error {
	r, err := pipeline.NewRecord(schema, id, v, blobs...)
	if err != nil {
		return err
	}
	return emit(r)
}

// albumQuestion has wrong roles where i is 3 or 6.
func albumQuestion(i int, medium string) schemas.Question {
	q := schemas.Question{
		QuestionID: fmt.Sprint("q-", i), Family: "album", TaskID: fmt.Sprint("t-", i%2), CheckpointID: fmt.Sprint("c-", i), Type: schemas.TypeInterference,
		Question: fmt.Sprintf("What is in corner %d?", i), Labels: map[string]string{"corner": fmt.Sprint(i)},
		Explanation: "One sees it.", AnswerCall: fmt.Sprintf("look(%d)", i), Split: []string{"test", "validation"}[i%2], Media: []string{medium},
		QuestionMedia: []string{medium}, Tools: []schemas.Tool{{Name: "look", Description: "looks into a corner", Parameters: `{"type":"object"}`}},
		Evidence: []schemas.Evidence{{
			Kind: "media", Ref: medium, Role: schemas.RoleClue, SourceID: "album", SessionID: fmt.Sprint("s-", i), Order: 1, Modality: schemas.ModalityImage,
			Text: fmt.Sprintf("Corner %d is full.", i), Caption: "A full corner.", MinimalCaption: "a picture", TaskAwareCaption: "A full corner, with all that is in it.", Media: medium,
		}},
	}
	roles := []string{schemas.RoleCorrect, schemas.RoleIntrusion, schemas.RoleIntrusion, schemas.RoleUnrelated}
	if i%3 == 0 && i > 0 {
		roles[3] = schemas.RoleIntrusion
	}
	q.QuestionMCQ = q.Question
	for j := range roles {
		o := schemas.Option{Key: string(rune('A' + j)), Text: fmt.Sprintf("thing %d", i+j), Role: roles[(i+j)%4]}
		q.Options = append(q.Options, o)
		q.QuestionMCQ += "\n" + o.Key + ". " + o.Text
		if o.Role == schemas.RoleCorrect {
			q.AnswerKey, q.AnswerText = o.Key, o.Text
		}
	}
	return q
}

func forgeRegistry(t testing.TB) *pipeline.Registry {
	t.Helper()
	r := plugins.Registry()
	pipeline.AddSource(r, "test.album", "1", "an album", func(struct{}) (pipeline.Source, error) { return album{}, nil })
	r.AddSourceFileReader(schemas.NameMedia, tellPicture)
	addRewording(r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

// tellPicture notes something about the first picture of the album.
func tellPicture(rec pipeline.Record) (pipeline.SourceFile, error) {
	m, err := pipeline.Decode[schemas.Media](rec)
	if err != nil || m.Caption != "picture 0" {
		return pipeline.SourceFile{}, err
	}
	return pipeline.SourceFile{File: "a.jpg", Notes: []schemas.Note{{Code: "pale", Text: "the picture is pale"}}}, nil
}

// buildForged builds the release that forgeries start from, at small size with one
// sequence of clips.
func buildForged(t testing.TB, reg *pipeline.Registry) (dir string) {
	t.Helper()
	if _, err := media.Locate(); err != nil {
		t.Skipf("ffmpeg: %v", err)
	}
	home := t.TempDir()
	paint(t, filepath.Join(home, "album"))
	name := filepath.Join(home, "pipeline.yaml")
	plan := testsize.Choose(strings.Replace(forgePlan, "kind: clip, count: 8", "kind: clip, count: 4", 1), forgePlan)
	if err := os.WriteFile(name, []byte(plan), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(name, reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return res.Release.Dir
}

// paint puts two pictures into a folder.
func paint(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a.jpg", "b.png"} {
		img := image.NewRGBA(image.Rect(0, 0, 64, 48+i))
		for x := range 64 {
			img.Set(x, x%48, color.RGBA{uint8(4 * x), uint8(90 * i), 7, 255})
		}
		var b bytes.Buffer
		err := jpeg.Encode(&b, img, nil)
		if i == 1 {
			b.Reset()
			err = png.Encode(&b, img)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
