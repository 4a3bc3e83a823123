package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// sessionPage is a whole session, or a part of a long one.
type sessionPage struct {
	Head      Head
	Talk      talk
	Task      *schemas.Task
	Questions []catalog.Row
	Total     int64
	From, To  int
	Before    string
	After     string
	Unread    []*catalog.TableError
	Query     catalog.Query
}

func (s *Site) session(r *http.Request, id string) (reply, error) {
	got, err := s.catalog.Session(r.Context(), id)
	if err != nil {
		return reply{}, err
	}
	p := newSessionPage(got, number32(r.URL.Query().Get("from")), mostPageTurns, false)
	p.Head = s.headOf("", showLine(p.Talk.Title, 80), "turns", "turns", listKeys[4:]...)
	return reply{"session", p, got}, nil
}

func number32(text string) int {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}

// newSessionPage shows at most so many turns from one on.
func newSessionPage(got catalog.Session, from, most int, sealed bool) sessionPage {
	all := len(got.Turns)
	from = min(max(from, 0), max(all-1, 0))
	to := min(from+most, all)
	got.Turns = got.Turns[from:to]
	p := sessionPage{Talk: newTalk(got, nil, show{!sealed, true}), Task: got.Task, Questions: got.Questions, Total: got.QuestionTotal, From: from + 1, To: to, Unread: got.Unread}
	p.Talk.Turns = all
	p.Query = catalog.Query{Filters: []catalog.Filter{{Field: catalog.FieldSession, Values: []string{got.SessionID}}}}
	if from > 0 {
		p.Before = fmt.Sprintf("?from=%d", max(0, from-most))
	}
	if to < all {
		p.After = fmt.Sprintf("?from=%d", to)
	}
	return p
}

// sourcePage is a source with its files and the questions that rest on it.
type sourcePage struct {
	Head   Head
	Source catalog.SourceView
	Query  catalog.Query
}

// Listed are the questions that rest on the source.
func (p sourcePage) Listed() rowList { return rowList{p.Source.Questions, p.Query} }

func (s *Site) source(r *http.Request, id string) (reply, error) {
	got, err := s.catalog.Source(r.Context(), id)
	if err != nil {
		return reply{}, err
	}
	p := sourcePage{Head: s.headOf("Sources", showLine(id, 80), "main", "source", listKeys...), Source: got}
	p.Query = catalog.Query{Filters: []catalog.Filter{{Field: catalog.FieldSource, Values: []string{id}}}}
	return reply{"source", p, got}, nil
}

// rejectedPage lists what was dropped.
type rejectedPage struct {
	Head Head
	Page catalog.RejectedPage
	More string
}

func (s *Site) rejected(r *http.Request, _ string) (reply, error) {
	got, err := s.catalog.Rejected(r.Context(), r.URL.Query().Get("after"), 0)
	if err != nil {
		return reply{}, err
	}
	p := rejectedPage{Head: s.headOf("Rejected", plural(got.Total, "record")+" rejected", "rows", "records", listKeys...), Page: got}
	if got.Next != "" {
		p.More = "?after=" + url.QueryEscape(got.Next)
	}
	return reply{"rejected", p, got}, nil
}

// tablesPage lists the tables of a release.
type tablesPage struct {
	Head   Head
	Tables []catalog.TableInfo
}

func (s *Site) tables(*http.Request, string) (reply, error) {
	p := tablesPage{s.headOf("Tables", "Tables", "main", "tables"), s.catalog.Tables()}
	return reply{"tables", p, p.Tables}, nil
}

// tablePage is a page of a table.
type tablePage struct {
	Head          Head
	Table         catalog.TablePage
	Rows          [][]cell
	Column, Value string
	More          string
}

// cell is a value of a table, with a page about what it names.
type cell struct {
	Text, Kind, ID string
}

// pageOfColumn is the kind of page that the values of a column name.
var pageOfColumn = map[string]string{
	"question_id": "item", "session_id": "session", "source_id": "source", "item": "item",
}

// cellText bounds the characters of a cell; its page or the JSON has all of it.
const cellText = 160

func (s *Site) table(r *http.Request, name string) (reply, error) {
	v := r.URL.Query()
	q := catalog.TableQuery{After: v.Get("after"), Column: v.Get("column"), Value: v.Get("value")}
	got, err := s.catalog.Table(r.Context(), name, q)
	if err != nil {
		return reply{}, err
	}
	here := "Tables"
	if name == "sources" {
		here = "Sources"
	}
	p := tablePage{Head: s.headOf(here, "Table "+showLine(name, 60), "rows", "rows"), Table: got, Column: q.Column, Value: q.Value, Rows: cellsOf(got)}
	if got.Next != "" {
		v.Set("after", got.Next)
		p.More = "?" + v.Encode()
	}
	return reply{"table", p, got}, nil
}

func cellsOf(t catalog.TablePage) [][]cell {
	out := make([][]cell, len(t.Cells))
	for i, row := range t.Cells {
		for j, value := range row {
			c := cell{Text: cellString(value)}
			c.Kind = pageOfColumn[t.Columns[j].Name]
			if t.Name == "sources" && t.Columns[j].Name == "id" {
				c.Kind = "source"
			}
			if c.Kind != "" {
				c.ID = c.Text
			}
			c.Text = showLine(c.Text, cellText)
			out[i] = append(out[i], c)
		}
	}
	return out
}

func cellString(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
