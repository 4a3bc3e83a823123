package diff

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/pagestyle"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

//go:embed page.html.tmpl
var pageText string

// mostOfAClass is how many changes of a class the page shows.
const mostOfAClass = 200

// Page collects changes for a page that opens offline. It keeps the first of each class.
type Page struct{ shown []*pageClass }

// pageClass is the section of one count of the summary.
type pageClass struct {
	Count
	Changes []pageChange
}

// pageChange is a change as the page shows it.
type pageChange struct {
	Change
	Names []string // of its classes
	Parts []pageField
}

// pageField shows a field: two texts as one with marks, other values side by side.
type pageField struct {
	Path          string
	Words         []word
	Before, After string
}

// Add notes a change.
func (p *Page) Add(ch Change) error {
	shown := pageChange{Change: ch}
	for _, f := range ch.Fields {
		shown.Parts = append(shown.Parts, newPageField(f))
	}
	for _, class := range ch.Classes {
		shown.Names = append(shown.Names, Name(ch.Kind, class))
	}
	for _, class := range ch.Classes {
		i := slices.IndexFunc(p.shown, func(c *pageClass) bool {
			return c.Table == ch.Table && c.Kind == ch.Kind && c.Class == class
		})
		if i < 0 {
			i = len(p.shown)
			p.shown = append(p.shown, &pageClass{Count: Count{Table: ch.Table, Kind: ch.Kind, Class: class}})
		}
		if c := p.shown[i]; len(c.Changes) < mostOfAClass {
			c.Changes = append(c.Changes, shown)
		}
	}
	return nil
}

// Write writes the page.
func (p *Page) Write(w io.Writer, sum Summary) error {
	t, err := template.New("page").Funcs(template.FuncMap{"id": anchor, "thousands": thousands}).Parse(pageText)
	if err != nil {
		return fmt.Errorf("page of changes: %w", err)
	}
	if err := t.Execute(w, p.data(sum)); err != nil {
		return fmt.Errorf("page of changes: %w", err)
	}
	return nil
}

type pageData struct {
	Summary
	Sheet   template.CSS
	Rule    Rule
	Applies bool
	Groups  []pageGroup
}

// pageGroup holds the classes that ask for one part of the version number.
type pageGroup struct {
	Asks    Grade
	Classes []pageClass
}

// More is how many changes the page leaves out.
func (c pageClass) More() int64 { return c.Rows - int64(len(c.Changes)) }

func (p *Page) data(sum Summary) pageData {
	d := pageData{Summary: sum, Sheet: template.CSS(pagestyle.Sheet)}
	d.Rule, d.Applies = sum.Rule()
	for _, grade := range []Grade{manifest.MajorChange, manifest.MinorChange, manifest.PatchChange} {
		g := pageGroup{Asks: grade}
		for _, count := range sum.Changes {
			if count.Asks != grade {
				continue
			}
			class := pageClass{Count: count}
			for _, c := range p.shown {
				if c.Table == count.Table && c.Kind == count.Kind && c.Class == count.Class {
					class.Changes = c.Changes
				}
			}
			g.Classes = append(g.Classes, class)
		}
		if len(g.Classes) > 0 {
			d.Groups = append(d.Groups, g)
		}
	}
	return d
}

// anchor returns the id of a section.
func anchor(c pageClass) string {
	return strings.ReplaceAll(fmt.Sprintf("%s-%s-%s", c.Table, c.Kind, c.Class), " ", "-")
}

func newPageField(f Field) pageField {
	before, isText := f.Before.(string)
	after, isText2 := f.After.(string)
	if isText && isText2 {
		if words := compareWords(shorten(before), shorten(after)); words != nil {
			return pageField{Path: f.Path, Words: words}
		}
	}
	return pageField{Path: f.Path, Before: shownValue(f.Before), After: shownValue(f.After)}
}

// shownValue returns a value as people read it; "–" for none.
func shownValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "–"
	case string:
		return shorten(v)
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return shorten(string(b))
}

// word is a run of words that both texts have, or one alone.
type word struct{ In, Text string } // In is both, before or after

// mostWords bounds the texts that are compared word by word, since the work grows with the product.
const mostWords = 150

// compareWords marks what two texts do not share, or returns nil where that is too much
// to help a reader.
func compareWords(before, after string) []word {
	a, b := strings.Fields(before), strings.Fields(after)
	if len(a) > mostWords || len(b) > mostWords || len(a) == 0 || len(b) == 0 {
		return nil
	}
	// common[i][j] is how many words a[i:] and b[j:] share in order.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	if 2*common[0][0] < max(len(a), len(b)) {
		return nil
	}
	var out []word
	add := func(in, text string) {
		if n := len(out); n > 0 && out[n-1].In == in {
			out[n-1].Text += " " + text
			return
		}
		out = append(out, word{in, text})
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			add("both", a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			add("before", a[i])
			i++
		default:
			add("after", b[j])
			j++
		}
	}
	return out
}

func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
