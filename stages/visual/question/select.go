package question

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/stages/visual/scene"
)

// selectDrafts returns drafts of each cell and form, as many as a quota allows, with their
// words. Aspects take turns, and no fact is asked for twice.
func (a *draftWriter) selectDrafts(quota Quota) []Draft {
	drafts := a.drafts
	a.rnd.Shuffle(len(drafts), func(i, j int) { drafts[i], drafts[j] = drafts[j], drafts[i] })
	golds := map[string]map[string]bool{}
	for _, d := range drafts {
		if golds[d.row] == nil {
			golds[d.row] = map[string]bool{}
		}
		golds[d.row][d.Gold] = true
	}
	order := make([]int, len(drafts))
	for i := range order {
		order[i] = i
	}
	takeTurns(order, func(i int) string { return drafts[i].row + "/" + drafts[i].Gold })
	takeTurns(order, func(i int) string { return drafts[i].Form + drafts[i].Aspect })
	taken, facts := map[string]int{}, map[string]bool{}
	named, hinted := deck{rnd: a.rnd}, map[string]*deck{Current: {rnd: a.rnd}, Before: {rnd: a.rnd}}
	var out []Draft
	for _, i := range order {
		d := drafts[i]
		cell := scene.Granularity(d.Aspect) + d.Form
		if d.row != "" && len(golds[d.row]) < OptionCount {
			continue // a number of the row is never right
		}
		if taken[cell] >= quota.of(d.Form) || facts[d.Fact] || !named.takes(d.named) || d.hint != nil && !hinted[d.Form].takes(d.hint) {
			continue
		}
		taken[cell]++
		facts[d.Fact] = true
		for _, s := range d.asks {
			a.asked[s] = true
		}
		out = append(out, d)
	}
	worded := out[:0]
	for _, d := range out {
		if a.word(a.rnd, &d) {
			worded = append(worded, d)
		}
	}
	return worded
}

// takeTurns orders indexes so that the first of each kind precede the second of each.
func takeTurns(order []int, kind func(int) string) {
	turn, rank := map[string]int{}, make([]int, len(order))
	for _, i := range order {
		rank[i] = turn[kind(i)]
		turn[kind(i)]++
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(rank[i], rank[j]) })
}

// deck deals, one time in as many as a question has options, that an answer is what a rule
// would guess, so that the rule is right as often as chance.
type deck struct {
	rnd   *rand.Rand
	dealt []bool
}

// takes reports whether a draft is the one that comes next. A draft that no rule guesses,
// with nil, always is.
func (k *deck) takes(guessed *bool) bool {
	if guessed == nil {
		return true
	}
	if len(k.dealt) == 0 {
		k.dealt = make([]bool, OptionCount)
		k.dealt[k.rnd.IntN(OptionCount)] = true
	}
	if k.dealt[0] != *guessed {
		return false
	}
	k.dealt = k.dealt[1:]
	return true
}
