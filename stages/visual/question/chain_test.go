package question

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// TestChainClues: the last picture updates, what it overrides is superseded, and what
// already showed the same is no evidence.
func TestChainClues(t *testing.T) {
	for name, tc := range map[string]struct {
		values string // of one look after another; "-": the thing is missed
		want   string // the looks cited, the update in brackets
	}{
		"once":                   {"ab", "0[1]"},
		"seen again":             {"abb", "0[2]"},
		"seen again and again":   {"aabbb", "01[4]"},
		"back":                   {"aba", "01[2]"},
		"back, and seen again":   {"abaa", "01[3]"},
		"through something else": {"abcb", "012[3]"},
		"gone in between":        {"a-b", "0[2]"},
		"gone and there again":   {"ab-b", "0[3]"},
		"the last five":          {"aaaaaab", "2345[6]"},
		"five, seen again":       {"aaaaaabb", "2345[7]"},
		"never changed":          {"aa", ""},
		"gone and as before":     {"a-a", ""},
	} {
		var chain simulation.Observations
		for i, v := range tc.values {
			chain = append(chain, simulation.Observation{At: i, Value: strings.Trim(string(v), "-")})
		}
		clues, changed := chainClues("the sofa", chain)
		got := ""
		for i, c := range clues {
			at := string(rune('0' + c.Scene))
			if i == len(clues)-1 {
				at = "[" + at + "]"
			}
			if want := map[bool]string{true: schemas.RoleUpdate, false: schemas.RoleSuperseded}[i == len(clues)-1]; c.Role != want || c.Thing != "the sofa" {
				t.Errorf("%s: clue %d is %+v, want the role %s", name, i, c, want)
			}
			got += at
		}
		if changed != (tc.want != "") || changed && got != tc.want {
			t.Errorf("%s: %s gives %s (changed: %t), want %q", name, tc.values, got, changed, tc.want)
		}
	}
}

// cell is a name of a place on the grid, or of an axis.
var cell = regexp.MustCompile(`\b[XY][1-4]?\b|(?i)granularity|scene-level|region|instance|pixel|gist`)

// TestExplanations: an explanation names what decides and no place on the grid.
func TestExplanations(t *testing.T) {
	each := func(check func(Draft, simulate.Simulation)) (n int) {
		for _, s := range simulate.Scenarios() {
			l, err := s.Simulate(rand.New(rand.NewPCG(1, 9)), simulate.Size{Sessions: 6, Rounds: 24, Pictures: 18})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range WriteDrafts(rand.New(rand.NewPCG(1, 2)), l, Quota{PerCell: 40}) {
				check(d, l)
				n++
			}
		}
		return n
	}
	n := each(func(d Draft, l simulate.Simulation) {
		told := values(d, l)
		said := d.Explanation
		for _, v := range append(slices.Clone(told), shownIn(d)...) {
			if !strings.Contains(strings.ToLower(d.Explanation), strings.ToLower(v)) {
				t.Errorf("%q is explained by %q, which lacks %q", d.OpenQuestion, d.Explanation, v)
			}
			said = strings.ReplaceAll(said, v, "")
		}
		if m := cell.FindString(said); m != "" {
			t.Errorf("%q names the cell: %q", d.Explanation, m)
		}
		if Reasoning(d.Form) == schemas.ReasonEvolving {
			ends(t, d, told)
		}
	})
	if n < 1000 {
		t.Errorf("%d questions were looked at, want 1,000", n)
	}
}

// ends holds that the outdated pictures of a change do not end with the answer.
func ends(t *testing.T, d Draft, told []string) {
	t.Helper()
	k := len(told)
	if k < 2 || told[k-2] == told[k-1] || d.Form == Current && told[k-1] != d.Gold || d.Form == Before && told[k-2] != d.Gold {
		t.Errorf("%q rests on pictures that show %q one after another, and its answer is %q", d.OpenQuestion, told, d.Gold)
	}
}

// values are what the clues of a draft tell, one after another; of what is shown first
// only what is shown counts.
func values(d Draft, l simulate.Simulation) []string {
	if d.Form == First {
		return nil
	}
	var out []string
	for _, c := range d.Clues {
		th, _ := l.Scenes[c.Scene].Find(c.Thing)
		out = append(out, th.Look[d.Aspect])
	}
	return out
}

// shownIn are the things that a draft is about where names, and no values, decide.
func shownIn(d Draft) []string {
	if d.Form != First {
		return nil
	}
	return append(slices.Clone(d.Wrong), d.Gold)
}
