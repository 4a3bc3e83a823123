package author

import (
	"slices"

	"github.com/memforge/memforge/pipeline/words"
)

// wordsOf are the words of a text in lower case.
func wordsOf(s string) []string { return words.Rule{NoMarks: true, Digits: true}.Of(s) }

// holds reports whether the words of part stand in text one after the other.
// No words are in no text.
func holds(text, part string) bool {
	return part != "" && run(wordsOf(text), wordsOf(part))
}

func run(text, part []string) bool {
	for i := 0; len(part) > 0 && i+len(part) <= len(text); i++ {
		if slices.Equal(text[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// overlap reports whether one of two texts holds the other.
func overlap(a, b string) bool { return holds(a, b) || holds(b, a) }

// alike reports whether two texts overlap or have the same words in another
// order: "grey and black" is hardly another claim than "black and grey".
func alike(a, b string) bool {
	if overlap(a, b) {
		return true
	}
	x, y := slices.Sorted(slices.Values(wordsOf(a))), slices.Sorted(slices.Values(wordsOf(b)))
	return len(x) > 0 && slices.Equal(x, y)
}
