package dir_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/filevideo"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/dir"
)

func build(t *testing.T, raw string) (pipeline.Source, error) {
	t.Helper()
	r := pipeline.NewRegistry()
	dir.Register(r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	p, ok := r.Plugin(pipeline.KindSource, "dir")
	if !ok {
		t.Fatal("not registered")
	}
	s, err := p.BuildRaw(json.RawMessage(raw))
	if err != nil {
		return nil, err
	}
	return s.(pipeline.Source), nil
}

func TestConfig(t *testing.T) {
	// The folder need not exist: a constructor looks at nothing.
	s, err := build(t, `{"path":"no/such/clips","labels":"l.csv","exclude":["raw/**"],"license":"MIT"}`)
	if err != nil {
		t.Fatal(err)
	}
	n := s.Needs()
	if len(n) != 1 || n[0].From != fetch.Local || n[0].Root != "no/such/clips" || n[0].MaxBytes != filevideo.DefaultMaxBytes || n[0].License != "MIT" ||
		n[0].Include[len(n[0].Include)-1] != "l.csv" || n[0].Exclude[0] != "raw/**" {
		t.Errorf("needs %+v", n)
	}
	if !reflect.DeepEqual(n, s.Needs()) {
		t.Error("needs differ from call to call")
	}
	if !reflect.DeepEqual(s.Spec().Emits, []string{"video"}) {
		t.Errorf("spec %+v", s.Spec())
	}
	tests := map[string]string{
		`{"path":"a","lables":"x"}`:              "lables",
		`{}`:                                     "path: required",
		`{"path":"a","max_bytes":0}`:             "max_bytes",
		`{"path":"a","labels":"../l.csv"}`:       "labels",
		`{"path":"a","include":["["]}`:           "include pattern",
		`{"path":"a","labels_from_name":"a(b)"}`: "no named group",
	}
	for raw, want := range tests {
		if _, err := build(t, raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", raw, err, want)
		}
	}
}

func TestConfigIsDocumented(t *testing.T) {
	typ := reflect.TypeFor[dir.Config]()
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Tag.Get("doc") == "" || f.Tag.Get("yaml") == "" || f.Tag.Get("yaml") != f.Tag.Get("json") {
			t.Errorf("field %s: tags %q", f.Name, f.Tag)
		}
	}
}

// fixtures finds real inputs, or skips.
func fixtures(t *testing.T) string {
	t.Helper()
	if d := os.Getenv("MEMFORGE_FIXTURES"); d != "" {
		return d
	}
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; at != filepath.Dir(at); at = filepath.Dir(at) {
		if d := filepath.Join(at, "shared", "fixtures"); isDir(d) {
			return d
		}
	}
	t.Skip("TestSignClips needs shared/fixtures beside the checkout or MEMFORGE_FIXTURES")
	return ""
}

func isDir(p string) bool {
	info, err := os.Stat(p)
	return err == nil && info.IsDir()
}

// hashing is the little of a store that a local fetch without sidecar needs.
type hashing struct{ pipeline.Store }

func (hashing) PutFile(_ context.Context, path string, _ bool) (pipeline.Blob, error) {
	b, err := os.ReadFile(path)
	return pipeline.Blob{Digest: pipeline.DigestOf(b), Size: int64(len(b))}, err
}

func TestSignClips(t *testing.T) {
	root := filepath.Join(fixtures(t), "videos", "intel")
	s, err := dir.New(dir.Config{Path: root, LabelsFromName: `^asl_(?P<action>\w+)$`, License: "CC-BY-4.0", MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := fetch.LoadLock(filepath.Join(t.TempDir(), fetch.LockName))
	if err != nil {
		t.Fatal(err)
	}
	assets, err := fetch.New(hashing{}, lock, fetch.Options{}).Fetch(t.Context(), "intel", s.Needs())
	if err != nil {
		t.Fatal(err)
	}
	actions, ids := map[string]bool{}, map[string]bool{}
	err = s.Read(t.Context(), new(pipeline.Scope), assets, func(r pipeline.Record) error {
		v, err := pipeline.Decode[schemas.Video](r)
		if a := v.Labels["action"]; a != "" {
			actions[a] = true
		}
		ids[r.ID] = true
		return err
	})
	if err != nil || len(actions) != 12 || len(ids) != 14 {
		t.Errorf("%d actions of 12, %d videos of 14, error %v", len(actions), len(ids), err)
	}
}
