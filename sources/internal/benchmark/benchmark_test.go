package benchmark

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/sources/internal/annotation"
)

func TestStem(t *testing.T) {
	for name, want := range map[string]string{
		"a.mp4": "a", "/show/season_1/e.MP4": "show/season_1/e", "-dash": "-dash", "v1.2": "v1.2", "v1.2.webm": "v1.2", "//a//b.mkv": "a/b", "a/../b.mp4": "b", "x.srt": "x.srt",
	} {
		if got := Stem(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func TestTheBestFileIsFound(t *testing.T) {
	asset := func(need int, path string, problem *pipeline.Rejection) pipeline.Asset {
		a := pipeline.Asset{Need: need, Path: path, Problem: problem}
		if problem == nil {
			a.Blob = pipeline.DigestOf([]byte(path))
		}
		return a
	}
	f := Index([]pipeline.Asset{
		asset(1, "deep/er/a.mp4", nil), asset(1, "x/a.mp4", nil), asset(1, "a.mkv", pipeline.Reject("unreadable", "no")),
		asset(2, "b.mp4", pipeline.Reject("gated", "terms")), asset(0, "c.mp4", nil), asset(1, "a.txt", nil), asset(2, "A.mp4", pipeline.Reject("dead", "gone")),
	}, 1, 2)
	for stem, want := range map[string]string{
		"a": "x/a.mp4", "er/a": "deep/er/a.mp4", "b": "media-gated", "c": "media-missing", "A": "media-dead", "r/a": "media-missing", "": "media-missing",
	} {
		got := ""
		if why := f.problemOf(stem); why != nil {
			got = why.Code
		} else {
			one, _ := f.find(stem)
			got = one.path
		}
		if got != want || f.Has(stem) == strings.HasPrefix(want, "media-") {
			t.Errorf("%q: %s, want %s", stem, got, want)
		}
	}
}

func TestBundles(t *testing.T) {
	names := func(paths ...string) []pipeline.Asset {
		var out []pipeline.Asset
		for _, p := range paths {
			out = append(out, pipeline.Asset{Path: p})
		}
		return out
	}
	tests := map[string][]pipeline.Asset{
		"v/a.tar.gz[2]":     names("v/a.tar.gz.ab", "v/a.tar.gz.aa"),
		"a.zip[1]":          names("a.zip", "note.txt"),
		"a.tar.gz[2]!":      names("a.tar.gz.aa", "a.tar.gz.ac"),
		"a.tgz[1]!":         names("a.tgz.ab"),
		"a.zip[2]!":         names("a.zip.aa", "a.zip.ab"),
		"A.TAR[1] b.zip[1]": names("b.zip", "A.TAR"),
	}
	for want, assets := range tests {
		var got []string
		for _, b := range groupArchives(assets) {
			s := fmt.Sprintf("%s[%d]", b.name, len(b.parts))
			if b.checkParts() != nil {
				s += "!"
			}
			got = append(got, s)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("bundles %v, want %s", got, want)
		}
	}
	lost := groupArchives([]pipeline.Asset{{Path: "a.zip", Problem: pipeline.Reject("gated", "terms")}})
	if why := lost[0].checkParts(); why == nil || !strings.Contains(why.Reason, "gated: terms") {
		t.Errorf("why %v", why)
	}
}

func TestDescribeTakesFromTheWholeVideo(t *testing.T) {
	var texts []string
	for i := range 5000 {
		texts = append(texts, fmt.Sprintf("caption %d é", i))
	}
	d := Describe(texts)
	if len(d) > maxText || len(d) < maxText/2 || !strings.HasPrefix(d, "caption 0 ") || !strings.Contains(d, "caption 49") || !utf8.ValidString(d) {
		t.Errorf("%d bytes, %.40q ... %q", len(d), d, d[len(d)-40:])
	}
	if d := Describe([]string{"", "a", "", "b"}); d != "a\nb" {
		t.Errorf("%q", d)
	}
	long := Describe([]string{strings.Repeat("é", maxText)})
	if len(long) > maxText || !utf8.ValidString(long) {
		t.Errorf("%d bytes", len(long))
	}
	if Describe(nil) != "" {
		t.Error("nothing is something")
	}
}

func TestQuestions(t *testing.T) {
	qs := []Question{
		{Text: "Why?", Answer: "rain", Spans: []annotation.Span{{Start: 9, End: 10}, {Start: 1, End: 2}}},
		{Text: "Who?"}, {Text: "Who?"},
	}
	if got := fmt.Sprint(TimedCaptions(qs)); got != "[{1 2 Why? rain} {9 10 Why? rain}]" {
		t.Errorf("timed %s", got)
	}
	if got := Statements(qs); !slices.Equal(got, []string{"Why? rain", "Who?"}) {
		t.Errorf("said %q", got)
	}
}

// TestFilesInTheirOrder: readable files come before members of archives, and these before what cannot be read.
func TestFilesInTheirOrder(t *testing.T) {
	inside, lost := &archiveParts{}, pipeline.Reject("odd", "it is odd")
	files := []*file{{path: "a/lost", problem: lost}, {path: "b/in", inside: inside}, {path: "c/d/plain"}, {path: "z"}, {path: "a/lost in", problem: lost, inside: inside}, {path: "y"}}
	slices.SortFunc(files, compareFiles)
	var got []string
	for _, f := range files {
		got = append(got, f.path)
	}
	if text := strings.Join(got, " | "); text != "y | z | c/d/plain | b/in | a/lost | a/lost in" {
		t.Errorf("in order: %s", text)
	}
}
