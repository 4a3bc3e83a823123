package lifelong_test

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// kindOf is what a question asks for, as one can tell who knows no fact: an attribute of
// the user, one that pictures show or one that words tell, and in which words.
func kindOf(k askedOf, q schemas.Question) string {
	of := fact(q)
	way := regexp.MustCompile(`(?i)\b(who is|what is|how many) the |\bhow many `).FindString(q.Question)
	way = strings.Fields(strings.ToLower(way))[0]
	if of[0] == k.all[0].Participants[0] {
		return "of the user, " + way
	}
	for _, s := range k.all {
		for _, p := range s.Points {
			if p.Attributes["aspect"] == of[1] && len(p.EvidenceMedia) > 0 {
				return "seen in pictures, " + way
			}
		}
	}
	return "told in words, " + way
}

// TestAbsenceIsRightByChance: for each kind of attribute and way to ask, each answer of
// absence is right in a quarter of the questions that offer it, give or take what luck
// gives, and where it is never right nobody offers it.
func TestAbsenceIsRightByChance(t *testing.T) {
	t.Parallel()
	two := regexp.MustCompile(`^[A-Z]\w+ [A-Z]\w+ and [A-Z]\w+ [A-Z]\w+$`)
	answers := map[string]func(string) bool{
		"not mentioned": func(s string) bool { return s == schemas.AnswerNone },
		"ended":         func(s string) bool { return strings.HasSuffix(s, " any more") },
		"two holders":   two.MatchString,
	}
	rates := map[string]*[2]int{}
	each(t, func(k askedOf, q schemas.Question, _ int) {
		for name, of := range answers {
			at := name + ", " + kindOf(k, q)
			if rates[at] == nil {
				rates[at] = &[2]int{}
			}
			optionsWithRoles(q, of, &rates[at][0], &rates[at][1])
		}
	}, "fr", "du", "mb", "vfr", "vu")
	for _, name := range slices.Sorted(maps.Keys(rates)) {
		right, all := rates[name][0], rates[name][1]
		t.Logf("%s: right in %d of %d", name, right, all)
		if share, room := float64(right)/max(1, float64(all)), 2*math.Sqrt(0.25*0.75/max(1, float64(all))); all > 0 && (right == 0 || math.Abs(share-0.25) > room) {
			t.Errorf("%s: right in %d of %d, want a quarter", name, right, all)
		}
	}
}
