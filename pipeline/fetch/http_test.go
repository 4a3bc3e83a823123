package fetch_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
)

func plainNeed(name string, b []byte) pipeline.Need {
	return pipeline.Need{From: fetch.HTTP, URL: "https://files.example/" + name, SHA256: pipeline.DigestOf(b), MaxBytes: 1 << 20}
}

func TestHTTPThroughAMirror(t *testing.T) {
	w := newWorld(t)
	w.hub.SetFile("my clip.mp4", big)
	need := plainNeed("my%20clip.mp4", big)
	w.hub.AddFault(testkit.Fault{Match: "plain", Times: 1, CutAfter: 70_000})
	a := w.fetch(need)[0]
	w.stored(a, big)
	if a.Path != "my clip.mp4" || a.URL != need.URL || strings.Contains(w.lockText(), "127.0.0.1") {
		t.Errorf("asset %+v\n%s", a, w.lockText())
	}
	w.hub.AddFault(testkit.Fault{Match: "plain", Status: 500})
	if off, err := w.try(offline, need); err != nil || off[0] != a {
		t.Errorf("offline: %+v, %v", off, err)
	}
}

func TestHTTPWrongAnswers(t *testing.T) {
	need := plainNeed("v.mp4", big)
	tests := map[string]struct {
		fault testkit.Fault
		parts []string
	}{
		"page":             {testkit.Fault{Match: "plain", Status: 200, Body: "<!DOCTYPE html><title>Sign\x1b in</title>"}, []string{"want a mp4 file, got an HTML page", `<!DOCTYPE html><title>Sign\x1b in`}},
		"json":             {testkit.Fault{Match: "plain", Status: 200, Body: `{"error":"quota"}`}, []string{"got JSON text", "quota"}},
		"other bytes":      {testkit.Fault{Match: "plain", Status: 200, Body: "xxxx"}, []string{"is not what was announced", testkit.SHA256([]byte("xxxx"))}},
		"scheme":           {testkit.Fault{Match: "plain", Status: 302, Header: map[string]string{"Location": "file:///etc/passwd"}}, []string{`scheme "file" refused`}},
		"no location":      {testkit.Fault{Match: "plain", Status: 302}, []string{"without a usable Location"}},
		"redirect circle":  {testkit.Fault{Match: "plain", Status: 302, Header: map[string]string{"Location": "/plain/v.mp4"}}, []string{"more than 10 redirects"}},
		"user in redirect": {testkit.Fault{Match: "plain", Status: 302, Header: map[string]string{"Location": "http://u:secret@127.0.0.1/"}}, []string{"credentials refused"}},
		"no content":       {testkit.Fault{Match: "plain", Status: 204}, []string{"status 204"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.hub.SetFile("v.mp4", big)
			w.hub.AddFault(tt.fault)
			w.fail(nil, need, tt.parts...)
			if len(w.store.blobs) != 0 {
				t.Error("something was stored")
			}
		})
	}
}

func TestHTTPLostFiles(t *testing.T) {
	tests := map[string]struct {
		fault testkit.Fault
		want  string
	}{
		"404":            {testkit.Fault{Match: "plain", Status: 404}, fetch.Dead},
		"410":            {testkit.Fault{Match: "plain", Status: 410}, fetch.Dead},
		"401":            {testkit.Fault{Match: "plain", Status: 401}, fetch.Gated},
		"403":            {testkit.Fault{Match: "plain", Status: 403}, fetch.Gated},
		"451":            {testkit.Fault{Match: "plain", Status: 451}, fetch.Gated},
		"announced size": {testkit.Fault{Match: "none"}, fetch.TooLarge},
		"stream": {testkit.Fault{Match: "plain", Status: 200, Header: map[string]string{"Transfer-Encoding": "chunked"},
			Body: strings.Repeat("x", 200_001)}, fetch.TooLarge},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.hub.SetFile("v.mp4", big)
			w.hub.AddFault(tt.fault)
			need := plainNeed("v.mp4", big)
			need.MaxBytes = 200_000
			a := w.fetch(need)[0]
			if a.Problem == nil || a.Problem.Code != tt.want || a.Blob != "" {
				t.Errorf("asset %+v, problem %v, want %s", a, a.Problem, tt.want)
			}
		})
	}
}

func TestCheckHTTP(t *testing.T) {
	good := pipeline.DigestOf(nil)
	if err := fetch.CheckHTTP("https://example.org/a.mp4?x=1", good); err != nil {
		t.Error(err)
	}
	tests := []struct {
		url    string
		digest pipeline.Digest
		want   string
	}{
		{"ftp://example.org/a.mp4", good, `scheme "ftp"`},
		{"file:///a.mp4", good, `scheme "file"`},
		{"a.mp4", good, "scheme"},
		{"https:///a.mp4", good, "no host"},
		{"https://u:secret@example.org/a.mp4", good, "credentials"},
		{"https://u:secret@exam ple.org/a.mp4", good, "not a URL"},
		{"https://example.org/", good, "names no file"},
		{"https://example.org/..", good, "names no file"},
		{"https://example.org/a%2fb.mp4", good, "names no file"},
		{"https://example.org/a%0ab.mp4", good, "names no file"},
		{"https://example.org/a.mp4?token=secret", "", "required"},
		{"https://example.org/a.mp4", "abc", "want 64 hex digits"},
	}
	for _, tt := range tests {
		err := fetch.CheckHTTP(tt.url, tt.digest)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: error %v, want %q", tt.url, err, tt.want)
		}
	}
}

func TestEndpointsFromEnv(t *testing.T) {
	env := map[string]string{"HF_ENDPOINT": "http://hub.local/", "MEMFORGE_GITHUB_RAW": "http://raw.local",
		"MEMFORGE_HTTP_MIRRORS": "https://a.example/=http://m.local/a/, https://b.example=http://m.local/b"}
	e, err := fetch.EndpointsFromEnv(func(k string) string { return env[k] })
	if err != nil {
		t.Fatal(err)
	}
	if e.Hub != "http://hub.local" || e.GitHubRaw != "http://raw.local" || e.GitHubAPI != "https://api.github.com" || len(e.HTTP) != 2 {
		t.Errorf("endpoints %+v", e)
	}
	for key, bad := range map[string]string{"HF_ENDPOINT": "hub.local", "MEMFORGE_GITHUB_API": "ftp://x", "MEMFORGE_HTTP_MIRRORS": "https://u:secret@x"} {
		_, err := fetch.EndpointsFromEnv(func(k string) string { return map[string]string{key: bad}[k] })
		if err == nil || !strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s=%s: error %v", key, bad, err)
		}
	}
}

func TestMirrorPrefixEndsAtASlash(t *testing.T) {
	w := newWorld(t)
	w.opts.Endpoints.HTTP = map[string]string{"https://files.example": w.hub.URL + "/plain"}
	w.hub.SetFile("v.mp4", big)
	w.stored(w.fetch(plainNeed("v.mp4", big))[0], big)
	w.opts.Tries = 1
	before := len(w.hub.Requests())
	need := pipeline.Need{From: fetch.HTTP, URL: "https://files.example.invalid/v.mp4", SHA256: pipeline.DigestOf(big)}
	w.store = newStore()
	_, err := w.try(nil, need)
	var ce *fetch.ChangedError
	if err == nil || errors.As(err, &ce) || len(w.hub.Requests()) != before {
		t.Errorf("error %v, requests %d", err, len(w.hub.Requests())-before)
	}
}
