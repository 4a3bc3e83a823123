package fetch

import "testing"

// TestJunk: what macOS leaves in folders and archives is passed over, wherever it lies.
func TestJunk(t *testing.T) {
	for path, want := range map[string]bool{
		"a.mp4": false, "sub/a.mp4": false, ".DS_Store": true, "sub/.DS_Store": true, "__MACOSX/a.mp4": true, "sub/__MACOSX/a.mp4": true, "._a.mp4": true, "sub/._a.mp4": true, "._sub/a.mp4": true, "a._b": false, ".hidden/a.mp4": false, "": false,
	} {
		if got := inJunk(path); got != want {
			t.Errorf("%q: %t, want %t", path, got, want)
		}
	}
	for name, want := range map[string]bool{"a b": true, "ä": true, "a\n": false, "\xff": false, "\x7f": false} {
		if got := printable(name); got != want {
			t.Errorf("%q is printable: %t, want %t", name, got, want)
		}
	}
}
