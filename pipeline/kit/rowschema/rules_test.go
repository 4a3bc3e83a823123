package rowschema_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
)

type ruled struct {
	ID    string   `json:"id"`
	Role  string   `json:"role" holds:"in=user|assistant|"`
	At    string   `json:"at" holds:"form=time"`
	On    string   `json:"on" holds:"form=date"`
	Said  string   `json:"said" holds:"form=said"`
	Count int32    `json:"count" holds:"min=1,max=9"`
	Bytes int64    `json:"bytes" holds:"min=0"`
	Share float64  `json:"share" holds:"max=1"`
	Tags  []string `json:"tags"`
	Parts []struct {
		Kind string `json:"kind" holds:"in=a|b"`
	} `json:"parts"`
}

func sound() ruled {
	v := ruled{ID: "x", Role: "user", At: "2024-06-17T09:30:00Z", On: "2024-06-17", Said: "so", Count: 1, Share: 1, Tags: []string{"t"}}
	v.Parts = append(v.Parts, struct {
		Kind string `json:"kind" holds:"in=a|b"`
	}{"b"})
	return v
}

// TestRulesHold: each rule says which value breaks it and what it wants.
func TestRulesHold(t *testing.T) {
	columns, err := rowschema.Of(reflect.TypeFor[ruled](), "id")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		change func(v *ruled)
		want   string
	}{
		{func(*ruled) {}, ""}, {func(v *ruled) { v.Role = "" }, ""}, {func(v *ruled) { v.Role = "agent" }, `role is "agent"; want one of user, assistant`},
		{func(v *ruled) { v.At = "2024-06-17" }, `at is "2024-06-17"; want a time as 2024-06-17T09:30:00Z`}, {func(v *ruled) { v.On = v.At }, ""},
		{func(v *ruled) { v.On = "17 June" }, `on is "17 June"; want a day as 2024-06-17, or a time as 2024-06-17T09:30:00Z`}, {func(v *ruled) { v.Said = " \n" }, "said says nothing"},
		{func(v *ruled) { v.Count = 9 }, ""}, {func(v *ruled) { v.Count = 10 }, "count is 10; want 1 to 9"}, {func(v *ruled) { v.Count = 0 }, "count is 0; want 1 to 9"},
		{func(v *ruled) { v.Bytes = -1 }, "bytes is -1; want 0 or more"}, {func(v *ruled) { v.Share = 1.5 }, "share is 1.5; want at most 1"}, {func(v *ruled) { v.Share = -7 }, ""},
		{func(v *ruled) { v.Parts[0].Kind = "c" }, `parts.kind is "c"; want one of a, b`},
	} {
		v := sound()
		c.change(&v)
		if got := rowschema.Violation(columns, rowschema.Cells(columns, v)); got != c.want {
			t.Errorf("%+v: %q, want %q", v, got, c.want)
		}
	}
	without := rowschema.WithoutRules(columns)
	bad := sound()
	bad.Count, bad.Parts[0].Kind = 0, "c"
	if got := rowschema.Violation(without, rowschema.Cells(without, bad)); got != "" || rowschema.HasRules(without) || !rowschema.HasRules(columns) || !rowschema.HasRules(columns[len(columns)-1:]) {
		t.Errorf("without rules: %q", got)
	}
	if got := rowschema.Violation(columns, []any{"x", nil}); got != "" {
		t.Errorf("a short row: %q", got)
	}
}

