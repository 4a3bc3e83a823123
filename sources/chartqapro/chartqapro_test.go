package chartqapro_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/parquetfile"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/chartqapro"
)

func config(change func(*chartqapro.Config)) chartqapro.Config {
	var c chartqapro.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

func columns() []parquetfile.Column {
	return []parquetfile.Column{
		parquetfile.ListOf("Question", parquetfile.Text), parquetfile.ListOf("Answer", parquetfile.Text),
		{Name: "Question Type", Kind: parquetfile.Text}, {Name: "image", Kind: parquetfile.Bytes},
		parquetfile.ListOf("Year", parquetfile.Text), {Name: "Paragraph", Kind: parquetfile.Text},
	}
}

func row(kind, paragraph string, image []byte, years []string, chain ...string) map[string]any {
	var questions, answers []string
	for i, s := range chain {
		if i%2 == 0 {
			questions = append(questions, s)
		} else {
			answers = append(answers, s)
		}
	}
	return map[string]any{"Question": questions, "Answer": answers, "Question Type": kind, "image": image, "Year": years, "Paragraph": paragraph}
}

func rows(t *testing.T) []map[string]any {
	no := []string{"NO"}
	return []map[string]any{
		row("Factoid", "", testkit.PNG(t, 0), no, "Which bar is the tallest?", "Norway.\n"),
		row("Conversational", "", testkit.PNG(t, 1), []string{"NO", "YES"}, "Which year is first?", "1990", "And which is last?", "2004"),
		row("Factoid", "The mill was counted twice.", testkit.PNG(t, 0), no, "Which two are above the line?", "[Mill, Ferry house]"),
		row("Multi Choice", "", testkit.PNG(t, 2), no, "Which is blue?\nA) Rye\nB) Oats\nC) Both", "B"),
		row("Multi Choice", "", testkit.PNG(t, 2), no, "Which is blue?\nA) Rye\nB) Oats", "D"),
		row("Multi Choice", "", testkit.PNG(t, 2), no, "Which of rye and oats is blue?", "Rye"),
		row("Factoid", "", []byte("no picture"), no, "Is it one?", "No"),
		row("Factoid", "", testkit.DecompressionBomb(t), no, "How large is it?", "Very"),
		row("Factoid", "", nil, no, "Is there one?", "No"),
		row("Factoid", "", testkit.PNG(t, 3), no, "Is this answered?"),
		row("Factoid", "", testkit.PNG(t, 3), no, "Is this answered?", " "),
	}
}

func subject(t *testing.T, c chartqapro.Config, license string, shards ...[]byte) testkit.Subject {
	t.Helper()
	repo := testkit.Repo{Commit: strings.Repeat("4", 40), License: license, Files: map[string][]byte{"README.md": nil}, Large: map[string]bool{}}
	for i, b := range shards {
		name := fmt.Sprintf("data/test-%05d-of-%05d.parquet", i, len(shards))
		repo.Files[name], repo.Large[name] = b, true
	}
	return testkit.Subject{Register: chartqapro.Register, Use: "chartqapro", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"ahmed-masry/ChartQAPro": repo}})
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil), "mit", parquetfile.Write(t, columns(), 4, rows(t)))
	s.Golden = "1 3f650a9319c916f25628d33111085a13c61112736b37eb238e25178593441d05"
	testkit.ConformSource(t, s)
}

func items(t *testing.T, s testkit.Subject) (map[string]schemas.EvidenceItem, string) {
	t.Helper()
	records, lost, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]schemas.EvidenceItem{}
	for _, r := range records {
		i, err := pipeline.Decode[schemas.EvidenceItem](r)
		if err != nil || len(r.Blobs) != len(i.Media) {
			t.Fatalf("%v, %d blobs of %d pictures", err, len(r.Blobs), len(i.Media))
		}
		out[i.UpstreamID] = i
	}
	return out, testkit.Codes(lost)
}

