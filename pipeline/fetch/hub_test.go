package fetch_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
)

var (
	big   = video(1, 300_000)
	small = []byte("file,action\nclips/big.mp4,wave\n")
)

func dataset() testkit.Repo {
	return testkit.Repo{Commit: commitA, License: "cc-by-4.0",
		Files: map[string][]byte{"clips/big.mp4": big, "labels.csv": small, "README.md": []byte("# x"), ".DS_Store": []byte("j")},
		Large: map[string]bool{"clips/big.mp4": true}}
}

var hubNeed = pipeline.Need{From: fetch.Hub, Repo: "o/d", Revision: "main", Include: []string{"**/*.mp4", "labels.csv"}}

func TestHubFetchPinsAndRepeatsWithoutNetwork(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	assets := w.fetch(hubNeed)
	if got, want := summary(assets), "0 clips/big.mp4 300000 ok\n0 labels.csv 31 ok\n"; got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	w.stored(assets[0], big)
	w.stored(assets[1], small)
	if a := assets[0]; a.URL != "https://huggingface.co/datasets/o/d/resolve/"+commitA+"/clips/big.mp4" || a.Revision != commitA || a.License != "cc-by-4.0" {
		t.Errorf("asset %+v does not name the canonical place, commit and licence", a)
	}
	text := w.lockText()
	for _, part := range []string{commitA, `"cc-by-4.0"`, testkit.SHA256(big), testkit.SHA256(small), `url: "https://huggingface.co/datasets/o/d"`} {
		if !strings.Contains(text, part) {
			t.Errorf("lock lacks %s:\n%s", part, text)
		}
	}
	if strings.Contains(text, "127.0.0.1") {
		t.Error("the lock names the mirror")
	}
	before := len(w.hub.Requests())
	again := w.fetch(hubNeed)
	if summary(again) != summary(assets) || again[0].URL != assets[0].URL || again[0].License != "cc-by-4.0" || w.lockText() != text {
		t.Error("the second fetch differs from the first")
	}
	if n := len(w.hub.Requests()) - before; n != 0 {
		t.Errorf("the second fetch made %d requests, want none", n)
	}
	if left, _ := filepath.Glob(filepath.Join(w.opts.TempDir, "*.part")); len(left) != 0 {
		t.Errorf("partial downloads are left: %v", left)
	}
}

func TestCredentialsGoToTheirEndpointOnly(t *testing.T) {
	w := newWorld(t)
	r := dataset()
	w.hub.SetRepo("o/d", r)
	w.hub.SetRepo("gh/r", r)
	plain := pipeline.Need{From: fetch.HTTP, URL: w.hub.SetFile("v.mp4", big), SHA256: pipeline.Digest(testkit.SHA256(big))}
	w.fetch(hubNeed)
	w.store.blobs = map[pipeline.Digest][]byte{}
	w.fetch(pipeline.Need{From: fetch.GitHub, Repo: "gh/r", Revision: "main"}, plain)
	seen := map[string]bool{}
	for _, q := range w.hub.Requests() {
		host, want := credential(q)
		seen[host] = true
		if auth := q.Header.Get("Authorization"); auth != want {
			t.Errorf("%s (%s) was sent %q, want %q", q.Path, host, auth, want)
		}
	}
	for _, host := range []string{"cdn", "plain", "hf", "lfs", "github"} {
		if !seen[host] {
			t.Errorf("no request to %s was observed", host)
		}
	}
}

// credential says which upstream a request is for and what it should carry.
func credential(q testkit.Request) (host, want string) {
	switch {
	case q.Host == "cdn":
		return "cdn", ""
	case strings.HasPrefix(q.Path, "/plain/"):
		return "plain", ""
	case strings.Contains(q.Path, "datasets"):
		return "hf", "Bearer secret-hf"
	case strings.HasSuffix(q.Path, "/batch"):
		return "lfs", "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:secret-github"))
	}
	return "github", "Bearer secret-github"
}

func TestHubErrorsSayWhatToDo(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	var se *fetch.StatusError
	err := w.fail(nil, pipeline.Need{From: fetch.Hub, Repo: "o/none", Revision: "main"}, "dataset o/none", "HF_TOKEN", "private")
	if !errors.As(err, &se) || se.Code != fetch.Unauthorized {
		t.Errorf("code of %v", err)
	}
	err = w.fail(nil, pipeline.Need{From: fetch.Hub, Repo: "o/d", Revision: "v9"}, "no such revision")
	if !errors.As(err, &se) || se.Code != fetch.RevisionNotFound {
		t.Errorf("code of %v", err)
	}
	for _, repo := range []string{"", "../x", "o/d/e", "o d", "o/..", "http://x/y"} {
		w.fail(nil, pipeline.Need{From: fetch.Hub, Repo: repo, Revision: "main"}, "want owner/name")
	}
	w.fail(nil, pipeline.Need{From: fetch.Hub, Repo: "o/d", Revision: "a/../b"}, "want a branch")
	if _, err := os.Stat(w.lockPath()); !os.IsNotExist(err) {
		t.Error("a failed fetch wrote a lock file")
	}
}

