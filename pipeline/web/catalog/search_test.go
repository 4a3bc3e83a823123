package catalog_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// hostile are ids that a page must not take for paths, markup or parts of a search.
var hostile = []string{
	"a/b/../../c", "%2F..%2f", `"<script>alert(1)</script>'`, "OR 1=1 --", "ключ/é\u202e", "a\x00b", "-q said:*", "!", "=x",
}

// words gives questions hostile ids, words to search for and labels, some of none.
func words(qs []schemas.Question) []schemas.Question {
	for i := range qs {
		q := &qs[i]
		if i < len(hostile) {
			q.QuestionID = hostile[i]
		}
		q.Labels = maps.Clone(q.Labels)
		q.Labels["many"] = fmt.Sprint("value ", i)
		switch i % 3 {
		case 0:
			q.Question += " 在红色的箱子里有什么？"
		case 1:
			q.Question += " Über den naïven Café-Gästen"
			q.Labels["rare"] = "=odd"
		}
		q.SetOptions(q.Options...)
	}
	return qs
}

func wordRelease(t testing.TB) (string, release.Contents) {
	t.Helper()
	dir, err := videorelease.Write(t.Context(), t.TempDir(), words)
	if err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir, c
}

func indexed(t testing.TB, dir string) *catalog.Catalog {
	t.Helper()
	c := open(t, dir)
	if err := c.WaitIndexed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return c
}

// where is a query for pairs of a field and a value.
func where(pairs ...string) (q catalog.Query) {
	for i := 0; i < len(pairs); i += 2 {
		f := catalog.Filter{Field: pairs[i], Values: []string{pairs[i+1]}}
		if pairs[i+1] == catalog.NoValue {
			f = catalog.Filter{Field: pairs[i], Missing: true}
		}
		q.Filters = append(q.Filters, f)
	}
	return q
}

// ids lists what a query finds, page by page.
func ids(t testing.TB, c *catalog.Catalog, q catalog.Query) (out []string) {
	t.Helper()
	q.Limit = 4
	for {
		page, err := c.Search(t.Context(), q)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		for _, r := range page.Rows {
			out = append(out, r.ID)
		}
		if q.After = page.Next; q.After == "" {
			if int(page.Total) != len(out) {
				t.Errorf("%s: %d questions in pages, %d in all", q, len(out), page.Total)
			}
			return out
		}
	}
}

