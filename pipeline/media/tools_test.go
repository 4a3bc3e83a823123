package media

import (
	"context"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	tl := tools(t)
	one, err := tl.Version(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	two, err := tl.Version(context.Background())
	if err != nil || one != two {
		t.Errorf("%q then %q (%v)", one, two, err)
	}
	for _, part := range []string{"ffmpeg ", " libavcodec ", " x264 "} {
		if !strings.Contains(one, part) {
			t.Errorf("version %q lacks %q", one, part)
		}
	}
}

// TestVersionNeedsX264: what ffmpeg says last is the reason, not what it says of itself.
func TestVersionNeedsX264(t *testing.T) {
	about := "echo 'ffmpeg version 9' >&2; echo '  libavcodec 1. 2.3 / 1. 2.3' >&2; "
	for rest, want := range map[string]string{
		"echo \"Unknown encoder 'libx264'\" >&2; exit 1": "encode a test picture with libx264: Unknown encoder 'libx264'",
		"exit 0":                  "its x264 stream is unmarked",
		"echo 'x264 - core 7 r8'": "",
	} {
		got, err := scripted(t, about+"cat >/dev/null; "+rest).Version(t.Context())
		if want == "" && (err != nil || got != "ffmpeg 9 libavcodec 1.2.3 x264 7 r8") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v; want %q", rest, got, err, want)
		}
	}
}
