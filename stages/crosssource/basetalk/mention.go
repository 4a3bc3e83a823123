package basetalk

import (
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// Topic is an attribute of something, of which nothing is told, or a term without one.
type Topic struct {
	Of        string `json:"of"`
	Attribute string `json:"attribute,omitempty"`
}

// Mention has a voice name things and firms in passing, and attributes of things, beside
// those that nothing is asked about.
func (v *Voice) Mention(names []string, topics []Topic) {
	for _, n := range names {
		things, firms := simulate.NamesIn(n)
		v.mentioned.Things, v.mentioned.Firms = append(v.mentioned.Things, things...), append(v.mentioned.Firms, firms...)
	}
	v.topics = topics
}

// asideOf is one in how many names that may be asked about is one that nothing is asked
// about.
const asideOf = 5

// attributeTopic is an attribute that may be asked about, in words.
func (v *Voice) attributeTopic(thing, firm string) string {
	t := pickOrOther(v, Topic{weights.Pick(v.rnd, []string{thing, firm}), weights.Pick(v.rnd, v.attributes)}, v.topics)
	if t.Attribute == "" {
		return []string{"the word " + t.Of, "the meaning of " + t.Of, "what " + t.Of + " means"}[v.rnd.IntN(3)]
	}
	return []string{"the " + t.Attribute + " of " + t.Of, "the " + t.Attribute + " for " + t.Of, t.Of + "'s " + t.Attribute}[v.rnd.IntN(3)]
}

// pickOrOther is one of some names or topics, or now and then another one.
func pickOrOther[T any](v *Voice, name T, others []T) T {
	if len(others) == 0 || v.rnd.IntN(asideOf) == 0 {
		return name
	}
	return weights.Pick(v.rnd, others)
}
