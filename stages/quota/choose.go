package quota

import (
	"cmp"
	"maps"
	"slices"
)

// entry is what selection needs to know of a question.
type entry struct {
	rule   int    // index of the count it falls under, -1 for none
	group  string // those it is kept or dropped with; empty for alone
	values []string
}

// choose chooses questions so that no count is exceeded and groups stay whole. A
// group with a question that falls under no count is dropped, or with spare
// chosen by its other questions alone. Groups are tried in the order of rank,
// which must not depend on the other groups: then a question more or less
// changes the choice only near itself. It returns the chosen ids and how many
// questions each count could choose from.
func choose(entries map[string]entry, wanted []int, spare bool, rank func(group string) uint64) (kept map[string]bool, had []int) {
	members := map[string][]string{}
	had = make([]int, len(wanted))
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		e := entries[id]
		name := "one " + id
		if e.group != "" {
			name = "group " + e.group
		}
		members[name] = append(members[name], id)
		if e.rule >= 0 {
			had[e.rule]++
		}
	}
	room := slices.Clone(wanted)
	kept = map[string]bool{}
	for _, name := range sortByRank(members, rank) {
		need := map[int]int{}
		for _, id := range members[name] {
			need[entries[id].rule]++
		}
		if spare {
			delete(need, -1)
		}
		if !roomSuffices(room, need) {
			continue
		}
		for rule, n := range need {
			room[rule] -= n
		}
		for _, id := range members[name] {
			kept[id] = true
		}
	}
	return kept, had
}

func roomSuffices(room []int, need map[int]int) bool {
	for rule, n := range need {
		if rule < 0 || room[rule] < n {
			return false
		}
	}
	return true
}

// sortByRank sorts names by their rank, and equal ranks by name.
func sortByRank(members map[string][]string, rank func(string) uint64) []string {
	ranks := map[string]uint64{}
	for name := range members {
		ranks[name] = rank(name)
	}
	return slices.SortedFunc(maps.Keys(members), func(a, b string) int {
		return cmp.Or(cmp.Compare(ranks[a], ranks[b]), cmp.Compare(a, b))
	})
}
