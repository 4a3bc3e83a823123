package fetch_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
)

// TestAnExpiredAddressIsAskedForAnew: a content host that refuses the address of
// a redirect says nothing about the file.
func TestAnExpiredAddressIsAskedForAnew(t *testing.T) {
	for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
		w := newWorld(t)
		w.hub.SetRepo("o/d", dataset())
		w.hub.AddFault(testkit.Fault{Match: "cdn/", Times: 2, Status: status, Body: "Request has expired"})
		w.stored(w.fetch(hubNeed)[0], big)
		if n := w.asked("/resolve/"); n < 3 {
			t.Errorf("%d: the address was asked for %d times, want anew after each refusal", status, n)
		}
	}
}

// TestWhatPassesIsNoLoss: a file that a host does not give for the moment ends
// the fetch, unless that was allowed; then it is a problem that passes.
func TestWhatPassesIsNoLoss(t *testing.T) {
	for name, fault := range map[string]testkit.Fault{
		"refused address": {Match: "cdn/", Status: http.StatusForbidden},
		"cut each time":   {Match: "cdn/", CutAfter: 100},
		"redirect away":   {Match: "/resolve/", Status: http.StatusFound, Header: map[string]string{"Location": "ftp://files.example/x"}},
		"redirect loop":   {Match: "/resolve/", Status: http.StatusFound, Header: map[string]string{"Location": "?again"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.hub.SetRepo("o/d", dataset())
			w.hub.AddFault(fault)
			_, err := w.try(nil, hubNeed)
			var host *fetch.HostError
			if !errors.As(err, &host) {
				t.Fatalf("error %v (%T), want a HostError", err, err)
			}
			assets, err := w.try(func(o *fetch.Options) { o.AllowPartial = true }, hubNeed)
			if err != nil {
				t.Fatal(err)
			}
			if p := assets[0].Problem; p == nil || p.Code != fetch.Unreachable || !p.Transient {
				t.Errorf("problem %+v, want one that passes", p)
			}
			w.hub.ClearFaults()
			w.stored(w.fetch(hubNeed)[0], big)
		})
	}
}

// TestFinishedFilesSurviveAKilledFetch: of files that have only a git SHA-1 what
// is in the store is not downloaded again, although no lock was written.
func TestFinishedFilesSurviveAKilledFetch(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/r", dataset())
	w.hub.AddFault(testkit.Fault{Match: "clips/big.mp4", CutAfter: 10})
	w.opts.Concurrency = 1
	need := gitNeed
	if _, err := w.try(nil, need); err == nil {
		// The large one is listed first; ask for the small one alone.
		t.Fatal("the fetch did not fail")
	}
	small := need
	small.Include = []string{"labels.csv"}
	if _, err := w.try(nil, small, need); err == nil {
		t.Fatal("the fetch did not fail")
	}
	before := w.asked("labels.csv")
	if before == 0 {
		t.Fatal("the small file was never asked for")
	}
	w.hub.ClearFaults()
	assets := w.fetch(need)
	w.stored(assets[0], big)
	if n := w.asked("labels.csv"); n != before {
		t.Errorf("labels.csv was asked for again (%d, then %d times)", before, n)
	}
	for _, a := range assets {
		if a.Problem == nil && a.Size != int64(len(mustGet(t, w, a))) {
			t.Errorf("%s: %d bytes stated", a.Path, a.Size)
		}
	}
}

func mustGet(t *testing.T, w *world, a pipeline.Asset) []byte {
	t.Helper()
	b, ok := w.store.get(a.Blob)
	if !ok {
		t.Fatalf("%s is not in the store", a.Path)
	}
	return b
}

// TestRetryAfterHoldsForTheWholeHost: what one worker is told keeps the others
// from asking.
func TestRetryAfterHoldsForTheWholeHost(t *testing.T) {
	w := newWorld(t)
	r := dataset()
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		r.Files[n+".txt"] = []byte(n)
	}
	w.hub.SetRepo("o/d", r)
	w.hub.AddFault(testkit.Fault{Match: "/resolve/", Times: 1, Status: 429, Header: map[string]string{"Retry-After": "30"}})
	w.opts.Concurrency = 1
	w.fetch(hubNeed)
	if len(w.clock.slept) != 1 || w.clock.slept[0] < 30*time.Second {
		t.Errorf("slept %v, want once", w.clock.slept)
	}
}

// TestListingsThatRepeatThemselvesEndAtOnce: a mirror that gives the same page
// under ever new addresses is not followed to the bound on files.
func TestListingsThatRepeatThemselvesEndAtOnce(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	w.hub.AddFault(testkit.Fault{Match: "/tree/", Header: map[string]string{"Link": `<?recursive=true&cursor=x` + strings.Repeat("y", 3) + `>; rel="next"`}})
	_, err := w.try(nil, hubNeed)
	var bad *fetch.ListingError
	if n := w.asked("/tree/"); !errors.As(err, &bad) || !strings.Contains(err.Error(), "occurs twice") || n != 2 {
		t.Errorf("after %d pages: %v", n, err)
	}
}
