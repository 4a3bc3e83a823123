package pairing

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
)

// Pool gathers the answers that the videos of a collection hold, by event kind.
type Pool struct {
	values map[string]map[string]bool
	rings  map[string][]answer
}

// answer is a value on the ring of its kind.
type answer struct {
	at    uint64
	text  string
	words set
}

// Add gathers one video's answers.
func (p *Pool) Add(v schemas.Video) {
	if p.values == nil {
		p.values = map[string]map[string]bool{}
	}
	p.rings = nil
	for kind, values := range facts.Values(v.Events) {
		if p.values[kind] == nil {
			p.values[kind] = map[string]bool{}
		}
		for _, value := range values {
			p.values[kind][value] = true
		}
	}
}

// settle lays out the rings.
func (p *Pool) settle() {
	p.rings = map[string][]answer{}
	for kind, values := range p.values {
		ring := make([]answer, 0, len(values))
		for v := range values {
			ring = append(ring, answer{mix(hashOf(v)), v, setOf(v)})
		}
		slices.SortFunc(ring, func(a, b answer) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.text, b.text)) })
		p.rings[kind] = ring
	}
}

// attempts is how many answers are looked at for each one wanted.
const attempts = 64

// For returns, by kind, up to limit answers that no event of a or b mentions
// and none of their titles, descriptions and summaries names. Each is the first
// such answer from a point of the ring of all answers that a hash of the pair
// decides, so a growing collection changes few pools, and the cost does not
// depend on its size.
func (p *Pool) For(pair string, a, b schemas.Video, limit int) map[string][]string {
	if p.rings == nil {
		p.settle()
	}
	out := map[string][]string{}
	told := [2]told{toldOf(a), toldOf(b)}
	for kind, ring := range p.rings {
		chosen := map[string]bool{}
		for n := range min(limit, len(ring)) {
			start, _ := slices.BinarySearchFunc(ring, mix(hashOf(pair)+uint64(n)), func(a answer, at uint64) int { return cmp.Compare(a.at, at) })
			for step := range min(attempts, len(ring)) {
				v := ring[(start+step)%len(ring)]
				if !chosen[v.text] && !told[0].knows(v.words) && !told[1].knows(v.words) {
					chosen[v.text] = true
					break
				}
			}
		}
		if len(chosen) > 0 {
			out[kind] = slices.Sorted(maps.Keys(chosen))
		}
	}
	return out
}

// told is what a video mentions.
type told struct {
	names []set // values of events, and the title
	words []set // of texts
}

func toldOf(v schemas.Video) told {
	t := told{names: []set{setOf(v.Title)}, words: []set{setOf(v.Description), setOf(v.Summary)}}
	for _, e := range v.Events {
		t.names = append(t.names, setOf(e.Subject), setOf(e.Object))
	}
	for _, s := range v.Sections {
		if d := s.Description; d != nil {
			t.words = append(t.words, setOf(d.MainStoryline), setOf(d.SpatialRelationBinding), setOf(d.ShortTermActionState),
				setOf(d.ToolProp), setOf(d.FineVisualAttribute), setOf(d.TextSymbol))
		}
	}
	return t
}

// knows reports whether a name clashes with the value or a text has all its
// words.
func (t told) knows(value set) bool {
	return slices.ContainsFunc(t.names, value.clash) || slices.ContainsFunc(t.words, value.within)
}