func TestRecords(t *testing.T) {
	all := rows(t)
	got, lost := items(t, subject(t, config(nil), "gpl-3.0", parquetfile.Write(t, columns(), 3, all[:7]), parquetfile.Write(t, columns(), 3, all[7:])))
	want := `chartqapro/10 no-gold
chartqapro/4 gold-no-option
chartqapro/6 no-picture
chartqapro/7 explodes
chartqapro/8 no-picture
chartqapro/9 bad-annotation`
	if len(got) != 5 || lost != want {
		t.Fatalf("%d items, lost\n%s\nwant\n%s", len(got), lost, want)
	}
	one := got["0"]
	if q := one.Question; q.AnswerText != "Norway" || q.Type != "factoid" || q.Labels["year_exact"] != "no" || one.License != "MIT AND gpl-3.0" || one.Notes[0].Code != "licences-differ" {
		t.Errorf("item %+v", one)
	}
	if u := one.Units; len(u) != 1 || u[0].UnitID != "chartqapro/0/E01" || u[0].Media != string(pipeline.DigestOf(testkit.PNG(t, 0))) || one.Media[0].Width != 8 || one.Media[0].License != "MIT AND gpl-3.0" {
		t.Errorf("units %+v of %+v", u, one.Media)
	}
	if q := got["1"].Question; q.Question != "Before this was asked and answered:\nWhich year is first? 1990\nNow answer: And which is last?" || q.AnswerText != "2004" || q.Labels["year_exact"] != "yes" {
		t.Errorf("a chain: %+v", q)
	}
	if i := got["2"]; i.Question.AnswerText != "Mill, Ferry house" || i.Question.Labels["answer_raw"] != "[Mill, Ferry house]" || len(i.Units) != 2 || i.Units[1].Text != "The mill was counted twice." {
		t.Errorf("a list in a text, and a paragraph: %+v", i)
	}
	if q := got["3"].Question; q.Question != "Which is blue?" || len(q.Options) != 3 || q.AnswerKey != "B" || q.AnswerText != "Oats" {
		t.Errorf("options: %+v", q)
	}
	if i := got["5"]; len(i.Question.Options) != 0 || i.Notes[0].Code != "options-not-found" {
		t.Errorf("no options found: %+v", i)
	}
}

// TestDrawAndShards: only some are taken, always the same; a shard that is damaged loses
// what lies behind it, once.
func TestDrawAndShards(t *testing.T) {
	data := parquetfile.Write(t, columns(), 3, rows(t)[:4])
	few := config(func(c *chartqapro.Config) { c.MaxItems = 2 })
	got, lost := items(t, subject(t, few, "mit", data))
	again, _ := items(t, subject(t, few, "mit", data))
	if len(got) != 2 || lost != "" || fmt.Sprint(got) != fmt.Sprint(again) {
		t.Errorf("%d items, lost %q", len(got), lost)
	}
	got, lost = items(t, subject(t, few, "mit", data, []byte("PAR1 and no table PAR1"), data))
	if len(got) != 2 || lost != "data/test-00001-of-00003.parquet bad-file\ndata/test-00002-of-00003.parquet bad-file" {
		t.Errorf("%d items, lost %q", len(got), lost)
	}
	if _, _, err := subject(t, config(nil), "mit").Read(t); err == nil || !strings.Contains(err.Error(), "no table in Parquet") {
		t.Errorf("error %v", err)
	}
}

// TestTolerance: columns that were never seen in a file may be missing, texts may stand
// where lists should, pictures as the hub stores them.
func TestTolerance(t *testing.T) {
	bare := []parquetfile.Column{
		{Name: "Question", Kind: parquetfile.Text, Required: true}, {Name: "Answer", Kind: parquetfile.Text, Required: true}, {Name: "image", Kind: parquetfile.Struct, Of: parquetfile.Picture()},
	}
	data := parquetfile.Write(t, bare, 3, []map[string]any{{"Question": "Which?", "Answer": "This", "image": map[string]any{"bytes": testkit.PNG(t, 5), "path": "5.png"}}})
	got, lost := items(t, subject(t, config(nil), "", data))
	if len(got) != 1 || lost != "" || got["0"].Question.AnswerText != "This" || got["0"].License != "MIT" {
		t.Errorf("%+v, lost %q", got, lost)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*chartqapro.Config){
		"owner/name": func(c *chartqapro.Config) { c.Repo = "x y" }, "revision": func(c *chartqapro.Config) { c.Revision = "" }, "max_items": func(c *chartqapro.Config) { c.MaxItems = -1 },
	} {
		if _, err := chartqapro.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
