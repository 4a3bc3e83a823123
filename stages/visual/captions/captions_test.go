package captions_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/stages/visual/captions"
)

const long = "A grey dog lies on a woven mat in front of a low shelf. Three jars stand on the shelf, the left one open."

func TestCheck(t *testing.T) {
	for _, c := range []struct{ kind, caption, want string }{
		{captions.Minimal, "a photo of a room", ""},
		{captions.Minimal, "a phone screenshot", ""},
		{captions.Minimal, "comic panel", ""},
		{captions.Minimal, "", "0 words"},
		{captions.Minimal, "a photo of a long winding street somewhere", "words"},
		{captions.Minimal, "a wide living space", "of what kind"},
		{captions.Minimal, "a photo of Rome", "capital"},
		{captions.Minimal, "a page 12", "number or marks"},
		{captions.Minimal, "a photo of two dogs", `"two"`},
		{captions.Minimal, "a red poster", `"red"`},
		{captions.Minimal, "a photo showing a sofa", `"showing"`},
		{captions.Minimal, "a photo\nof a room", "plain text"},
		{captions.Dense, long, ""},
		{captions.Dense, "A dog.", "characters"},
		{captions.Dense, strings.Repeat(long, 30), "characters"},
		{captions.Dense, "The image shows " + long, "begins with"},
		{captions.TaskAware, long, "characters"},
		{captions.TaskAware, long + " " + long, ""},
	} {
		got := strings.Join(captions.Check(c.kind, c.caption), "; ")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: %q, want %q", c.kind, c.caption, got, c.want)
		}
	}
}
