package describe

import (
	"slices"
	"testing"
)

func TestToolsAreNamedOnce(t *testing.T) {
	got := toolLines(map[string]string{"memforge": "dev", "ffmpeg": "ffmpeg 5.1.9 x264 164", "magick": "magick7"})
	want := []string{"ffmpeg 5.1.9 x264 164", "magick magick7", "memforge dev"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
