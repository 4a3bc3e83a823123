package lifelong_test

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// sessionsStage is a text that tells facts or interference, by its words: pairs of words that
// stand beside each other are among them.
type sessionsStage struct {
	task       int
	text       string
	words      map[string]bool
	interferes bool
}

var (
	wordsIn = regexp.MustCompile(`[A-Za-z']+`)
	named   = regexp.MustCompile(`^[A-Z][a-z]+$`)
)

// wordsOf are the words and pairs of words of a text. What is told of whom is drawn, and is
// no word: neither things and aspects nor the names that values have.
func wordsOf(text string, p schemas.MemoryPoint, names map[string]bool) map[string]bool {
	text = strings.NewReplacer(p.Attributes["thing"], "_", p.Attributes["aspect"], "_").Replace(text)
	out, last := map[string]bool{}, ""
	for _, w := range wordsIn.FindAllString(text, -1) {
		if names[w] {
			last = ""
			continue
		}
		w = strings.ToLower(w)
		if out[w] = true; last != "" {
			out[last+" "+w] = true
		}
		last = w
	}
	return out
}

// tellings are the turns of users that tell something in words, and the statements of
// their points, of conversations.
func tellings(t *testing.T) (turns, statements []sessionsStage) {
	t.Helper()
	tasks := slices.Collect(maps.Values(made(t).sessions))
	for _, k := range manyTasks(t) {
		if simulate.Regime(k.life.World.Domain) == "" {
			tasks = append(tasks, k.all)
		}
	}
	names := map[string]bool{}
	for _, all := range tasks {
		for _, s := range all {
			for _, p := range s.Points {
				for _, w := range wordsIn.FindAllString(p.Attributes["value"]+" "+p.Attributes["who"], -1) {
					names[w] = names[w] || named.MatchString(w)
				}
			}
		}
	}
	for i, all := range tasks {
		for _, s := range all[1:] {
			said := map[string]string{}
			for _, turn := range s.Turns {
				said[turn.TurnID] = turn.Text
			}
			for _, p := range s.Points {
				if len(p.EvidenceMedia) > 0 || p.Type == "rule" {
					continue
				}
				one := sessionsStage{task: i, interferes: p.IsInterference}
				one.text = said[p.EvidenceTurns[0]]
				one.words = wordsOf(one.text, p, names)
				turns = append(turns, one)
				one.text, one.words = p.Content, wordsOf(p.Content, p, names)
				statements = append(statements, one)
			}
		}
	}
	return turns, statements
}

// shares counts in how many texts a word stands, and in how many of these that interfere.
func shares(of []sessionsStage) (in, interfering map[string]int) {
	in, interfering = map[string]int{}, map[string]int{}
	for _, o := range of {
		for w := range o.words {
			in[w]++
			if o.interferes {
				interfering[w]++
			}
		}
	}
	return in, interfering
}

// TestNoWordGivesInterferenceAway: no word of ten texts and more stands mostly in those that
// make nothing true, neither in what is said nor in what is to be remembered of it.
func TestNoWordGivesInterferenceAway(t *testing.T) {
	t.Parallel()
	turns, statements := tellings(t)
	for what, of := range map[string][]sessionsStage{"turns": turns, "statements": statements} {
		in, interfering := shares(of)
		n, worst := 0, map[string]int{}
		for w := range in {
			one := !strings.Contains(w, " ")
			if part := interfering[w] * 100 / in[w]; one && in[w] >= 10 {
				n++
				worst[w] = part
				if part > 60 {
					t.Errorf("of %d %s with %q %d make nothing true", in[w], what, w, interfering[w])
				}
			}
		}
		words := slices.SortedFunc(maps.Keys(worst), func(a, b string) int { return cmp.Or(worst[b]-worst[a], strings.Compare(a, b)) })
		t.Logf("%d words of %d %s; most telling %q, %v in a hundred", n, len(of), what, words[:5], worst[words[0]])
	}
}

// TestWordListsFindLittle learns from half of the lives which words, and which words beside
// each other, stand mostly at what makes nothing true, and drops what has them in the other
// half.
func TestWordListsFindLittle(t *testing.T) {
	t.Parallel()
	turns, statements := tellings(t)
	for what, of := range map[string][]sessionsStage{"turns": turns, "statements": statements} {
		half := [2][]sessionsStage{}
		for _, o := range of {
			half[o.task%2] = append(half[o.task%2], o)
		}
		in, interfering := shares(half[0])
		dropped, n := map[bool]int{}, map[bool]int{}
		for _, o := range half[1] {
			n[o.interferes]++
			for w := range o.words {
				if in[w] >= 3 && interfering[w]*4 >= in[w]*3 {
					dropped[o.interferes]++
					break
				}
			}
		}
		t.Logf("%s: a list drops %d of %d that make nothing true, and %d of %d others", what, dropped[true], n[true], dropped[false], n[false])
		if n[true] < 50 || dropped[true]*5 > n[true]*2 {
			t.Errorf("%s: a list drops %d of %d that make nothing true, and %d of %d others", what, dropped[true], n[true], dropped[false], n[false])
		}
	}
}
