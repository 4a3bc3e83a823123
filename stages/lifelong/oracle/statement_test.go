package oracle

import "testing"

// TestWhatChangesTheState: what is told of the person or a thing does; asides, pictures and
// corrections do not.
func TestWhatChangesTheState(t *testing.T) {
	for kind, want := range map[string]bool{
		"append": true, "revise": true, "split": true, "merge": true, "delete": true,
		"": false, "show": false, "joke": false, "hearsay": false, "plan": false, "slip": false, "retract": false, "confirm": false, "tag_rule": false,
	} {
		if got := (statement{kind: kind}).changesState(); got != want {
			t.Errorf("%q changes the state: %t, want %t", kind, got, want)
		}
	}
}
