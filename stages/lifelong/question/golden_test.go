package question_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestGoldenDrafts shows two drafts of each type, and pins what is drafted and chosen about
// worlds of each domain by digests.
func TestGoldenDrafts(t *testing.T) {
	shown := map[string]string{}
	count := map[string]int{}
	var digests strings.Builder
	for _, domain := range append(simulate.Domains(), simulate.Agentic()...) {
		for seed := range uint64(1) {
			w, err := simulate.Simulate(rand.New(rand.NewPCG(seed, 41)), domain, simulate.Size{Sessions: 20, Facts: 6, Pictures: 3, Interference: 2, Chatter: 1})
			if err != nil {
				t.Fatal(err)
			}
			chosen, err := question.Choose(rand.New(rand.NewPCG(seed, 43)), w, []int{4, 12, 20}, 2)
			if err != nil {
				t.Fatal(err)
			}
			for c, drafts := range chosen {
				for _, d := range drafts {
					if count[d.Type]++; count[d.Type] > 2 {
						continue
					}
					shown[d.Type] += fmt.Sprintf("# %s after part %d of %s: %s\n%s\n%s | %s\nupdates %d, spoken of in %d, outside %q, key %s\n", d.Type, c, domain, d.Fact, d.Text, d.Right, strings.Join(d.Wrong, " | "), d.Updates, d.Spoken, d.Outside, d.Key)
					for _, p := range d.Pieces {
						shown[d.Type] += fmt.Sprintf(" %s: %d.%d %s %s = %q\n", p.Role, p.Event.Session, p.Event.Round, p.Event.Op, p.Event.Key, p.Event.Value)
					}
				}
			}
			fmt.Fprintf(&digests, "%s, seed %d: %d, %d, %d chosen, %s\n", domain, seed, len(chosen[0]), len(chosen[1]), len(chosen[2]), golden.Digest(t, chosen))
			all := question.Drafts(rand.New(rand.NewPCG(seed, 47)), w, 15)
			for _, ty := range question.Types() {
				fmt.Fprintf(&digests, " %s %d", ty, len(all[ty]))
			}
			fmt.Fprintf(&digests, " %s\n", golden.Digest(t, all))
		}
	}
	var out strings.Builder
	for _, ty := range question.Types() {
		out.WriteString(shown[ty])
	}
	golden.Check(t, "drafts", out.String()+digests.String())
}

func TestDay(t *testing.T) {
	for date, want := range map[string]string{"2023-02-10": "10 February 2023", "2023-12-01": "1 December 2023", "soon": "soon"} {
		if got := question.Day(date); got != want {
			t.Errorf("%s is written %q, want %q", date, got, want)
		}
	}
}
