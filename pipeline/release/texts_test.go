package release

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/memforge/memforge/pipeline"
)

func TestCardMatchesTables(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	card := string(files(t, dir)["README.md"])
	front, body, ok := strings.Cut(strings.TrimPrefix(card, "---\n"), "\n---\n")
	if !ok {
		t.Fatal("no front matter")
	}
	var meta struct {
		Title   string `yaml:"pretty_name"`
		License string `yaml:"license"`
		Configs []struct {
			Name  string                         `yaml:"config_name"`
			Files []struct{ Split, Path string } `yaml:"data_files"`
		}
		Info []struct {
			Name     string           `yaml:"config_name"`
			Features []map[string]any `yaml:"features"`
		} `yaml:"dataset_info"`
	}
	if err := yaml.Unmarshal([]byte(front), &meta); err != nil {
		t.Fatalf("%v\n%s", err, front)
	}
	if meta.Title != in.Spec.Title || meta.License != "cc-by-4.0" || len(meta.Configs) != len(tables()) || len(meta.Info) != len(tables()) {
		t.Errorf("front matter: %+v", meta)
	}
	for _, c := range meta.Configs {
		for _, f := range c.Files {
			if _, err := os.Stat(filepath.Join(dir, f.Path)); err != nil {
				t.Error(err)
			}
		}
	}
	for i, tab := range tables() {
		for j, c := range tab.columns {
			if got := meta.Info[i].Features[j]["name"]; got != c.Name {
				t.Errorf("%s: feature %d is %v, want %s", tab.name, j, got, c.Name)
			}
		}
	}
	for _, want := range []string{
		"Written or described by: writer-1 at models.example.",
		"| check | what passes | source | items | passed | failed | mainly because | dropped | rewritten | not applicable | mainly because | too little data | mainly because | no usable answer |",
		"| balance | as many yes as no | all | 27 | 24 | 1 | unbalanced | 1 | 0 | 2 | other-label | 0 |  | 0 |",
		"| balance, round 1 |  | clips&lt;1&gt; | 3 | 0 | 1 | unbalanced | 0 | 1 | 0 |  | 1 | too-few | 1 |",
		"| balance | gate | balance | 25 | 24 | 0 | 1 | unbalanced (1) | 2 not applicable: other-label |",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the card lacks %q", want)
		}
	}
	if strings.Contains(body, "<memory>") {
		t.Error("the card's text is not escaped")
	}
}

func TestReportIsSelfContainedAndEscaped(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	page := string(files(t, write(t, store, t.TempDir(), in).Dir)["report.html"])
	for _, bad := range []string{"http://", "https://", "<memory>", "<left>", "<script", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the report holds %q", bad)
		}
	}
	for _, want := range []string{"&lt;memory&gt;", "data:image/png;base64,", "no-picture (1)", "n_value", "balance, round 1</td>", ">clips&lt;1&gt;</td>", "No check failed any of the 24 questions."} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	// Nothing lies behind a scrollbar or an ellipsis, and on a phone each cell says
	// what it is.
	for _, bad := range []string{"overflow-x", "ellipsis", `class="scroll"`, `<td class="n">`} {
		if strings.Contains(page, bad) {
			t.Errorf("the report holds %q", bad)
		}
	}
	for _, want := range []string{`data-head="put to nobody">`, `data-head="records in">`, `content: attr(data-head)`, `<li class="gold">`, `<ul class="evidence"><li>`} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	image := gallery(t, in)[0]
	for want, g := range map[string]GalleryImage{
		"it is no PNG":          {QuestionID: image.QuestionID, Data: []byte("<svg onload=x>")},
		"that the release does": {QuestionID: "another", Data: image.Data},
	} {
		if _, err := Write(t.Context(), store, t.TempDir(), in, Options{Gallery: []GalleryImage{g}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a gallery image of %.9s: %v, want %q", g.QuestionID, err, want)
		}
	}
}

func TestCroissantNamesEveryFile(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	all := files(t, write(t, store, t.TempDir(), in).Dir)
	var doc struct {
		Distribution []struct {
			ID  string `json:"@id"`
			Sum string `json:"sha256"`
		}
		RecordSet []struct{ Name string }
	}
	if err := json.Unmarshal(all["croissant.json"], &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Distribution {
		if string(pipeline.DigestOf(all[f.ID])) != f.Sum {
			t.Errorf("%s: wrong digest", f.ID)
		}
	}
	// all but croissant.json itself, the manifest and the sums
	if len(doc.Distribution) != len(all)-3 || len(doc.RecordSet) != len(tables())+1 {
		t.Errorf("%d of %d files, %d record sets", len(doc.Distribution), len(all), len(doc.RecordSet))
	}
}

func TestPicturesSitInTheTable(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 8)
	dir := write(t, store, t.TempDir(), in).Dir
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := readPrevious(t.Context(), Info{Dir: dir, Manifest: m})
	if err != nil {
		t.Fatal(err)
	}
	i, _ := tableOf(tableMedia).column("image")
	pictures := 0
	for r := range p.each(tableOf(tableMedia)) {
		if img, ok := r[i].([]any); ok {
			pictures++
			if string(pipeline.DigestOf(img[0].([]byte))) != r[0] {
				t.Error("the table holds another picture than the file")
			}
		}
	}
	if pictures != 1 {
		t.Errorf("%d pictures", pictures)
	}
}
