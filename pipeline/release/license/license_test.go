package license_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/license"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		parts   []string
		wanted  string
		allow   bool
		want    string // SPDX id, private, or part of the error
		notes   int
		refused bool
	}{
		{name: "one", parts: []string{"MIT"}, want: "MIT"},
		{name: "strictest wins", parts: []string{"CC0-1.0", "CC-BY-4.0", "Apache-2.0"}, want: "CC-BY-4.0"},
		{name: "non-commercial", parts: []string{"CC-BY-4.0", "CC-BY-NC-4.0"}, want: "CC-BY-NC-4.0"},
		{name: "share alike and non-commercial", parts: []string{"CC-BY-SA-4.0", "CC-BY-NC-4.0"}, want: "no licence meets the terms of both", refused: true},
		{name: "both, kept private", parts: []string{"CC-BY-SA-4.0", "CC-BY-NC-4.0"}, allow: true, want: "private", notes: 1},
		{name: "two that share alike", parts: []string{"CC-BY-SA-4.0", "ODbL-1.0"}, want: "CC-BY-SA-4.0", refused: true},
		{name: "two versions that share alike", parts: []string{"CC-BY-SA-3.0", "CC-BY-SA-4.0"}, want: "CC-BY-SA-4.0"},
		{name: "non-commercial and its share alike", parts: []string{"CC-BY-NC-4.0", "CC-BY-NC-SA-4.0"}, want: "CC-BY-NC-SA-4.0"},
		{name: "share alike and its non-commercial form", parts: []string{"CC-BY-SA-4.0", "CC-BY-NC-SA-4.0"}, want: "cannot be published as one work", refused: true},
		{name: "share alike in a non-commercial compound", parts: []string{"CC-BY-SA-4.0 AND CC-BY-NC-4.0"}, want: "cannot be published", refused: true},
		{name: "an older share alike and a newer attribution", parts: []string{"CC-BY-SA-3.0", "CC-BY-4.0"}, want: "CC-BY-SA-4.0"},
		{name: "asked for share alike of non-commercial parts", parts: []string{"CC-BY-NC-4.0"}, wanted: "CC-BY-SA-4.0", want: "does not meet", refused: true},
		{name: "asked for attribution to be given up", parts: []string{"CC-BY-4.0"}, wanted: "CC0-1.0", want: "use CC-BY-4.0", refused: true},
		{name: "compound", parts: []string{"CC0-1.0 AND CC-BY-NC-SA-4.0"}, want: "CC-BY-NC-SA-4.0"},
		{name: "case", parts: []string{"cc-by-4.0"}, want: "CC-BY-4.0"},
		{name: "stricter than needed", parts: []string{"MIT"}, wanted: "CC-BY-4.0", want: "CC-BY-4.0"},
		{name: "laxer than needed", parts: []string{"CC-BY-SA-4.0"}, wanted: "MIT", want: "does not meet", refused: true},
		{name: "wanted unknown", parts: []string{"MIT"}, wanted: "mine", want: "not known here", refused: true},
		{name: "unknown", parts: []string{"MIT", "NTT"}, want: "--allow-unlicensed", refused: true},
		{name: "no derivatives", parts: []string{"CC-BY-ND-4.0"}, want: "--allow-unlicensed", refused: true},
		{name: "empty", parts: []string{""}, want: "--allow-unlicensed", refused: true},
		{name: "none", want: "no source", refused: true},
		{name: "allowed", parts: []string{"MIT", ""}, allow: true, want: "private", notes: 1},
		{name: "allowed and not needed", parts: []string{"MIT"}, allow: true, want: "MIT"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			parts := map[string][]string{}
			for _, p := range c.parts {
				parts[p] = []string{"source x"}
			}
			got, err := license.Decide(parts, c.wanted, c.allow)
			var refused *license.Error
			if c.refused {
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			have := got.License.SPDX
			if got.Private {
				have = "private"
			}
			if have != c.want || len(got.Notes) != c.notes {
				t.Errorf("%s with notes %q, want %s", have, got.Notes, c.want)
			}
		})
	}
}

// A whole may hold what is under its own licence, and what may stand under a
// licence is known itself.
func TestTableIsClosed(t *testing.T) {
	t.Parallel()
	for _, l := range license.All() {
		if !slices.Contains(l.Under, l.SPDX) {
			t.Errorf("parts under %s may not be published under it", l.SPDX)
		}
		for _, whole := range l.Under {
			w, ok := license.Find(whole)
			if !ok {
				t.Errorf("%s may stand under %s, which is not in the table", l.SPDX, whole)
			}
			for _, further := range w.Under {
				if !slices.Contains(l.Under, further) {
					t.Errorf("%s may stand under %s, that under %s, and the first not under the last", l.SPDX, whole, further)
				}
			}
		}
	}
}
