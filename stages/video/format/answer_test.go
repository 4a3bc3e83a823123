package format

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseChoice(t *testing.T) {
	abcd := []string{"A", "B", "C", "D"}
	for _, tc := range []struct {
		text    string
		allowed []string
		want    string
		how     Reading
	}{
		// The last line of the form counts, wherever it stands.
		{"The final answer is A", abcd, "A", ReadFinal},
		{"Reasoning.\nThe final answer is B", abcd, "B", ReadFinal},
		{"The final answer is A\nNo wait.", abcd, "A", ReadFinal},
		{"The final answer is A\nThe final answer is C", abcd, "C", ReadFinal},
		{"The final answer is A\r\n\r\n  The final answer is D  \r\n", abcd, "D", ReadFinal},
		{"B\nThe final answer is A", abcd, "A", ReadFinal},
		// A line of its own.
		{"So the final answer is A", abcd, "", NoAnswer},
		{"Therefore: The final answer is A", abcd, "", NoAnswer},
		{"The final answer is A, I think", abcd, "", NoAnswer},
		{"The final answer is A because\nThe final answer is B", abcd, "B", ReadFinal},
		// Phrase and letter in this case only.
		{"the final answer is A", abcd, "", NoAnswer},
		{"The Final Answer is A", abcd, "", NoAnswer},
		{"The final answer is a", abcd, "", NoAnswer},
		{"The final answer is: A", abcd, "", NoAnswer},
		{"The final answer is  A", abcd, "", NoAnswer},
		{"The final answer is (A)", abcd, "", NoAnswer},
		{"**The final answer is A**", abcd, "", NoAnswer},
		{"The final answer is AB", abcd, "", NoAnswer},
		// One run of marks may follow.
		{"The final answer is A.", abcd, "A", ReadFinal},
		{"The final answer is A .!?", abcd, "A", ReadFinal},
		{"The final answer is A。！？", abcd, "A", ReadFinal},
		{"The final answer is A. !", abcd, "", NoAnswer},
		{"The final answer is A,", abcd, "", NoAnswer},
		{"\u00a0The final answer is A\u3000", abcd, "A", ReadFinal},
		{"The final answer\u00a0is A", abcd, "", NoAnswer},
		// The whole text may be one letter.
		{"A", abcd, "A", ReadBare},
		{" \n B\t", abcd, "B", ReadBare},
		{"a", abcd, "", NoAnswer},
		{"B.", abcd, "", NoAnswer},
		{"(B)", abcd, "", NoAnswer},
		{"**C**", abcd, "", NoAnswer},
		{"Answer: A", abcd, "", NoAnswer},
		{"A B", abcd, "", NoAnswer},
		{"", abcd, "", NoAnswer},
		{"Ａ", abcd, "", NoAnswer},
		// Only letters of options; an earlier line does not help.
		{"E", abcd, "", NotAnOption},
		{"The final answer is E", abcd, "", NotAnOption},
		{"The final answer is A\nThe final answer is E", abcd, "", NotAnOption},
		{"Z", nil, "Z", ReadBare},
	} {
		if got, how := ParseChoice(tc.text, tc.allowed); got != tc.want || how != tc.how {
			t.Errorf("%q is read as %q (%s), want %q (%s)", tc.text, got, how, tc.want, tc.how)
		}
	}
}

func TestParseYesNo(t *testing.T) {
	for _, tc := range []struct {
		text, want string
		how        Reading
	}{
		{"The final answer is Yes", "Yes", ReadFinal},
		{"Reasoning\nThe final answer is no", "No", ReadFinal},
		{"THE FINAL ANSWER IS YES!", "Yes", ReadFinal},
		{"the final answer is nO。", "No", ReadFinal},
		{"The final answer is Yes\nThe final answer is No.\nbye", "No", ReadFinal},
		{"no", "No", ReadBare},
		{" YES\n", "Yes", ReadBare},
		{"No, because it matches.", "", NoAnswer},
		{"Yes.", "", NoAnswer},
		{"The final answer is A", "", NoAnswer},
		{"A", "", NoAnswer},
		{"ye\u017f", "", NoAnswer},
		{"", "", NoAnswer},
	} {
		if got, how := ParseYesNo(tc.text); got != tc.want || how != tc.how {
			t.Errorf("%q is read as %q (%s), want %q (%s)", tc.text, got, how, tc.want, tc.how)
		}
	}
}

func TestLetters(t *testing.T) {
	for want, options := range map[string][]string{
		"A B":       {"A. x", "B) y"},
		"A C":       {" A.  x", "C.\ty", "A. again"},
		"A B C D E": {"(A) x", "y", "C.z"},
		"B":         {"a. x", "B. y"},
	} {
		if got := strings.Join(Letters(options), " "); got != want {
			t.Errorf("%q allow %q, want %q", options, got, want)
		}
	}
	if got := Letters(nil); len(got) != 5 {
		t.Errorf("no options allow %q", got)
	}
}

var anyLetter = regexp.MustCompile(`[A-Z]`)

// FuzzParse checks what holds for every text: the answer is an allowed letter
// that stands in the text, space around changes nothing, and a last line of
// the required form always wins.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"A", "The final answer is B.", "x\nThe final answer is Yes", "\x1cNo\x85", "The final answer is C\u2028", "The final answer is A。\n\n.!"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		letter, how := ParseChoice(s, []string{"A", "B"})
		if (letter == "A" || letter == "B") != (how == ReadFinal || how == ReadBare) || letter != "" && !strings.Contains(s, letter) {
			t.Fatalf("%q: %q, %s", s, letter, how)
		}
		if how == NotAnOption && !anyLetter.MatchString(s) {
			t.Fatalf("%q: %s", s, how)
		}
		if again, _ := ParseChoice(" \n"+s+"\t\u00a0", []string{"A", "B"}); again != letter {
			t.Fatalf("%q: %q, and with space around %q", s, letter, again)
		}
		word, how := ParseYesNo(s)
		if (word == "") != (how == NoAnswer) {
			t.Fatalf("%q: %q, %s", s, word, how)
		}
		if got, _ := ParseChoice(s+"\nThe final answer is B", nil); got != "B" {
			t.Fatalf("%q and a final line: %q", s, got)
		}
		if got, _ := ParseYesNo(s + "\nThe final answer is No"); got != "No" {
			t.Fatalf("%q and a final line: %q", s, got)
		}
	})
}
