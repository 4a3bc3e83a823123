package panel

import (
	"os"
	"path/filepath"
	"testing"
)

// TestImagesAreKnownByTheirFirstBytes: PNG, JPEG and WebP, and no other container of the
// same beginning.
func TestImagesAreKnownByTheirFirstBytes(t *testing.T) {
	for name, c := range map[string]struct {
		bytes string
		want  bool
	}{
		"png": {"\x89PNG\r\n\x1a\nrest of it", true}, "jpeg": {"\xff\xd8\xff\xe0rest of the file", true}, "short jpeg": {"\xff\xd8\xff", true}, "webp": {"RIFF\x24\x00\x00\x00WEBPVP8 ", true},
		"avi": {"RIFF\x24\x00\x00\x00AVI LIST", false}, "riff of webp later": {"RIFF\x24\x00\x00\x00\x00WEBPVP8", false}, "webp without riff": {"FORM\x24\x00\x00\x00WEBPVP8 ", false}, "mp4": {"\x00\x00\x00\x18ftypisom", false}, "empty": {"", false},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(c.bytes), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := isImage(path); got != c.want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
	if _, err := isImage(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there is one kind or the other")
	}
}
