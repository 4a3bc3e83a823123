package crossvid_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/crossvid"
)

func mp4(seed string) []byte { return []byte("\x00\x00\x00\x18ftypisom" + seed) }

func config(change func(*crossvid.Config)) crossvid.Config {
	var c crossvid.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

func repo(t *testing.T) testkit.Repo {
	t.Helper()
	r := testkit.Repo{Commit: strings.Repeat("c", 40), License: "cc-by-4.0", PageSize: 3, Files: map[string][]byte{}, Large: map[string]bool{}}
	for _, task := range []string{"CC", "NC", "BU"} {
		b, err := os.ReadFile("testdata/" + task + ".json")
		if err != nil {
			b = []byte("[]")
		}
		r.Files["QA/"+task+".json"] = b
	}
	for _, v := range []string{"cook/a", "cook/b", "cook/c", "cook/d", "cook/e", "cook/f", "cook/g.v2", "movie/1", "movie/2", "movie/10", "behavior/x"} {
		r.Files["videos/"+v+".mp4"] = mp4(v)
		r.Large["videos/"+v+".mp4"] = true
	}
	r.Files["videos/cook/script.ts"] = []byte("let x = 1")
	return r
}

func subject(t *testing.T, c crossvid.Config, r testkit.Repo, media map[string][]byte) testkit.Subject {
	t.Helper()
	return testkit.Subject{Register: crossvid.Register, Use: "crossvid", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"Chuntianli/CrossVid": r}, Media: media})
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil), repo(t), nil)
	s.Golden = "1 df8fd5c5e0f186098e71fc44df0cd990fa0d7ab11d751ef5cc33dc57991915ca"
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
		got[strings.TrimPrefix(v.Name, "videos/")] = v
	}
	for _, l := range lost {
		codes[l.ID] = l.Code
	}
	return got, codes
}

func TestRecords(t *testing.T) {
	got, lost := read(t, subject(t, config(nil), repo(t), nil))
	if len(got) != 10 {
		t.Fatalf("videos %v", got)
	}
	a := got["cook/a.mp4"]
	if fmt.Sprint(a.Clusters) != "[crossvid/CC/12 crossvid/CC/13]" || a.Category != "cook" || a.Title != "" || a.License != "" ||
		a.Description != "Which video fries the onions first?\nWhich video bakes the pie longest?" {
		t.Errorf("cook/a %+v", a)
	}
	if g := got["cook/g.v2.mp4"]; fmt.Sprint(g.Clusters) != "[crossvid/CC/13]" {
		t.Errorf("a name with a dot: %+v", g)
	}
	// The same id in another task is another cluster.
	if m := got["movie/10.mp4"]; fmt.Sprint(m.Clusters) != "[crossvid/NC/12]" || m.Category != "movie" {
		t.Errorf("movie/10 %+v", m)
	}
	want := "map[QA/CC.json#2:bad-annotation QA/CC.json#3:bad-annotation QA/CC.json#4:bad-annotation QA/CC.json#5:bad-annotation movie/-x.mp4:media-missing]"
	if fmt.Sprint(lost) != want {
		t.Errorf("lost %v, want %s", lost, want)
	}
}

func TestOwnFilesFillUp(t *testing.T) {
	r := repo(t)
	delete(r.Files, "videos/cook/b.mp4")
	media := map[string][]byte{"movie/-x.mp4": mp4("x"), "videos/cook/b.mkv": mp4("b"), "c.mp4": mp4("other c")}
	got, lost := read(t, subject(t, config(nil), r, media))
	if got["movie/-x.mp4"].Media == "" || got["cook/b.mkv"].Media == "" || got["cook/c.mp4"].Media != string(pipeline.DigestOf(mp4("cook/c"))) {
		t.Errorf("videos %v, lost %v", got, lost)
	}
	// Without fetching only the folder counts, and no video is downloaded.
	got, lost = read(t, subject(t, config(func(c *crossvid.Config) { c.FetchVideos = false }), r, media))
	if len(got) != 2 || lost["cook/c.mp4"] != "media-missing" {
		t.Errorf("videos %v, lost %v", got, lost)
	}
}

