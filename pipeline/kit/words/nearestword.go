package words

import (
	"slices"
	"strings"
)

// NearestWord finds the known word with the least edit distance, the first in
// alphabetical order among equals. It reports false when even that one shares
// too little with the word to be what was meant.
func NearestWord(word string, known []string) (string, bool) {
	best, least := "", max(2, len(word)/3)+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		d := distance(strings.ToLower(word), strings.ToLower(k))
		if d < least && d < len(k) {
			best, least = k, d
		}
	}
	return best, best != ""
}

// distance is Levenshtein's, where exchanging two neighbours counts once.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(row[j-1]+1, last[j]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
