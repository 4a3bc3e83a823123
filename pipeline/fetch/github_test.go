package fetch_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
)

var gitNeed = pipeline.Need{From: fetch.GitHub, Repo: "o/r", Revision: "main", Include: []string{"**/*.mp4", "labels.csv"}}

func TestGitHubFilesAndLFS(t *testing.T) {
	w := newWorld(t)
	r := dataset()
	r.Files["link.mp4"] = []byte("clips/big.mp4")
	r.Links = map[string]bool{"link.mp4": true}
	w.hub.SetRepo("o/r", r)
	assets := w.fetch(gitNeed)
	if got, want := summary(assets), "0 clips/big.mp4 300000 ok\n0 labels.csv 31 ok\n0 link.mp4 13 not-a-regular-file\n"; got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	w.stored(assets[0], big)
	if a := assets[0]; a.URL != "https://raw.githubusercontent.com/o/r/"+commitA+"/clips/big.mp4" || a.Revision != commitA || a.License != "cc-by-4.0" {
		t.Errorf("asset %+v", a)
	}
	// With the lock but an empty store the digests are the locked ones.
	need := gitNeed
	need.Exclude = []string{"link.mp4"}
	w.fetch(need)
	w.store = newStore()
	trees := w.asked("/git/trees/")
	w.stored(w.fetch(need)[0], big)
	if w.asked("/git/trees/") != trees {
		t.Error("a complete lock entry was listed again")
	}
}

func TestGitHubFaults(t *testing.T) {
	w := newWorld(t)
	r := dataset()
	r.Truncated = true
	w.hub.SetRepo("o/r", r)
	var le *fetch.ListingError
	if err := w.fail(nil, gitNeed, "too large for GitHub to list"); !errors.As(err, &le) {
		t.Errorf("error %T", err)
	}
	r.Truncated = false
	w.hub.SetRepo("o/r", r)
	var se *fetch.StatusError
	if err := w.fail(nil, pipeline.Need{From: fetch.GitHub, Repo: "o/r", Revision: "v9"}, "no such revision"); !errors.As(err, &se) || se.Code != fetch.RevisionNotFound {
		t.Errorf("error %v", err)
	}
	if err := w.fail(nil, pipeline.Need{From: fetch.GitHub, Repo: "o/none", Revision: "main"}, "GITHUB_TOKEN"); !errors.As(err, &se) || se.Code != fetch.RepoNotFound {
		t.Errorf("error %v", err)
	}
	w.hub.AddFault(testkit.Fault{Match: "/batch", Status: 404})
	if got, want := summary(w.fetch(gitNeed)), "0 clips/big.mp4 300000 missing\n0 labels.csv 31 ok\n"; !strings.HasSuffix(got, "labels.csv 31 ok\n") || !strings.Contains(got, "big.mp4 ") || !strings.Contains(got, "missing") {
		t.Errorf("without the LFS server: got\n%swant\n%s", got, want)
	}
	w.hub.ClearFaults()
	w.stored(w.fetch(gitNeed)[0], big) // it is looked for again once the server is back
}

func TestGitHubLFSObjectGoneAndRateLimit(t *testing.T) {
	w := newWorld(t)
	r := dataset()
	pointer := []byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("1", 64) + "\nsize 77\n")
	r.Files = map[string][]byte{"gone.mp4": pointer, "talk.mp4": []byte("version https://git-lfs is what this text is about")}
	r.Large = nil
	w.hub.SetRepo("o/r", r)
	w.hub.AddFault(testkit.Fault{Match: "/commits/", Times: 1, Status: 403,
		Header: map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1800000040"}})
	assets := w.fetch(gitNeed)
	if assets[0].Problem == nil || assets[0].Problem.Code != fetch.Missing || !strings.Contains(assets[0].Problem.Reason, "LFS object") {
		t.Errorf("problem %v", assets[0].Problem)
	}
	w.stored(assets[1], r.Files["talk.mp4"])
	if len(w.clock.slept) == 0 || w.clock.slept[0].Seconds() != 41 {
		t.Errorf("slept %v, want 41s first", w.clock.slept)
	}
}

func TestLFSObjectOverTheLimit(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/r", dataset())
	need := gitNeed
	need.MaxBytes = 1000
	if got := summary(w.fetch(need)); !strings.Contains(got, "too-large") {
		t.Errorf("got\n%s", got)
	}
	for _, q := range w.hub.Requests() {
		if q.Host == "cdn" {
			t.Error("the object was downloaded")
		}
	}
}

// A branch that moves does not change a locked build; relock follows it.
func TestBranchMoves(t *testing.T) {
	for name, need := range map[string]pipeline.Need{"hf": hubNeed, "github": gitNeed} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := dataset()
			w.hub.SetRepo(need.Repo, r)
			w.fetch(need)
			next := r
			next.Commit, next.Files = commitB, maps.Clone(r.Files)
			next.Files["labels.csv"] = []byte("file,action\n")
			w.hub.SetRepo(need.Repo, next)
			w.stored(w.fetch(need)[1], small)
			assets, err := w.try(relock, need)
			if err != nil {
				t.Fatal(err)
			}
			w.stored(assets[1], next.Files["labels.csv"])
			if text := w.lockText(); !strings.Contains(text, commitB) || strings.Contains(text, commitA) {
				t.Errorf("lock after relock:\n%s", text)
			}
		})
	}
}

// The pinned commit now gives other bytes: rewritten history or a bad mirror.
func TestChangedUpstream(t *testing.T) {
	for name, need := range map[string]pipeline.Need{"hf": hubNeed, "github": gitNeed} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			r := dataset()
			w.hub.SetRepo(need.Repo, r)
			w.fetch(need)
			lock := w.lockText()
			for _, path := range []string{"clips/big.mp4", "labels.csv"} {
				bad := r
				bad.Files = maps.Clone(r.Files)
				bad.Files[path] = video(9, len(r.Files[path]))
				w.hub.SetRepo(need.Repo, bad)
				w.store = newStore()
				var ce *fetch.ChangedError
				if err := w.fail(nil, need, "has changed", "--relock"); !errors.As(err, &ce) || !ce.Locked {
					t.Errorf("%s: error %v", path, err)
				}
			}
			gone := r
			gone.Files = maps.Clone(r.Files)
			delete(gone.Files, "clips/big.mp4")
			w.hub.SetRepo(need.Repo, gone)
			w.store = newStore()
			if got, want := summary(w.fetch(need)), "0 clips/big.mp4 300000 dead\n0 labels.csv 31 ok\n"; got != want {
				t.Errorf("gone: got\n%swant\n%s", got, want)
			}
			if w.lockText() != lock {
				t.Error("the lock changed without --relock")
			}
		})
	}
}
