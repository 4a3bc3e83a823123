package slidevqa_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/slidevqa"
)

func config(change func(*slidevqa.Config)) slidevqa.Config {
	var c slidevqa.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

func subject(t *testing.T, c slidevqa.Config, media map[string][]byte) testkit.Subject {
	t.Helper()
	text, err := os.ReadFile("testdata/dev.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	repo := testkit.Repo{Commit: strings.Repeat("e", 40), Files: map[string][]byte{"annotations/qa/dev.jsonl": text, "annotations/bbox/dev.jsonl": nil, "LICENSE": nil}}
	return testkit.Subject{Register: slidevqa.Register, Use: "slidevqa", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"nttmdlab-nlp/SlideVQA": repo}, Media: media})
}

// slides are three of the deck's four.
func slides(t *testing.T) map[string][]byte {
	return map[string][]byte{
		"dev/mill_history/mill-history-1-1024.jpg": testkit.PNG(t, 1),
		"dev/mill_history/mill-history-2-1024.jpg": testkit.PNG(t, 2),
		"more.zip": testkit.Zip(t, map[string][]byte{"mill_history/mill-history-4-1024.jpg": testkit.PNG(t, 4)}),
	}
}

func TestConformance(t *testing.T) {
	media := slides(t)
	delete(media, "more.zip") // the compressor's bytes are not part of what is checked
	s := subject(t, config(nil), media)
	s.Golden = "1 637c126d00821fabfdbf15eee21cac8c76c6f78e3b810637c6bf24e0baf06a53"
	testkit.ConformSource(t, s)
}

func TestRecords(t *testing.T) {
	records, lost, err := subject(t, config(nil), slides(t)).Read(t)
	if err != nil {
		t.Fatal(err)
	}
	codes := testkit.Codes(lost)
	want := `annotations/qa/dev.jsonl:10 bad-annotation
annotations/qa/dev.jsonl:3 page-missing
annotations/qa/dev.jsonl:4 page-missing
annotations/qa/dev.jsonl:7 bad-annotation
annotations/qa/dev.jsonl:9 page-missing
slidevqa/31 duplicate-id
slidevqa/36 no-evidence`
	items := testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records)
	if len(items) != 2 || codes != want {
		t.Fatalf("%d items, lost\n%s\nwant\n%s", len(items), codes, want)
	}
	one := items[0]
	q, u := one.Question, one.Units
	if one.UpstreamID != "31" || q.Type != "multi-hop" || q.Labels["arithmetic"] != "true" || q.Labels["answer_sha256"] != string(pipeline.DigestOf([]byte("twelve sacks"))) || one.License != "LicenseRef-NTT-Evaluation" {
		t.Errorf("item %+v", one)
	}
	if len(u) != 2 || u[0].SHA256 != string(pipeline.DigestOf(testkit.PNG(t, 2))) || u[1].SHA256 != string(pipeline.DigestOf(testkit.PNG(t, 4))) || u[0].UpstreamID != "mill_history#2" {
		t.Errorf("units %+v", u)
	}
	if two := items[1]; two.UpstreamID != "35" || len(two.Units) != 2 || two.Units[0].SHA256 == "" || two.Units[1].SHA256 != "" || len(two.Notes) != 1 || two.Notes[0].Code != "evidence-missing" {
		t.Errorf("an item without the digest of a slide: %+v", two)
	}
}

// TestNothingIsPassedOn: no word of a question or an answer is in a record, and no slide
// belongs to one.
func TestNothingIsPassedOn(t *testing.T) {
	records, _, err := subject(t, config(func(c *slidevqa.Config) { c.MinPages = 1 }), slides(t)).Read(t)
	if err != nil || len(records) != 3 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, r := range records {
		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{"wheel", "sails", "sacks", "twelve"} {
			if strings.Contains(string(text), words) {
				t.Errorf("record %s holds %q", r.ID, words)
			}
		}
		if len(r.Blobs) > 0 {
			t.Errorf("record %s has blobs", r.ID)
		}
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*slidevqa.Config){
		"owner/name": func(c *slidevqa.Config) { c.Repo = "x" }, "min_pages": func(c *slidevqa.Config) { c.MinPages = 0 },
	} {
		if _, err := slidevqa.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil), slides(t)).CheckSpoiled(t, "spoiled", "annotations/qa/dev.jsonl")
}
