package fetch

import (
	"reflect"
	"testing"
	"unicode/utf8"
)

const emptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// A lock file from elsewhere is refused or pins every file that has no problem.
func FuzzLock(f *testing.F) {
	good := encodeLock(map[string][]Entry{"a": {{From: HTTP, URL: "https://example.com/x", License: "mit", Include: []string{"*.mp4"},
		Files: []File{{Path: "b.mp4", SHA256: emptyDigest, Size: 7}, {Path: "c.mp4", Problem: Missing, Reason: "gone"}}}}})
	if _, err := parseLock(LockName, []byte(good)); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(good))
	f.Add([]byte("version: 1\nsources: []\n"))
	f.Add([]byte("version: 1\nsources:\n  - &a\n    name: b\n    needs: *a\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		sources, err := parseLock(LockName, b)
		if err != nil {
			return
		}
		for _, entries := range sources {
			for _, e := range entries {
				for _, file := range e.Files {
					if file.Problem == "" && len(file.SHA256) != 64 {
						t.Errorf("file without digest: %+v", file)
					}
				}
			}
		}
	})
}

// Whatever a path or pattern holds, it is read back as it was written.
func FuzzLockRoundTrip(f *testing.F) {
	for _, s := range []string{"a.mp4", "yes", "0x1", "- a: b", "# c", "'", `"\`, "é\u2028\u0085\ufeff", "{{", "*a", "&a", "!x", "%", "null", "~", " lead", "trail ", "\t", "<<", "\U0001F600"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, path, text string) {
		if !utf8.ValidString(path) || !utf8.ValidString(text) || path == "" || text == "" {
			return
		}
		in := map[string][]Entry{text: {{From: HTTP, URL: text, Include: []string{text, path}, License: text,
			Files: []File{{Path: path, Problem: Missing, Reason: text}}}}}
		out, err := parseLock("l", []byte(encodeLock(in)))
		if err != nil {
			t.Fatalf("%v in\n%s", err, encodeLock(in))
		}
		if !reflect.DeepEqual(in, out) {
			t.Fatalf("got %#v\nwant %#v", out, in)
		}
	})
}

func TestWrongContent(t *testing.T) {
	tests := []struct {
		name, first string
		wrong       bool
	}{
		{"a.mp4", "\x00\x00\x00\x18ftyp", false},
		{"a.mp4", "\ufeff \n<!DOCTYPE HTML>", true},
		{"a.csv", "<html>", true},
		{"a.html", "<html>", false},
		{"README.md", "<html>", false},
		{"a.json", `{"a":1}`, false},
		{"a.jsonl", `{"a":1}`, false},
		{"a.MKV", `{"a":1}`, true},
		{"a.webm", "<?xml version='1.0'?><Error><Code>AccessDenied", true},
		{"a.mp4", "", false},
	}
	for _, tt := range tests {
		if err := wrongContent("u", tt.name, []byte(tt.first)); (err != nil) != tt.wrong {
			t.Errorf("%s %q: %v", tt.name, tt.first, err)
		}
	}
}

func TestNextPage(t *testing.T) {
	const at = "https://hub.example/api?a=1"
	tests := []struct{ link, want, err string }{
		{"", "", ""},
		{`<https://hub.example/api?b=2>; rel="next"`, "https://hub.example/api?b=2", ""},
		{`<https://hub.example:443/x>; rel=next`, "https://hub.example:443/x", ""},
		{`</api?c=3>; title=x; rel="next"`, "https://hub.example/api?c=3", ""},
		{`<https://hub.example/p>; rel="prev", <https://hub.example/n>; rel="next"`, "https://hub.example/n", ""},
		{`<https://hub.example/p>; rel="prev"`, "", ""},
		{`<https://hub.example:8443/x>; rel="next"`, "", "another host"},
		{`<http://hub.example/x>; rel="next"`, "", "another host"},
		{`<https://cdn.hub.example/x>; rel="next"`, "", "another host"},
		{`<//evil.example/x>; rel="next"`, "", "another host"},
		{`<https://hub.example@evil.example/x>; rel="next"`, "", "another host"},
		{`<https://u:p@hub.example/x>; rel="next"`, "", "another host"},
		{`<:bad>; rel="next"`, "", "cannot be read"},
		{`https://hub.example/x; rel="next"`, "", ""},
	}
	for _, tt := range tests {
		got, err := nextPage(at, []string{tt.link})
		if got != tt.want || (err != nil) != (tt.err != "") {
			t.Errorf("%s: got %q, %v", tt.link, got, err)
		}
	}
}

func TestRateLimitHeader(t *testing.T) {
	tests := []struct {
		in   string
		left int64
		wait float64
		ok   bool
	}{
		{`"resolvers";r=0;t=55`, 0, 55, true},
		{`"api"; r=12; t=3`, 12, 3, true},
		{`"api";r=0`, 0, 0, false},
		{`"api";r=-1;t=5`, -1, 5, false},
		{`"api";r=0;t=-5`, 0, 0, false},
		{`"api";r=x;t=5`, 0, 5, false},
		{`"api";r=0;t=99999999999999`, 0, 86400, true},
		{``, 0, 0, false},
	}
	for _, tt := range tests {
		left, wait, ok := rateLimit(tt.in)
		if ok != tt.ok || ok && (left != tt.left || wait.Seconds() != tt.wait) {
			t.Errorf("%s: got %d %s %v", tt.in, left, wait, ok)
		}
	}
}

func FuzzPointer(f *testing.F) {
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + emptyDigest + "\nsize 12\n"))
	f.Add([]byte("version https://git-lfs\noid sha256:\nsize -1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, ok := parsePointer(b); ok && (len(p.sha256) != 64 || p.size < 0 || len(b) > maxPointer) {
			t.Errorf("accepted %+v", p)
		}
	})
}
