package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// packets are those of frames [from, to) of a source.
func packets(source string, from, to int) (out []string) {
	for i := from; i < to; i++ {
		out = append(out, string(pipeline.DigestOf([]byte(fmt.Sprint(source, i))))[:32])
	}
	return out
}

// joined is a video that plays 10 frames of each source.
func joined(id string, sources ...string) (schemas.Media, media.Facts) {
	m := schemas.Media{MediaID: id, Width: 64, Height: 36, FPS: 25, Recipe: schemas.Recipe{Layout: schemas.LayoutConcat}}
	var f media.Facts
	for i, s := range sources {
		m.Recipe.Segments = append(m.Recipe.Segments, schemas.Segment{Source: s, Region: "full", To: 10, At: int64(10 * i), Original: "o-" + s, SourceID: "films"})
		f.Packets = append(f.Packets, packets(s, 0, 10)...)
	}
	return m, f
}

// TestRecipesHoldEachOther: both orders of two sources share all frames.
func TestRecipesHoldEachOther(t *testing.T) {
	t.Parallel()
	ab, abFile := joined("ab", "a", "b")
	ba, baFile := joined("ba", "b", "a")
	split := schemas.Media{MediaID: "split", Width: 64, Height: 18, FPS: 25, Recipe: schemas.Recipe{Layout: schemas.LayoutSplit, Segments: []schemas.Segment{
		{Source: "a", Region: "left", To: 10, Original: "o-a", SourceID: "films"}, {Source: "b", Region: "right", To: 10, Original: "o-b", SourceID: "films"},
	}}}
	files := map[string]media.Facts{"ab": abFile, "ba": baFile}
	for name, tc := range map[string]struct {
		change func(ab, split *schemas.Recipe, s *schemas.Source)
		want   string
	}{
		"as built":          {func(*schemas.Recipe, *schemas.Recipe, *schemas.Source) {}, ""},
		"a shifted segment": {func(r, _ *schemas.Recipe, _ *schemas.Source) { r.Segments[0].From, r.Segments[0].To = 1, 11 }, "is another picture than in another video"},
		"exchanged sources": {func(r, _ *schemas.Recipe, _ *schemas.Source) { exchange(r, 0, 1) }, "is another picture"},
		"an unknown source": {func(r, _ *schemas.Recipe, _ *schemas.Source) {
			r.Segments[0].Source, r.Segments[0].Original = "c", "o-c"
		}, "the very packets that are of source"},
		"another original":    {func(r, _ *schemas.Recipe, _ *schemas.Source) { r.Segments[0].Original = "o-c" }, "source a is of"},
		"another sound":       {func(r, _ *schemas.Recipe, _ *schemas.Source) { r.Segments[0].Audio = "x" }, "source a is of"},
		"of a split screen":   {func(_, s *schemas.Recipe, _ *schemas.Source) { s.Segments[0].Source = "c" }, "original o-a is source"},
		"a file of elsewhere": {func(_, _ *schemas.Recipe, s *schemas.Source) { s.SHA256 = "o-a" }, "its original is of source clips by its digest"},
	} {
		c := release.Contents{Media: []schemas.Media{ab, ba, split}, Sources: []schemas.Source{{ID: "clips"}}}
		for i := range c.Media {
			c.Media[i].Recipe.Segments = slices.Clone(c.Media[i].Recipe.Segments)
		}
		tc.change(&c.Media[0].Recipe, &c.Media[2].Recipe, &c.Sources[0])
		p := checkRecipes(c, files)
		if got := strings.Join(p.Differences, "\n"); (tc.want == "") != (p.State == Same) || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %s\n%s", name, p.State, got)
		}
		if tc.want == "" && (p.Checked != 4 || p.Unchecked != 2) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

func exchange(r *schemas.Recipe, i, j int) {
	a, b := &r.Segments[i], &r.Segments[j]
	a.Source, b.Source, a.Original, b.Original = b.Source, a.Source, b.Original, a.Original
}

const lockText = `version: 1
sources:
- name: hub
  needs:
  - from: github
    repo: o/r
    revision: main
    url: https://github.com/o/r
    commit: 0123456789012345678901234567890123456789
    files:
    - path: a b.mp4
      size: 7
      sha256: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
`

// only leaves nothing of a file in a row but one thing.
func only(keep func(s, was *schemas.Source)) func(*schemas.Source) {
	return func(s *schemas.Source) {
		was := *s
		*s = schemas.Source{ID: was.ID, Kind: was.Kind}
		keep(s, &was)
	}
}

// TestSourcesFollowTheLock changes one value of a row that the lock file pins.
func TestSourcesFollowTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pipeline.lock.yaml"), []byte(lockText), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		change func(*schemas.Source)
		want   string
	}{
		"as pinned":          {func(*schemas.Source) {}, ""},
		"digest":             {func(s *schemas.Source) { s.SHA256 = strings.Repeat("b", 64) }, "than the lock file pins"},
		"size":               {func(s *schemas.Source) { s.Bytes++ }, "than the lock file pins"},
		"revision":           {func(s *schemas.Source) { s.Revision = "main" }, "than the lock file pins"},
		"url":                {func(s *schemas.Source) { s.URL = strings.Replace(s.URL, "o/r", "o/s", 1) }, "than the lock file pins"},
		"path":               {func(s *schemas.Source) { s.Path = "b.mp4" }, "the lock file does not pin it"},
		"path, with a URL":   {func(s *schemas.Source) { s.Path, s.Revision = "b.mp4", "" }, "the lock file does not pin it"},
		"path, a revision":   {func(s *schemas.Source) { s.Path, s.URL = "b.mp4", "" }, "the lock file does not pin it"},
		"no file and a size": {only(func(s, was *schemas.Source) { s.Bytes = was.Bytes }), "it names no file"},
		"no file, a URL":     {only(func(s, was *schemas.Source) { s.URL = was.URL }), "it names no file"},
		"no file, a digest":  {only(func(s, was *schemas.Source) { s.SHA256 = was.SHA256 }), "it names no file"},
		"no file, revision":  {only(func(s, was *schemas.Source) { s.Revision = was.Revision }), "it names no file"},
		"kind":               {func(s *schemas.Source) { s.Kind = "hf" }, `its kind is "hf", the funnel says "github"`},
	} {
		s := schemas.Source{ID: "hub", Kind: "github", Path: "a b.mp4", Revision: strings.Repeat("0123456789", 4), Bytes: 7, SHA256: strings.Repeat("a", 64)}
		s.URL = "https://raw.githubusercontent.com/o/r/" + s.Revision + "/a%20b.mp4"
		tc.change(&s)
		c := release.Contents{Dir: dir, Sources: []schemas.Source{s}, Manifest: manifest.Manifest{RecordCounts: []manifest.RecordCounts{{Step: "hub", Kind: "source", Use: "github"}}}}
		p := checkSources(c)
		if got := strings.Join(p.Differences, "\n"); (tc.want == "") != (p.State == Same) || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %+v", name, p)
		}
		if tc.want == "" && (p.Checked != 1 || p.Unchecked != 0) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}
