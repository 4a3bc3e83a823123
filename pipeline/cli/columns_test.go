package cli

import (
	"bytes"
	"fmt"
	"testing"
)

// TestColumnsThatSayNothingAreLeftOut, and no other.
func TestColumnsThatSayNothingAreLeftOut(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"STEP\tCALLS\tCOST\tWHY\na\t-\t1\t\nb\t\t-\t-\n", "STEP  COST\na     1\nb     -\n"},
		{"STEP\tCALLS\na\t?\n", "STEP  CALLS\na     ?\n"},
		{"STEP\tCALLS\n", "STEP  CALLS\n"},
		{"STEP\tCALLS\nnothing\n", "STEP\nnothing\n"},
		{"", ""},
	} {
		var out bytes.Buffer
		w := columns{out: &out}
		fmt.Fprint(&w, c.text)
		if err := w.Flush(); err != nil || out.String() != c.want {
			t.Errorf("%q: %q, %v, want %q", c.text, &out, err, c.want)
		}
	}
}
