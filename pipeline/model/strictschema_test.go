package model_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// TestAnswersHaveAStrictForm holds the answer schemas against what servers accept
// with strict: true.
func TestAnswersHaveAStrictForm(t *testing.T) {
	for _, name := range schemas.AnswerSchemaNames() {
		raw, err := schemas.AnswerSchema(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := model.CompileSchema(raw)
		if err != nil {
			t.Fatal(err)
		}
		strict, ok := s.Strict()
		if !ok {
			t.Errorf("%s has no strict form", name)
			continue
		}
		var v map[string]any
		if err := json.Unmarshal(strict, &v); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, strict)
		}
		wantStrict(t, name, v)
		if _, err := model.CompileSchema(strict); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// wantStrict checks one schema and those within it.
func wantStrict(t *testing.T, at string, s map[string]any) {
	t.Helper()
	for word := range s {
		if !slices.Contains([]string{"type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf"}, word) {
			t.Errorf("%s has %q", at, word)
		}
	}
	if properties, ok := s["properties"].(map[string]any); ok {
		if len(s["required"].([]any)) != len(properties) || s["additionalProperties"] != false {
			t.Errorf("%s: required %v, additionalProperties %v", at, s["required"], s["additionalProperties"])
		}
		for name, p := range properties {
			wantStrict(t, at+"/"+name, p.(map[string]any))
		}
	}
	if items, ok := s["items"].(map[string]any); ok {
		wantStrict(t, at+"/items", items)
	}
}

func TestStrictForms(t *testing.T) {
	object := func(properties, more string) string {
		return `{"type":"object","properties":{` + properties + `}` + more + `,"additionalProperties":false}`
	}
	for name, tc := range map[string]struct{ full, strict string }{
		"bounds are told, order stays": {
			object(`"b":{"type":"string","maxLength":9,"description":"a word"},"a":{"const":1}`, `,"required":["a","b"]`),
			object(`"b":{"type":"string","description":"a word (maxLength 9)"},"a":{"enum":[1]}`, `,"required":["b","a"]`),
		},
		"references are written out": {
			`{"$defs":{"w":{"type":"string","pattern":"^<"}},` + object(`"a":{"$ref":"#/$defs/w"},"l":{"type":"array","minItems":1,"items":{"anyOf":[{"$ref":"#/$defs/w"},{"type":"null"}]}}`, `,"required":["a","l"]`)[1:],
			object(`"a":{"type":"string","description":"(pattern \"^<\")"},"l":{"type":"array","description":"(minItems 1)","items":{"anyOf":[{"type":"string","description":"(pattern \"^<\")"},{"type":"null"}]}}`, `,"required":["a","l"]`),
		},
		"a property that may be absent": {object(`"a":{"type":"string"}`, ``), ""},
		"an open object":                {`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, ""},
		"a map":                         {object(`"a":{"type":"object"}`, `,"required":["a"]`), ""},
		"a list":                        {`{"type":"array","items":{"type":"string"}}`, ""},
		"a keyword that few know":       {object(`"a":{"oneOf":[{"type":"string"}]}`, `,"required":["a"]`), ""},
		"a schema that holds itself":    {`{"$defs":{"w":{"type":"array","items":{"$ref":"#/$defs/w"}}},` + object(`"a":{"$ref":"#/$defs/w"}`, `,"required":["a"]`)[1:], ""},
	} {
		s, err := model.CompileSchema([]byte(tc.full))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, ok := s.Strict(); string(got) != tc.strict || ok != (tc.strict != "") {
			t.Errorf("%s:\n got %s\nwant %s", name, got, tc.strict)
		}
	}
}

// Schemas have a strict form up to the bounds of nesting and number, and none beyond them.
func TestBoundsOfStrictForms(t *testing.T) {
	properties := func(n int, one string) string {
		var all, names []string
		for i := range n {
			names = append(names, fmt.Sprintf(`"p%d"`, i))
			all = append(all, names[i]+":"+one)
		}
		return `{"type":"object","properties":{` + strings.Join(all, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
	}
	nested := func(deep int) string {
		return properties(1, strings.Repeat(`{"type":"array","items":`, deep-1)+`{"type":"string"}`+strings.Repeat("}", deep-1))
	}
	for name, tc := range map[string]struct {
		schema string
		want   bool
	}{
		"nested 16 deep":       {nested(16), true},
		"nested 17 deep":       {nested(17), false},
		"2000 with the root":   {properties(1999, `{"type":"string"}`), true},
		"one more than 2000":   {properties(2000, `{"type":"string"}`), false},
		"a required list of 1": {properties(1, `{"type":"string"}`), true},
	} {
		s, err := model.CompileSchema([]byte(tc.schema))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, ok := s.Strict(); ok != tc.want {
			t.Errorf("%s: a strict form: %t, want %t", name, ok, tc.want)
		}
	}
}

func FuzzStrict(f *testing.F) {
	for _, name := range schemas.AnswerSchemaNames() {
		raw, err := schemas.AnswerSchema(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := model.CompileSchema(raw)
		if err != nil {
			return
		}
		if strict, ok := s.Strict(); ok && !json.Valid(strict) {
			t.Errorf("%s becomes %s", raw, strict)
		}
	})
}

// TestTrivialFormsOfChoicesAreTaken, and nothing else is.
func TestTrivialFormsOfChoicesAreTaken(t *testing.T) {
	s, err := model.CompileSchema([]byte(`{"type":"object","properties":{"why":{"type":"string","minLength":1},"answer":{"type":"string","enum":["A","B","unknown"]}},"required":["why","answer"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		"B": "B", "b": "B", "B.": "B", "(b)": "B", "Option B": "B", "the answer: B": "B", "UNKNOWN.": "unknown", "**A**": "A",
		"F": "", "AB": "", "": "", "B or A": "", "Bee": "",
	} {
		raw, err := json.Marshal(map[string]string{"why": "So.", "answer": given})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		accepted, err := s.Accept(raw)
		if (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v", given, accepted, err)
		}
		if want == "" {
			continue
		}
		if err := json.Unmarshal(accepted, &got); err != nil || got["answer"] != want || got["why"] != "So." {
			t.Errorf("%q became %s, %v", given, accepted, err)
		}
	}
	if out, err := s.Accept([]byte(`{"why":"","answer":"b"}`)); err == nil {
		t.Errorf("an answer with another fault is taken: %s", out)
	}
	if _, err := s.Accept([]byte(`[1]`)); err == nil {
		t.Error("a list is taken")
	}
}
