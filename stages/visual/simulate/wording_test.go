package simulate_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// said counts what one side says in many lives: whole texts, and in how many of them
// each run of four words stands.
type said struct {
	texts        []string
	whole, turns map[string]int
	runs         int
}

func (s *said) add(text string) {
	s.texts = append(s.texts, text)
	s.whole[words.Folded(text)]++
	w, seen := words.Words(text), map[string]bool{}
	for i := 0; i+4 <= len(w); i++ {
		run := strings.Join(w[i:i+4], " ")
		s.runs++
		if !seen[run] {
			seen[run] = true
			s.turns[run]++
		}
	}
}

// TestRoundsVary: in each scenario few rounds are said in words that were said before,
// few are nearly the same, and no phrase stands in more than a few per cent of them.
// Measured over 5,088 rounds: 82 to 98 % of a side's turns in a scenario are distinct,
// 2 to 18 % near an earlier one, and the most frequent run of four words stands in 4 to
// 11 % of them, 4 to 9 % but for the shortest.
func TestRoundsVary(t *testing.T) {
	t.Parallel()
	for _, s := range simulate.Scenarios() {
		sides := [2]said{{whole: map[string]int{}, turns: map[string]int{}}, {whole: map[string]int{}, turns: map[string]int{}}}
		for seed := range uint64(6) {
			l, err := s.Simulate(rand.New(rand.NewPCG(seed, 11)), s.Size)
			if err != nil {
				t.Fatal(err)
			}
			for _, session := range l.Sessions {
				for _, r := range session.Rounds {
					sides[0].add(r.User)
					sides[1].add(r.Assistant)
				}
			}
		}
		for i, side := range sides {
			n, top, phrase := len(side.texts), 0, ""
			for run, times := range side.turns {
				if times > top || times == top && run < phrase {
					top, phrase = times, run
				}
			}
			alike := map[int]bool{}
			for _, p := range words.NearDuplicates(side.texts, nil) {
				alike[p.B] = true
			}
			t.Logf("%s, side %d: %d turns, %.2f distinct, distinct-4 %.2f, %.3f near another, %.3f with %q",
				s.Name, i, n, float64(len(side.whole))/float64(n), float64(len(side.turns))/float64(side.runs), float64(len(alike))/float64(n), float64(top)/float64(n), phrase)
			if len(side.whole)*100 < n*78 || len(alike)*100 > n*22 || top*100 > n*12 {
				t.Errorf("%s, side %d: of %d turns %d are distinct and %d near another, %d have %q", s.Name, i, n, len(side.whole), len(alike), top, phrase)
			}
		}
	}
}

var wrongArticle = regexp.MustCompile(`(?i)\b(?:a [aeiou]|an [bcdfgjklmnpqrstvwxyz])`)

// TestOccasions: each picture is told with an occasion of its own, at the end of its turn, and
// what is said has the right articles.
func TestOccasions(t *testing.T) {
	t.Parallel()
	for _, s := range simulate.Scenarios() {
		l, err := s.Simulate(rand.New(rand.NewPCG(3, 11)), s.Size)
		if err != nil {
			t.Fatal(err)
		}
		told := map[string]bool{}
		for _, session := range l.Sessions {
			for _, r := range session.Rounds {
				if m := wrongArticle.FindString(r.User + " " + r.Assistant); m != "" {
					t.Errorf("%s: %q says %q", s.Name, r.User, m)
				}
				if (r.Scene >= 0) != (r.Occasion != "") || told[r.Occasion] && r.Occasion != "" || !strings.HasSuffix(r.User, r.Occasion+".") && r.Occasion != "" {
					t.Errorf("%s: picture %d is told with %q in %q", s.Name, r.Scene, r.Occasion, r.User)
				}
				told[r.Occasion] = true
			}
		}
	}
}
