package fetch_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
)

// TestNoFaultOfAHubShows fetches once through each of 30 faults that strike 5 to
// 33 % of the requests for files, or a listing twice: assets, lock file and stored bytes are those of a fetch
// that nothing disturbed, and so is all that is built from them.
func TestNoFaultOfAHubShows(t *testing.T) {
	need := hubNeed
	need.Include = []string{"**/*.mp4", "**/*.csv"}
	calm := newWorld(t)
	calm.hub.SetRepo("o/d", testkit.LargeFileRepo(40))
	want, lock := summary(calm.fetch(need)), calm.lockText()
	faults := testkit.HubFaults(2)
	if len(faults) != 30 {
		t.Fatalf("%d faults", len(faults))
	}
	for _, f := range faults {
		t.Run(f.String(), func(t *testing.T) {
			w := newWorld(t)
			w.hub.SetRepo("o/d", testkit.LargeFileRepo(40))
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
