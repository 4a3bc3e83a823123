package release

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// under is a sample all of whose parts are under one licence.
func under(t *testing.T, license string) (*memoryStore, Input) {
	t.Helper()
	store, in := sample(t, 4)
	for i := range in.Sources {
		in.Sources[i].License = license
	}
	for _, r := range in.Records {
		if r.Schema != schemas.NameMedia {
			continue
		}
		m, err := pipeline.Decode[schemas.Media](r)
		if err != nil {
			t.Fatal(err)
		}
		m.License = license
		replaceRecord(t, &in, r.Schema, r.ID, m)
	}
	return store, in
}

// TestALicenceOneStepTooWeakIsRefused asks for every step down the ladder of
// duties, and for the parts' own licence.
func TestALicenceOneStepTooWeakIsRefused(t *testing.T) {
	t.Parallel()
	ladder := []string{"CC0-1.0", "MIT", "CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"}
	for i, part := range ladder {
		for _, wanted := range ladder[max(0, i-1) : i+1] {
			store, in := under(t, part)
			in.Spec.License = wanted
			_, err := prepared(t, store, in)
			switch {
			case wanted == part && err != nil:
				t.Errorf("%s of parts under it: %v", wanted, err)
			case wanted != part && (err == nil || !strings.Contains(err.Error(), wanted) || !strings.Contains(err.Error(), part)):
				t.Errorf("%s of parts under %s: %v, want both named", wanted, part, err)
			}
		}
	}
}