func TestSearchFindsWords(t *testing.T) {
	dir, all := wordRelease(t)
	c := indexed(t, dir)
	holding := func(part string) (out []string) {
		for _, q := range all.Questions {
			if strings.Contains(q.Question, part) {
				out = append(out, q.QuestionID)
			}
		}
		return out
	}
	every := holding("")
	for text, want := range map[string][]string{
		"":                         every,
		"   ":                      every,
		"箱子":                       holding("箱子"),
		"红":                        holding("红"),
		"色的箱":                      holding("色的箱"),
		"子箱":                       nil,
		"cafe":                     holding("Café"),
		"UBER naiven":              holding("Über"),
		`"den naiven"`:             holding("den naïven"),
		`"naiven den"`:             nil,
		"gäst*":                    holding("Gästen"),
		"gäst":                     nil,
		`NOT "`:                    nil,
		"said:cafe":                nil,
		"* ( ) ^ -":                nil,
		"cafe AND NEAR(den, 2)":    nil,
		"no such words in it":      nil,
		"箱子 在":                     holding("箱子"),
		"\x00":                     nil,
		strings.Repeat("über ", 9): holding("ber "),
	} {
		got := ids(t, c, catalog.Query{Text: text})
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}

func TestFiltersAndFacetsCountWhatIsThere(t *testing.T) {
	dir, all := wordRelease(t)
	c := indexed(t, dir)
	field := func(q schemas.Question, name string) string {
		label, is := strings.CutPrefix(name, catalog.PrefixLabel)
		switch {
		case is:
			return q.Labels[label]
		case name == catalog.FieldType:
			return q.Type
		case name == catalog.FieldOptions:
			return fmt.Sprint(len(q.Options))
		}
		return q.AnswerKey
	}
	names := []string{catalog.FieldType, catalog.FieldAnswer, catalog.FieldOptions, "label.metric_group", "label.rare", "label.many"}
	facets, err := c.Facets(t.Context(), catalog.Query{}, names...)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, f := range facets {
		if !slices.Contains(names, f.Name) {
			if f.Counted || f.Distinct == 0 {
				t.Errorf("%+v was not asked for", f)
			}
			continue
		}
		seen++
		none := int64(0)
		byValue := map[string][]string{}
		for _, q := range all.Questions {
			if v := field(q, f.Name); v != "" {
				byValue[v] = append(byValue[v], q.QuestionID)
			} else {
				none++
			}
		}
		if f.None != none || len(f.Values) != len(byValue) || f.Distinct != len(byValue) {
			t.Errorf("%+v, want %d without a value and %d values", f, none, len(byValue))
		}
		for _, v := range f.Values {
			q := where(f.Name, v.Value)
			parsed, err := catalog.ParseQuery(q.Values())
			if err != nil {
				t.Fatal(err)
			}
			if got := ids(t, c, parsed); int64(len(got)) != v.Count || !slices.Equal(got, byValue[v.Value]) {
				t.Errorf("%s=%s finds %q, want %q", f.Name, v.Value, got, byValue[v.Value])
			}
			q.Filters[0].Not = true
			if got := ids(t, c, q); len(got) != len(all.Questions)-int(v.Count) {
				t.Errorf("without %s=%s there are %d", f.Name, v.Value, len(got))
			}
		}
		if got := ids(t, c, where(f.Name, catalog.NoValue)); int64(len(got)) != none {
			t.Errorf("without a value of %s there are %d, want %d", f.Name, len(got), none)
		}
	}
	if seen != len(names) {
		t.Errorf("%d of %d facets", seen, len(names))
	}
	for _, name := range []string{"label.nothing", "gate.nothing", catalog.FieldReview} {
		none, all2 := ids(t, c, where(name, "x")), ids(t, c, where(name, catalog.NoValue))
		if len(none) != 0 || len(all2) != len(all.Questions) {
			t.Errorf("%s: %d with a value, %d without", name, len(none), len(all2))
		}
	}
	var unknown *catalog.FieldError
	if _, err := c.Search(t.Context(), where("nothing", "x")); !errors.As(err, &unknown) {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestHostileIDsAreFound(t *testing.T) {
	dir, all := wordRelease(t)
	c := indexed(t, dir)
	for _, q := range all.Questions {
		item, err := c.Item(t.Context(), q.QuestionID)
		if err != nil || item.Question.QuestionID != q.QuestionID {
			t.Errorf("item %q: %q, %v", q.QuestionID, item.Question.QuestionID, err)
			continue
		}
		if item.SameFactTotal < 1 || !slices.ContainsFunc(item.SameFact, func(r catalog.Row) bool { return r.ID == q.QuestionID }) {
			t.Errorf("item %q is not among the %d of its fact", q.QuestionID, item.SameFactTotal)
		}
		for name, value := range map[string]string{
			catalog.FieldID: q.QuestionID, catalog.FieldTask: q.TaskID, catalog.FieldMedia: q.Media[0], catalog.FieldFact: item.Fact, catalog.FieldSource: "films",
		} {
			if got := ids(t, c, catalog.Query{Filters: []catalog.Filter{{Field: name, Values: []string{value}}}}); !slices.Contains(got, q.QuestionID) {
				t.Errorf("%s=%q finds %q without %q", name, value, got, q.QuestionID)
			}
		}
		if len(item.Media) != 1 || len(item.Media[0].Parts) != 2 || item.Media[0].Parts[1].Begin != 2 || item.Pieces[0].To != 1 || item.Pieces[0].Medium == nil {
			t.Errorf("media of %q: %+v", q.QuestionID, item)
		}
		f, err := c.OpenMedium(q.Media[0])
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	for _, id := range []string{"", "..", "../" + all.Questions[0].Media[0], strings.ToUpper(all.Questions[0].Media[0]), strings.Repeat("0", 64)} {
		if f, err := c.OpenMedium(id); err == nil {
			t.Errorf("medium %q: opened", id)
			f.Close()
		}
	}
}

func TestNeighboursWalkThroughAList(t *testing.T) {
	dir, _ := wordRelease(t)
	c := indexed(t, dir)
	for _, q := range []catalog.Query{{}, {Text: "cafe"}, {Text: "picked"}, where("label.rare", "=odd")} {
		want := ids(t, c, q)
		for i, id := range want {
			item, err := c.Item(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			before, after, place, total, err := c.Neighbours(t.Context(), q, item.Number)
			if err != nil || place != int64(i+1) || total != int64(len(want)) || i > 0 && before != want[i-1] || i+1 < len(want) && after != want[i+1] {
				t.Errorf("%s: %s is %d of %d between %q and %q: %v", q, id, place, total, before, after, err)
			}
		}
		second, err := c.Search(t.Context(), catalog.Query{Text: q.Text, Filters: q.Filters, Limit: 2})
		if err != nil {
			t.Fatal(err)
		}
		q.Limit, q.After = 2, second.Next
		if second, err = c.Search(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		q.After = second.Previous
		if first, err := c.Search(t.Context(), q); err != nil || len(first.Rows) != 2 || first.Rows[0].ID != want[0] || first.First != 1 {
			t.Errorf("%s: the page before the second: %+v, %v", q, first, err)
		}
	}
}

func TestWithoutAnIndex(t *testing.T) {
	c, err := catalog.Open(t.Context(), sample(t), catalog.Options{NoIndex: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var waits *catalog.IndexingError
	if _, err := c.Search(t.Context(), catalog.Query{Text: "x"}); !errors.As(err, &waits) {
		t.Errorf("a search: %v", err)
	}
	if _, err := c.Facets(t.Context(), catalog.Query{}); !errors.As(err, &waits) {
		t.Errorf("facets: %v", err)
	}
	page, err := c.Search(t.Context(), catalog.Query{})
	if err != nil || len(page.Rows) == 0 || page.Facts != -1 || page.Rows[0].Options == 0 || page.Rows[0].Shows == "" {
		t.Errorf("a list: %+v, %v", page, err)
	}
}

// TestIndexIsKept opens a release again, also where the index was damaged meanwhile.
func TestIndexIsKept(t *testing.T) {
	dir, cache := sample(t), t.TempDir()
	for _, damage := range []func(string) error{
		func(string) error { return nil },
		func(string) error { return nil },
		func(file string) error { return os.WriteFile(file, []byte("no database"), 0o600) },
		func(file string) error { return os.Truncate(file, 5000) },
	} {
		files, err := filepath.Glob(filepath.Join(cache, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := damage(f); err != nil {
				t.Fatal(err)
			}
		}
		c, err := catalog.Open(t.Context(), dir, catalog.Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.WaitIndexed(t.Context()); err != nil {
			t.Error(err)
		}
		if page, err := c.Search(t.Context(), catalog.Query{Text: "video"}); err != nil || page.Total == 0 {
			t.Errorf("%d found, %v", page.Total, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if files, err = filepath.Glob(filepath.Join(cache, "*")); err != nil || len(files) != 1 {
			t.Errorf("cache has %v, %v", files, err)
		}
	}
}

func TestTablesPageAndFilter(t *testing.T) {
	dir, all := wordRelease(t)
	c := open(t, dir)
	for _, info := range c.Tables() {
		n := 0
		for q := (catalog.TableQuery{Limit: 3}); ; {
			page, err := c.Table(t.Context(), info.Name, q)
			if err != nil {
				t.Fatalf("%s: %v", info.Name, err)
			}
			for i := range page.Cells {
				if len(page.Cells[i]) != len(info.Columns) || page.Numbers[i] != int64(n) {
					t.Fatalf("%s: row %d is %v", info.Name, page.Numbers[i], page.Cells[i])
				}
				n++
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if int64(n) != info.Rows {
			t.Errorf("%s: %d of %d rows", info.Name, n, info.Rows)
		}
	}
	page, err := c.Table(t.Context(), "questions", catalog.TableQuery{Column: "type", Value: "nback"})
	nback := 0
	for _, q := range all.Questions {
		if q.Type == "nback" {
			nback++
		}
	}
	if err != nil || len(page.Cells) != nback || page.Next != "" {
		t.Errorf("type nback: %d of %d rows, next %q, %v", len(page.Cells), nback, page.Next, err)
	}
	if _, err := c.Table(t.Context(), "questions", catalog.TableQuery{Column: "options"}); err == nil {
		t.Error("a filter by a list")
	}
	for _, after := range []string{"x", "-2", "99999999999999999999"} {
		if _, err := c.Table(t.Context(), "questions", catalog.TableQuery{After: after}); err == nil {
			t.Errorf("after %q: no error", after)
		}
	}
	if page, err := c.Table(t.Context(), "questions", catalog.TableQuery{After: "1000000"}); err != nil || len(page.Cells) > 0 {
		t.Errorf("behind the end: %v, %v", page.Cells, err)
	}
	for _, name := range []string{"nothing", "../questions", ""} {
		if _, err := c.Table(t.Context(), name, catalog.TableQuery{}); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("table %q: %v", name, err)
		}
	}
}

// TestCacheThatCannotBeWritten has a file where the folder of indexes would be.
func TestCacheThatCannotBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), sample(t), catalog.Options{Cache: filepath.Join(file, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if page, err := c.Search(t.Context(), catalog.Query{}); err != nil || len(page.Rows) == 0 {
		t.Errorf("a list: %v", err)
	}
	if _, err := c.Search(t.Context(), catalog.Query{Text: "x"}); err == nil || !strings.Contains(err.Error(), "MEMFORGE_CACHE") {
		t.Errorf("a search: %v", err)
	}
}
