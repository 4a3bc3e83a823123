package hydrate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/hydrate"
	"github.com/memforge/memforge/pipeline/release/license"
	"github.com/memforge/memforge/schemas"
)

// blobs is a store that gives bytes, and nothing else.
type blobs struct {
	pipeline.Store
	data map[pipeline.Digest][]byte
}

func (b blobs) OpenBlob(_ context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b.data[d])), nil
}

// pictures is a release of two pictures, of which the second is for research only.
func pictures(t *testing.T, change func(media []schemas.Media, in *release.Input)) (blobs, release.Input) {
	t.Helper()
	store := blobs{data: map[pipeline.Digest][]byte{}}
	in := release.Input{Spec: pipeline.Release{Name: "pictures", Version: "1.0.0", Media: pipeline.LicensedMedia}, Config: pipeline.DigestOf(nil), BuildKey: "pictures"}
	media := make([]schemas.Media, 2)
	for i, l := range []string{"CC-BY-4.0", "LicenseRef-research"} {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 40+i, 30))); err != nil {
			t.Fatal(err)
		}
		d := pipeline.DigestOf(b.Bytes())
		store.data[d] = b.Bytes()
		media[i] = schemas.Media{MediaID: string(d), Kind: "image", Mime: "image/png", Bytes: int64(b.Len()), Width: int32(40 + i), Height: 30, License: l}
		in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprint("album", i), Kind: "dir", Path: fmt.Sprintf("photos/%d.png", i), SHA256: string(d), License: l, Bytes: int64(b.Len()), Records: 1})
	}
	if change != nil {
		change(media, &in)
	}
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		in.Records = append(in.Records, r)
	}
	task := schemas.Task{TaskID: "t", Family: "f", Domain: "d", Scenario: "s"}
	q := schemas.Question{QuestionID: "q", Family: "f", TaskID: "t", Question: "What is grey?", Type: "x", Split: "test"}
	for i, m := range media {
		add(schemas.NameMedia, m.MediaID, m)
		task.Media, q.Media = append(task.Media, m.MediaID), append(q.Media, m.MediaID)
		q.Evidence = append(q.Evidence, schemas.Evidence{Kind: schemas.EvidenceMedia, Ref: m.MediaID, Role: schemas.RoleClue, Order: int32(i + 1), Modality: "image"})
	}
	q.SetOptions(schemas.Option{Text: "all", Role: schemas.RoleCorrect}, schemas.Option{Text: "none", Role: schemas.RoleDistractor})
	add(schemas.NameTask, "t", task)
	add(schemas.NameQuestion, "q", q)
	return store, in
}

func TestReferencedPicturesAreHydrated(t *testing.T) {
	store, in := pictures(t, nil)
	w, err := release.Write(t.Context(), store, t.TempDir(), in, release.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id := in.Sources[1].SHA256
	r, err := release.Verify(t.Context(), w.Dir)
	if err != nil || len(r.Referenced) != 1 || r.Referenced[0] != id || r.Manifest.License != "CC-BY-4.0" || r.Manifest.Private {
		t.Fatalf("%+v: %v", r, err)
	}
	err = filepath.WalkDir(w.Dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.Contains(data, store.data[pipeline.Digest(id)]) {
			t.Errorf("%s holds the picture that must not be shipped", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	mine, out := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	var incomplete *hydrate.IncompleteError
	if _, err := hydrate.Hydrate(t.Context(), w.Dir, out, []string{mine}, hydrate.Options{}); !errors.As(err, &incomplete) || !strings.Contains(err.Error(), "photos/1.png of source album1") {
		t.Fatalf("without the original: %v", err)
	}
	if err := os.WriteFile(filepath.Join(mine, "IMG_1"), store.data[pipeline.Digest(id)], 0o644); err != nil {
		t.Fatal(err)
	}
	res, err := hydrate.Hydrate(t.Context(), w.Dir, out, []string{mine}, hydrate.Options{})
	if err != nil || res.Made != 1 || len(res.Report.Referenced) != 0 {
		t.Fatalf("%+v: %v", res, err)
	}
	var other *hydrate.OutError
	if _, err := hydrate.Hydrate(t.Context(), w.Dir, mine, []string{mine}, hydrate.Options{}); !errors.As(err, &other) {
		t.Errorf("a folder that holds something other: %v", err)
	}
	if err := os.WriteFile(filepath.Join(out, "media", "images", strings.Repeat("0", 64)+".png"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := release.Verify(t.Context(), out); err == nil || !strings.Contains(err.Error(), "does not belong to the release") {
		t.Errorf("a file that no row references: %v", err)
	}
}

func TestWhatCannotBeReferencedIsRefused(t *testing.T) {
	for name, change := range map[string]func([]schemas.Media, *release.Input){
		"not asked for":  func(_ []schemas.Media, in *release.Input) { in.Spec.Media = pipeline.AllMedia },
		"caption":        func(m []schemas.Media, _ *release.Input) { m[1].Caption = "A cup, said its owner." },
		"no original":    func(_ []schemas.Media, in *release.Input) { in.Sources[1].SHA256 = string(pipeline.DigestOf(nil)) },
		"no own licence": func(m []schemas.Media, in *release.Input) { m[0].License, in.Sources[0].License = "", "" },
	} {
		t.Run(name, func(t *testing.T) {
			store, in := pictures(t, change)
			var refused *license.Error
			if w, err := release.Write(t.Context(), store, t.TempDir(), in, release.Options{}); !errors.As(err, &refused) {
				t.Errorf("%+v: %v", w, err)
			}
		})
	}
}

// TestStepsNameFilesByDigest: the steps of a release may say anything, and what they name
// becomes a part of a path.
func TestStepsNameFilesByDigest(t *testing.T) {
	original := string(pipeline.DigestOf([]byte("an original")))
	for name, step := range map[string]schemas.HydrationStep{
		"a second output": {Second: "../../escaped", Inputs: []schemas.HydrationInput{{File: original}}},
		"an input":        {Inputs: []schemas.HydrationInput{{File: "../../escaped"}}},
		"a sound":         {Inputs: []schemas.HydrationInput{{File: original, Sound: "../../escaped"}}},
	} {
		t.Run(name, func(t *testing.T) {
			store, in := pictures(t, func(m []schemas.Media, in *release.Input) {
				in.Sources[1].SHA256 = original
				in.Sources = append(in.Sources, schemas.Source{ID: "escaped", Kind: "dir", Path: "photos/e.png", SHA256: "../../escaped", License: m[1].License, Records: 1})
				step.Output, step.Operation = m[1].MediaID, schemas.OperationSplit
				in.Hydration = []schemas.HydrationStep{step}
			})
			root := t.TempDir()
			w, err := release.Write(t.Context(), store, root, in, release.Options{})
			if err != nil {
				t.Fatal(err)
			}
			var damaged *release.DamagedError
			if _, err := hydrate.Hydrate(t.Context(), w.Dir, filepath.Join(root, "a", "b", "copy"), []string{root}, hydrate.Options{}); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "data/hydration") {
				t.Errorf("%v", err)
			}
			if escaped, _ := filepath.Glob(filepath.Join(root, "*", "escaped")); len(escaped) > 0 {
				t.Errorf("it made %v", escaped)
			}
		})
	}
}
