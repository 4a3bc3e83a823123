package words_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
)

func TestNearest(t *testing.T) {
	for _, tc := range []struct {
		word  string
		known []string
		want  string
	}{
		{"form", []string{"use", "from", "with"}, "from"},
		{"From", []string{"use", "from"}, "from"},
		{"ueslessness", []string{"use", "from"}, ""},
		{"ab", []string{"xy"}, ""},
		{"cout", []string{"court", "count"}, "count"},
		{"", []string{"use"}, ""},
	} {
		if got, ok := words.NearestWord(tc.word, tc.known); got != tc.want || ok != (tc.want != "") {
			t.Errorf("Nearest(%q, %v) = %q %v, want %q", tc.word, tc.known, got, ok, tc.want)
		}
	}
}
