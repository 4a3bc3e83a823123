package format

import "testing"

// TestSampleNames: letters of ASCII, digits, dashes and underscores stay, each other sign
// is an underscore; those just outside of each range are among them.
func TestSampleNames(t *testing.T) {
	for id, want := range map[string]string{
		"azAZ09-_": "azAZ09-_", "set/7-a": "set_7-a", "`{@[/:": "______", "é.b c": "__b_c",
	} {
		if got := sampleName(id); got != want {
			t.Errorf("%q becomes %q, want %q", id, got, want)
		}
	}
}
