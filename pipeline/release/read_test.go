package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestReadGivesWhatWasWritten compares every field of every record with the
// input, so that a column added to a table and forgotten here is found.
func TestReadGivesWhatWasWritten(t *testing.T) {
	store, in := sample(t, 5)
	w := write(t, store, t.TempDir(), in)
	got, err := Read(t.Context(), w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	c := collected(t, in, store).content
	sameByID(t, "questions", got.Questions, slices.Collect(c.questions), func(q schemas.Question) string { return q.QuestionID })
	sameByID(t, "tasks", got.Tasks, slices.Collect(c.tasks), func(q schemas.Task) string { return q.TaskID })
	sameByID(t, "media", got.Media, slices.Collect(c.media), func(q schemas.Media) string { return q.MediaID })
	sameByID(t, "events", got.Events, c.events, func(e schemas.StatedEvent) string { return e.EventID })
	sameByID(t, "labels", got.Labels, c.labels, func(l schemas.StatedLabel) string { return l.LabelID })
	sameByID(t, "sources", got.Sources, c.sources, func(q schemas.Source) string { return q.ID + q.Path })
	if len(got.Media) == 0 || len(got.Files) != len(got.Media) || got.Manifest.Name != "demo" {
		t.Fatalf("%d media, files %v, manifest of %q", len(got.Media), got.Files, got.Manifest.Name)
	}
	for id, path := range got.Files {
		data, err := os.ReadFile(filepath.Join(w.Dir, filepath.FromSlash(path)))
		if err != nil || string(pipeline.DigestOf(data)) != id {
			t.Errorf("%s is not medium %s: %v", path, id, err)
		}
	}
}

func sameByID[T any](t *testing.T, what string, got, want []T, id func(T) string) {
	t.Helper()
	byID := map[string]T{}
	for _, v := range want {
		byID[id(v)] = v
	}
	if len(got) != len(want) || len(byID) != len(want) {
		t.Errorf("%s: %d read, %d written", what, len(got), len(want))
	}
	for _, v := range got {
		if !reflect.DeepEqual(v, byID[id(v)]) {
			t.Errorf("%s: read %+v\nwritten %+v", what, v, byID[id(v)])
		}
	}
}

func TestReadRefusesADamagedRelease(t *testing.T) {
	store, in := sample(t, 3)
	w := write(t, store, t.TempDir(), in)
	name := filepath.Join(w.Dir, "data", "tasks", "train-00000-of-00001.parquet")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	var damaged *DamagedError
	if c, err := Read(t.Context(), w.Dir); !errors.As(err, &damaged) || c.Questions != nil {
		t.Errorf("read %d questions of a damaged release: %v", len(c.Questions), err)
	}
}

// TestRowsHoldEveryField fills every field of the records and takes them
// through their rows: a field that a row or Read leaves out is found.
func TestRowsHoldEveryField(t *testing.T) {
	var q schemas.Question
	var task schemas.Task
	var m schemas.Media
	var s schemas.Source
	for _, v := range []any{&q, &task, &m, &s} {
		n := 0
		fill(reflect.ValueOf(v).Elem(), &n)
	}
	q.Basis = "" // stays with the builder: no column holds it
	if got := recordOf[schemas.Question](tableQuestions, rowOf(tableQuestions, q)); !reflect.DeepEqual(got, q) {
		t.Errorf("%+v\n%+v", got, q)
	}
	if got := recordOf[schemas.Task](tableTasks, rowOf(tableTasks, task)); !reflect.DeepEqual(got, task) {
		t.Errorf("%+v\n%+v", got, task)
	}
	if got := recordOf[mediaRow](tableMedia, rowOf(tableMedia, mediaRowOf(m, "f", nil))).Media; !reflect.DeepEqual(got, m) {
		t.Errorf("%+v\n%+v", got, m)
	}
	if got := recordOf[schemas.Source](tableSources, rowOf(tableSources, s)); !reflect.DeepEqual(got, s) {
		t.Errorf("%+v\n%+v", got, s)
	}
}

// fill sets every field to another value that is not zero.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprint("s", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{fmt.Sprint("k", *n): fmt.Sprint("v", *n)}))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	}
}