func TestGatedVideosAreToldApart(t *testing.T) {
	s := subject(t, config(nil), repo(t), nil)
	for i := range s.Assets {
		switch a := &s.Assets[i]; a.Path {
		case "videos/cook/a.mp4":
			a.Blob, a.Problem = "", pipeline.Reject("gated", "accept the terms")
		case "videos/cook/b.mp4":
			a.Blob, a.Problem = "", pipeline.Reject("dead", "gone")
		case "videos/cook/c.mp4":
			a.Blob, a.Problem = "", pipeline.Reject("too-large", "9 bytes")
		}
	}
	_, lost := read(t, s)
	if lost["cook/a.mp4"] != "media-gated" || lost["cook/b.mp4"] != "media-dead" || lost["cook/c.mp4"] != "too-large" {
		t.Errorf("lost %v", lost)
	}
}

// A part is made of whole questions.
func TestMaxVideosKeepsClustersWhole(t *testing.T) {
	for limit := 4; limit <= 8; limit++ {
		r := repo(t)
		r.Files["videos/movie/-x.mp4"] = mp4("x")
		got, lost := read(t, subject(t, config(func(c *crossvid.Config) { c.MaxVideos = limit }), r, nil))
		members := map[string]int{}
		for _, v := range got {
			for _, c := range v.Clusters {
				members[c]++
			}
		}
		whole := 0
		for _, n := range members {
			if n == 4 {
				whole++
			}
		}
		if len(got) > limit || len(got) < 4 || whole == 0 || len(lost) != 4 {
			t.Errorf("limit %d: %d videos, clusters %v, lost %v", limit, len(got), members, lost)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*crossvid.Config){
		"owner/name":     func(c *crossvid.Config) { c.Repo = "" },
		"tasks: req":     func(c *crossvid.Config) { c.Tasks = nil },
		`tasks[1]: "BU"`: func(c *crossvid.Config) { c.Tasks = []string{"CC", "BU"} },
		"named twice":    func(c *crossvid.Config) { c.Tasks = []string{"CC", "CC"} },
		"at least 4":     func(c *crossvid.Config) { c.MaxVideos = 3 },
		"max_bytes":      func(c *crossvid.Config) { c.MaxBytes = -1 },
	} {
		if _, err := crossvid.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// The repository's licence is that of its questions.
func TestNeedsKeepTheLicencesApart(t *testing.T) {
	for license, want := range map[string]string{"": "NOASSERTION", "MIT": "MIT"} {
		s, err := crossvid.New(config(func(c *crossvid.Config) { c.License = license }))
		if err != nil {
			t.Fatal(err)
		}
		n := s.Needs()
		if n[0].License != "CC-BY-4.0" || n[2].License != want {
			t.Errorf("needs %+v", n)
		}
	}
}

func TestTasksAreConfigured(t *testing.T) {
	got, _ := read(t, subject(t, config(func(c *crossvid.Config) { c.Tasks = []string{"NC"} }), repo(t), nil))
	if len(got) != 3 {
		t.Errorf("videos %v, want those of NC", got)
	}
}

func TestUnusableAnnotations(t *testing.T) {
	for want, text := range map[string]string{"want a JSON list": "{}", "no question": "[]", "cut off": `[{"id":1`} {
		r := repo(t)
		r.Files["QA/CC.json"] = []byte(text)
		if _, _, err := subject(t, config(nil), r, nil).Read(t); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "QA/CC.json") {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// TestArchivesInTheFolderAreRead: videos may lie in a zip file as well.
func TestArchivesInTheFolderAreRead(t *testing.T) {
	packed := map[string][]byte{"some.zip": testkit.Zip(t, map[string][]byte{"cook/a.mp4": mp4("packed"), "more.mp4": mp4("more")})}
	got, lost := read(t, subject(t, config(func(c *crossvid.Config) { c.FetchVideos = false }), repo(t), packed))
	if v := got["some.zip/cook/a.mp4"]; len(got) != 1 || v.Media != string(pipeline.DigestOf(mp4("packed"))) {
		t.Errorf("videos %v, lost %v", got, lost)
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil), repo(t), nil).CheckSpoiled(t, "spoiled-CC", "QA/CC.json")
	subject(t, config(nil), repo(t), nil).CheckSpoiled(t, "spoiled-NC", "QA/NC.json")
}
