package fetch_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/pipelinetest"
)

// hubFaults are 30 ways in which a hub or its content host fails a client that
// asks again.
func hubFaults() []pipelinetest.Fault {
	out := []pipelinetest.Fault{{Match: "plain", Flip: true}, {Match: "cdn/", Flip: true}}
	for _, place := range []string{"/tree/", "/resolve/", "cdn/"} {
		for _, status := range []int{500, 502, 503, 504, 408} {
			out = append(out, pipelinetest.Fault{Match: place, Status: status, Body: "<html>sorry</html>"})
		}
		for name, value := range map[string]string{"Retry-After": "2", "RateLimit": `"api";r=0;t=3`} {
			out = append(out, pipelinetest.Fault{Match: place, Status: 429, Header: map[string]string{name: value}})
		}
	}
	return append(out,
		pipelinetest.Fault{Match: "cdn/", Status: 403, Body: "expired"}, pipelinetest.Fault{Match: "cdn/", Status: 401, Body: "expired"},
		pipelinetest.Fault{Match: "cdn/", CutAfter: 700}, pipelinetest.Fault{Match: "cdn/", CutAfter: 1}, pipelinetest.Fault{Match: "cdn/", CutAfter: 1500, NoRange: true},
		pipelinetest.Fault{Match: "/tree/", CutAfter: 30}, pipelinetest.Fault{Match: "plain", CutAfter: 3},
	)
}

// shelf is a repository of 40 large files and 20 small ones.
func shelf() pipelinetest.Repo {
	r := pipelinetest.Repo{Commit: commitA, License: "cc-by-4.0", Files: map[string][]byte{}, Large: map[string]bool{}}
	for i := range 40 {
		name := fmt.Sprintf("clips/%02d/big.mp4", i)
		r.Files[name], r.Large[name] = bytes.Repeat([]byte{byte(i), byte(i * 7), 9}, 700), true
	}
	for i := range 20 {
		r.Files[fmt.Sprintf("plain/%02d.csv", i)] = fmt.Appendf(nil, "file,title\n%d,plain %d\n", i, i)
	}
	return r
}

// TestNoFaultOfAHubShows fetches once through each of 30 faults that strike 5 to
// 33 % of the requests for files, or a listing twice: assets, lock file and stored bytes are those of a fetch
// that nothing disturbed, and so is all that is built from them.
func TestNoFaultOfAHubShows(t *testing.T) {
	need := hubNeed
	need.Include = []string{"**/*.mp4", "**/*.csv"}
	calm := newWorld(t)
	calm.hub.SetRepo("o/d", shelf())
	want, lock := summary(calm.fetch(need)), calm.lockText()
	faults := hubFaults()
	if len(faults) != 30 {
		t.Fatalf("%d faults", len(faults))
	}
	for i, f := range faults {
		f.Every = 20 - 17*i/(len(faults)-1) // 5 to 33 %
		if f.Match == "/tree/" {
			f.Every, f.Times = 0, 2 // there is one listing
		}
		t.Run(fmt.Sprintf("%s %d %v cut %d flip %t, one in %d", f.Match, f.Status, f.Header, f.CutAfter, f.Flip, max(f.Every, 1)), func(t *testing.T) {
			w := newWorld(t)
			w.hub.SetRepo("o/d", shelf())
			w.hub.AddFault(f)
			if got := summary(w.fetch(need)); got != want {
				t.Errorf("assets:\n%swant\n%s", got, want)
			}
			if w.hub.Hit() == 0 {
				t.Error("nothing was spoiled")
			}
			if got := w.lockText(); got != lock {
				t.Errorf("lock:\n%s\nwant\n%s", got, lock)
			}
			sameDigests(t, w.store, calm.store)
		})
	}
}

func sameDigests(t *testing.T, got, want *memStore) {
	t.Helper()
	a, b := slices.Sorted(maps.Keys(got.blobs)), slices.Sorted(maps.Keys(want.blobs))
	if !slices.Equal(a, b) {
		t.Errorf("%d blobs are stored, %d were without faults, or others", len(a), len(b))
	}
}
