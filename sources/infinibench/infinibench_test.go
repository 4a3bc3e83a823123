package infinibench_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/infinibench"
)

func mp4(seed string) []byte { return []byte("\x00\x00\x00\x18ftypisom" + seed) }

const cue = "\ufeff1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>The ledger</i> is gone.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,500\r\nAsk the nurse.\r\n"

func config(change func(*infinibench.Config)) infinibench.Config {
	var c infinibench.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

// tarGz packs the videos of two episodes and things that are none.
func tarGz(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	add := func(h tar.Header, text []byte) {
		h.Size, h.Mode = int64(len(text)), 0o644
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	add(tar.Header{Name: "./tvqa/", Typeflag: tar.TypeDir}, nil)
	add(tar.Header{Name: "__MACOSX/tvqa/._episode_07.mp4"}, mp4("junk"))
	add(tar.Header{Name: "./tvqa/house/season_3/episode_07.mp4"}, mp4("house"))
	add(tar.Header{Name: "../castle/season_9/episode_99.mp4"}, mp4("escape"))
	add(tar.Header{Name: "tvqa/grey/season_2/episode_01.mp4", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}, nil)
	add(tar.Header{Name: "tvqa/friends/season_1/episode_01.mp4"}, mp4("unasked"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func repo(t *testing.T) testkit.Repo {
	t.Helper()
	r := testkit.Repo{Commit: strings.Repeat("e", 40), License: "bsd-3-clause", Files: map[string][]byte{}, Large: map[string]bool{}}
	for _, skill := range []string{"linking_events", "summarization"} {
		b, err := os.ReadFile("testdata/" + skill + ".json")
		if err != nil {
			t.Fatal(err)
		}
		r.Files["test/annotations/"+skill+".json"] = b
	}
	r.Files["test/index.json"] = []byte(`{"not": "a list"}`)
	r.Files["train/other.json"] = []byte(`[`)
	r.Files["tvqa_subtitles.zip"] = zipped(t, map[string]string{"subs/house_s03e07.srt": cue})
	packed := tarGz(t)
	for i, at := range []int{0, len(packed) / 3, len(packed) / 2} {
		end := []int{len(packed) / 3, len(packed) / 2, len(packed)}[i]
		name := "tvqa_mp4_videos_tar_files/archive.tar.gz.a" + string(rune('a'+i))
		r.Files[name], r.Large[name] = packed[at:end], true
	}
	return r
}

func withArchives(c *infinibench.Config) { c.Videos = []string{"tvqa_mp4_videos_tar_files/*"} }

func subject(t *testing.T, c infinibench.Config, r testkit.Repo, media map[string][]byte) testkit.Subject {
	t.Helper()
	return testkit.Subject{Register: infinibench.Register, Use: "infinibench", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"Vision-CAIR/InfiniBench": r}, Media: media})
}

func folder() map[string][]byte {
	return map[string][]byte{"tvqa/met/season_1/episode_02.mp4": mp4("met"), "tvqa/met/season_1/episode_02.srt": []byte("no cues")}
}

func TestConformance(t *testing.T) {
	r := repo(t)
	// The compressor's bytes are not part of what is checked.
	for name := range r.Files {
		if strings.Contains(name, ".tar.gz.") || strings.HasSuffix(name, ".zip") {
			delete(r.Files, name)
		}
	}
	s := subject(t, config(nil), r, folder())
	s.Golden = "1 34a03e1120846868e65c41f9f24cf5395af5d4dac5f359882316a5425d17a024"
	testkit.ConformSource(t, s)
	t.Run("archives", func(t *testing.T) {
		s := subject(t, config(withArchives), repo(t), folder())
		s.Unpinned = "the compressor shapes the archives"
		testkit.ConformSource(t, s)
	})
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

const house = "tvqa_mp4_videos_tar_files/archive.tar.gz/tvqa/house/season_3/episode_07.mp4"

func TestRecords(t *testing.T) {
	s := subject(t, config(withArchives), repo(t), folder())
	got, lost := read(t, s)
	if len(got) != 2 {
		t.Fatalf("videos %v, lost %v", got, lost)
	}
	h, m := got[house], got["tvqa/met/season_1/episode_02.mp4"]
	if h.Category != "house" || h.Title != "" || h.License != "" || fmt.Sprint(h.Captions) != "[{1 2 The ledger is gone.} {3 4.5 Ask the nurse.}]" || h.Description != "The ledger is gone.\nAsk the nurse." {
		t.Errorf("house %+v", h)
	}
	if b := s.Blob(t, pipeline.Digest(h.Media)); !bytes.Equal(b, mp4("house")) {
		t.Errorf("taken out: %q", b)
	}
	// answer_idx counts from 0; its subtitles hold no cue, so the questions stand in.
	if m.Category != "met" || m.Description != "What is hidden? a coin" || m.Captions != nil {
		t.Errorf("met %+v", m)
	}
	want := map[string]string{
		"test/annotations/linking_events.json#2": "bad-annotation", "test/annotations/linking_events.json#4": "bad-annotation",
		"test/annotations/linking_events.json#5": "bad-annotation", "test/index.json": "bad-annotation",
		"tvqa/met/season_1/episode_02.srt": "bad-subtitles",
		"grey/season_2/episode_01":         "media-missing", // a link in the archive is no video
		"castle/season_9/episode_99":       "unsafe-name",
	}
	if fmt.Sprint(lost) != fmt.Sprint(want) {
		t.Errorf("lost %v\nwant %v", lost, want)
	}
}

func TestWithoutSubtitlesTheQuestionsDescribe(t *testing.T) {
	r := repo(t)
	delete(r.Files, "tvqa_subtitles.zip")
	got, _ := read(t, subject(t, config(withArchives), r, folder()))
	if d := got[house].Description; d != "Who returns the ledger? the nurse\nTell the episode. A nurse finds a ledger." {
		t.Errorf("description %q", d)
	}
}

func TestArchivesThatCannotBeRead(t *testing.T) {
	part := "tvqa_mp4_videos_tar_files/archive.tar.gz.a"
	for name, spoil := range map[string]func(r testkit.Repo){
		"a part is missing":     func(r testkit.Repo) { delete(r.Files, part+"b") },
		"the end is missing":    func(r testkit.Repo) { delete(r.Files, part+"c") },
		"the first is missing":  func(r testkit.Repo) { delete(r.Files, part+"a") },
		"not an archive at all": func(r testkit.Repo) { r.Files[part+"a"] = []byte("hello") },
	} {
		r := repo(t)
		spoil(r)
		got, lost := read(t, subject(t, config(withArchives), r, folder()))
		if len(got) == 0 || lost["tvqa_mp4_videos_tar_files/archive.tar.gz"] != "bad-archive" {
			t.Errorf("%s: videos %v, lost %v", name, got, lost)
		}
		for id, code := range lost {
			if id == "house/season_3/episode_07" && code != "media-missing" && code != "unreadable" {
				t.Errorf("%s: %s", name, code)
			}
		}
	}
}

func TestOwnArchives(t *testing.T) {
	media := map[string][]byte{"packed.tgz": tarGz(t), "more/episodes.zip": zipped(t, map[string]string{"grey/season_2/episode_01.mp4": string(mp4("grey"))})}
	got, _ := read(t, subject(t, config(nil), repo(t), media))
	if len(got) != 2 || got["more/episodes.zip/grey/season_2/episode_01.mp4"].Category != "grey" || got["packed.tgz/tvqa/house/season_3/episode_07.mp4"].Category != "house" {
		t.Errorf("videos %v", got)
	}
}

func TestSubsets(t *testing.T) {
	got, lost := read(t, subject(t, config(func(c *infinibench.Config) { c.Subset = "movienet" }), repo(t), map[string][]byte{"tt0000001.mp4": mp4("film")}))
	if len(got) != 1 || got["tt0000001.mp4"].Description != "Whose film? x" {
		t.Errorf("videos %v, lost %v", got, lost)
	}
	r := repo(t)
	r.Files["train/other.json"] = []byte("[]")
	_, _, err := subject(t, config(func(c *infinibench.Config) { c.Split = "train" }), r, nil).Read(t)
	if err == nil || !strings.Contains(err.Error(), "no question about tvqa in train") {
		t.Errorf("error %v", err)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*infinibench.Config){
		"owner/name": func(c *infinibench.Config) { c.Repo = "" },
		"split":      func(c *infinibench.Config) { c.Split = "dev" },
		"subset":     func(c *infinibench.Config) { c.Subset = "all" },
		"videos":     func(c *infinibench.Config) { c.Videos = []string{"/x"} },
		"max_videos": func(c *infinibench.Config) { c.MaxVideos = -1 },
	} {
		if _, err := infinibench.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	for _, skill := range []string{"linking_events", "summarization"} {
		subject(t, config(nil), repo(t), folder()).CheckSpoiled(t, "spoiled-"+skill, "test/annotations/"+skill+".json")
	}
}