func TestGatedFilesAreProblemsUntilATokenIsGiven(t *testing.T) {
	w := newWorld(t)
	r := dataset()
	r.Gated, r.Token = true, "good"
	w.hub.SetRepo("o/d", r)
	assets := w.fetch(hubNeed)
	if got, want := summary(assets), "0 clips/big.mp4 300000 gated\n0 labels.csv 31 gated\n"; got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	if !strings.Contains(assets[0].Problem.Reason, "accept its terms") || assets[0].Blob != "" {
		t.Errorf("asset %+v, problem %v", assets[0], assets[0].Problem)
	}
	off, err := w.try(offline, hubNeed)
	if err != nil || summary(off) != summary(assets) || off[0].Problem.Reason != assets[0].Problem.Reason {
		t.Errorf("offline: %v %s", err, summary(off))
	}
	w.opts.Token = func(string) string { return "good" }
	if got, want := summary(w.fetch(hubNeed)), "0 clips/big.mp4 300000 ok\n0 labels.csv 31 ok\n"; got != want {
		t.Fatalf("with a token: got\n%swant\n%s", got, want)
	}
}

func TestHubPages(t *testing.T) {
	w := newWorld(t)
	r := testkit.Repo{Commit: commitA, Files: map[string][]byte{}, PageSize: 3}
	for i := range byte(10) {
		r.Files[string('a'+rune(i))+".mp4"] = video(i, 20)
	}
	w.hub.SetRepo("o/d", r)
	need := pipeline.Need{From: fetch.Hub, Repo: "o/d", Revision: "main"}
	if assets := w.fetch(need); len(assets) != 10 {
		t.Errorf("%d files of 10", len(assets))
	}
	r.Next = w.hub.CDN + "/api/datasets/o/d/tree/" + commitA
	w.hub.SetRepo("o/d", r)
	w.fail(relock, need, "another host")
	for _, q := range w.hub.Requests() {
		if q.Host == "cdn" {
			t.Error("a foreign next page was asked for")
		}
	}
	r.Next = w.hub.URL + "/api/datasets/o/d/tree/" + commitA + "?recursive=true&limit=1000"
	w.hub.SetRepo("o/d", r)
	w.fail(relock, need, "earlier page")
}

func TestHostileListings(t *testing.T) {
	for _, path := range []string{"../x.mp4", "/etc/x.mp4", "a/../../x.mp4", "a//x.mp4", `a\x.mp4`, "./x.mp4"} {
		w := newWorld(t)
		w.hub.SetRepo("o/d", testkit.Repo{Commit: commitA, Files: map[string][]byte{path: big}})
		err := w.fail(nil, pipeline.Need{From: fetch.Hub, Repo: "o/d", Revision: "main"}, "leaves the repository")
		var le *fetch.ListingError
		if !errors.As(err, &le) {
			t.Errorf("%q: error %T", path, err)
		}
	}
	w := newWorld(t)
	w.hub.SetRepo("o/d", testkit.Repo{Commit: commitA, Files: map[string][]byte{"a\nb.mp4": big, "ok.mp4": small}})
	need := pipeline.Need{From: fetch.Hub, Repo: "o/d", Revision: "main"}
	if got, want := summary(w.fetch(need)), "0 a\\nb.mp4 300000 bad-name\n0 ok.mp4 31 ok\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	w.fetch(need) // the lock with the odd name loads
}

func TestTransientFaultsAreRetried(t *testing.T) {
	tests := map[string]testkit.Fault{
		"500":                  {Match: "/revision/", Times: 2, Status: 500},
		"503 on listing":       {Match: "/tree/", Times: 1, Status: 503},
		"cut listing":          {Match: "/tree/", Times: 1, CutAfter: 10},
		"cut body":             {Match: "cdn/", Times: 1, CutAfter: 100_000},
		"cut four times":       {Match: "cdn/", Times: 4, CutAfter: 50_000},
		"cut, ranges ignored":  {Match: "cdn/", Times: 2, CutAfter: 100_000, NoRange: true},
		"one flipped byte":     {Match: "cdn/", Times: 1, Flip: true},
		"502 on resolve":       {Match: "/resolve/", Times: 2, Status: 502, Body: "<html>bad gateway"},
		"cut small file":       {Match: "labels.csv", Times: 1, CutAfter: 3},
		"flipped small file":   {Match: "labels.csv", Times: 1, Flip: true},
		"resume out of bounds": {Match: "cdn/", After: 1, Times: 1, Status: 416},
	}
	for name, fault := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.hub.SetRepo("o/d", dataset())
			if fault.Status == 416 {
				w.hub.AddFault(testkit.Fault{Match: "cdn/", Times: 1, CutAfter: 1000})
				fault.After = 0
			}
			w.hub.AddFault(fault)
			assets := w.fetch(hubNeed)
			w.stored(assets[0], big)
			w.stored(assets[1], small)
		})
	}
}

