package mmdocrag_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/sources/mmdocrag"
)

func config(change func(*mmdocrag.Config)) mmdocrag.Config {
	var c mmdocrag.Config
	c.SetDefaults()
	c.Files = []string{"dev_15.jsonl", "dev_20.jsonl"}
	if change != nil {
		change(&c)
	}
	return c
}

func subject(t *testing.T, c mmdocrag.Config, license string, media map[string][]byte) testkit.Subject {
	t.Helper()
	repo := testkit.Repo{Commit: strings.Repeat("3", 40), License: license, Files: map[string][]byte{
		"train.jsonl": []byte(`{"messages":[]}`), "images.zip": testkit.Zip(t, map[string][]byte{"images/sacks.jpg": testkit.PNG(t, 1), "__MACOSX/images/._absent.jpg": nil}),
	}, Large: map[string]bool{"images.zip": true}}
	for _, name := range []string{"dev_15.jsonl", "dev_20.jsonl"} {
		b, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		repo.Files[name] = b
	}
	return testkit.Subject{Register: mmdocrag.Register, Use: "mmdocrag", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"MMDocIR/MMDocRAG": repo}, Media: media})
}

func folder(t *testing.T) map[string][]byte {
	return map[string][]byte{"mmdocrag/images/sacks.jpg": testkit.PNG(t, 1)}
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil), "apache-2.0", folder(t))
	s.Golden = "1 23701aecad5577464ac1e461fb7550a3132bc713cee63134a1661f04b208660c"
	testkit.ConformSource(t, s)
}

const want = `dev_15.jsonl:10 training-record
dev_15.jsonl:11 bad-annotation
dev_15.jsonl:3 dangling-evidence
dev_15.jsonl:5 page-missing
dev_15.jsonl:6 duplicate-id
dev_15.jsonl:9 bad-annotation
dev_20.jsonl:2 duplicate-id
mmdocrag/11 no-gold
mmdocrag/8 media-missing`

func TestRecords(t *testing.T) {
	for name, s := range map[string]testkit.Subject{
		"folder": subject(t, config(nil), "apache-2.0", folder(t)), "archive": subject(t, config(func(c *mmdocrag.Config) { c.Images = true }), "cc-by-nc-4.0", nil),
	} {
		got, lost := s.Items(t)
		if len(got) != 3 || lost != want {
			t.Fatalf("%s: %d items, lost\n%s\nwant\n%s", name, len(got), lost, want)
		}
		one := got["5"]
		if q := one.Question; q.AnswerText != "1931, 1933" || q.Labels["answer_raw"] != `["1931","1933"]` || q.Labels["evidence_modality"] != "chart+text" || q.Type != "comparison" || one.License != "Apache-2.0 AND CC-BY-NC-4.0" {
			t.Errorf("%s: item %+v", name, one)
		}
		var told []string
		for _, u := range one.Units {
			told = append(told, fmt.Sprintf("%s %s", u.UpstreamID, u.Role))
			for _, p := range u.Parts {
				told = append(told, fmt.Sprintf("%s gold %t picture %t", p.UpstreamID, p.Gold, p.Media == string(pipeline.DigestOf(testkit.PNG(t, 1)))))
			}
		}
		pages := "mill2020#3 clue; text3 gold false picture false; text1 gold true picture false; mill2020#4 clue; image1 gold true picture true; mill2020#7 distractor; text2 gold false picture false"
		if strings.Join(told, "; ") != pages {
			t.Errorf("%s: units\n%s\nwant\n%s", name, strings.Join(told, "; "), pages)
		}
		if len(one.Notes) != 2 || one.Notes[0].Code != "left-out" || len(one.Media) != 1 {
			t.Errorf("%s: notes %+v, media %+v", name, one.Notes, one.Media)
		}
		if got["12"].Question.AnswerText != "1933" || len(got["14"].Needed()) != 2 {
			t.Errorf("%s: %+v", name, got["12"])
		}
	}
}

// TestLicencesInConflict: what the hub states beside both that are known is noted, and a
// release has to meet it as well.
func TestLicencesInConflict(t *testing.T) {
	got, _ := subject(t, config(nil), "cc-by-sa-4.0", folder(t)).Items(t)
	if i := got["5"]; i.License != "Apache-2.0 AND CC-BY-NC-4.0 AND cc-by-sa-4.0" || i.Notes[len(i.Notes)-1].Code != "licences-differ" {
		t.Errorf("licence %s, notes %+v", i.License, i.Notes)
	}
}

func TestTrainingFileIsNone(t *testing.T) {
	s := subject(t, config(func(c *mmdocrag.Config) { c.Files = []string{"train.jsonl"} }), "", nil)
	got, lost := s.Items(t)
	if len(got) != 0 || lost != "train.jsonl:1 training-record" {
		t.Errorf("%d items, lost %s", len(got), lost)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*mmdocrag.Config){
		"owner/name": func(c *mmdocrag.Config) { c.Repo = "x y" }, "files": func(c *mmdocrag.Config) { c.Files = nil }, "min_gold": func(c *mmdocrag.Config) { c.MinGold = 0 },
	} {
		if _, err := mmdocrag.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil), "apache-2.0", folder(t)).CheckSpoiled(t, "spoiled", "dev_15.jsonl")
}
