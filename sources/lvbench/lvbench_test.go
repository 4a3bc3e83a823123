package lvbench_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/lvbench"
)

// mp4 is opaque to a source; only its first bytes must be those of a film.
func mp4(seed string) []byte { return []byte("\x00\x00\x00\x18ftypisom" + seed) }

func config() lvbench.Config {
	var c lvbench.Config
	c.SetDefaults()
	c.License = "CC-BY-4.0"
	return c
}

// subject is the annotation file of testdata on the hub and some of its videos
// in the user's folder.
func subject(t *testing.T, c lvbench.Config, media map[string][]byte) testkit.Subject {
	t.Helper()
	text, err := os.ReadFile("testdata/video_info.meta.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	repo := testkit.Repo{Commit: strings.Repeat("a", 40), License: "cc-by-nc-sa-4.0", Files: map[string][]byte{
		"video_info.meta.jsonl": text, "README.md": []byte("# LVBench"),
	}}
	return testkit.Subject{Register: lvbench.Register, Use: "lvbench", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"THUDM/LVBench": repo}, Media: media})
}

func folder() map[string][]byte {
	return map[string][]byte{
		"-dashFirst1.mp4": mp4("dash"), "tv/abcDEF12345.webm": mp4("lower"), "ABCdef12345.MP4": mp4("upper"),
		"gone0000001.mkv": mp4("gone"), "unrelated.mp4": mp4("unrelated"), "ABCdef12345.json": []byte("{}"),
		"__MACOSX/missing0001.mp4": mp4("junk"), "._missing0001.mp4": mp4("junk"),
	}
}

func TestConformance(t *testing.T) {
	s := subject(t, config(), folder())
	s.Golden = "1 985f642065a0409226c35c7319fd2aba15bd098767cf2ceb0783150354ca69b1"
	testkit.ConformSource(t, s)
}

// videos are the records by key, which their file's name begins with.
func videos(t *testing.T, records []pipeline.Record) map[string]schemas.Video {
	t.Helper()
	out := map[string]schemas.Video{}
	for _, r := range records {
		v, err := pipeline.Decode[schemas.Video](r)
		if err != nil {
			t.Fatal(err)
		}
		base := v.Name[strings.LastIndex(v.Name, "/")+1:]
		out[base[:11]] = v
	}
	return out
}

func TestRecords(t *testing.T) {
	records, lost, err := subject(t, config(), folder()).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	got := videos(t, records)
	if len(got) != 4 {
		t.Fatalf("videos %v, want 4", got)
	}
	v := got["-dashFirst1"]
	if v.Category != "documentary" || v.StatedDuration != 3690 || v.Title != "" || v.License != "CC-BY-4.0" || v.SourceID != "subject" {
		t.Errorf("record %+v", v)
	}
	want := []schemas.Caption{{Start: 180, End: 210, Text: "Why does the painter leave? rain"}, {Start: 725, End: 760, Text: "What stands on the shelf? a globe"}}
	if fmt.Sprint(v.Captions) != fmt.Sprint(want) {
		t.Errorf("captions %v, want %v", v.Captions, want)
	}
	if strings.Contains(v.Description, "jug") || !strings.Contains(v.Description, "shelf? a globe") {
		t.Errorf("description %q: want the questions with their right answers only", v.Description)
	}
	// Two ids that differ by case only are two videos with a file each.
	if up, low := got["ABCdef12345"], got["abcDEF12345"]; up.Media == low.Media || up.Category != "sport" || low.Category != "tv" {
		t.Errorf("upper %+v, lower %+v", up, low)
	}
	if v := got["gone0000001"]; v.StatedDuration != 90 || v.Category != "live" {
		t.Errorf("a line with keys that differ by case: %+v", v)
	}
	codes := map[string]string{}
	for _, l := range lost {
		codes[l.ID] = l.Code
	}
	file := "video_info.meta.jsonl:"
	for id, code := range map[string]string{
		"missing0001": "media-missing", file + "6": "bad-annotation", file + "7": "bad-annotation",
		file + "8": "bad-annotation", file + "2:20": "bad-annotation",
	} {
		if codes[id] != code {
			t.Errorf("%s: code %q, want %q", id, codes[id], code)
		}
		delete(codes, id)
	}
	if len(codes) > 0 {
		t.Errorf("more is lost: %v", codes)
	}
}

