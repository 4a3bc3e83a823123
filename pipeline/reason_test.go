package pipeline

import "testing"

func TestReasonCode(t *testing.T) {
	for reason, want := range map[string]string{
		"guessable: both are right": "guessable", "both are right: yes": "other", "nothing": "other", "": "other", ": x": "other",
	} {
		if got := ReasonCode(reason); got != want {
			t.Errorf("%q: %q, want %q", reason, got, want)
		}
	}
}
