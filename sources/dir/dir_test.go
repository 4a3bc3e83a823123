package dir_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/dir"
	"github.com/memforge/memforge/sources/internal/filevideo"
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
		`{"path":"a","lables":"x"}`:          "lables",
		`{}`:                                 "path: required",
		`{"path":"a","max_bytes":0}`:         "max_bytes",
		`{"path":"a","labels":"../l.csv"}`:   "labels",
		`{"path":"a","labels_file":"l.txt"}`: "l.txt",
		`{"path":"a","labels":"l.csv","labels_file":"m.csv"}`: "keep one",
		`{"path":"a","include":["["]}`:                        "include pattern",
		`{"path":"a","labels_from_name":"a(b)"}`:              "no named group",
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
		if f.Tag.Get("doc") == "" || f.Tag.Get("json") == "" {
			t.Errorf("field %s: tags %q", f.Name, f.Tag)
		}
	}
}

// fixtures finds real inputs, or skips.
func fixtures(t *testing.T) string {
	t.Helper()
	return testfiles.Real(t, ".")
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

// TestLabelsFile reads labels that lie in another folder than the videos, where
// a file of the same name counts for nothing.
func TestLabelsFile(t *testing.T) {
	base := t.TempDir()
	for name, text := range map[string]string{
		"videos/a.mp4": "picture a", "videos/b.mp4": "picture b", "videos/who.csv": "file,signer\na.mp4,nobody\n",
		"tables/who.csv": "file,signer\na.mp4,the woman in orange\nz.mp4,nobody\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(base, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := dir.New(dir.Config{Path: "videos", LabelsFile: "tables/who.csv", MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	lock, err := fetch.LoadLock(filepath.Join(base, fetch.LockName))
	if err != nil {
		t.Fatal(err)
	}
	store := &keeping{blobs: map[pipeline.Digest][]byte{}}
	assets, err := fetch.New(store, lock, fetch.Options{BaseDir: base}).Fetch(t.Context(), "signs", s.Needs())
	if err != nil {
		t.Fatal(err)
	}
	signers := map[string]string{}
	reader, err := filevideo.New(filevideo.Options{Labels: "who.csv"})
	if err != nil {
		t.Fatal(err)
	}
	var lost []string
	err = reader.Read(t.Context(), filevideo.Sink{
		Source: "signs", Open: store.OpenBlob, Reject: func(id string, why *pipeline.Rejection) { lost = append(lost, id+" "+why.Code) },
		Emit: func(r pipeline.Record) error {
			v, err := pipeline.Decode[schemas.Video](r)
			signers[v.Name] = v.Labels["signer"]
			return err
		},
	}, assets)
	if want := map[string]string{"a.mp4": "the woman in orange", "b.mp4": ""}; err != nil || !reflect.DeepEqual(signers, want) {
		t.Errorf("signers %v, want %v, error %v", signers, want, err)
	}
	if !reflect.DeepEqual(lost, []string{"who.csv:3 labels-no-such-file"}) {
		t.Errorf("rejected %v, want the row of a file that is not there", lost)
	}
}

// keeping is the little of a store that a local fetch with a sidecar needs.
type keeping struct {
	pipeline.Store
	blobs map[pipeline.Digest][]byte
}

func (k *keeping) PutFile(_ context.Context, path string, _ bool) (pipeline.Blob, error) {
	b, err := os.ReadFile(path)
	k.blobs[pipeline.DigestOf(b)] = b
	return pipeline.Blob{Digest: pipeline.DigestOf(b), Size: int64(len(b))}, err
}

func (k *keeping) OpenBlob(_ context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(k.blobs[d])), nil
}