// Without a folder every video is missing, one by one, and the build says so.
func TestNoFolder(t *testing.T) {
	records, lost, err := subject(t, config(), nil).Read(t)
	missing := 0
	for _, l := range lost {
		if l.Code == "media-missing" && strings.Contains(l.Reason, "state missing") && strings.Contains(l.Reason, "run.media_dirs") {
			missing++
		}
	}
	if err != nil || len(records) != 0 || missing != 5 {
		t.Errorf("%d records, %d missing (want 5), error %v", len(records), missing, err)
	}
}

func TestMaxVideosIsAStableDraw(t *testing.T) {
	c := config()
	c.MaxVideos = 2
	all := folder()
	names := func(media map[string][]byte) string {
		records, _, err := subject(t, c, media).Read(t)
		if err != nil || len(records) != 2 {
			t.Fatalf("%d records, error %v", len(records), err)
		}
		var out []string
		for _, r := range records {
			out = append(out, r.ID)
		}
		return strings.Join(out, " ")
	}
	first := names(all)
	if again := names(folder()); again != first {
		t.Errorf("drawn %s, then %s", first, again)
	}
	// Taking away a video that was not drawn changes nothing.
	records, _, err := subject(t, c, all).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	drawn := videos(t, records)
	for name := range folder() {
		if len(name) > 11 && drawn[name[strings.LastIndex(name, "/")+1:][:11]].Media == "" {
			delete(all, name)
		}
	}
	if again := names(all); again != first {
		t.Errorf("drawn %s, without the others %s", first, again)
	}
}

// Where the user keeps the videos must not enter a key; their bytes must.
func TestKeys(t *testing.T) {
	key := func(media map[string][]byte) string {
		b, err := json.Marshal(subject(t, config(), media).Assets)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	one := key(folder())
	if other := key(folder()); other != one {
		t.Error("the folder's place enters the assets")
	}
	changed := folder()
	changed["-dashFirst1.mp4"] = mp4("other")
	if other := key(changed); other == one {
		t.Error("other bytes, the same assets")
	}
}

func TestUnusableAnnotations(t *testing.T) {
	read := func(repo testkit.Repo) error {
		repo.Commit = strings.Repeat("a", 40)
		s := testkit.Subject{Register: lvbench.Register, Use: "lvbench", Config: config()}
		_, _, err := s.Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"THUDM/LVBench": repo}}).Read(t)
		return err
	}
	name := "video_info.meta.jsonl"
	for want, repo := range map[string]testkit.Repo{
		"no such file":     {Files: map[string][]byte{"README.md": nil}},
		"no line names":    {Files: map[string][]byte{name: []byte("[]\n")}},
		"not UTF-8":        {Files: map[string][]byte{name: []byte("{\"key\":\"\xff\"}\n")}},
		"accept its terms": {Files: map[string][]byte{name: []byte("{}")}, Gated: true, Token: "x"},
	} {
		if err := read(repo); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*lvbench.Config){
		"owner/name": func(c *lvbench.Config) { c.Repo = "x y" },
		"revision":   func(c *lvbench.Config) { c.Revision = "" },
		"max_videos": func(c *lvbench.Config) { c.MaxVideos = -1 },
		"max_bytes":  func(c *lvbench.Config) { c.MaxBytes = 0 },
	} {
		c := config()
		change(&c)
		if _, err := lvbench.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestArchivesInTheFolderAreRead: videos may lie in a zip file as well.
func TestArchivesInTheFolderAreRead(t *testing.T) {
	packed := map[string][]byte{"some.zip": testkit.Zip(t, map[string][]byte{"tv/abcDEF12345.mp4": mp4("packed"), "more.mp4": mp4("more")})}
	records, lost, err := subject(t, config(), packed).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	v := videos(t, records)["abcDEF12345"]
	if len(records) != 1 || v.Media != string(pipeline.DigestOf(mp4("packed"))) || v.Name != "some.zip/tv/abcDEF12345.mp4" {
		t.Errorf("records %v, lost %v", records, lost)
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(), folder()).CheckSpoiled(t, "spoiled", "video_info.meta.jsonl")
}
