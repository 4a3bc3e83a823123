package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/memforge/memforge/pipeline"
)

// TestWaitsThatHostsAskFor: an answer is about the rate by its status and headers, and says how long to wait.
func TestWaitsThatHostsAskFor(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	c := &client{opts: Options{Now: func() time.Time { return now }}}
	for name, tc := range map[string]struct {
		status  int
		headers string
		want    string
	}{
		"no limit":                  {200, "Retry-After: 7", "0s false"},
		"a limit":                   {429, "", "0s true"},
		"seconds":                   {429, "Retry-After: 7", "7s true"},
		"no seconds":                {429, "Retry-After: 0", "0s true"},
		"a date":                    {429, "Retry-After: " + now.Add(90*time.Second).UTC().Format(http.TimeFormat), "1m30s true"},
		"a date before":             {429, "Retry-After: " + now.Add(-time.Hour).UTC().Format(http.TimeFormat), "0s true"},
		"seconds below 0":           {429, "Retry-After: -7", "0s true"},
		"beyond all patience":       {429, "Retry-After: 99999999", "24h0m0s true"},
		"a window":                  {429, `RateLimit: "resolvers";r=0;t=55`, "56s true"},
		"a window with some left":   {429, `RateLimit: "resolvers";r=1;t=55`, "0s true"},
		"a window without its end":  {429, `RateLimit: "resolvers";r=0`, "0s true"},
		"a window before seconds":   {429, "RateLimit: r=0;t=5|Retry-After: 9", "6s true"},
		"refused":                   {403, "", "0s false"},
		"refused, and spent":        {403, "X-RateLimit-Remaining: 0|X-RateLimit-Reset: 1000030", "31s true"},
		"refused, and some left":    {403, "X-RateLimit-Remaining: 3|X-RateLimit-Reset: 1000030", "0s false"},
		"a limit that ended before": {403, "X-RateLimit-Remaining: 0|X-RateLimit-Reset: 999000", "1s true"},
		"a reset that is not spent": {429, "X-RateLimit-Reset: 1000030", "0s true"},
		"refused for a while":       {403, "Retry-After: 3", "3s true"},
		"out of service":            {503, "", "0s false"},
		"out of service for a time": {503, "Retry-After: 3", "3s true"},
		"another fault":             {500, "Retry-After: 3", "0s false"},
	} {
		h := http.Header{}
		for _, line := range strings.Split(tc.headers, "|") {
			if key, value, ok := strings.Cut(line, ": "); ok {
				h.Set(key, value)
			}
		}
		wait, ok := c.limited(&answer{Response: &http.Response{StatusCode: tc.status, Header: h}})
		if got := fmt.Sprint(wait, " ", ok); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	for status := range 600 {
		if got, want := isRedirect(status), slices.Contains([]int{301, 302, 303, 307, 308}, status); got != want {
			t.Errorf("status %d is a redirect: %t", status, got)
		}
	}
}

// TestPatience: what is not about the rate is tried so often, waits for a rate are no tries, and end at the longest one.
func TestPatience(t *testing.T) {
	fresh := func() *retryState {
		return &retryState{opts: Options{Tries: 3, MaxWait: time.Minute}, pause: backoff.NewExponentialBackOff()}
	}
	p := fresh()
	var host *HostError
	for try := 1; try <= 3; try++ {
		wait, err := p.delay("x", io.ErrUnexpectedEOF)
		if errors.As(err, &host) != (try == 3) || try < 3 && wait <= 0 {
			t.Errorf("try %d: %v, %v", try, wait, err)
		}
	}
	if _, err := fresh().delay("x", backoff.Permanent(io.EOF)); !errors.Is(err, io.EOF) {
		t.Errorf("for good: %v", err)
	}
	var limit *RateLimitError
	for wait, want := range map[time.Duration]bool{time.Second: true, time.Minute: true, time.Minute + 1: false} {
		got, err := fresh().delay("x", &limitError{wait})
		if (err == nil) != want || want && got != wait || !want && !errors.As(err, &limit) {
			t.Errorf("asked to wait %s: %s, %v", wait, got, err)
		}
	}
	p = fresh()
	for n := 1; n <= maxLimited+1; n++ {
		if _, err := p.delay("x", &limitError{time.Second}); (err != nil) != (n > maxLimited) {
			t.Fatalf("wait %d: %v", n, err)
		}
	}
	if wait, err := fresh().delay("x", &limitError{}); wait <= 0 || err != nil {
		t.Errorf("a limit without a time: %v, %v", wait, err)
	}
}

// TestPointers: a text is one of Git LFS where it has a digest and a size.
func TestPointers(t *testing.T) {
	const head, oid = "version https://git-lfs.github.com/spec/v1\n", "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\n"
	for text, want := range map[string]bool{
		head + oid + "size 12345\n": true, head + oid + "size 0\n": true, head + oid + "size -1\n": false, head + oid: false, head + "size 3\n": false, head + "oid sha256:xyz\nsize 3\n": false, oid + "size 3\n": false,
		head + oid + "size 3\n" + strings.Repeat("x", maxPointer-len(head+oid+"size 3\n")): true, head + oid + "size 3\n" + strings.Repeat("x", maxPointer+1-len(head+oid+"size 3\n")): false,
	} {
		p, ok := parsePointer([]byte(text))
		if ok != want || ok && (p.sha256 != "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393" || p.size < 0) {
			t.Errorf("%.90q: %+v, %t", text, p, ok)
		}
	}
}

// TestActionsOfLFS: a request goes to the address with its headers, but for the addresses of parts.
func TestActionsOfLFS(t *testing.T) {
	var a lfsAction
	if err := json.Unmarshal([]byte(`{"href":"https://cdn.example/x","header":{"Authorization":"Basic y","X-Size":7,"chunk_size":"5","1":"https://cdn.example/1","x1":"kept"}}`), &a); err != nil {
		t.Fatal(err)
	}
	r, err := a.request(http.MethodPut, request{canonical: "c"})
	if err != nil || r.method != http.MethodPut || r.url != a.Href || r.canonical != "c" || !r.signed || r.auth != "Basic y" || fmt.Sprint(r.header) != "map[X-Size:[7] X1:[kept]]" {
		t.Errorf("%+v, %v", r, err)
	}
	var listing *ListingError
	if _, err := (lfsAction{Href: "ftp://x"}).request("GET", request{}); !errors.As(err, &listing) {
		t.Errorf("another scheme: %v", err)
	}
	for name, want := range map[string]bool{"0": true, "12": true, "2147483647": true, "2147483648": false, "-1": false, "x": false, "": false} {
		if got := isNumber(name); got != want {
			t.Errorf("%q is a number: %t", name, got)
		}
	}
}

// TestPlacesOfTheLock: two needs are of one place where the same is fetched, whichever files.
func TestPlacesOfTheLock(t *testing.T) {
	whole := Entry{From: "hf", Repo: "o/d", Revision: "main", URL: "u", SHA256: "s", Include: []string{"a"}, Exclude: []string{"b"}}
	for name, tc := range map[string]struct {
		change      func(e *Entry)
		place, need bool
	}{
		"the same": {func(*Entry) {}, true, true}, "other files": {func(e *Entry) { e.Include = nil }, true, false}, "others left out": {func(e *Entry) { e.Exclude = nil }, true, false}, "another kind": {func(e *Entry) { e.From = "github" }, false, false},
		"another repository": {func(e *Entry) { e.Repo = "o/e" }, false, false}, "another revision": {func(e *Entry) { e.Revision = "v2" }, false, false}, "another address": {func(e *Entry) { e.URL = "v" }, false, false}, "other bytes": {func(e *Entry) { e.SHA256 = "t" }, false, false},
		"another commit": {func(e *Entry) { e.Commit = "c" }, true, true},
	} {
		other := whole
		tc.change(&other)
		if whole.samePlace(other) != tc.place || whole.sameNeed(other) != tc.need {
			t.Errorf("%s: place %t, need %t", name, whole.samePlace(other), whole.sameNeed(other))
		}
	}
	_, err := parseLock("l.lock", []byte("sources: {a: [}\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "lock file l.lock:1:") {
		t.Errorf("no YAML: %v", err)
	}
}

// TestFilesAtTheirBound are taken, and larger ones are not.
func TestFilesAtTheirBound(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"at": 5, "above": 6, "empty": 0} {
		if err := os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for most, want := range map[int64]string{0: "above:6 at:5 empty:0", 5: "above at:5 empty:0", 1: "above at empty:0"} {
		w := walker{root: dir, max: most}
		for _, e := range entries {
			w.file(e.Name(), e)
		}
		var got []string
		for _, a := range w.found {
			if a.Problem != nil {
				got = append(got, a.Path)
			} else {
				got = append(got, fmt.Sprintf("%s:%d", a.Path, a.Size))
			}
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("at most %d bytes: %s, want %s", most, text, want)
		}
	}
}

// TestListedFiles: a listing names each file once, and none outside.
func TestListedFiles(t *testing.T) {
	need := pipeline.Need{From: Hub, Include: []string{"*.csv"}}
	up := &hub{need: need}
	match := func(paths ...string) (string, error) {
		var listed []remoteFile
		for _, p := range paths {
			listed = append(listed, remoteFile{path: p})
		}
		files, err := matchFiles(need, up, listed)
		var got []string
		for _, f := range files {
			got = append(got, f.path)
		}
		return strings.Join(got, " "), err
	}
	if got, err := match("a.csv", "b.txt", "c.csv"); got != "a.csv c.csv" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range [][]string{{"a.csv", "a.csv"}, {"b.txt", "b.txt"}, {"../a.csv"}, {`a\b.csv`}, {"/a.csv"}} {
		var listing *ListingError
		if _, err := match(bad...); !errors.As(err, &listing) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for n, want := range map[int]string{0: "offline, and the lock file has no pin for it", 5: `["a" "a" "a" "a" "a"]; run`, 6: `["a" "a" "a" "a" "a"] and 1 more; run`} {
		if got := (&OfflineError{Files: slices.Repeat([]string{"a"}, n)}).Error(); !strings.Contains(got, want) {
			t.Errorf("%d files: %s", n, got)
		}
	}
	for n, want := range map[int]string{0: "[]", 1: "[[1]]", 2: "[[1 2]]", 3: "[[1 2] [3]]", 4: "[[1 2] [3 4]]"} {
		var got [][]int
		for part := range chunks([]int{1, 2, 3, 4}[:n], 2) {
			got = append(got, part)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%d elements: %v", n, got)
		}
	}
	for range chunks([]int{1, 2, 3, 4}, 1) {
		break
	}
	if got := fmt.Sprint((Endpoints{HTTP: map[string]string{"https://a/": "", "https://b/": "", "https://a/long/": ""}}).prefixes()); got != "[https://a/long/ https://a/ https://b/]" {
		t.Errorf("prefixes %s", got)
	}
}
