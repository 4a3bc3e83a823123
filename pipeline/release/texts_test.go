package release

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/diff"
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
		Language []string
		Tasks    []string `yaml:"task_categories"`
	}
	if err := yaml.Unmarshal([]byte(front), &meta); err != nil {
		t.Fatalf("%v\n%s", err, front)
	}
	if meta.Title != in.Spec.Title || meta.License != "cc-by-4.0" || len(meta.Configs) != len(tables()) || !slices.Equal(meta.Language, []string{"en"}) || !slices.Contains(meta.Tasks, "question-answering") {
		t.Errorf("front matter: %+v", meta)
	}
	for _, c := range meta.Configs {
		for _, f := range c.Files {
			if _, err := os.Stat(filepath.Join(dir, f.Path)); err != nil {
				t.Error(err)
			}
		}
	}
	if !strings.Contains(body, "Written or described by: writer-1 at models.example.") {
		t.Error("the card does not say which model wrote")
	}
	checks := findGrid(cardGrids(body), "check", "what passes", "source")
	if want := []string{
		"check", "what passes", "source", "items", "passed", "failed", "main failure", "dropped", "rewritten", "not applicable", "why mostly not applicable", "too little data", "what is mostly lacking", "no usable answer",
	}; !slices.Equal(checks.heads, want) {
		t.Errorf("the table of checks has the heads %q", checks.heads)
	}
	for _, want := range [][]string{
		{"balance", "as many yes as no", "all", "27", "24", "1", "unbalanced", "1", "0", "2", "other-label", "0", "", "0"},
		{"balance, round 1", "", "clips<1>", "3", "0", "1", "unbalanced", "0", "1", "0", "", "1", "too-few", "1"},
	} {
		if !slices.ContainsFunc(checks.rows, func(row []string) bool { return slices.Equal(row, want) }) {
			t.Errorf("the table of checks lacks %q:\n%q", want, checks.rows)
		}
	}
	steps := findGrid(cardGrids(body), "step", "kind", "plugin")
	if !steps.has(map[string]string{"step": "balance", "kind": "gate", "records in": "25", "records out": "24", "main reason": "unbalanced (1)", "without a judgement": "2 not applicable: other-label"}) {
		t.Errorf("the table of steps is %q", steps)
	}
	if strings.Contains(body, "<memory>") {
		t.Error("the card's text is not escaped")
	}
}

func TestReportIsSelfContainedAndEscaped(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	root := parsePage(t, files(t, dir)["report.html"])
	for n := range root.Descendants() {
		if n.DataAtom == atom.Script || n.DataAtom == atom.Link || n.Type == html.ElementNode && n.DataAtom == 0 {
			t.Errorf("the report has an element %s", n.Data)
		}
		for _, a := range n.Attr {
			if strings.Contains(a.Val, "://") || strings.Contains(a.Val, "ZgotmplZ") || strings.HasPrefix(a.Key, "on") {
				t.Errorf("the report has an attribute %s=%.60q", a.Key, a.Val)
			}
		}
	}
	all := sections(root)
	if title := textIn(elements(root, atom.H1)[0]); !strings.Contains(title, "<memory>") {
		t.Errorf("the title is %q", title)
	}
	if text := textIn(all["What was checked"]); !strings.Contains(text, "No check failed any of the 24 questions.") {
		t.Errorf("of checks it says %q", text)
	}
	tables := pageGrids(t, root)
	for heads, cells := range map[string]map[string]string{
		"check": {"check": "balance, round 1", "source": "clips<1>"},
		"step":  {"main reason": "no-picture (1)"},
	} {
		i := slices.IndexFunc(tables, func(g grid) bool { return len(g.heads) > 0 && g.heads[0] == heads && g.has(cells) })
		if i < 0 {
			t.Errorf("no table of a %s has the cells %v", heads, cells)
		}
	}
	if !slices.Contains(findGrid(tables, "type").heads, "put to neither") || !slices.Contains(findGrid(tables, "step").heads, "records in") {
		t.Errorf("sections %q lack columns", headings(all))
	}
	labels := elements(all["Labels"], atom.H3)
	if !slices.ContainsFunc(labels, func(n *html.Node) bool { return textIn(n) == "n_value" }) {
		t.Error("label n_value is not shown")
	}
	// Nothing is cut off, and on a phone each cell says what it is.
	style := textIn(elements(root, atom.Style)[0])
	if strings.Contains(style, "ellipsis") || strings.Contains(style, "://") || !strings.Contains(style, "content: attr(data-head)") {
		t.Error("the style hides something, or does not show what cells are")
	}
	cards := elements(root, atom.Figure)
	pictures, gold, evidence := 0, 0, 0
	for _, card := range cards {
		for _, img := range elements(card, atom.Img) {
			src, _ := attribute(img, "src")
			if _, err := os.Stat(filepath.Join(dir, src)); err == nil || strings.HasPrefix(src, "data:image/png;base64,") {
				pictures++
			}
		}
		for _, item := range elements(card, atom.Li) {
			switch {
			case hasClass(item, "gold"):
				gold++
			case hasClass(item.Parent, "evidence"):
				evidence++
			}
		}
	}
	for _, link := range elements(elements(root, atom.Nav)[0], atom.A) {
		to, _ := attribute(link, "href")
		if !slices.ContainsFunc(elements(root, atom.Section), func(s *html.Node) bool { id, _ := attribute(s, "id"); return "#"+id == to }) {
			t.Errorf("the link %s leads nowhere", to)
		}
	}
	if len(cards) == 0 || pictures == 0 || gold == 0 || evidence == 0 || pictures != len(elements(root, atom.Img)) {
		t.Errorf("%d cards show %d pictures, %d right options and %d pieces of evidence", len(cards), pictures, gold, evidence)
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
	media := p.Tables[slices.IndexFunc(p.Tables, func(d diff.Table) bool { return d.Name == tableMedia })]
	for r, err := range media.Rows {
		if err != nil {
			t.Fatal(err)
		}
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
