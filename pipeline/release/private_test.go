package release

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/license"
)

func TestPrivateReleaseSaysSo(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	in.Sources[0].License = ""
	root := t.TempDir()
	var refused *license.Error
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
	for name, want := range map[string]string{"README.md": "license: other\nlicense_name: private", describe.LicensesName: "must not be published"} {
		if !strings.Contains(string(all[name]), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	tags := elements(elements(parsePage(t, all["report.html"]), atom.Header)[0], atom.Span)
	if !slices.ContainsFunc(tags, func(n *html.Node) bool { return hasClass(n, "private") && textIn(n) == "private" }) {
		t.Error("the report does not say that the release is private")
	}
}
