package audit

import "testing"

// TestReasonsNameThree: a reason names three items, and says when there are more.
func TestReasonsNameThree(t *testing.T) {
	for _, tc := range []struct {
		ids  []string
		want string
	}{
		{[]string{"a"}, "a"},
		{[]string{"a", "b", "c"}, "a, b, c"},
		{[]string{"a", "b", "c", "d"}, "a, b, c, ..."},
	} {
		if got := firstFew(tc.ids); got != tc.want {
			t.Errorf("%q is named as %q, want %q", tc.ids, got, tc.want)
		}
	}
}
