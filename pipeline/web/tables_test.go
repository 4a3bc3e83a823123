package web

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// A long session is shown in parts that follow each other without a gap and end with the session.
func TestPartsOfASession(t *testing.T) {
	for name, tc := range map[string]struct {
		turns, from   int
		first, last   int
		before, after string
	}{
		"all of a short one":    {2, 0, 1, 2, "", ""},
		"exactly one part":      {3, 0, 1, 3, "", ""},
		"the first part":        {4, 0, 1, 3, "", "?from=3"},
		"the middle":            {7, 3, 4, 6, "?from=0", "?from=6"},
		"the end":               {6, 3, 4, 6, "?from=0", ""},
		"near the begin":        {7, 1, 2, 4, "?from=0", "?from=4"},
		"behind the second one": {7, 4, 5, 7, "?from=1", ""},
		"below the begin":       {4, -5, 1, 3, "", "?from=3"},
		"beyond the end":        {4, 99, 4, 4, "?from=0", ""},
		"the last turn alone":   {5, 4, 5, 5, "?from=1", ""},
		"no turns":              {0, 0, 1, 0, "", ""},
	} {
		lines := make([]string, tc.turns)
		for i := range lines {
			lines[i] = "ann: well"
		}
		p := newSessionPage(catalog.Session{Session: schemas.Session{SessionID: "S", Turns: turns(lines...)}}, tc.from, 3, false)
		if p.From != tc.first || p.To != tc.last || p.Before != tc.before || p.After != tc.after || p.Talk.Turns != tc.turns {
			t.Errorf("%s: %d to %d of %d, %q, %q; want %d to %d, %q, %q", name, p.From, p.To, p.Talk.Turns, p.Before, p.After, tc.first, tc.last, tc.before, tc.after)
		}
	}
}

// A cell leads to the page of what it names, and is cut where it is long.
func TestCellsLeadToPages(t *testing.T) {
	long := strings.Repeat("x", cellText+1)
	for _, tc := range []struct {
		table, column string
		value         any
		want          cell
	}{
		{"questions", "question_id", "q/1", cell{"q/1", "item", "q/1"}},
		{"verdicts", "item", "q/1", cell{"q/1", "item", "q/1"}},
		{"turns", "session_id", long, cell{long[1:] + "…", "session", long}},
		{"sources", "id", "films", cell{"films", "source", "films"}},
		{"media", "id", "films", cell{"films", "", ""}},
		{"sources", "url", nil, cell{"", "", ""}},
		{"sources", "files", []string{"a", "b"}, cell{`["a","b"]`, "", ""}},
		{"sources", "size", make(chan int), cell{Kind: "unencodable"}},
	} {
		page := catalog.TablePage{TableInfo: catalog.TableInfo{Name: tc.table, Columns: []rowschema.Column{{Name: "other"}, {Name: tc.column}}}, Cells: [][]any{{true, tc.value}}}
		got := cellsOf(page)[0]
		if tc.want.Kind == "unencodable" {
			if got[1].Text == "" {
				t.Error("a value without JSON is not shown")
			}
			continue
		}
		if got[0] != (cell{Text: "true"}) || got[1] != tc.want {
			t.Errorf("%s of %s: %+v, want %+v", tc.column, tc.table, got, tc.want)
		}
	}
}
