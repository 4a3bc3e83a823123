package structural

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// FactGroups are what questions ask for: facts, each with the rows that are copies of
// it. A fact counts once however often it is shown.
type FactGroups map[string][]int

// GroupByFact gathers some of the questions by fact.
func GroupByFact(qs []schemas.Question, group []int) FactGroups {
	out := FactGroups{}
	for _, i := range group {
		f := qs[i].Fact()
		out[f] = append(out[f], i)
	}
	return out
}

// Shares counts the facts by a property of their rows. A fact whose rows have
// several values counts for each of them in part; so each count is rounded down.
func (u FactGroups) Shares(of func(i int) string) map[string]int {
	sums := map[string]float64{}
	for _, rows := range u {
		own := map[string]float64{}
		for _, i := range rows {
			own[of(i)]++
		}
		for value, n := range own {
			sums[value] += n / float64(len(rows))
		}
	}
	out := map[string]int{}
	for value, sum := range sums {
		out[value] = int(math.Floor(sum + 1e-6))
	}
	return out
}

// ByID lists the facts in order of the first id of their questions.
func (u FactGroups) ByID(qs []schemas.Question) []string {
	first := map[string]string{}
	for fact, rows := range u {
		for _, i := range rows {
			if first[fact] == "" || qs[i].QuestionID < first[fact] {
				first[fact] = qs[i].QuestionID
			}
		}
	}
	return slices.SortedFunc(maps.Keys(u), func(a, b string) int { return cmp.Compare(first[a], first[b]) })
}
