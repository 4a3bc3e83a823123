package pairing

import (
	"cmp"
	"hash/fnv"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
)

// Pool gathers the answers that the videos of a collection hold, by event kind.
type Pool struct {
	values map[string]map[string]bool
}

// Add gathers one video's answers.
func (p *Pool) Add(v schemas.Video) {
	if p.values == nil {
		p.values = map[string]map[string]bool{}
	}
	for kind, values := range facts.Values(v.Events) {
		if p.values[kind] == nil {
			p.values[kind] = map[string]bool{}
		}
		for _, value := range values {
			p.values[kind][value] = true
		}
	}
}

// For returns, by kind, up to limit answers that no event of a or b mentions
// and no title or description of theirs names. Which ones is decided by a hash
// of the pair and the answer, so a growing collection changes few pools.
func (p *Pool) For(pair string, a, b schemas.Video, limit int) map[string][]string {
	out := map[string][]string{}
	for kind, values := range p.values {
		var free []string
		for v := range values {
			if !known(a, v) && !known(b, v) {
				free = append(free, v)
			}
		}
		slices.SortFunc(free, func(x, y string) int {
			return cmp.Or(cmp.Compare(rankOf(pair, x), rankOf(pair, y)), cmp.Compare(x, y))
		})
		if free = free[:min(limit, len(free))]; len(free) > 0 {
			slices.Sort(free)
			out[kind] = free
		}
	}
	return out
}

func known(v schemas.Video, value string) bool {
	return facts.Mentions(v.Events, value) || facts.Clash(v.Title, value) || covers(v.Description, value)
}

// covers reports whether text has every word of value.
func covers(text, value string) bool {
	words := facts.Words(text)
	for _, w := range facts.Words(value) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}

func rankOf(pair, value string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(pair + "\x00" + value))
	return h.Sum64()
}
