package question

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestTagsDiffer asks for tags of things some of whose names end as they begin: where two
// options would be one tag, nothing is asked.
func TestTagsDiffer(t *testing.T) {
	rule := simulate.TagFormat{Prefix: "KX", Order: "pln", Letters: "first three", Joiner: "-", Number: "the number"}
	asked := map[string]int{}
	for seed := range uint64(200) {
		b := &history{rnd: rand.New(rand.NewPCG(1, seed)), rules: []simulate.Event{{Op: simulate.OpTagRule, Value: rule.String(), Tag: &rule}}, things: []string{"the Entertainment diary", "the Falcon fund"}}
		for _, d := range b.ruleQuestions() {
			asked[d.Right[:6]]++
			if texts := slices.Compact(slices.Sorted(slices.Values(append(d.Wrong, d.Right)))); len(texts) != 4 {
				t.Errorf("the options are %q", texts)
			}
		}
	}
	if asked["KX-FAL"] != 200 || asked["KX-ENT"] < 100 || asked["KX-ENT"] == 200 {
		t.Errorf("of 200 times each is asked %v", asked)
	}
}