// TestTagsOfRules: a tag that is no rule, or not one of its column's kind, is refused.
func TestTagsOfRules(t *testing.T) {
	for want, of := range map[string]reflect.Type{
		`field A: tag holds: "most=3" is no rule`: reflect.TypeFor[struct {
			A int32 `json:"a" holds:"most=3"`
		}](),
		`field A: tag holds: strconv.ParseFloat: parsing "x": invalid syntax`: reflect.TypeFor[struct {
			A int32 `json:"a" holds:"min=x"`
		}](),
		`field A: tag holds: texts are of a list or form, numbers have bounds`: reflect.TypeFor[struct {
			A int32 `json:"a" holds:"in=x"`
		}](),
		`field A: tag holds: "song" is no form of texts`: reflect.TypeFor[struct {
			A string `json:"a" holds:"form=song"`
		}](),
	} {
		_, err := rowschema.Of(of)
		if err == nil || !endsWith(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := rowschema.Of(reflect.TypeFor[struct {
		A string `json:"a" holds:"max=3"`
	}]()); err == nil {
		t.Error("a text has bounds")
	}
}

func endsWith(s, tail string) bool { return len(s) >= len(tail) && s[len(s)-len(tail):] == tail }

// TestNamesInManifests: kinds and nulls have names in JSON, and no others are read.
func TestNamesInManifests(t *testing.T) {
	for i, want := range []string{"string", "bool", "int32", "int64", "float64", "bytes", "list", "struct", "image"} {
		b, err := json.Marshal(rowschema.Kind(i))
		var back rowschema.Kind
		if err2 := json.Unmarshal(b, &back); err != nil || err2 != nil || string(b) != `"`+want+`"` || back != rowschema.Kind(i) {
			t.Errorf("kind %d: %s %v %v", i, b, err, err2)
		}
	}
	for i, want := range []string{"never", "zero", "absent"} {
		b, err := json.Marshal(rowschema.Null(i))
		var back rowschema.Null
		if err2 := json.Unmarshal(b, &back); err != nil || err2 != nil || string(b) != `"`+want+`"` || back != rowschema.Null(i) {
			t.Errorf("null %d: %s %v %v", i, b, err, err2)
		}
	}
	for _, bad := range []int{-1, 9} {
		if _, err := json.Marshal(rowschema.Kind(bad)); err == nil {
			t.Errorf("kind %d has a name", bad)
		}
	}
	var k rowschema.Kind
	if err := json.Unmarshal([]byte(`"map"`), &k); err == nil {
		t.Error("map is a kind")
	}
}

type element struct {
	Key  string `json:"key"`
	Nth  int32  `json:"nth"`
	Text string `json:"text"`
}

type whole struct {
	ID    string    `json:"id"`
	Parts []element `json:"parts" table:"rows=parts,key=key,by=nth"`
	Notes []element `json:"notes" table:"rows=notes,key=key"`
}

// TestElements: lists that are tables of their own become rows, and values again in their
// order.
func TestElements(t *testing.T) {
	lists, err := rowschema.ElementsOf(reflect.TypeFor[whole]())
	if err != nil || len(lists) != 2 || lists[0].Table != "parts" || lists[0].By != "nth" || lists[1].Field != "notes" || lists[1].By != "" {
		t.Fatalf("%+v, %v", lists, err)
	}
	v := whole{ID: "x", Parts: []element{{"b", 1, "one"}, {"a", 2, "two"}, {"c", 3, ""}}, Notes: []element{{"n", 2, "later"}, {"m", 1, "first"}}}
	rows := lists[0].Rows(v)
	rows[0], rows[1], rows[2] = rows[2], rows[0], rows[1]
	var back whole
	lists[0].Fill(rows, &back)
	lists[1].Fill(lists[1].Rows(v), &back)
	if !reflect.DeepEqual(back.Parts, v.Parts) || !reflect.DeepEqual(back.Notes, v.Notes) {
		t.Errorf("%+v", back)
	}
	if lists[0].Fill(nil, &back); len(back.Parts) != 3 {
		t.Error("no rows empty the list")
	}
	if _, err := rowschema.ElementsOf(reflect.TypeFor[struct {
		A string `json:"a" table:"rows=a"`
	}]()); err == nil {
		t.Error("a text is a table")
	}
	columns, err := rowschema.Of(reflect.TypeFor[ruled]())
	if err != nil {
		t.Fatal(err)
	}
	paths := ""
	for _, path := range []string{"id", "tags", "parts.kind", "count", "parts", "tags.x", "none", "parts.none"} {
		paths += fmt.Sprint(rowschema.IsTextPath(columns, path), " ")
	}
	if paths != "true true true false false false false false " {
		t.Errorf("paths to texts: %s", paths)
	}
	two := sound()
	two.Tags = []string{"t", "", "u"}
	row := rowschema.Cells(columns, two)
	for path, want := range map[string]string{"tags": "[{t so} {u so}]", "parts.kind": "[{b so}]", "id": "[{x so}]", "none": "[]", "count": "[]"} {
		if got := fmt.Sprint(rowschema.TextsAt(columns, row, path, "said")); got != want {
			t.Errorf("texts at %s: %s, want %s", path, got, want)
		}
	}
	if got := fmt.Sprint(rowschema.TextsAt(columns, row, "parts.kind", "kind")); got != "[{b b}]" {
		t.Errorf("beside itself: %s", got)
	}
}
