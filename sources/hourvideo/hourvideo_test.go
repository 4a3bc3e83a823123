package hourvideo_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/glob"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/hourvideo"
)

func mp4(seed string) []byte { return []byte("\x00\x00\x00\x18ftypisom" + seed) }

func config(change func(*hourvideo.Config)) hourvideo.Config {
	var c hourvideo.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

const folder = "socratic_models_captions/GPT-4-TURBO/"

func repo(t *testing.T) testkit.Repo {
	t.Helper()
	text, err := os.ReadFile("testdata/dev_v1.0_annotations.json")
	if err != nil {
		t.Fatal(err)
	}
	one := folder + "f00d-uid-one/txt/"
	return testkit.Repo{Commit: strings.Repeat("d", 40), Files: map[string][]byte{
		"v1.0_release/json/dev_v1.0_annotations.json": text,
		one + "0.txt":                      []byte("\ufeff```json\r\n{\"time stamp\": \"00:00:00 - 00:00:58\", \"activity\": \"C enters\\nthe study\", \"objects\": [\"lamp\", \"desk\"], \"n\": 3}\r\n```"),
		one + "2.txt":                      []byte("C reads a book."),
		one + "10.txt":                     []byte("{\"activity\": \"C writes\"} {\"activity\": \"and stands up\"}"),
		one + "60.txt":                     []byte("{'activity': 'C leaves'}"),
		one + "61.txt":                     []byte("behind the end"),
		one + "3.txt":                      []byte(" \n"),
		one + "4.txt":                      []byte("caf\xe9"),
		folder + "0a1b-uid-two/readme.txt": []byte("no minute"),
		"socratic_models_captions/LLaVA/f00d-uid-one/txt/1.txt": []byte("another captioner"),
	}}
}

func media() map[string][]byte {
	return map[string][]byte{"full_scale/f00d-uid-one.mp4": mp4("one"), "0a1b-uid-two.mp4": mp4("two"), "canary.mp4": mp4("canary")}
}

func subject(t *testing.T, c hourvideo.Config, r testkit.Repo, files map[string][]byte) testkit.Subject {
	t.Helper()
	return testkit.Subject{Register: hourvideo.Register, Use: "hourvideo", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"HourVideo/HourVideo": r}, Media: files})
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil), repo(t), media())
	s.Golden = "1 9f2f7cf65a1f4436e9e6b7e04259e9d62eebbf6dbd0833401c1a9e3860f150e0"
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
	got, lost := read(t, subject(t, config(nil), repo(t), media()))
	if len(got) != 2 {
		t.Fatalf("videos %v: want two, and none for the canary", got)
	}
	one, two := got["full_scale/f00d-uid-one.mp4"], got["0a1b-uid-two.mp4"]
	want := []schemas.Caption{
		{Start: 0, End: 60, Text: "C enters the study lamp desk"}, {Start: 120, End: 180, Text: "C reads a book."},
		{Start: 600, End: 660, Text: "C writes and stands up"}, {Start: 3600, End: 3605.2, Text: "{'activity': 'C leaves'}"},
	}
	if fmt.Sprint(one.Captions) != fmt.Sprint(want) {
		t.Errorf("captions %+v, want %+v", one.Captions, want)
	}
	if one.StatedDuration != 3605.2 || one.Category != "navigation" || !strings.HasPrefix(one.Description, "C enters") || strings.Contains(one.Description, "another captioner") {
		t.Errorf("record %+v", one)
	}
	// The canary survives in every record, with what else is no video.
	if one.Canary != "canary: MADE-UP CANARY 0000-1111: do not train on this text.\nnotice: {\"text\": \"not a video\"}\ncanary_guid: MADE-UP 2222" ||
		!strings.HasPrefix(two.Canary, "canary: MADE-UP CANARY") || strings.Contains(two.Canary, "2222") {
		t.Errorf("canaries %q and %q", one.Canary, two.Canary)
	}
	// Without captions the timed questions stand in, image options left out.
	want = []schemas.Caption{
		{Start: 10, End: 20, Text: "How long does the kettle boil? 3 min"}, {Start: 60, End: 150, Text: "What happens while soup is cooked? Stirring"},
		{Start: 180, End: 240, Text: "Which plan fits?"},
	}
	if fmt.Sprint(two.Captions) != fmt.Sprint(want) || two.Category != "reasoning" || two.Title != "" || !strings.Contains(two.Description, "Broken time?") {
		t.Errorf("record %+v", two)
	}
	file, one3 := "v1.0_release/json/dev_v1.0_annotations.json", folder+"f00d-uid-one/txt/"
	wanted := map[string]string{
		"no-file-uid": "media-missing", file + ".half-uid": "bad-annotation", file + ".0a1b-uid-two.q4": "bad-annotation",
		one3 + "3.txt": "bad-caption", one3 + "4.txt": "bad-caption", one3 + "61.txt": "bad-caption",
	}
	if fmt.Sprint(lost) != fmt.Sprint(wanted) {
		t.Errorf("lost %v\nwant %v", lost, wanted)
	}
}

