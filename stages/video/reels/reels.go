// Package reels groups short clips that carry one label each into longer
// videos that show several labels one after the other, so that real clips can
// be paired and asked about like scripted films.
package reels

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Schema names the record of a planned reel.
const Schema = "reel"

// Plan is a reel that is planned and not yet rendered.
type Plan struct {
	Attribute string `json:"attribute"`
	// Same are the labels that all clips share: the reel has them as well.
	Same  []string        `json:"same,omitempty"`
	Clips []schemas.Video `json:"clips"`
}

// GroupClips deals clips into groups of size with distinct labels of the attribute,
// within one category and equal labels of same; each clip is in at most one
// group. It returns indexes into clips, and the clips left over. Dealing from
// the fullest labels first gives as many groups as there can be. Clips must come
// in a fixed order; rnd breaks ties.
func GroupClips(clips []schemas.Video, attribute string, same []string, size int, rnd *rand.Rand) (groups [][]int, left []int) {
	alike := map[string][]int{}
	for i, c := range clips {
		key := c.Category
		for _, name := range same {
			key += "\x00" + c.Labels[name]
		}
		alike[key] = append(alike[key], i)
	}
	for _, key := range slices.Sorted(maps.Keys(alike)) {
		g, l := dealGroups(clips, alike[key], attribute, size, rnd)
		groups, left = append(groups, g...), append(left, l...)
	}
	slices.Sort(left)
	return groups, left
}

// labelStack is the remaining clips of one label.
type labelStack struct {
	clips []int
	tie   uint64
}

func dealGroups(clips []schemas.Video, members []int, attribute string, size int, rnd *rand.Rand) (groups [][]int, left []int) {
	stacks := stackByLabel(clips, members, attribute, rnd)
	for {
		slices.SortFunc(stacks, func(a, b labelStack) int {
			return cmp.Or(cmp.Compare(len(b.clips), len(a.clips)), cmp.Compare(a.tie, b.tie))
		})
		if len(stacks) < size || len(stacks[size-1].clips) == 0 {
			break
		}
		group := make([]int, size)
		for i := range group {
			last := len(stacks[i].clips) - 1
			group[i], stacks[i].clips = stacks[i].clips[last], stacks[i].clips[:last]
			stacks[i].tie = rnd.Uint64()
		}
		rnd.Shuffle(size, func(i, j int) { group[i], group[j] = group[j], group[i] })
		groups = append(groups, group)
	}
	for _, s := range stacks {
		left = append(left, s.clips...)
	}
	return groups, left
}

func stackByLabel(clips []schemas.Video, members []int, attribute string, rnd *rand.Rand) []labelStack {
	byLabel := map[string][]int{}
	var labels []string
	for _, i := range members {
		label := clips[i].Labels[attribute]
		if _, known := byLabel[label]; !known {
			labels = append(labels, label)
		}
		byLabel[label] = append(byLabel[label], i)
	}
	slices.Sort(labels)
	stacks := make([]labelStack, 0, len(labels))
	for _, label := range labels {
		s := labelStack{clips: byLabel[label], tie: rnd.Uint64()}
		rnd.Shuffle(len(s.clips), func(i, j int) { s.clips[i], s.clips[j] = s.clips[j], s.clips[i] })
		stacks = append(stacks, s)
	}
	return stacks
}
