package words_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
)

func TestShort(t *testing.T) {
	for _, tc := range []struct {
		text, characters, bytes string
	}{
		{"", "", ""}, {"abc", "abc", "abc"}, {"äöü", "äöü", "ä..."}, {"abcd", "abc...", "abc..."}, {"abü", "abü", "ab..."}, {"äöüß", "äöü...", "ä..."},
	} {
		if got := words.Shorten(tc.text, 3); got != tc.characters {
			t.Errorf("%q is %q, want %q", tc.text, got, tc.characters)
		}
		if got := words.ShortenBytes(tc.text, 3); got != tc.bytes {
			t.Errorf("%q in bytes is %q, want %q", tc.text, got, tc.bytes)
		}
	}
}
