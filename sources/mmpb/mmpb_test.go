package mmpb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/parquetfile"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/mmpb"
)

func config(change func(*mmpb.Config)) mmpb.Config {
	var c mmpb.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

// columns are those of the card, answers as numbers of classes or as names.
func columns(answer parquetfile.Kind) []parquetfile.Column {
	out := []parquetfile.Column{{Name: "index", Kind: parquetfile.Int64, Required: true}, {Name: "answer", Kind: answer}}
	for _, name := range []string{"question", "A", "B", "C", "D", "attribute", "category", "l2-category", "concept", "target", "name", "preference", "description_simple", "description_moderate", "description_detailed", "description_super_detailed"} {
		out = append(out, parquetfile.Column{Name: name, Kind: parquetfile.Text})
	}
	out = append(out, parquetfile.Column{Name: "image_path", Kind: parquetfile.Struct, Of: parquetfile.Picture()})
	for i := 1; i <= 5; i++ {
		out = append(out, parquetfile.Column{Name: fmt.Sprintf("injection_image_%d", i), Kind: parquetfile.Struct, Of: parquetfile.Picture()})
	}
	return out
}

func picture(data []byte) map[string]any { return map[string]any{"bytes": data, "path": nil} }

// row is one about what somebody prefers, changed as a case needs it.
func row(t *testing.T, index int, answer any, change map[string]any) map[string]any {
	t.Helper()
	out := map[string]any{
		"index": index, "question": "What would <sks> say to this?", "A": "I like it.", "B": "Take it away, <sks>.", "C": "No word.", "D": nil, "answer": answer,
		"attribute": "human", "category": "preference", "l2-category": "awareness", "concept": "food", "target": "like", "name": " Mira ", "preference": "<sks> likes rye bread.",
		"description_simple": "<sks> is a miller.", "image_path": picture(testkit.PNG(t, index)),
		"injection_image_1": picture(testkit.PNG(t, 40)), "injection_image_2": picture(testkit.PNG(t, 41)),
	}
	for k, v := range change {
		out[k] = v
	}
	return out
}

func rows(t *testing.T) []map[string]any {
	return []map[string]any{
		row(t, 1, 1, nil),
		row(t, 2, 4, map[string]any{"A": nil, "B": nil, "C": nil, "question": "Would <sks> eat this?"}),
		row(t, 3, 3, nil),
		row(t, 4, 9, nil),
		row(t, 5, 0, map[string]any{"image_path": picture(testkit.DecompressionBomb(t))}),
		row(t, 6, 0, map[string]any{"injection_image_1": picture([]byte("no picture"))}),
		row(t, 7, 0, map[string]any{"preference": nil}),
		row(t, 8, 0, map[string]any{"category": "mood"}),
		row(t, 9, 0, map[string]any{"attribute": "plant"}),
		row(t, 10, 0, map[string]any{"B": "I like it."}),
		row(t, 1, 0, nil),
		row(t, 11, 0, map[string]any{"name": "Bo", "preference": "<sks> likes fog."}),
		row(t, 12, 0, map[string]any{"name": "Bo", "preference": "<sks> hates fog.", "target": "dislike"}),
		row(t, 13, 5, map[string]any{"category": "recognition", "attribute": "animal", "name": "momo", "concept": nil, "target": nil, "preference": nil, "question": "Is <sks> in the photo?"}),
		row(t, 14, nil, nil),
	}
}

func subject(t *testing.T, c mmpb.Config, files ...[]byte) testkit.Subject {
	t.Helper()
	repo := testkit.Repo{Commit: strings.Repeat("7", 40), License: "cc-by-nc-sa-4.0", Files: map[string][]byte{}, Large: map[string]bool{}}
	for i, b := range files {
		name := fmt.Sprintf("data/train-%05d-of-%05d.parquet", i, len(files))
		repo.Files[name], repo.Large[name] = b, true
	}
	return testkit.Subject{Register: mmpb.Register, Use: "mmpb", Config: c}.
		Fetch(t, testkit.Upstream{Repos: map[string]testkit.Repo{"snu-aidas/MMPB": repo}})
}

func both(c *mmpb.Config) { c.Categories = []string{"preference", "recognition"} }

func TestConformance(t *testing.T) {
	s := subject(t, config(both), parquetfile.Write(t, columns(parquetfile.Int64), 4, rows(t)))
	s.Golden = "1 a8508b8e9158a52b7dd66a80878ef79d0f111ab2c406f1b15a3ed3378e9cbaa9"
	testkit.ConformSource(t, s)
}

func read(t *testing.T, s testkit.Subject) (map[string]schemas.EvidenceItem, []schemas.Profile, string) {
	t.Helper()
	records, lost, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]schemas.EvidenceItem{}
	for _, i := range testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records) {
		out[i.UpstreamID] = i
	}
	var codes []string
	for _, l := range lost {
		codes = append(codes, l.ID+" "+l.Code)
	}
	slices.Sort(codes)
	return out, testkit.DecodeAll[schemas.Profile](t, schemas.NameProfile, records), strings.Join(codes, "\n")
}

