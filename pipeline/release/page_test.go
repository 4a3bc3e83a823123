package release

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// grid is a table of a card or of a report: its heads, and the cells of each row.
type grid struct {
	heads []string
	rows  [][]string
}

// has reports whether some row has these cells under these heads.
func (g grid) has(cells map[string]string) bool {
	return slices.ContainsFunc(g.rows, func(row []string) bool {
		for head, want := range cells {
			if i := slices.Index(g.heads, head); i < 0 || i >= len(row) || row[i] != want {
				return false
			}
		}
		return true
	})
}

// findGrid returns the first table whose first heads are these.
func findGrid(all []grid, heads ...string) grid {
	for _, g := range all {
		if len(g.heads) >= len(heads) && slices.Equal(g.heads[:len(heads)], heads) {
			return g
		}
	}
	return grid{}
}

// cardGrids returns the tables of a card, with what is escaped as it was.
func cardGrids(card string) (out []grid) {
	plain := strings.NewReplacer(`\|`, "|", `\[`, "[", `\]`, "]", "&lt;", "<", "&gt;", ">", "&amp;", "&")
	cells := func(line string) (list []string) {
		for _, c := range strings.Split(strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(line, "| "), " |"), `\|`, "\x00"), " | ") {
			list = append(list, plain.Replace(strings.ReplaceAll(c, "\x00", `\|`)))
		}
		return list
	}
	lines := strings.Split(card, "\n")
	for i := 1; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "| ---") {
			continue
		}
		g := grid{heads: cells(lines[i-1])}
		for i++; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
			g.rows = append(g.rows, cells(lines[i]))
		}
		out = append(out, g)
	}
	return out
}

// parsePage parses a report. HTML has no errors, so what was not closed or not escaped
// shows in its elements.
func parsePage(t *testing.T, page []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// elements returns the elements of a kind below a node, in their order.
func elements(n *html.Node, kind atom.Atom) (out []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == kind {
			out = append(out, d)
		}
	}
	return out
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func hasClass(n *html.Node, class string) bool {
	list, _ := attribute(n, "class")
	return slices.Contains(strings.Fields(list), class)
}

// textIn is the text below a node, its white space as a browser shows it.
func textIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
		if d.DataAtom == atom.Br {
			b.WriteString(" ")
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// sections maps the heading of each section of a report to it.
func sections(page *html.Node) map[string]*html.Node {
	out := map[string]*html.Node{}
	for _, s := range elements(page, atom.Section) {
		if heads := elements(s, atom.H2); len(heads) == 1 {
			out[textIn(heads[0])] = s
		}
	}
	return out
}

// pageGrids returns the tables below a node, and fails where a cell behind the first of
// its row, or of a number, does not say what it is: on a phone it stands without a head.
func pageGrids(t *testing.T, n *html.Node) (out []grid) {
	t.Helper()
	for _, table := range elements(n, atom.Table) {
		var g grid
		for _, row := range elements(table, atom.Tr) {
			for _, h := range elements(row, atom.Th) {
				g.heads = append(g.heads, textIn(h))
			}
			var cells []string
			for i, c := range elements(row, atom.Td) {
				if head, said := attribute(c, "data-head"); (i > 0 || hasClass(c, "n")) && !hasClass(c, "w") && (!said || head != g.heads[i]) {
					t.Errorf("the cell %q says that it is %q, it is %q", textIn(c), head, g.heads[i])
				}
				cells = append(cells, textIn(c))
			}
			if cells != nil {
				g.rows = append(g.rows, cells)
			}
		}
		out = append(out, g)
	}
	return out
}

// headings are those of the sections of a page, for messages.
func headings(all map[string]*html.Node) []string { return slices.Sorted(maps.Keys(all)) }
