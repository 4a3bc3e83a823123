package web

import (
	"fmt"
	"strconv"
	"strings"
)

// number writes a number with commas: 1,000,000.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// plural joins a number and a noun: 1 turn, 2 turns.
func plural(n int64, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ie"
	}
	return fmt.Sprintf("%s %ss", number(n), noun)
}

// shortDigest is the beginning of a digest.
func shortDigest(digest string) string { return digest[:min(8, len(digest))] + "…" }
