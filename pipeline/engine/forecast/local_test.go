package forecast

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
)

// TestLocalReadsHeaders looks at real clips, whose lengths add up to 26.3 s.
func TestLocalReadsHeaders(t *testing.T) {
	root := testfiles.Real(t, ".")
	tools, err := media.Locate()
	var missing *media.MissingToolError
	if errors.As(err, &missing) {
		t.Skip("ffmpeg is not installed")
	}
	need := pipeline.Need{From: "local", Root: "videos/intel", Include: []string{"asl_*.mkv"}}
	a, ok, err := MeasureFiles(root, tools)(t.Context(), need)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if a.Records != 12 || a.Seconds < 26 || a.Seconds > 26.6 || a.Sound != 0 {
		t.Errorf("%+v", a)
	}
	if want := a.Seconds * 30 * 0.3072; a.Megapixels < 0.99*want || a.Megapixels > 1.01*want || a.Detail < 0.3 || a.Detail > 1 {
		t.Errorf("%+v, want %.0f megapixels", a, want)
	}
	need.MaxBytes = 1
	if a, ok, err := MeasureFiles(root, tools)(t.Context(), need); err != nil || !ok || a.Records != 0 {
		t.Errorf("too large files are counted: %+v %t %v", a, ok, err)
	}
}

// A table of labels is no video that nobody can look into.
func TestLocalDoesNotCountTables(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"labels.csv", "more.JSONL"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("file,x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, look := range map[string]Measure{"local": MeasureFiles(dir, media.Lazy()), "counted": CountFiles(dir)} {
		if a, ok, err := look(t.Context(), pipeline.Need{Root: "."}); err != nil || !ok || a.Records != 0 {
			t.Errorf("%s: %+v %t %v", name, a, ok, err)
		}
	}
}

func TestLocalSaysWhatItCannot(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := MeasureFiles(dir, media.Lazy())(t.Context(), pipeline.Need{Root: "none"}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.mp4"), []byte("no video"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Run("without ffmpeg", func(t *testing.T) {
		t.Setenv("PATH", "")
		var missing *media.MissingToolError
		if _, ok, err := MeasureFiles(dir, media.Lazy())(t.Context(), pipeline.Need{Root: "."}); ok || !errors.As(err, &missing) {
			t.Errorf("%t %v", ok, err)
		}
	})
	tools, err := media.Locate()
	if err != nil {
		t.Skip("ffmpeg is not installed")
	}
	if a, ok, err := MeasureFiles(dir, tools)(t.Context(), pipeline.Need{Root: "."}); ok || err != nil {
		t.Errorf("a file that is no video: %+v %v", a, err)
	}
}
