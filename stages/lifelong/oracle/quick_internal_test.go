package oracle

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// TestQuickReadingReadsTheSame: sentences, ways to tell something and values are found as
// the expressions find them that say what they are.
func TestQuickReadingReadsTheSame(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	ends := regexp.MustCompile(`[.!?](?:\s+|$)`)
	var exprs []string
	for _, f := range valueForms {
		if expr := strings.TrimSuffix(strings.TrimPrefix(f.value.String(), "^(?:"), ")$"); len(f.aspects) == 0 && expr != aNumber {
			exprs = append(exprs, expr)
		}
	}
	whole := regexp.MustCompile(`\b(?:` + strings.Join(exprs, "|") + `)\b`)
	ways, found := slices.Concat(turnPatterns(), shownForm()), map[string]int{}
	for n := range testsize.Choose(5, 20) * len(ways) {
		text := textOf(rnd, ways[n%len(ways)], ways[rnd.IntN(len(ways))])
		if is, want := sentences(text), ends.Split(text, -1); !slices.Equal(is, want) {
			t.Fatalf("sentences of %q: %q, want %q", text, is, want)
		}
		is, want := newValueFinder().find(text), whole.FindAllString(text, -1)
		if !slices.Equal(is, want) {
			t.Fatalf("values in %q: %q, want %q", text, is, want)
		}
		found["values"] += len(want)
		for _, s := range sentences(text) {
			for _, p := range ways {
				if p.form.MatchString(s) {
					found[p.form.String()]++
					if !p.mayMatch(s) {
						t.Errorf("%q is told as %s, of which %q are parts", s, p.form, p.fixed)
					}
				}
			}
		}
	}
	if found["values"] < 300 || len(found) < len(ways) {
		t.Errorf("%d values and %d of %d ways were tried", found["values"], len(found)-1, len(ways))
	}
}

// slots are the parts of ways to tell something that may be told in several words.
var slots = map[string]*regexp.Regexp{
	"room": regexp.MustCompile(`\(\?P<[AB]>[^)]*\)`), "the Blue lamp": regexp.MustCompile(`\(\?P<T>[^)]*\)`), "Nuno Holm": regexp.MustCompile(`\(\?P<P>[^)]*\)`),
}

var (
	valueSlot = regexp.MustCompile(`\(\?P<[VWO]>[^)]*\)`)
	choice    = regexp.MustCompile(`\(\?:[^()]*\)\??`)
)

// textOf strings sentences together, told in some ways or nearly so.
func textOf(rnd *rand.Rand, ways ...pattern) string {
	of := func(all ...string) string { return all[rnd.IntN(len(all))] }
	value := func(string) string {
		return of("Ada Brandt", "Graz", "the Ash Room", "12 May", "2,900 euros", "AB-1234", "0A1F-123", "north bay 3", "B-12x", "B-12", "Ada  Brandt", "Zoe Yarrow Hall", "pale teal", "xpale teal", "1400 px", "0 degrees", "äB-12", "Middle-aged", "7 percent.")
	}
	var out strings.Builder
	for _, w := range ways {
		way := valueSlot.ReplaceAllStringFunc(w.form.String(), value)
		for said, slot := range slots {
			way = slot.ReplaceAllString(way, said)
		}
		for choice.MatchString(way) {
			way = choice.ReplaceAllStringFunc(way, func(s string) string {
				body, maybe := strings.CutSuffix(s, "?")
				if maybe && rnd.IntN(2) == 0 {
					return ""
				}
				return of(strings.Split(body[len("(?:"):len(body)-1], "|")...)
			})
		}
		out.WriteString(strings.Trim(way, "^$") + of("", "", "", " "+value(""), ", "+value("")) + of(". ", "! ", "?\n", ".", " ", "..  "))
	}
	return out.String()
}
