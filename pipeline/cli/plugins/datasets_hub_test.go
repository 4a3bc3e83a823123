package plugins_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/parquetfile"
)

// shelved adds data sets whose tables are Parquet files or lie beside pictures, in the
// columns and files that they are published in, and gives the folder of SlideVQA's
// slides, which nobody may pass on.
func shelved(t *testing.T, h *testkit.Hub) (slides string) {
	t.Helper()
	set := func(name, license string, files map[string][]byte) {
		large := map[string]bool{}
		for f := range files {
			large[f] = filepath.Ext(f) == ".parquet" || filepath.Ext(f) == ".zip"
		}
		h.SetRepo(name, testkit.Repo{Commit: commit, License: license, Files: files, Large: large})
	}
	set("ahmed-masry/ChartQAPro", "mit", map[string][]byte{"README.md": nil, "data/test-00000-of-00001.parquet": charts(t)})
	set("snu-aidas/MMPB", "cc-by-nc-sa-4.0", map[string][]byte{"data/train-00000-of-00001.parquet": persons(t)})
	set("EtaYang10th/Open-M3-Bench", "cc-by-4.0", map[string][]byte{
		"README.md": nil, "json/test_mcp_GT.json": fixtureOf(t, "m3bench/testdata/gold.json"), "json/tasks_fuzzy.json": fixtureOf(t, "m3bench/testdata/fuzzy.json"),
		"tools.json": fixtureOf(t, "m3bench/testdata/tools.json"), "datasets.zip": testkit.Zip(t, map[string][]byte{"datasets/t1.png": testkit.PNG(t, 1), "datasets/t2.png": testkit.PNG(t, 2)}),
	})
	set("nttmdlab-nlp/SlideVQA", "", map[string][]byte{"annotations/qa/dev.jsonl": fixtureOf(t, "slidevqa/testdata/dev.jsonl"), "LICENSE": nil})
	slides = t.TempDir()
	deck := filepath.Join(slides, "dev", "mill_history")
	if err := os.MkdirAll(deck, 0o755); err != nil {
		t.Fatal(err)
	}
	for n := range 4 {
		if err := os.WriteFile(filepath.Join(deck, fmt.Sprintf("mill-history-%d-1024.jpg", n+1)), testkit.PNG(t, n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return slides
}

// charts are two questions of ChartQAPro.
func charts(t *testing.T) []byte {
	t.Helper()
	columns := []parquetfile.Column{
		parquetfile.ListOf("Question", parquetfile.Text), parquetfile.ListOf("Answer", parquetfile.Text), {Name: "Question Type", Kind: parquetfile.Text},
		{Name: "image", Kind: parquetfile.Bytes}, parquetfile.ListOf("Year", parquetfile.Text), {Name: "Paragraph", Kind: parquetfile.Text},
	}
	row := func(n int, question, answer string) map[string]any {
		return map[string]any{"Question": []string{question}, "Answer": []string{answer}, "Question Type": "Factoid", "image": testkit.PNG(t, n), "Year": []string{"NO"}, "Paragraph": ""}
	}
	return parquetfile.Write(t, columns, 2, []map[string]any{row(4, "Which bar of these is the tallest?", "Norway"), row(5, "Which line falls first?", "The ferry house")})
}

// persons are two questions of MMPB about what somebody likes.
func persons(t *testing.T) []byte {
	t.Helper()
	columns := []parquetfile.Column{{Name: "index", Kind: parquetfile.Int64, Required: true}, {Name: "answer", Kind: parquetfile.Int64}}
	row := map[string]any{
		"question": "What would <sks> say to this?", "A": "I like it a lot.", "B": "Take it away now.", "C": "I have no word.", "D": "Give it to my cat.", "attribute": "human", "category": "preference",
		"l2-category": "awareness", "concept": "food", "target": "like", "name": "Mira", "preference": "<sks> likes rye bread.", "description_simple": "<sks> is a miller.",
	}
	for _, name := range []string{"question", "A", "B", "C", "D", "attribute", "category", "l2-category", "concept", "target", "name", "preference", "description_simple"} {
		columns = append(columns, parquetfile.Column{Name: name, Kind: parquetfile.Text})
	}
	for i, name := range []string{"image_path", "injection_image_1", "injection_image_2"} {
		columns = append(columns, parquetfile.Column{Name: name, Kind: parquetfile.Struct, Of: parquetfile.Picture()})
		row[name] = map[string]any{"bytes": testkit.PNG(t, 40+i), "path": nil}
	}
	row["index"], row["answer"] = 1, 0
	return parquetfile.Write(t, columns, 1, []map[string]any{row})
}
