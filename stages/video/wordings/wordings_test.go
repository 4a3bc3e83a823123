package wordings

import (
	"slices"
	"strings"
	"testing"
)

// TestEachFormHasManySentences wants eight sentences of every form, none twice, and the
// same blanks in all of them, so that the words tell nothing of what is asked.
func TestEachFormHasManySentences(t *testing.T) {
	for form, blanks := range map[string][]string{
		Ask: {"{video}", "{ask}"}, Gap: {"{video}", "{clause}"}, Space: {"{clause}"}, Time: {"{clause}"}, Which: {"{clause}|{whether}"}, Trial: {"{k}", "{attribute}", "{back}"},
	} {
		list := Sentences(form)
		if len(list) < 8 || len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
			t.Errorf("%s has %d sentences: %q", form, len(list), list)
		}
		for _, s := range list {
			for _, b := range blanks {
				if !slices.ContainsFunc(strings.Split(b, "|"), func(b string) bool { return strings.Contains(strings.ToLower(s), b) }) {
					t.Errorf("%s: %q has no %s", form, s, b)
				}
			}
		}
	}
}
