package question_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// TestGoldenDrafts shows a draft of each form and aspect, and pins all drafts about the
// lives of three seeds by their digests.
func TestGoldenDrafts(t *testing.T) {
	var digests strings.Builder
	shown := map[string]question.Draft{}
	for _, s := range simulate.Scenarios() {
		for seed := range uint64(3) {
			l, err := s.Simulate(rand.New(rand.NewPCG(seed, 13)), simulate.Size{Sessions: 8, Rounds: 36, Pictures: 24})
			if err != nil {
				t.Fatal(err)
			}
			drafts := question.WriteDrafts(rand.New(rand.NewPCG(seed, 3)), l, question.Quota{PerCell: 8})
			for _, d := range drafts {
				if kind := d.Form + " " + d.Aspect; shown[kind].Form == "" {
					shown[kind] = d
				}
			}
			fmt.Fprintf(&digests, "%s, seed %d: %d drafts, %s; %s\n", s.Name, seed, len(drafts), golden.Digest(t, drafts), question.PictureDates(l)[23])
		}
	}
	var out strings.Builder
	kinds := make([]string, 0, len(shown))
	for kind := range shown {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		d := shown[kind]
		fmt.Fprintf(&out, "# %s: %s, %s after %d updates, %s\n%s\n%s\n%s | %s (%s)\n%v\n%s\n", kind, d.Fact, d.Pattern, d.Updates, question.Reasoning(d.Form),
			d.OpenQuestion, d.ChoiceQuestion, d.Gold, strings.Join(d.Wrong, " | "), d.ErrorType, d.Clues, d.Explanation)
	}
	golden.Check(t, "drafts", out.String()+digests.String())
}
