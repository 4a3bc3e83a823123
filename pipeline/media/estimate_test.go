package media

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestFilesAreEstimated: length, size and rate are those of the file, sound is counted where
// there is some, and a file without pictures or no video gives no estimate.
func TestFilesAreEstimated(t *testing.T) {
	tl, dir := tools(t), t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	picture := []string{"-f", "lavfi", "-i", "color=size=64x48:rate=10:duration=2"}
	sound := []string{"-f", "lavfi", "-i", "sine=duration=2"}
	tags := []string{"-metadata", "title=A title", "-metadata:s:v", "title=Of the picture"}
	ffmpeg(t, slices.Concat(picture, []string{file("mute.mkv")})...)
	ffmpeg(t, slices.Concat(picture, sound, tags, []string{file("both.mkv")})...)
	ffmpeg(t, slices.Concat(sound, []string{file("sound.mka")})...)
	if err := os.WriteFile(file("text.mkv"), []byte("no video"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]struct {
		ok    bool
		sound float64
	}{"mute.mkv": {true, 0}, "both.mkv": {true, 2}, "sound.mka": {false, 0}, "text.mkv": {false, 0}} {
		a, ok, err := tl.EstimateAmount(t.Context(), file(name), DefaultLimits())
		if err != nil || ok != want.ok {
			t.Errorf("%s: estimated %t, %v; want %t", name, ok, err, want.ok)
		}
		if !ok {
			continue
		}
		info, err := os.Stat(file(name))
		if err != nil {
			t.Fatal(err)
		}
		// 20 frames of 64 x 48 pixels are 0.06144 megapixels.
		near := func(got, want float64) bool { return math.Abs(got-want) <= 0.05*want }
		if a.Records != 1 || !near(a.Seconds, 2) || !near(a.Sound, want.sound) || !near(a.Megapixels, 0.06144) || a.Bytes != float64(info.Size()) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if _, _, err := tl.EstimateAmount(t.Context(), file("none.mkv"), DefaultLimits()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	got, err := tl.Tags(t.Context(), file("both.mkv"))
	if err != nil || !slices.Contains(got, "file: title=A title") || !slices.Contains(got, "stream: title=Of the picture") || !slices.IsSorted(got) {
		t.Errorf("tags %q, %v", got, err)
	}
}