const want = `mmpb/1 duplicate-id
mmpb/10 same-options
mmpb/11 contradictory-preferences
mmpb/12 contradictory-preferences
mmpb/14 gold-no-option
mmpb/3 gold-no-option
mmpb/4 gold-no-option
mmpb/5 explodes
mmpb/6 no-picture
mmpb/7 no-evidence
mmpb/8 bad-annotation
mmpb/9 unknown-label
mmpb/bo contradictory-preferences`

func TestRecords(t *testing.T) {
	all := rows(t)
	got, profiles, lost := read(t, subject(t, config(both), parquetfile.Write(t, columns(parquetfile.Int64), 3, all[:7]), parquetfile.Write(t, columns(parquetfile.Int64), 3, all[7:])))
	if len(got) != 3 || lost != want {
		t.Fatalf("%d items, lost\n%s\nwant\n%s", len(got), lost, want)
	}
	one := got["1"]
	if q := one.Question; q.Question != "What would Mira say to this?" || q.AnswerText != "Take it away, Mira." || q.AnswerKey != "B" || len(q.Options) != 3 || one.License != "CC-BY-NC-SA-4.0" || one.Task != schemas.TaskPreference {
		t.Errorf("item %+v", one)
	}
	if u := one.Units; len(u) != 2 || u[0].Media != string(pipeline.DigestOf(testkit.PNG(t, 40))) || u[1].Text != "Mira likes rye bread." || one.Profiles[0] != "mmpb/mira" || one.Question.QuestionMedia[0] != string(pipeline.DigestOf(testkit.PNG(t, 1))) {
		t.Errorf("units %+v", one.Units)
	}
	if q := got["2"].Question; len(q.Options) != 2 || q.AnswerText != "Yes" {
		t.Errorf("yes or no: %+v", q)
	}
	if i := got["13"]; i.Question.AnswerText != "No" || i.Task != schemas.TaskSingleHop || i.Units[1].Text != "momo is a miller." || len(i.Profiles) != 0 {
		t.Errorf("recognition: %+v", i)
	}
	if len(profiles) != 1 || profiles[0].ProfileID != "mmpb/mira" || len(profiles[0].Preferences) != 1 || profiles[0].Preferences[0].Level != "like" || profiles[0].Name != "Mira" {
		t.Errorf("profiles %+v", profiles)
	}
}

// TestNamesOfClasses: some readers of the hub store classes by name.
func TestNamesOfClasses(t *testing.T) {
	data := parquetfile.Write(t, columns(parquetfile.Text), 3, []map[string]any{row(t, 1, "C", nil), row(t, 2, "no", nil), row(t, 3, "E", nil), row(t, 4, "1", nil)})
	got, _, lost := read(t, subject(t, config(func(c *mmpb.Config) { c.Injections = 3 }), data))
	if len(got) != 3 || lost != "mmpb/3 gold-no-option" || got["1"].Question.AnswerText != "No word." || got["2"].Question.AnswerText != "No" || got["4"].Question.AnswerKey != "B" {
		t.Fatalf("%+v, lost %s", got, lost)
	}
	if i := got["1"]; len(i.Units) != 3 || i.Notes[0].Code != "left-out" {
		t.Errorf("three pictures of which one is missing: %+v", i)
	}
}

// TestDraw: only some are taken, always the same.
func TestDraw(t *testing.T) {
	var many []map[string]any
	for i := range 12 {
		many = append(many, row(t, i, 0, nil))
	}
	s := subject(t, config(func(c *mmpb.Config) { c.MaxItems = 4 }), parquetfile.Write(t, columns(parquetfile.Int64), 5, many))
	got, _, lost := read(t, s)
	again, _, _ := read(t, s)
	if len(got) != 4 || lost != "" || fmt.Sprint(got) != fmt.Sprint(again) {
		t.Errorf("%d items, lost %q", len(got), lost)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*mmpb.Config){
		"owner/name": func(c *mmpb.Config) { c.Repo = "x y" }, "categories": func(c *mmpb.Config) { c.Categories = []string{"x"} }, "at least one": func(c *mmpb.Config) { c.Categories = nil },
		"description": func(c *mmpb.Config) { c.Description = "long" }, "injections": func(c *mmpb.Config) { c.Injections = 6 },
	} {
		if _, err := mmpb.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
