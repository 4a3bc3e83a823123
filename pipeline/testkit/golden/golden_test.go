package golden

import "testing"

func TestFirstDifference(t *testing.T) {
	for _, c := range []struct{ got, want, diff string }{
		{"a\nb\n", "a\nb\n", ""},
		{"a\nc\n", "a\nb\n", "line 2 of 3 is\nc\nwant (of 3)\nb"},
		{"a\n", "a\nb\n", "line 2 of 2 is\n\nwant (of 3)\nb"},
		{"a\nb", "a", "line 2 of 2 is\nb\nwant (of 1)\n"},
		{"a\n", "a", "line 2 of 2 is\n\nwant (of 1)\n"},
	} {
		if diff := firstDifference(c.got, c.want); diff != c.diff {
			t.Errorf("%q instead of %q: %q, want %q", c.got, c.want, diff, c.diff)
		}
	}
}

func TestDigest(t *testing.T) {
	if a, b := Digest(t, []int{1}), Digest(t, []int{2}); a == b || len(a) != 12 {
		t.Errorf("%q and %q", a, b)
	}
}
