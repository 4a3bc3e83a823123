package words_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memforge/memforge/pipeline/kit/words"
)

var full = words.Rule{Compatible: true, Pairs: true}

func TestWords(t *testing.T) {
	tests := map[string][]string{
		"":                        nil,
		" .,!?\n":                 nil,
		"A Red-hot Kettle, 2nd":   {"a", "red", "hot", "kettle", "2nd"},
		"Été e\u0301te\u0301":     {"été", "été"},
		"Ｆｕｌｌ width ①":            {"full", "width", "1"},
		"猫":                       {"猫"},
		"猫が魚":                     {"猫が", "が魚"},
		"red猫cat":                 {"red", "猫", "cat"},
		"コーヒーを飲む":                 {"コー", "ーヒ", "ヒー", "ーを", "を飲", "飲む"},
		"ﾊﾝ":                      {"ハン"},
		"ไทย":                     {"ไท", "ทย"},
		"СТОЛ и стул":             {"стол", "и", "стул"},
		"מים مطبخ":                {"מים", "مطبخ"},
		"한국 요리":                   {"한국", "요리"},
		"a\xffb":                  {"a", "b"},
		"👩‍🍳 cooks":               {"cooks"},
		"İstanbul":                {"istanbul"},
		"don't":                   {"don", "t"},
		"x²":                      {"x2"},
		"\u0301":                  {"\u0301"},
		strings.Repeat("z", 1000): {strings.Repeat("z", 1000)},
	}
	for in, want := range tests {
		if got := full.Words(in); !reflect.DeepEqual(got, want) {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
	for range full.Each("one two") {
		break // a consumer may stop
	}
	for range full.Each("猫が魚を") {
		break
	}
}

// What a rule takes for a word stands in verdicts and in what is asked for.
func TestRules(t *testing.T) {
	const text = "The Cat's e\u0301 half-full ½ R&D, Ⅷ ٣ \xff x²"
	for want, r := range map[string]words.Rule{
		"the|cat|s|e\u0301|half|full|½|r|d|ⅷ|٣|x²": {},
		"the|cat|s|e|half|full|½|r|d|ⅷ|٣|x²":       {NoMarks: true},
		"the|cat|s|e|half|full|r|d|٣|x":            {NoMarks: true, Digits: true},
		"the|cat's|e|half-full|r&d|٣|x":            {NoMarks: true, Digits: true, Signs: "-'&/"},
		"the|cat|s|é|half|full|1|2|r|d|viii|٣|x2":  {Compatible: true},
	} {
		if got := strings.Join(r.Words(text), "|"); got != want {
			t.Errorf("%+v: %s, want %s", r, got, want)
		}
	}
	if got := words.Folded(text); got != strings.Join(words.Words(text), " ") {
		t.Errorf("folded %q", got)
	}
	if got := words.WordSet("b a, B!"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("set %q", got)
	}
	if !words.SameWords("A cat.", "a  CAT") || words.SameWords("a cat", "cat a") || words.Within([]string{"b", "c"}, []string{"b"}) || !words.Within(nil, nil) {
		t.Error("texts compare wrongly")
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "A Red-hot kettle", "e\u0301té", "猫が魚を食べる", "red猫cat", "ไทย", "\xff\xfe", "ﾊﾞﾝ ﬃ Å", "\u0301a", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		list := full.Words(s)
		if len(list) > 20*utf8.RuneCountInString(s) {
			t.Fatalf("%d words of %d characters", len(list), utf8.RuneCountInString(s))
		}
		for _, w := range list {
			if w == "" || !utf8.ValidString(w) || strings.ContainsAny(w, " .,!?\n\t") {
				t.Fatalf("word %q of %q", w, s)
			}
		}
		if got := full.Words(norm.NFD.String(s)); !slices.Equal(got, list) {
			t.Fatalf("decomposed %q gives %q, want %q", s, got, list)
		}
		if got := full.Words(s + " \n" + s); !slices.Equal(got, slices.Concat(list, list)) {
			t.Fatalf("twice %q gives %q", s, got)
		}
	})
}
