package videomme_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/videomme"
)

func mp4(seed string) []byte { return []byte("\x00\x00\x00\x18ftypisom" + seed) }

const cue = "1\r\n00:00:01,000 --> 00:00:02,000\r\nThe dome opens.\r\n"

func config(change func(*videomme.Config)) videomme.Config {
	var c videomme.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

// zipped keeps the order and writes the same bytes every time.
func zipped(t *testing.T, names []string, text func(name string) []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = f.Write(text(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// repo holds the table that testdata has (written by DuckDB: snappy, a
// dictionary), subtitles and two archives of videos.
func repo(t *testing.T) testkit.Repo {
	t.Helper()
	table, err := os.ReadFile("testdata/test-00000-of-00001.parquet")
	if err != nil {
		t.Fatal(err)
	}
	film := func(name string) []byte { return mp4(name) }
	r := testkit.Repo{Commit: strings.Repeat("f", 40), Files: map[string][]byte{
		"videomme/test-00000-of-00001.parquet": table,
		"subtitle.zip": zipped(t, []string{"subtitle/", "__MACOSX/subtitle/._aBcDeFgHiJk.srt", "subtitle/aBcDeFgHiJk.srt", "subtitle/-startsDash.srt"}, func(name string) []byte {
			switch {
			case strings.HasSuffix(name, "/"):
				return nil
			case strings.Contains(name, "-starts"):
				return []byte("\xff\xfe not text")
			}
			return []byte(cue)
		}),
		"videos_chunked_01.zip": zipped(t, []string{"data/aBcDeFgHiJk.mp4", "data/other.mp4", "__MACOSX/data/._aBcDeFgHiJk.mp4"}, film),
		"videos_chunked_02.zip": zipped(t, []string{"data/AbCdEfGhIjK.mp4", "data/-startsDash.mp4"}, film),
	}}
	r.Large = map[string]bool{}
	for name := range r.Files {
		r.Large[name] = true
	}
	return r
}

func subject(t *testing.T, c videomme.Config, r testkit.Repo, media map[string][]byte) testkit.Subject {
	t.Helper()
	return testkit.Subject{Register: videomme.Register, Use: "videomme", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"lmms-lab/Video-MME": r}, Media: media})
}

func withChunks(c *videomme.Config) { c.Videos = []string{"videos_chunked_*.zip"} }

func TestConformance(t *testing.T) {
	s := subject(t, config(withChunks), repo(t), nil)
	s.Golden = "1 d7a8a12ee73b4d6b07772a9c71933c4365690952892c4970b4ebcc749f93874b"
	testkit.ConformSource(t, s)
}

func read(t *testing.T, s testkit.Subject) (map[string]schemas.Video, map[string]string) {
	t.Helper()
	records, lost, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	got, codes := map[string]schemas.Video{}, map[string]string{}
	for _, r := range records {
		v, err := pipeline.Decode[schemas.Video](r)
		if err != nil {
			t.Fatal(err)
		}
		got[v.Name] = v
	}
	for _, l := range lost {
		codes[l.ID] = l.Code
	}
	return got, codes
}

func TestRecords(t *testing.T) {
	s := subject(t, config(withChunks), repo(t), nil)
	got, lost := read(t, s)
	if len(got) != 3 {
		t.Fatalf("videos %v, lost %v", got, lost)
	}
	one, two, dash := got["videos_chunked_01.zip/data/aBcDeFgHiJk.mp4"], got["videos_chunked_02.zip/data/AbCdEfGhIjK.mp4"], got["videos_chunked_02.zip/data/-startsDash.mp4"]
	if one.Category != "Knowledge/Astronomy" || fmt.Sprint(one.Captions) != "[{1 2 The dome opens.}]" || one.Description != "The dome opens." || one.Title != "" || one.License != "" {
		t.Errorf("one %+v", one)
	}
	// An id that differs by case only, and has no subtitles, is another video.
	if two.Captions != nil || two.Description != "What is polished? a shoe" {
		t.Errorf("two %+v", two)
	}
	if dash.Category != "Sports Competition/Football" || dash.Description != "Who scores last?" {
		t.Errorf("dash %+v", dash)
	}
	if b := s.Blob(t, pipeline.Digest(two.Media)); !bytes.Equal(b, mp4("data/AbCdEfGhIjK.mp4")) {
		t.Errorf("taken out: %q", b)
	}
	table := "videomme/test-00000-of-00001.parquet"
	want := map[string]string{
		table + ":4":  "bad-annotation", // no option Z
		table + ":7":  "bad-annotation", // an id with slashes
		table + ":9":  "bad-annotation", // no question
		"notHereAt_a": "media-missing", "noQuestions": "media-missing", "shortOne001": "media-missing",
		"subtitle.zip/subtitle/-startsDash.srt": "bad-subtitles",
	}
	if fmt.Sprint(lost) != fmt.Sprint(want) {
		t.Errorf("lost %v\nwant %v", lost, want)
	}
}

func TestSubsets(t *testing.T) {
	media := map[string][]byte{"shortOne001.mp4": mp4("short"), "aBcDeFgHiJk.mkv": mp4("own")}
	got, lost := read(t, subject(t, config(func(c *videomme.Config) { c.Subset = "short" }), repo(t), media))
	if len(got) != 1 || got["shortOne001.mp4"].Category != "Film & Television/Animation" || len(lost) != 0 {
		t.Errorf("videos %v, lost %v", got, lost)
	}
	// One videoID under two numbers contradicts itself.
	_, lost = read(t, subject(t, config(func(c *videomme.Config) { c.Subset = "all" }), repo(t), media))
	if lost["videomme/test-00000-of-00001.parquet:8"] != "bad-annotation" {
		t.Errorf("lost %v", lost)
	}
	// A file of one's own goes before an archive's.
	got, _ = read(t, subject(t, config(withChunks), repo(t), media))
	if got["aBcDeFgHiJk.mkv"].Category == "" || len(got) != 4 {
		t.Errorf("videos %v", got)
	}
}

func TestMaxVideos(t *testing.T) {
	got, lost := read(t, subject(t, config(func(c *videomme.Config) { withChunks(c); c.MaxVideos = 1 }), repo(t), nil))
	if len(got) != 1 {
		t.Errorf("videos %v, lost %v", got, lost)
	}
}

func TestDamagedArchivesLoseTheirVideosOnly(t *testing.T) {
	r := repo(t)
	b := bytes.Clone(r.Files["videos_chunked_01.zip"])
	b[len("PK..")+60] ^= 0xff // inside the first film
	r.Files["videos_chunked_01.zip"] = b
	r.Files["videos_chunked_02.zip"] = r.Files["videos_chunked_02.zip"][:100]
	got, lost := read(t, subject(t, config(withChunks), r, map[string][]byte{"-startsDash.mp4": mp4("own")}))
	if len(got) != 1 || lost["videos_chunked_02.zip"] != "bad-archive" || lost["aBcDeFgHiJk"] != "unreadable" || lost["AbCdEfGhIjK"] != "media-missing" {
		t.Errorf("videos %v, lost %v", got, lost)
	}
}

func TestUnusableAnnotations(t *testing.T) {
	for want, spoil := range map[string]func(testkit.Repo){
		"names no video":     func(r testkit.Repo) { delete(r.Files, "videomme/test-00000-of-00001.parquet") },
		"not a Parquet file": func(r testkit.Repo) { r.Files["videomme/test-00000-of-00001.parquet"] = []byte("PAR1 cut off") },
	} {
		r := repo(t)
		spoil(r)
		if _, _, err := subject(t, config(nil), r, nil).Read(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*videomme.Config){
		"owner/name": func(c *videomme.Config) { c.Repo = "" },
		"subset":     func(c *videomme.Config) { c.Subset = "tiny" },
		"videos":     func(c *videomme.Config) { c.Videos = []string{"["} },
		"max_bytes":  func(c *videomme.Config) { c.MaxBytes = 0 },
	} {
		if _, err := videomme.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
