package audit

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestFilesAreOfTheirType: what is read as nothing is not for that reason fine.
func TestFilesAreOfTheirType(t *testing.T) {
	t.Parallel()
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	matroska := "\x1a\x45\xdf\xa3 and what follows"
	for name, tc := range map[string]struct {
		mime, data, want string
	}{
		"a script for a video":       {"video/mp4", "#!/bin/sh\nexit 0\n", "its first bytes are those of no picture or video"},
		"a name and no film":         {"video/mp4", "\x00\x00\x00\x10ftypisom\x00\x00\x02\x00", "it is no whole file of its type"},
		"a picture for a video":      {"video/mp4", dot.String(), "mime is video/mp4, the file has image/png"},
		"Matroska for MP4":           {"video/mp4", matroska, "its first bytes say video/x-matroska"},
		"text for a picture":         {"image/png", "no picture at all", "its first bytes are those of no picture or video"},
		"nothing":                    {"image/png", "", "its first bytes are those of no picture or video"},
		"Matroska":                   {"video/x-matroska", matroska, ""},
		"WebM, which begins so, too": {"video/webm", matroska, ""},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "m"), []byte(tc.data), 0o644); err != nil {
			t.Fatal(err)
		}
		kind, _, _ := strings.Cut(tc.mime, "/")
		id := string(pipeline.DigestOf([]byte(tc.data)))
		c := release.Contents{Dir: dir, Files: map[string]string{id: "m"}, Media: []schemas.Media{{MediaID: id, Kind: kind, Mime: tc.mime}}}
		p, _, err := checkMedia(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(p.Differences, "\n"); (tc.want == "") != (p.State == Same) || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s %q", name, p.State, got)
		}
	}
	if why := fileDifferences(schemas.Media{}, media.Facts{Broken: "sample 0: a unit of 0 bytes"}); len(why) != 1 || !strings.Contains(why[0], "it cannot be played: sample 0") {
		t.Errorf("packets that are none: %v", why)
	}
}

// TestManySegmentsAreCountedOnce: each of many segments that shows the whole of a
// video would take as long as the video.
func TestManySegmentsAreCountedOnce(t *testing.T) {
	t.Parallel()
	m, f := joined("ab", "a", "b")
	for len(f.Packets) < 1<<16 {
		f.Packets = append(f.Packets, f.Packets...)
	}
	for range 1 << 17 {
		m.Recipe.Segments = append(m.Recipe.Segments, schemas.Segment{Source: "a", Region: "full", To: 1 << 16, Original: "o-a", SourceID: "films"})
	}
	begin := time.Now()
	p := checkRecipes(release.Contents{Media: []schemas.Media{m}}, map[string]media.Facts{"ab": f})
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	if p.Checked != 0 || p.Unchecked != len(m.Recipe.Segments) {
		t.Errorf("%+v", p)
	}
}

// TestSegmentsAreEncodedOrAloneOrShared: one that cannot be read has packets
// elsewhere, and is still not checked.
func TestSegmentsAreEncodedOrAloneOrShared(t *testing.T) {
	t.Parallel()
	ab, abFile := joined("ab", "a", "b")
	ba, baFile := joined("ba", "b", "a")
	unread, _ := joined("unread", "a", "b", "a", "c")
	p := checkRecipes(release.Contents{Media: []schemas.Media{ab, ba, unread}}, map[string]media.Facts{"ab": abFile, "ba": baFile})
	if p.Checked != 4 || p.Unchecked != 4 || !strings.HasPrefix(p.Why, "4 segments are encoded anew, which needs ffmpeg, and 0 show") {
		t.Errorf("%+v", p)
	}
}
