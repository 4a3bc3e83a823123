package pairing

import (
	"cmp"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// Pool gathers the answers that the videos of a collection hold, by event kind,
// those of each category of videos by themselves as well.
type Pool struct {
	values map[bin]map[string]bool
	rings  map[bin][]answer
}

// bin is what answers are of: a kind of event in the videos of a category, or
// in all of them.
type bin struct{ kind, category string }

// answer is a value on the ring of its kind.
type answer struct {
	at    uint64
	text  string
	words wordSet
}

// Add gathers one video's answers.
func (p *Pool) Add(v schemas.Video) {
	if p.values == nil {
		p.values = map[bin]map[string]bool{}
	}
	p.rings = nil
	for kind, values := range groundtruth.Values(v.Events) {
		of := []bin{{kind: kind}}
		if v.Category != "" {
			of = append(of, bin{kind, v.Category})
		}
		for _, o := range of {
			if p.values[o] == nil {
				p.values[o] = map[string]bool{}
			}
			for _, value := range values {
				p.values[o][value] = true
			}
		}
	}
}

func (p *Pool) buildRings() {
	p.rings = map[bin][]answer{}
	for of, values := range p.values {
		ring := make([]answer, 0, len(values))
		for v := range values {
			ring = append(ring, answer{words.Mix(words.Hash(v)), v, newWordSet(v)})
		}
		slices.SortFunc(ring, func(a, b answer) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.text, b.text)) })
		p.rings[of] = ring
	}
}

// attempts is how many answers are looked at for each one wanted.
const attempts = 64

// minOfCategory is how many answers a category must give: with one, the same
// wrong option would stand beside every question.
const minOfCategory = 2

// Distractors returns, by kind, up to limit answers that no event of a or b mentions
// and none of their titles, descriptions and summaries names. They are of
// videos of the pair's category where these have some, since what cannot be in
// a place is ruled out without watching; else of any. Each is the first such
// answer from a point of the ring of all answers that a hash of the pair
// decides, so a growing collection changes few pools, and the cost does not
// depend on its size.
func (p *Pool) Distractors(pair string, a, b schemas.Video, limit int) map[string][]string {
	if p.rings == nil {
		p.buildRings()
	}
	out := map[string][]string{}
	of := [2]knownTexts{knownTextsOf(a), knownTextsOf(b)}
	for s, ring := range p.rings {
		if s.category != "" {
			continue
		}
		var chosen []string
		if a.Category == b.Category && a.Category != "" {
			chosen = takeAround(p.rings[bin{s.kind, a.Category}], pair, of, limit)
		}
		if len(chosen) < minOfCategory {
			chosen = takeAround(ring, pair, of, limit)
		}
		if len(chosen) > 0 {
			out[s.kind] = chosen
		}
	}
	return out
}

func takeAround(ring []answer, pair string, of [2]knownTexts, limit int) []string {
	chosen := map[string]bool{}
	for n := range min(limit, len(ring)) {
		start, _ := slices.BinarySearchFunc(ring, words.Mix(words.Hash(pair)+uint64(n)), func(a answer, at uint64) int { return cmp.Compare(a.at, at) })
		for step := range min(attempts, len(ring)) {
			v := ring[(start+step)%len(ring)]
			if !chosen[v.text] && !of[0].contains(v.words) && !of[1].contains(v.words) {
				chosen[v.text] = true
				break
			}
		}
	}
	return slices.Sorted(maps.Keys(chosen))
}

type knownTexts struct {
	names []wordSet // values of events, and the title
	words []wordSet // of texts
}

func knownTextsOf(v schemas.Video) knownTexts {
	t := knownTexts{names: []wordSet{newWordSet(v.Title)}, words: []wordSet{newWordSet(v.Description), newWordSet(v.Summary)}}
	for _, e := range v.Events {
		t.names = append(t.names, newWordSet(e.Subject), newWordSet(e.Object))
	}
	for _, s := range v.Sections {
		if d := s.Description; d != nil {
			for _, text := range groundtruth.DescriptionTexts(*d) {
				t.words = append(t.words, newWordSet(text))
			}
		}
	}
	return t
}

// contains reports whether a name clashes with the value or a text has all its
// words.
func (t knownTexts) contains(value wordSet) bool {
	return slices.ContainsFunc(t.names, value.clashes) || slices.ContainsFunc(t.words, value.isSubset)
}
