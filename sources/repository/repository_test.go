package repository_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/repository"
)

func build(t *testing.T, use, raw string) (pipeline.Source, error) {
	t.Helper()
	r := pipeline.NewRegistry()
	repository.Register(r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	p, ok := r.Plugin(pipeline.KindSource, use)
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
	for use, from := range map[string]string{"hf": fetch.Hub, "github": fetch.GitHub} {
		t.Run(use, func(t *testing.T) { testConfig(t, use, from) })
	}
}

func testConfig(t *testing.T, use, from string) {
	s, err := build(t, use, `{"repo":"owner/name","include":["clips/*.mp4"],"labels":"l.jsonl"}`)
	if err != nil {
		t.Fatal(err)
	}
	n := s.Needs()
	if len(n) != 1 || n[0].From != from || n[0].Repo != "owner/name" || n[0].Revision != "main" || n[0].MaxBytes == 0 ||
		strings.Join(n[0].Include, " ") != "clips/*.mp4 l.jsonl" {
		t.Errorf("needs %+v", n)
	}
	plain, err := build(t, use, `{"repo":"owner/name"}`)
	if err != nil {
		t.Fatal(err)
	}
	if in := strings.Join(plain.Needs()[0].Include, " "); !strings.Contains(in, "[mM][pP]4") || strings.Contains(in, "*.[tT][sS]") {
		t.Errorf("default include %s: want videos and no TypeScript", in)
	}
	tests := map[string]string{
		`{"repo":"owner/name","branch":"x"}`:         "branch",
		`{}`:                                         "want owner/name",
		`{"repo":"owner/../name"}`:                   "want owner/name",
		`{"repo":"https://example.org/a"}`:           "want owner/name",
		`{"repo":"owner/name","revision":""}`:        "revision",
		`{"repo":"owner/name","revision":"-x"}`:      "revision",
		`{"repo":"owner/name","max_bytes":0}`:        "max_bytes",
		`{"repo":"owner/name","labels":"l.xlsx"}`:    "labels",
		`{"repo":"owner/name","include":["/a.mp4"]}`: "include pattern",
	}
	for raw, want := range tests {
		if _, err := build(t, use, raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", raw, err, want)
		}
	}
}
