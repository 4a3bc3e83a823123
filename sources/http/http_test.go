package httpfile_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	httpfile "github.com/memforge/memforge/sources/http"
)

func build(t *testing.T, raw string) (pipeline.Source, error) {
	t.Helper()
	r := pipeline.NewRegistry()
	httpfile.Register(r)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	p, ok := r.Plugin(pipeline.KindSource, "http")
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
	d := strings.Repeat("a", 64)
	file := func(url string) string { return fmt.Sprintf(`{"url":%q,"sha256":%q}`, url, d) }
	s, err := build(t, `{"files":[`+file("https://h.invalid/a.mp4")+`,`+file("https://h.invalid/l.csv")+`],"labels":"l.csv","license":"MIT"}`)
	if err != nil {
		t.Fatal(err)
	}
	n := s.Needs()
	if len(n) != 2 || n[0].From != fetch.HTTP || n[0].URL != "https://h.invalid/a.mp4" || string(n[0].SHA256) != d || n[0].MaxBytes == 0 || n[1].License != "MIT" {
		t.Errorf("needs %+v", n)
	}
	tests := map[string]string{
		`{"files":[],"x":1}`: `"x"`,
		`{}`:                 "files: required",
		`{"files":[{"url":"https://h.invalid/a.mp4"}]}`:                                               "files[0]: sha256",
		`{"files":[` + file("ftp://h.invalid/a.mp4") + `]}`:                                           `scheme "ftp"`,
		`{"files":[` + file("https://h.invalid/a.mp4") + `,` + file("https://g.invalid/a.mp4") + `]}`: `files[1]: the name "a.mp4"`,
		`{"files":[` + file("https://h.invalid/a.mp4") + `],"labels":"l.csv"}`:                        `no file named "l.csv"`,
		`{"files":[` + file("https://h.invalid/a.mp4") + `],"max_bytes":-1}`:                          "max_bytes",
		`{"files":[{"url":"https://h.invalid/a.mp4","sha256":"` + strings.Repeat("A", 64) + `"}]}`:    "lower-case",
		`{"files":[{"url":"https://h.invalid/a.mp4","sha256":"` + d + `","name":"b.mp4"}]}`:           `"name"`,
	}
	for raw, want := range tests {
		if _, err := build(t, raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", raw, err, want)
		}
	}
}