func TestResumeAsksForTheRestOnly(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	w.hub.AddFault(testkit.Fault{Match: "cdn/", CutAfter: 100_000})
	w.opts.Tries = 2 // progress gives them back
	w.stored(w.fetch(hubNeed)[0], big)
	var ranges []string
	for _, q := range w.hub.Requests() {
		if q.Host == "cdn" {
			ranges = append(ranges, q.Header.Get("Range"))
		}
	}
	if len(ranges) < 3 || ranges[0] != "" || !strings.HasPrefix(ranges[1], "bytes=1") {
		t.Errorf("ranges %q", ranges)
	}
}

func TestResumeInALaterRunAndDamagedPartial(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	if err := os.MkdirAll(w.opts.TempDir, 0o755); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(w.opts.TempDir, testkit.SHA256(big)+".part")
	for name, partial := range map[string][]byte{
		"good": big[:1000], "damaged": bytes.Repeat([]byte("x"), 1000), "full but damaged": bytes.Repeat([]byte("x"), len(big)), "too long": append(bytes.Clone(big), 'x'),
	} {
		if err := os.WriteFile(part, partial, 0o644); err != nil {
			t.Fatal(err)
		}
		w.store = newStore()
		w.stored(w.fetch(hubNeed)[0], big)
		if _, err := os.Stat(part); !os.IsNotExist(err) {
			t.Errorf("%s: the partial file is still there", name)
		}
	}
}

func TestRateLimits(t *testing.T) {
	const second = time.Second
	tests := map[string]struct {
		fault testkit.Fault
		want  time.Duration
	}{
		"RateLimit":         {testkit.Fault{Match: "/revision/", Times: 1, Status: 429, Header: map[string]string{"RateLimit": `"api";r=0;t=55`}}, 56 * second},
		"Retry-After":       {testkit.Fault{Match: "/revision/", Times: 1, Status: 429, Header: map[string]string{"Retry-After": "30"}}, 30 * second},
		"Retry-After date":  {testkit.Fault{Match: "/revision/", Times: 1, Status: 429, Header: map[string]string{"Retry-After": time.Unix(1_800_000_090, 0).UTC().Format(http.TimeFormat)}}, 90 * second},
		"503 with a wait":   {testkit.Fault{Match: "/revision/", Times: 1, Status: 503, Header: map[string]string{"Retry-After": "7"}}, 7 * second},
		"spent by a good":   {testkit.Fault{Match: "/revision/", Times: 1, Header: map[string]string{"RateLimit": `"api";r=0;t=9`}}, 10 * second},
		"resolvers limited": {testkit.Fault{Match: "/resolve/", Times: 1, Status: 429, Header: map[string]string{"RateLimit": `"resolvers";r=0;t=3`}}, 4 * second},
		"many 429s":         {testkit.Fault{Match: "/tree/", Times: 12, Status: 429, Header: map[string]string{"Retry-After": "10"}}, 120 * second},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.hub.SetRepo("o/d", dataset())
			w.hub.AddFault(tt.fault)
			w.stored(w.fetch(hubNeed)[0], big)
			slept := time.Duration(0)
			for _, d := range w.clock.slept {
				slept += d
			}
			if slept < tt.want || slept > tt.want+tt.want/2+second {
				t.Errorf("slept %v, want about %s", w.clock.slept, tt.want)
			}
		})
	}
}

func TestLimitsOfPatience(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	w.hub.AddFault(testkit.Fault{Match: "/revision/", Status: 429, Header: map[string]string{"Retry-After": "999999999999"}})
	var rl *fetch.RateLimitError
	if err := w.fail(nil, hubNeed, "rate limit"); !errors.As(err, &rl) {
		t.Errorf("error %T", err)
	}
	w.hub.ClearFaults()
	w.hub.AddFault(testkit.Fault{Match: "/revision/", Status: 500})
	before := w.asked("/revision/")
	w.fail(nil, hubNeed, "after 6 tries", "status 500")
	if n := w.asked("/revision/") - before; n != 6 {
		t.Errorf("%d tries, want 6", n)
	}
}
