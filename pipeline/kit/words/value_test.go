package words_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
)

func TestValue(t *testing.T) {
	for _, same := range [][]string{
		{"3", "three", "Three.", "03"},
		{"23", "twenty-three", "Twenty three"},
		{"7 May 2023", "May 7, 2023", "7th of May 2023", "on 7 May 2023", "2023-05-07", "the 7th of May, 2023"},
		{"19 January", "January 19th", "19 Jan"},
		{"June 2023", "in June, 2023"},
		{"5 km", "five kilometres", "5km", "5 kilometers"},
		{"1,465 kcal", "1465 kcal"},
		{"12 %", "12%", "twelve per cent", "12 percent"},
		{"a week", "one week", "1 week"},
		{"the red boxes", "red box", "a red box."},
		{"berries", "a berry"},
		{"$20", "20 dollars"},
		{"Oslo", "oslo."},
	} {
		for _, text := range same[1:] {
			if a, b := words.Value(same[0]), words.Value(text); a != b {
				t.Errorf("%q is %q and %q is %q; they are one answer", same[0], a, text, b)
			}
		}
	}
	for _, other := range [][2]string{
		{"3", "13"}, {"7 May 2023", "7 June 2023"}, {"7 May 2023", "7 May 2022"}, {"5 km", "5 kg"}, {"-3", "3"}, {"6.9", "69"}, {"M-1407", "M-1470"}, {"bus", "bu"},
		{"two or three", "twenty-three"}, {"in case A", "in case B"}, {"11 / min", "12 / min"}, {"May", "Maya"},
	} {
		if words.Value(other[0]) == words.Value(other[1]) {
			t.Errorf("%q and %q are both %q", other[0], other[1], words.Value(other[0]))
		}
	}
}

func FuzzValue(f *testing.F) {
	f.Add("twenty-one kilometres on 7th of May, 2023")
	f.Add("-0.5 %")
	f.Fuzz(func(t *testing.T, text string) {
		if a, b := words.Value(text), words.Value(text+"."); a != b {
			t.Errorf("%q is %q, and with a full stop %q", text, a, b)
		}
	})
}
