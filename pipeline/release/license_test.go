package release

import (
	"errors"
	"strings"
	"testing"
)

func TestDecideLicense(t *testing.T) {
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
		{name: "share alike and non-commercial", parts: []string{"CC-BY-SA-4.0", "CC-BY-NC-4.0"}, want: "CC-BY-NC-4.0", notes: 1},
		{name: "compound", parts: []string{"CC0-1.0 AND CC-BY-NC-SA-4.0"}, want: "CC-BY-NC-SA-4.0"},
		{name: "case", parts: []string{"cc-by-4.0"}, want: "CC-BY-4.0"},
		{name: "stricter than needed", parts: []string{"MIT"}, wanted: "CC-BY-4.0", want: "CC-BY-4.0"},
		{name: "laxer than needed", parts: []string{"CC-BY-SA-4.0"}, wanted: "MIT", want: "stricter", refused: true},
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
			got, err := decideLicense(parts, c.wanted, c.allow)
			var refused *LicenseError
			if c.refused {
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			have := got.license.spdx
			if got.private {
				have = "private"
			}
			if have != c.want || len(got.notes) != c.notes {
				t.Errorf("%s with notes %q, want %s", have, got.notes, c.want)
			}
		})
	}
}

func TestPrivateReleaseSaysSo(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	in.Sources[0].License = ""
	root := t.TempDir()
	var refused *LicenseError
	if _, err := Write(t.Context(), store, root, in, Options{}); !errors.As(err, &refused) {
		t.Fatalf("error %v", err)
	}
	got, err := Write(t.Context(), store, root, in, Options{AllowUnlicensed: true})
	if err != nil {
		t.Fatal(err)
	}
	if r := mustVerify(t, got.Dir); !r.Manifest.Private || r.Manifest.License != "" {
		t.Errorf("manifest: private %t, licence %q", r.Manifest.Private, r.Manifest.License)
	}
	all := files(t, got.Dir)
	for name, want := range map[string]string{"README.md": "license: other\nlicense_name: private", licensesName: "must not be published", "report.html": ">private<"} {
		if !strings.Contains(string(all[name]), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
}
