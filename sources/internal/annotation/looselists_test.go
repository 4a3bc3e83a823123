package annotation

import (
	"errors"
	"slices"
	"testing"
)

func TestLoose(t *testing.T) {
	for text, want := range map[string][]string{
		`["46","27"]`:           {"46", "27"},
		`[46, 2.5]`:             {"46", "2.5"},
		`['Travel', "it's"]`:    {"Travel", "it's"},
		`['a \'b\' c', None]`:   {"a 'b' c", "None"},
		`[Norway, New Zealand]`: {"Norway", "New Zealand"},
		`[it's, so]`:            {"it's", "so"},
		`['a' b, c]`:            {"'a' b", "c"},
		` [ ] `:                 nil,
		`['a',]`:                {"a"},
	} {
		if got, ok := ParseLooseList(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %t; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "Norway", "[a", "a]", "see [1] below"} {
		if got, ok := ParseLooseList(text); ok {
			t.Errorf("%q is taken for the list %q", text, got)
		}
	}
	o := Object{"s": []byte(`"['a', 'b']"`), "l": []byte(`["a", 2]`), "t": []byte(`"a, b"`), "n": []byte("null")}
	for key, want := range map[string][]string{"s": {"a", "b"}, "l": {"a", "2"}, "t": {"a, b"}, "n": nil} {
		if got, _, err := o.LooseList(key); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", key, got, err, want)
		}
	}
}

func TestEither(t *testing.T) {
	o := Object{"a_1": []byte("1"), "a1": []byte("2"), "b1": []byte(`"x"`), "c_1": []byte("null")}
	if k, err := o.SpellingOf("b_1", "b1"); err != nil || k != "b1" {
		t.Errorf("%q, %v", k, err)
	}
	if k, err := o.SpellingOf("c_1", "c1"); err != nil || k != "c_1" {
		t.Errorf("%q, %v", k, err)
	}
	if _, err := o.SpellingOf("a_1", "a1"); !errors.Is(err, ErrSpellings) {
		t.Errorf("both spellings: %v", err)
	}
}

func TestChoice(t *testing.T) {
	names := []string{"A", "B", "Yes"}
	for raw, want := range map[string]string{`"b"`: "B", `2`: "Yes", `"0"`: "A", `null`: ""} {
		if got, err := (Object{"k": []byte(raw)}).Choice("k", names...); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{`3`, `-1`, `"Maybe"`, `1.5`, `[1]`} {
		if got, err := (Object{"k": []byte(raw)}).Choice("k", names...); err == nil {
			t.Errorf("%s is taken for %q", raw, got)
		}
	}
}

func FuzzLoose(f *testing.F) {
	f.Add(`['Travel', "it's", None]`)
	f.Add(`["a", 1]`)
	f.Fuzz(func(t *testing.T, s string) {
		if list, ok := ParseLooseList(s); !ok && list != nil {
			t.Fatalf("%q is no list and gives %q", s, list)
		}
	})
}
