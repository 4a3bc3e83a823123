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
		Definition: {"{thing}", "{term}"}, Total: {"{attribute}", "{of}"}, Value: {"{ask}", "{attribute}", "{of}"}, Linked: {"{links}", "{ask}", "{end}"},
		Avoided: {"{who}", " entry of the programme "}, Preferred: {"{who}", " entry of the programme "}, Call: {"{verb}", "{sort} on the card"},
	} {
		list := Sentences(form)
		if len(list) < 8 || len(slices.Compact(slices.Sorted(slices.Values(list)))) != len(list) {
			t.Errorf("%s has %d sentences: %q", form, len(list), list)
		}
		for _, s := range list {
			for _, b := range blanks {
				if !strings.Contains(strings.ToLower(s), b) {
					t.Errorf("%s: %q has no %s", form, s, b)
				}
			}
		}
	}
}
