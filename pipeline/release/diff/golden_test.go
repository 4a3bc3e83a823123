package diff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

func texts(names ...string) (out []rowschema.Column) {
	for _, n := range names {
		out = append(out, rowschema.Column{Name: n})
	}
	return out
}

func listOf(name string, elem rowschema.Column) rowschema.Column {
	return rowschema.Column{Name: name, Kind: rowschema.List, Elem: &elem}
}

func structOf(name string, fields ...rowschema.Column) rowschema.Column {
	return rowschema.Column{Name: name, Kind: rowschema.Struct, Fields: fields}
}

func table(name string, keys int, columns []rowschema.Column, rows ...[]any) Table {
	return Table{Name: name, Keys: keys, Columns: columns, Rows: func(yield func([]any, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}}
}

// questionColumns are those of a question by which classes are told apart.
func questionColumns() []rowschema.Column {
	labels := listOf("labels", structOf("", texts("key", "value")...))
	labels.Pairs = true
	return append(texts("question_id", "question", "question_mcq", "answer_key", "answer_text", "split", "type", "explanation", "free"),
		listOf("options", structOf("", texts("key", "text", "role")...)), listOf("evidence", structOf("", texts("ref", "text")...)), listOf("media", rowschema.Column{}), labels)
}

func question(id string, change func(r []any)) []any {
	r := []any{id, "Who moves?", "Who moves?\nA. king\nB. queen", "A", "king", "test", "t", "e", "f",
		[]any{[]any{"A", "king", "correct"}, []any{"B", "queen", "wrong"}}, []any{[]any{"t1", "x"}, []any{"t2", "y"}, []any{"t3", "z"}}, []any{"m1"}, []any{[]any{"fact", "1"}, []any{"level", "2"}}}
	if change != nil {
		change(r)
	}
	return r
}

func pair() (before, after Release) {
	plain, nothing := questionColumns(), func([]any) {}
	var was, is [][]any
	was, is = append(was, question("q00", nil)), append(is, question("q00", nothing))
	for i, change := range []func(r []any){
		func(r []any) { r[1], r[2] = "Who moved?", "Who moved?\nA. king\nB. queen" },
		func(r []any) { r[2] = "Who goes?\nA. king\nB. queen" },
		func(r []any) {
			r[3], r[2], r[9] = "B", "Who moves?\nA. queen\nB. king", []any{[]any{"A", "queen", "wrong"}, []any{"B", "king", "correct"}}
		},
		func(r []any) { r[3] = "B" },
		func(r []any) { r[4] = "queen" },
		func(r []any) { r[5] = "dev" },
		func(r []any) { r[6], r[7] = "u", "other" },
		func(r []any) { r[9] = []any{[]any{"A", "king", "near"}, []any{"B", "queen", "wrong"}} },
		func(r []any) { r[10] = []any{[]any{"t1", "x"}, []any{"t9", "y"}, []any{"t3", "z"}} },
		func(r []any) { r[10] = []any{[]any{"t1", "x"}, []any{"t2", "y"}, []any{"t2b", "n"}, []any{"t3", "z"}} },
		func(r []any) { r[10] = []any{[]any{"t1", "x"}} },
		func(r []any) { r[11] = []any{"m1", "m2"} },
		func(r []any) { r[12] = []any{[]any{"fact", "1"}, []any{"level", "3"}, []any{"new", "4"}} },
		func(r []any) { r[12] = []any{[]any{"fact", "1"}} },
		func(r []any) { r[8] = nil },
	} {
		id := fmt.Sprintf("q%02d", i+1)
		was, is = append(was, question(id, nil)), append(is, question(id, change))
	}
	was, is = append(was, question("q90", nil), question("q91", nil)), append(is, question("q89", nil), question("q91", nil), question("q92", nil))
	blob := rowschema.Column{Name: "image", Kind: rowschema.Image, Fields: []rowschema.Column{{Name: "bytes", Kind: rowschema.Bytes}, {Name: "path"}}}
	simple := func(name string, columns []string, a, b []any) (Table, Table) {
		return table(name, 1, texts(columns...), a), table(name, 1, texts(columns...), b)
	}
	before = Release{Manifest: manifest.Manifest{Format: 2, Name: "demo", Version: "1.0.0", ID: "old", Title: "One", Tools: map[string]string{"go": "1", "old": "1"}, From: []string{"a", "b"}}}
	after = Release{Manifest: manifest.Manifest{Format: 3, Name: "demo", Version: "1.1.0", ID: "new", Title: "Two", Tools: map[string]string{"go": "2", "new": "1"}, From: []string{"a", "c"}}}
	before.Manifest.Files = []manifest.FileInfo{{Path: "a", SHA256: "1"}, {Path: "b", SHA256: "1"}, {Path: "d", SHA256: "1"}}
	after.Manifest.Files = []manifest.FileInfo{{Path: "a", SHA256: "1"}, {Path: "c", SHA256: "1"}, {Path: "d", SHA256: "2"}, {Path: "e", SHA256: "2"}}
	add := func(a, b Table) { before.Tables, after.Tables = append(before.Tables, a), append(after.Tables, b) }
	add(table(pipeline.TableQuestions, 1, plain, was...), table(pipeline.TableQuestions, 1, plain, is...))
	add(simple(pipeline.TableTasks, []string{"task_id", "media", "family", "summary"}, []any{"t", "1", "2", "3"}, []any{"t", "x", "y", "z"}))
	mediaColumns := append(texts("media_id", "caption", "file_name", "recipe", "codec"), blob)
	add(table(pipeline.TableMedia, 1, mediaColumns, []any{"m", "a", "b", "c", "d", []any{[]byte("x"), "p"}}, []any{"n", "a", "b", "c", "d", []any{[]byte("x"), "p"}}),
		table(pipeline.TableMedia, 1, mediaColumns, []any{"m", "1", "2", "3", "4", []any{[]byte("y"), "p"}}, []any{"n", "a", "b", "c", "d", []any{[]byte("x"), "q"}}))
	add(simple(pipeline.TableSessions, []string{"session_id", "task_id", "source_id", "arc", "date"}, []any{"s", "1", "2", "3", "4"}, []any{"s", "a", "b", "c", "d"}))
	turns := append(texts("turn_id", "session_id", "text"), listOf("attachments", structOf("", texts("media_id", "caption")...)))
	add(table(pipeline.TableTurns, 1, turns, []any{"1", "s", "x", []any{[]any{"m", "c"}}}, []any{"2", "s", "x", []any{[]any{"m", "c"}}}, []any{"3", "s", "x", []any{[]any{"m", "c"}}}),
		table(pipeline.TableTurns, 1, turns, []any{"1", "r", "y", []any{[]any{"m", "d"}}}, []any{"2", "s", "x", []any{[]any{"n", "c"}}}, []any{"3", "s", "x", []any{}}))
	add(simple(pipeline.TablePoints, []string{"point_id", "session_id", "type", "evidence_turns", "content"}, []any{"p", "1", "2", "3", "4"}, []any{"p", "a", "b", "c", "d"}))
	add(simple(pipeline.TableCheckpoints, []string{"checkpoint_id", "x"}, []any{"c", "1"}, []any{"c", "2"}))
	add(table("verdicts", 2, texts("item", "gate", "outcome", "calls"), []any{"i", "g", "pass", "1"}, []any{"i", "h", "pass", "1"}, []any{"j", "g", "pass", "1"}),
		table("verdicts", 2, texts("item", "gate", "outcome", "calls"), []any{"i", "g", "fail", "1"}, []any{"i", "h", "pass", "2"}, []any{"k", "g", "pass", "1"}))
	add(simple("probes", []string{"item", "x"}, []any{"i", "1"}, []any{"j", "1"}))
	add(simple("events", []string{"id", "x"}, []any{"i", "1"}, []any{"i", "2"}))
	add(simple("labels", []string{"id", "x"}, []any{"i", "1"}, []any{"j", "2"}))
	add(simple(pipeline.TableSources, []string{"id", "x"}, []any{"i", "1"}, []any{"i", "2"}))
	add(simple("own", []string{"id", "title"}, []any{"i", "A title"}, []any{"i", strings.Repeat("long ä ", 60)}))
	add(table("columns", 1, append(texts("id", "a"), listOf("b", listOf("", rowschema.Column{Kind: rowschema.Int64}))), []any{"i", "1", nil}), table("columns", 1, append(texts("id", "c"), listOf("b", rowschema.Column{Kind: rowschema.Float64})), []any{"i", "1", nil}))
	add(table("order", 1, texts("id", "a", "b"), []any{"i", "1", "2"}), table("order", 1, texts("id", "b", "a"), []any{"i", "2", "3"}))
	add(table("keys", 1, texts("id"), []any{"i"}), table("keys", 1, []rowschema.Column{{Name: "id", Kind: rowschema.Int32}}, []any{int32(1)}))
	old := table("unreadable", 1, texts("id"))
	old.Unreadable = true
	add(old, table("unreadable", 1, texts("id"), []any{"i"}))
	before.Tables = append(before.Tables, table("was", 1, texts("id"), []any{"i"}), table("reviews", 1, texts("id")))
	after.Tables = append(after.Tables, table("is", 0, texts("text"), []any{"i"}))
	return before, after
}

// TestGoldenDifferences pins every change between two small releases, their summary, the
// error of the version rule, and the page.
func TestGoldenDifferences(t *testing.T) {
	before, after := pair()
	var out strings.Builder
	var page Page
	sum, err := Releases(t.Context(), before, after, func(c Change) error {
		out.WriteString(golden.JSON(t, c) + "\n")
		return page.Add(c)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range sum.Tables {
		out.WriteString(golden.JSON(t, line) + "\n")
	}
	for _, line := range sum.Changes {
		fmt.Fprintf(&out, "%s %s\n", line.Asks, line)
	}
	rule, applies := sum.Rule()
	fmt.Fprintf(&out, "%+v %t %t\n%v\n\n", rule, applies, sum.Differs(), &VersionError{sum})
	if err := page.Write(&out, sum); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "differences", out.String())
	before.Tables = slices.DeleteFunc(before.Tables, func(t Table) bool { return t.Unreadable })
	if same, err := Releases(t.Context(), before, before, nil); err != nil || same.Differs() || same.Asks != manifest.PatchChange {
		t.Errorf("a release differs from itself: %+v, %v", same.Changes, err)
	}
	if c, ok := sum.Table("was"); !ok || c.Gone != 1 {
		t.Errorf("was: %+v, %t", c, ok)
	}
	if _, ok := sum.Table("never"); ok {
		t.Error("a table never is there")
	}
}

func TestRule(t *testing.T) {
	for _, c := range []struct {
		before, after, name string
		asks                Grade
		want                string
	}{
		{"1.0.0", "1.0.1", "demo", manifest.PatchChange, "{Least:1.0.1 Stated:1.0.1 Kept:true} true"},
		{"1.0.0", "1.0.1", "demo", manifest.MinorChange, "{Least:1.1.0 Stated:1.0.1 Kept:false} true"},
		{"1.0.0", "1.0.0", "demo", manifest.PatchChange, "{Least: Stated: Kept:false} false"},
		{"1.0.1", "1.0.0", "demo", manifest.PatchChange, "{Least: Stated: Kept:false} false"},
		{"1.0.0", "2.0.0", "other", manifest.PatchChange, "{Least: Stated: Kept:false} false"},
		{"x", "2.0.0", "demo", manifest.PatchChange, "{Least: Stated: Kept:false} false"},
		{"1.0.0", "x", "demo", manifest.PatchChange, "{Least: Stated: Kept:false} false"},
	} {
		rule, ok := Summary{Before: Edition{Name: "demo", Version: c.before}, After: Edition{Name: c.name, Version: c.after}, Asks: c.asks}.Rule()
		if got := fmt.Sprintf("%+v %t", rule, ok); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// TestErrorsEndIt wants an error of a row, of an order, of a visitor and of a cancelled
// context to come out with the name of the table.
func TestErrorsEndIt(t *testing.T) {
	broken := errors.New("broken")
	good := table("t", 1, texts("id"), []any{"a"}, []any{"b"})
	failing := good
	failing.Rows = func(yield func([]any, error) bool) { _ = yield([]any{"a"}, nil) && yield(nil, broken) }
	other := table("t", 1, []rowschema.Column{{Name: "n", Kind: rowschema.Int32}})
	for name, c := range map[string]struct {
		before, after Table
		want          string
	}{
		"before":       {failing, good, "compare table t: broken"},
		"after":        {good, failing, "compare table t: broken"},
		"other keys":   {failing, other, "compare table t: broken"},
		"out of order": {good, table("t", 1, texts("id"), []any{"b"}, []any{"a"}), "compare table t: rows are not in the order of their keys: [a] comes too late; memforge verify names all that is wrong"},
		"short":        {good, table("t", 1, texts("id"), []any{}), "compare table t: a row has 0 values for 1 columns"},
	} {
		if _, err := Tables(t.Context(), Release{Tables: []Table{c.before}}, Release{Tables: []Table{c.after}}, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	before, after := Release{Tables: []Table{good}}, Release{Tables: []Table{table("t", 1, texts("id"), []any{"c"}, []any{"d"})}}
	seen := 0
	if _, err := Tables(t.Context(), before, after, func(Change) error { seen++; return broken }); !errors.Is(err, broken) || seen != 1 {
		t.Errorf("a visitor that fails is called %d times: %v", seen, err)
	}
	if _, err := Releases(t.Context(), Release{Manifest: manifest.Manifest{Title: "a"}}, Release{}, func(Change) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("a visitor that fails on the manifest: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Tables(ctx, before, after, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestWords(t *testing.T) {
	many := strings.Repeat("w ", mostWords)
	for _, c := range []struct{ before, after, want string }{
		{"the red cup", "the blue cup", "[{both the} {before red} {after blue} {both cup}]"},
		{"a b c d", "b c d e", "[{before a} {both b c d} {after e}]"},
		{"a b", "c d", "[]"}, {"", "a", "[]"}, {"a", "", "[]"}, {"a b", "a c", "[{both a} {before b} {after c}]"}, {"a b c", "a d e", "[]"},
		{many, many, "[{both " + strings.TrimSpace(many) + "}]"}, {many + "w", many, "[]"}, {many, many + "w", "[]"},
	} {
		if got := fmt.Sprint(compareWords(c.before, c.after)); got != c.want {
			t.Errorf("%.20q and %.20q: %s, want %s", c.before, c.after, got, c.want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("%d is %s", n, got)
		}
	}
	for n, want := range map[int]int{mostText: mostText, mostText + 1: mostText + len("…")} {
		if got := shorten(strings.Repeat("x", n)); len(got) != want {
			t.Errorf("%d bytes become %d", n, len(got))
		}
	}
}

// TestMostIsBounded wants the parts of a manifest, the ids of a count and the changes of
// a class on the page to end at their bounds.
func TestMostIsBounded(t *testing.T) {
	list := func(n int, v string) (out []any) {
		for range n {
			out = append(out, v)
		}
		return out
	}
	if got := len(appendJSON(nil, "p", list(mostParts+1, "a"), list(mostParts+1, "b"))); got != mostParts {
		t.Errorf("%d parts", got)
	}
	if got := appendJSON(nil, "p", list(2, "a"), list(3, "a")); len(got) != 1 || got[0].Path != "p" {
		t.Errorf("lists of another length: %+v", got)
	}
	var page Page
	var sum Summary
	for i := range mostOfAClass + 2 {
		ch := Change{Table: "t", ID: fmt.Sprint(i), Kind: Added, Classes: []Class{Item}, Asks: manifest.MinorChange}
		sum.count(ch)
		if err := page.Add(ch); err != nil {
			t.Fatal(err)
		}
	}
	if got := sum.Changes[0].String(); got != "t: 202 added (0, 1, 2, ...)" {
		t.Errorf("%s", got)
	}
	if c := page.data(sum).Groups[0].Classes[0]; len(c.Changes) != mostOfAClass || c.More() != 2 {
		t.Errorf("%d shown, %d more", len(c.Changes), c.More())
	}
	if got := (Count{Table: "t", Rows: 1, Kind: Gone, Class: Columns}).String(); got != "t: 1 table gone" {
		t.Errorf("%s", got)
	}
}
