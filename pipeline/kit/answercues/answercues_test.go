package answercues_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/answercues"
)

// TestHints: what the form of an option gives away is found, and the same words in
// another sense are not.
func TestHints(t *testing.T) {
	text := func(find func(string) string) func(string) bool {
		return func(s string) bool { return find(s) != "" }
	}
	for name, tc := range map[string]struct {
		find     func(string) bool
		yes, not []string
	}{
		"lettered":   {answercues.HasOwnLetter, []string{"A. the red cup", " (b) two", "c: a dog"}, []string{"a dog", "E. coli", "B12", "Dr. Adams"}},
		"sweeping":   {answercues.RefersToOptions, []string{"all of the above", "Neither of these", "none.", "Both"}, []string{"both hands", "none but the brave", "all of it"}},
		"letters":    {text(answercues.FindOptionLetter), []string{"option B is right", "as answer (C) says"}, []string{"option bee", "the answer a child gives", "vitamin C"}},
		"unanswered": {text(answercues.FindNoAnswer), []string{"unknown", "It cannot be seen", "not enough light", "hard to tell", "something else", "n/a"}, []string{"seen from above", "a well known tune", "no entry"}},
		"hedged":     {text(answercues.FindHedge), []string{"probably red", "It seems to rain", "could be two"}, []string{"the maybes of life", "seems", "red"}},
		"broken":     {answercues.HasControl, []string{"two\nlines", "a\x00b"}, []string{"one line", "é – ü"}},
	} {
		for _, s := range tc.yes {
			if !tc.find(s) {
				t.Errorf("%s: %q is not found", name, s)
			}
		}
		for _, s := range tc.not {
			if tc.find(s) {
				t.Errorf("%s: %q is found", name, s)
			}
		}
	}
}

// TestAlike: one text within another, or of the same words, is hardly another claim.
func TestAlike(t *testing.T) {
	for _, tc := range []struct {
		a, b  string
		alike bool
	}{
		{"grey and black", "black and grey", true},
		{"the red cup", "red cup", true},
		{"red cup", "The red cup.", true},
		{"red cup", "red cups", false},
		{"a red cup", "a cup, red", true},
		{"two", "twenty two", true},
		{"red", "blue", false},
		{"", "blue", false},
		{"", "", false},
	} {
		if got := answercues.Alike(tc.a, tc.b); got != tc.alike {
			t.Errorf("%q and %q are alike: %t", tc.a, tc.b, got)
		}
		if got := answercues.Alike(tc.b, tc.a); got != tc.alike {
			t.Errorf("%q and %q are alike: %t, and not the other way round", tc.b, tc.a, got)
		}
	}
}

// TestLengths: options of comparable length pass; one that stands out is told with the
// figures that an author needs.
func TestLengths(t *testing.T) {
	long := strings.Repeat("é", 80)
	for name, tc := range map[string]struct {
		right string
		wrong []string
		want  []string // what the reasons speak of
	}{
		"equal":           {"red", []string{"blue", "green", "pink"}, nil},
		"nothing to hold": {"red", nil, nil},
		"no answer":       {"", []string{"blue"}, nil},
		"right is longer": {strings.Repeat("a", 40), []string{strings.Repeat("b", 20), strings.Repeat("c", 22)}, []string{"40 characters"}},
		"right is short":  {strings.Repeat("a", 10), []string{strings.Repeat("b", 30), strings.Repeat("c", 31)}, []string{"10 characters"}},
		"one is too long": {"a red cup", []string{"a blue cup", long}, []string{"9 to 80"}},
		"counts letters":  {long, []string{strings.Repeat("a", 80)}, nil},
	} {
		got := answercues.CheckLengths(tc.right, tc.wrong)
		if len(got) != len(tc.want) {
			t.Errorf("%s: %q, want %d reasons", name, got, len(tc.want))
			continue
		}
		for i, w := range tc.want {
			if !strings.Contains(got[i], w) {
				t.Errorf("%s: %q does not say %q", name, got[i], w)
			}
		}
	}
}