func TestCaptionsBesideTheVideos(t *testing.T) {
	files := media()
	files["captions/0a1b-uid-two/1.txt"] = []byte("mine")
	files["f00d-uid-one/txt/0.txt"] = []byte("mine too")
	got, _ := read(t, subject(t, config(func(c *hourvideo.Config) { c.Captions = "" }), repo(t), files))
	if c := got["0a1b-uid-two.mp4"].Captions; fmt.Sprint(c) != "[{60 120 mine}]" {
		t.Errorf("captions %v", c)
	}
	// Where both have a minute, the fetched one counts.
	got, _ = read(t, subject(t, config(nil), repo(t), files))
	if c := got["full_scale/f00d-uid-one.mp4"].Captions; len(c) != 4 || !strings.HasPrefix(c[0].Text, "C enters") {
		t.Errorf("captions %v", c)
	}
}

func TestGatedAnnotationsSayWhatToDo(t *testing.T) {
	r := repo(t)
	r.Gated, r.Token = true, "secret"
	_, _, err := subject(t, config(nil), r, media()).Read(t)
	if err == nil || !strings.Contains(err.Error(), "HF_TOKEN") {
		t.Errorf("error %v, want one that names HF_TOKEN", err)
	}
}

func TestUnusableAnnotations(t *testing.T) {
	for want, text := range map[string]string{
		"names no video": `{"canary":"x"}`, "cut off": `{"a":`, "want a JSON object": `[]`, "occurs twice": `{"a":{},"a":{}}`,
	} {
		r := repo(t)
		r.Files["v1.0_release/json/dev_v1.0_annotations.json"] = []byte(text)
		if _, _, err := subject(t, config(nil), r, nil).Read(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*hourvideo.Config){
		"owner/name": func(c *hourvideo.Config) { c.Repo = "" },
		"split":      func(c *hourvideo.Config) { c.Split = "train" },
		"captions":   func(c *hourvideo.Config) { c.Captions = "../x" },
		"max_videos": func(c *hourvideo.Config) { c.MaxVideos = -1 },
	} {
		if _, err := hourvideo.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestArchivesInTheFolderAreRead: videos may lie in a zip file as well.
func TestArchivesInTheFolderAreRead(t *testing.T) {
	packed := map[string][]byte{"some.zip": testkit.Zip(t, map[string][]byte{"full/0a1b-uid-two.mp4": mp4("packed"), "more.mp4": mp4("more")})}
	got, lost := read(t, subject(t, config(nil), repo(t), packed))
	if v := got["some.zip/full/0a1b-uid-two.mp4"]; len(got) != 1 || v.Media != string(pipeline.DigestOf(mp4("packed"))) {
		t.Errorf("videos %v, lost %v", got, lost)
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil), repo(t), media()).CheckSpoiled(t, "spoiled", "v1.0_release/json/dev_v1.0_annotations.json")
}

// TestVideosOfTheUser: the folder of the user's copies is searched for transport streams too, and
// for archives and captions.
func TestVideosOfTheUser(t *testing.T) {
	r := pipeline.NewRegistry()
	hourvideo.Register(r)
	p, _ := r.Plugin(pipeline.KindSource, "hourvideo")
	for captions, want := range map[string]int{"": 2, "captions": 3} {
		c := config(func(c *hourvideo.Config) { c.Captions = captions })
		built, err := p.Build(&c)
		if err != nil {
			t.Fatal(err)
		}
		needs := built.(pipeline.Source).Needs()
		if len(needs) != want || needs[1].From != "media" {
			t.Fatalf("needs %+v", needs)
		}
		set, err := glob.Compile(needs[1].Include, nil)
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"a/x.mp4": true, "x.TS": true, "x.zip": true, "a/b/x.txt": true, "x.json": false} {
			if got := set.Match(name); got != want {
				t.Errorf("%s is taken: %t", name, got)
			}
		}
	}
}
