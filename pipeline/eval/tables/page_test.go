package tables_test

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/memforge/memforge/pipeline/eval/tables"
)

// TestPage: the parsed page has every figure with its interval, leads from an empty cell to
// its reason, marks runs, forbids what is not in it, and shows hostile names as text.
func TestPage(t *testing.T) {
	hostile := `<img src=x onerror=alert(1)>`
	page := tables.Page{
		Release: "r-1", Format: "f", Variant: "paper", Marks: map[string][]string{"bm25": {"view text", "isolation none"}},
		Tables: []tables.Table{{
			Name: "answers", Title: "right answers", Columns: []string{"QA-C", "accuracy", hostile}, Plots: []tables.Plot{{Kind: tables.PlotCurve, Title: hostile, Columns: []string{"accuracy", hostile}}, {Kind: tables.PlotHeat, Columns: []string{"accuracy"}}}, Notes: []string{"read with care"},
			Lines: []tables.Line{
				{Slice: "bm25", Figures: map[string]tables.Figure{"accuracy": {Value: 0.5, Low: 0.25, High: 0.75, N: 8}, hostile: tables.Exactly(0.3, 0)}, Missing: map[string]string{"QA-C": "needs a judge"}},
				{Slice: hostile, Figures: map[string]tables.Figure{"accuracy": tables.Exactly(0, 8)}},
			},
		}},
	}
	var b bytes.Buffer
	if err := page.Write(&b); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	ids := map[string]string{}
	var links, curves, captions []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.Data == "figcaption" {
			captions = append(captions, text(n))
		}
		if n.Data == "polyline" {
			curves = append(curves, text(n)+" "+n.Attr[0].Val)
		}
		switch n.DataAtom {
		case atom.Script, atom.Img, atom.Link, atom.Iframe:
			t.Errorf("the page has a <%s>", n.Data)
		case atom.Tr:
			rows = append(rows, text(n))
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				ids[a.Val] = text(n)
			case a.Key == "href":
				links = append(links, a.Val)
			case a.Key == "content" && strings.Contains(a.Val, "-src") && !strings.HasPrefix(a.Val, "default-src 'none'; style-src 'unsafe-inline'"):
				t.Errorf("policy %q", a.Val)
			case strings.HasPrefix(a.Key, "on"):
				t.Errorf("the page has a handler %s", a.Key)
			}
		}
	}
	want := []string{
		"run or part QA-C accuracy " + hostile,
		"bm25 view text isolation none – 2 0.500 [0.250, 0.750] n 8 0",
		hostile + " – 0.000 n 8 –",
	}
	if got := strings.Join(rows, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("rows\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	if len(curves) != 4 || curves[3] != "bm25 60.0,90.0 570.0,120.0" {
		t.Errorf("curves %q", curves)
	}
	if len(captions) != 1 || captions[0] != hostile {
		t.Errorf("captions %q", captions)
	}
	if len(links) != 1 || ids[strings.TrimPrefix(links[0], "#")] != "QA-C: needs a judge" {
		t.Errorf("links %q do not lead to the reason; ids %q", links, ids)
	}
}

// text returns the words below a node, parted by single spaces.
func text(n *html.Node) string {
	var words []string
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			words = append(words, strings.Fields(d.Data)...)
		}
	}
	return strings.Join(words, " ")
}
