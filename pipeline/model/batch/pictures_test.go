package batch

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// TestPicturesAreWrittenOnce: under their digest, with the ending of their kind.
func TestPicturesAreWrittenOnce(t *testing.T) {
	x := &index{dir: t.TempDir(), pictures: map[string]bool{}}
	if err := os.Mkdir(filepath.Join(x.dir, Pictures), 0o755); err != nil {
		t.Fatal(err)
	}
	data := base64.StdEncoding.EncodeToString([]byte("bytes"))
	digest := string(pipeline.DigestOf([]byte("bytes")))
	for url, want := range map[string]string{
		"data:image/png;base64," + data: "pictures/" + digest + ".png", "data:image/jpeg;base64," + data: "pictures/" + digest + ".jpg",
		"data:image/gif;base64," + data: "", "data:image/png," + data: "", "https://pictures.example/x.png": "", "data:image/png;base64,?": "",
	} {
		for range 2 {
			name, err := x.writePicture(url)
			if name != want || (err == nil) != (want != "") {
				t.Errorf("%s: %q, %v", url, name, err)
			}
		}
		if want == "" {
			continue
		}
		if b, err := os.ReadFile(filepath.Join(x.dir, want)); err != nil || string(b) != "bytes" {
			t.Errorf("%s: %q, %v", want, b, err)
		}
	}
}
