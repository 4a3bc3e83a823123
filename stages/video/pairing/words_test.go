package pairing

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

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
		if got := slices.Collect(Words(in)); !reflect.DeepEqual(got, want) {
			t.Errorf("Words(%q) = %q, want %q", in, got, want)
		}
	}
	for range Words("one two") {
		break // a consumer may stop
	}
	for range Words("猫が魚を") {
		break
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"", "A Red-hot kettle", "e\u0301té", "猫が魚を食べる", "red猫cat", "ไทย", "\xff\xfe", "ﾊﾞﾝ ﬃ Å", "\u0301a", "İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words := slices.Collect(Words(s))
		if len(words) > 20*utf8.RuneCountInString(s) {
			t.Fatalf("%d words of %d characters", len(words), utf8.RuneCountInString(s))
		}
		for _, w := range words {
			if w == "" || !utf8.ValidString(w) || strings.ContainsAny(w, " .,!?\n\t") {
				t.Fatalf("word %q of %q", w, s)
			}
		}
		if got := slices.Collect(Words(norm.NFD.String(s))); !slices.Equal(got, words) {
			t.Fatalf("decomposed %q gives %q, want %q", s, got, words)
		}
		if got := slices.Collect(Words(s + " \n" + s)); !slices.Equal(got, slices.Concat(words, words)) {
			t.Fatalf("twice %q gives %q", s, got)
		}
	})
}
