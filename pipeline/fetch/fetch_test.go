package fetch_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
)

func TestAStalledConnectionIsGivenUp(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	w.opts.IdleTimeout = 200 * time.Millisecond
	w.hub.AddFault(testkit.Fault{Match: "cdn/", Times: 1, CutAfter: 100_000, Stall: true})
	w.hub.AddFault(testkit.Fault{Match: "/tree/", Times: 1, CutAfter: 5, Stall: true})
	w.stored(w.fetch(hubNeed)[0], big)
}

func TestRenamedRepository(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("new/d", dataset())
	w.hub.AddFault(testkit.Fault{Match: "/api/datasets/o/d/revision/", Status: 307, Header: map[string]string{"Location": "/api/datasets/new/d/revision/main"}})
	w.hub.AddFault(testkit.Fault{Match: "/api/datasets/o/d/tree/", Status: 307, Header: map[string]string{"Location": "/api/datasets/new/d/tree/" + commitA + "?recursive=true"}})
	w.hub.AddFault(testkit.Fault{Match: "/datasets/o/d/resolve/" + commitA + "/labels.csv", Status: 307, Header: map[string]string{"Location": "/datasets/new/d/resolve/" + commitA + "/labels.csv"}})
	w.hub.AddFault(testkit.Fault{Match: "/datasets/o/d/resolve/", Status: 307, Header: map[string]string{"Location": "/datasets/new/d/resolve/" + commitA + "/clips/big.mp4"}})
	assets := w.fetch(hubNeed)
	w.stored(assets[0], big)
	w.stored(assets[1], small)
	for _, q := range w.hub.Requests() {
		if q.Host == "hub" && q.Header.Get("Authorization") != "Bearer secret-hf" {
			t.Errorf("%s lost its credential on the way to the new name", q.Path)
		}
	}
}

func TestConcurrentSourcesShareALock(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	lock, err := fetch.LoadLock(w.lockPath())
	if err != nil {
		t.Fatal(err)
	}
	f := fetch.New(w.store, lock, w.opts)
	var group sync.WaitGroup
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		group.Go(func() {
			if _, err := f.Fetch(t.Context(), name, []pipeline.Need{hubNeed}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	again, err := fetch.LoadLock(w.lockPath())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if e := again.Entries(name); len(e) != 1 || len(e[0].Files) != 2 {
			t.Errorf("source %s: %+v", name, e)
		}
	}
	if n := w.asked("cdn"); n != 1 {
		t.Errorf("the same bytes were downloaded %d times", n)
	}
}

func TestProgressReachesTheTotal(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	var mu sync.Mutex
	last := map[string][2]int64{}
	w.opts.Progress = func(file string, done, total int64) {
		mu.Lock()
		defer mu.Unlock()
		last[file] = [2]int64{done, total}
	}
	w.fetch(hubNeed)
	if last["clips/big.mp4"] != [2]int64{300_000, 300_000} || last["labels.csv"] != [2]int64{31, 31} {
		t.Errorf("progress %v", last)
	}
}

func TestOfflineAndRelockExcludeEachOther(t *testing.T) {
	w := newWorld(t)
	if _, err := w.try(func(o *fetch.Options) { o.Offline, o.Relock = true, true }, hubNeed); err == nil || !strings.Contains(err.Error(), "exclude each other") {
		t.Errorf("error %v", err)
	}
}
