package textmatch_test

import (
	"math"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
)

func TestNormalisers(t *testing.T) {
	for _, c := range []struct{ in, memeye, wma string }{
		{"The  red, Sofa!", "red sofa", "red sofa"},
		{"a cat and a dog", "cat and dog", "cat dog"},
		{"plan A", "plan a", "plan"}, // at the end no word follows
		{"the", "the", ""},
		{"the a cat", "cat", "cat"},
		{"l’été – oui", "l’été – oui", "l’été – oui"}, // only ASCII punctuation goes
		{"another theme", "another theme", "another theme"},
		{"it is 3.5, not 1.2.3.", "it is 3.5 not 1.2.3", "it is 3.5 not 1.2.3"},
	} {
		if got := textmatch.MemEye(c.in); got != c.memeye {
			t.Errorf("MemEye(%q) = %q, want %q", c.in, got, c.memeye)
		}
		if got := textmatch.WorldMemArena(c.in); got != c.wma {
			t.Errorf("WorldMemArena(%q) = %q, want %q", c.in, got, c.wma)
		}
	}
}

// TestScores has each figure worked out by hand in the comment.
func TestScores(t *testing.T) {
	n := textmatch.Normaliser(textmatch.MemEye)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	near("same but for the article", n.Exact("The red sofa.", "red sofa"), 1)
	near("another word", n.Exact("red chair", "red sofa"), 0)
	near("contained", n.Contains("It was a red sofa, I think", "red sofa"), 1)
	near("an empty gold is contained nowhere", n.Contains("x", ""), 0)
	// Stems: walk, dog of the answer; dog, walk, fast of the gold: 2 of 2 and 2 of 3.
	near("F1", n.F1("walking dogs", "dog walked fast"), 2*(1.0*2/3)/(1+2.0/3))
	near("F1 of nothing common", n.F1("cat", "dog"), 0)
	near("F1 of two empty texts", n.F1("", " "), 0)
	// Words: red 1 of 3 counted twice at most once: red, sofa common = 2 of 3.
	near("BLEU-1", n.BLEU("red red sofa", "red sofa", 1), 2.0/3)
	// Shorter by half: precision 1, penalty e^(1-4/2).
	near("BLEU-1 of a short answer", n.BLEU("red sofa", "red sofa big window", 1), math.Exp(-1))
	// Two words of two: 1; one pair of one: 1.
	near("BLEU of the same", n.BLEU("red sofa", "red sofa", 2), 1)
	// Three and four words in a row count as 0.1 of 1.
	near("BLEU of the same, too short", n.BLEU("red sofa", "red sofa", 4), math.Sqrt(0.1))
	// Words 2 of 2, pairs 0 of 1 smoothed to 0.1.
	near("BLEU smoothed", n.BLEU("sofa red", "red sofa", 2), math.Sqrt(1*0.1))
	near("BLEU of nothing common", n.BLEU("cat", "dog", 4), 0)
}
