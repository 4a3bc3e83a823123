package catalog_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

// TestGoldenCatalog shows what pages are given of two releases: lists, facets and filters, items
// and what they rest on, tables.
func TestGoldenCatalog(t *testing.T) {
	var out strings.Builder
	show := func(name string, v any, err error) {
		b, err2 := json.Marshal(v)
		if err2 != nil {
			t.Fatal(err2)
		}
		text := string(b)
		if len(text) > 6000 {
			text = fmt.Sprintf("%d bytes, %s", len(text), golden.Digest(t, v))
		}
		fmt.Fprintf(&out, "%s: %s", name, text)
		if err != nil {
			fmt.Fprintf(&out, " %v", err)
		}
		out.WriteString("\n")
	}
	for _, dir := range []string{talkRelease(t), sample(t)} {
		plain, c := openPlain(t, dir), indexed(t, dir)
		filter := func(field string, values ...string) catalog.Query {
			return catalog.Query{Filters: []catalog.Filter{{Field: field, Values: values}}}
		}
		_, err := plain.Search(t.Context(), filter(catalog.FieldType, "colour"))
		show("a filter without an index", nil, err)
		var first string
		for _, q := range []catalog.Query{{}, {Limit: 1}, {Limit: 1, After: "0"}, {Limit: 3, After: "4"}, {After: "x"}, {After: "99"}} {
			page, err := c.Search(t.Context(), q)
			page.State.Done = 0
			show(fmt.Sprintf("with an index, after %q", q.After), page, err)
			if len(page.Rows) > 0 && first == "" {
				first = page.Rows[0].ID
			}
			page, err = plain.Search(t.Context(), q)
			page.State = catalog.State{}
			show(fmt.Sprintf("in place, after %q", q.After), page, err)
		}
		facets, err := c.Facets(t.Context(), catalog.Query{})
		var names []string
		for _, f := range facets {
			names = append(names, f.Name)
		}
		show("facets", facets, err)
		facets, err = c.Facets(t.Context(), filter(catalog.FieldOptions, "2"), names...)
		show("facets of questions with two options", facets, err)
		_, err = plain.Facets(t.Context(), catalog.Query{})
		show("facets without an index", nil, err)
		for _, q := range []catalog.Query{
			filter(catalog.FieldID, first), filter(catalog.FieldTask, "t"), filter(catalog.FieldSession, "t/S01"), filter(catalog.FieldSource, "films", "talks"), filter("label.metric_group", "swap0"), {Text: "kettle"}, {Text: "blu*"},
			{Filters: []catalog.Filter{{Field: catalog.FieldType, Values: []string{"interference"}, Not: true}}}, {Filters: []catalog.Filter{{Field: "label.target", Missing: true}}}, filter("colour", "x"),
		} {
			page, err := c.Search(t.Context(), q)
			show("found by "+q.String(), []any{page.Total, page.Facts, page.First, page.Next, page.Previous, rowIDs(page.Rows)}, err)
			for _, number := range []int64{0, 1, 5} {
				before, after, place, total, err := c.Neighbours(t.Context(), q, number)
				show(fmt.Sprint("around ", number), []any{before, after, place, total}, err)
			}
		}
		for _, id := range []string{first, "t/a", "t/gone", "none"} {
			item, err := c.Item(t.Context(), id)
			show("item "+id, item, err)
		}
		for _, id := range []string{"t/S00", "t/S01", "none"} {
			s, err := c.Session(t.Context(), id)
			s.Turns = s.Turns[:min(2, len(s.Turns))]
			show("session "+id, s, err)
		}
		for _, id := range []string{"talks", "films", "none"} {
			s, err := c.Source(t.Context(), id)
			show("source "+id, []any{s.ID, s.Files, rowIDs(s.Questions), s.QuestionTotal}, err)
		}
		lost, err := c.Rejected(t.Context(), "", 0)
		show("rejected", lost, err)
		for _, table := range c.Tables() {
			page, err := c.Table(t.Context(), table.Name, catalog.TableQuery{Limit: 2, After: "0"})
			show("table "+table.Name, []any{page.Rows, page.Keys, page.Cells, page.Numbers, page.Next}, err)
		}
		for _, q := range []catalog.TableQuery{{Column: "family", Value: "talk"}, {Column: "type", Value: "interference", Limit: 2}, {Column: "evidence", Value: "x"}, {Column: "none", Value: "x"}, {After: "-7"}} {
			page, err := c.Table(t.Context(), "questions", q)
			show(fmt.Sprintf("questions %+v", q), []any{page.Numbers, page.Next}, err)
		}
		_, err = c.Table(t.Context(), "none", catalog.TableQuery{})
		show("no table", nil, err)
		show("media", nil, c.CheckMedia(t.Context()))
	}
	golden.Check(t, "catalog", out.String())
}

func rowIDs(rows []catalog.Row) (ids []string) {
	for _, r := range rows {
		ids = append(ids, r.ID)
	}
	return ids
}

// openPlain opens a release without an index.
func openPlain(t *testing.T, dir string) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Open(t.Context(), dir, catalog.Options{NoIndex: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}
