package dir_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/filevideo"
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
		`{"path":"."}`:                           "source_id",
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
