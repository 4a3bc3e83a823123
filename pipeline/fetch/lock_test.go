package fetch_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
)

func TestOfflineNamesWhatIsMissing(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	var oe *fetch.OfflineError
	if err := w.fail(offline, hubNeed, "no pin", "dataset o/d"); !errors.As(err, &oe) {
		t.Errorf("error %T", err)
	}
	w.fetch(hubNeed)
	delete(w.store.blobs, pipeline.DigestOf(big))
	before := len(w.hub.Requests())
	if err := w.fail(offline, hubNeed, "clips/big.mp4", "lacks 1 file"); !errors.As(err, &oe) || len(oe.Files) != 1 {
		t.Errorf("error %v", err)
	}
	need := hubNeed
	need.Include = []string{"README.md"}
	w.fail(offline, need, "no pin")
	if len(w.hub.Requests()) != before {
		t.Error("offline used the network")
	}
}

// Wanting other files of a pinned repository keeps the commit.
func TestPatternsMayChangeUnderAPin(t *testing.T) {
	w := newWorld(t)
	r := dataset()
	w.hub.SetRepo("o/d", r)
	w.fetch(hubNeed)
	pins := w.asked("/revision/")
	need := hubNeed
	need.Include = []string{"README.md", "labels.csv"}
	if got, want := summary(w.fetch(need)), "0 README.md 3 ok\n0 labels.csv 31 ok\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if w.asked("/revision/") != pins {
		t.Error("the commit was asked for again")
	}
	if text := w.lockText(); strings.Contains(text, "big.mp4") || !strings.Contains(text, "README.md") {
		t.Errorf("needs that are gone stay in the lock:\n%s", text)
	}
}

func TestPruneAndOrder(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	w.hub.SetFile("v.mp4", big)
	lock, err := fetch.LoadLock(w.lockPath())
	if err != nil {
		t.Fatal(err)
	}
	plain := plainNeed("v.mp4", big)
	run := func(opts fetch.Options, source string, needs ...pipeline.Need) string {
		t.Helper()
		if _, err := fetch.New(w.store, lock, opts).Fetch(t.Context(), source, needs); err != nil {
			t.Fatal(err)
		}
		return w.lockText()
	}
	run(w.opts, "zeta", plain)
	both := run(w.opts, "alpha", hubNeed, plain, plain)
	if strings.Index(both, "alpha") > strings.Index(both, "zeta") || strings.Count(both, "files.example") != 3-1 {
		t.Errorf("want sources in order and equal needs once:\n%s", both)
	}
	opts := w.opts
	opts.Sources = []string{"alpha", "beta"}
	if text := run(opts, "alpha", hubNeed); strings.Contains(text, "zeta") || strings.Contains(text, "files.example") {
		t.Errorf("not pruned:\n%s", text)
	}
	if entries, _ := os.ReadDir(w.dir); len(entries) != 2 {
		t.Errorf("besides lock and partial folder there is something in %v", entries)
	}
}

const goodLock = `version: 1
sources:
  - name: "a"
    needs:
      - from: "http"
        url: "https://x/y.mp4"
        sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        files:
          - path: "y.mp4"
            size: 0
            sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
`

func TestBrokenLocks(t *testing.T) {
	tests := map[string]struct{ old, new, want string }{
		"syntax":       {"sources:", "sources: [", "pipeline.lock.yaml:"},
		"unknown key":  {"    needs:", "    need:", `pipeline.lock.yaml:4:5: unknown field "need"`},
		"version":      {"version: 1", "version: 2", "pipeline.lock.yaml:1:10: version 2"},
		"type":         {"size: 0", "size: big", "pipeline.lock.yaml:10:19:"},
		"digest":       {"          - path: \"y.mp4\"\n            size: 0\n            sha256: \"e3", "          - path: \"y.mp4\"\n            size: 0\n            sha256: \"E3", "pipeline.lock.yaml:11:21: digest"},
		"path":         {`path: "y.mp4"`, `path: "../y.mp4"`, "pipeline.lock.yaml:9:19: path"},
		"size":         {"size: 0", "size: -1", "pipeline.lock.yaml:10:19: size -1"},
		"kind":         {`from: "http"`, `from: "ftp"`, "pipeline.lock.yaml:5:15: from"},
		"no commit":    {`from: "http"`, `from: "hf"`, "commit"},
		"name":         {`name: "a"`, `name: ""`, "pipeline.lock.yaml:3:11: source"},
		"twice":        {"version: 1", "version: 1\nversion: 1", "pipeline.lock.yaml:2:1:"},
		"two files":    {"version: 1", "version: 1\n---\nversion: 1", "2 YAML documents"},
		"empty":        {goodLock, "", "version 0"},
		"not a map":    {goodLock, "- 1\n", "pipeline.lock.yaml:1"},
		"binary":       {goodLock, "\x00\x01\xff", "pipeline.lock.yaml"},
		"merge marker": {"sources:", "<<<<<<< HEAD\nsources:", "pipeline.lock.yaml"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), fetch.LockName)
			text := strings.Replace(goodLock, tt.old, tt.new, 1)
			if text == goodLock {
				t.Fatal("the test changes nothing")
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := fetch.LoadLock(path)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}
