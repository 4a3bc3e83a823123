package pipeline

import "testing"

func TestBetween(t *testing.T) {
	for n, want := range map[int]string{0: "gap is 0; want 1 to 3", 1: "", 3: "", 4: "gap is 4; want 1 to 3"} {
		got := ""
		if err := CheckRange("gap", n, 1, 3); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
