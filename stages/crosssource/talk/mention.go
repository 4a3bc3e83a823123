package talk

import (
	"github.com/memforge/memforge/stages/crosssource/weights"
	"github.com/memforge/memforge/stages/crosssource/worlds"
)

// Mention has a voice name things and firms in passing, beside those that nothing is asked
// about.
func (v *Voice) Mention(names []string) {
	for _, n := range names {
		things, firms := worlds.Called(n)
		v.seen.Things, v.seen.Firms = append(v.seen.Things, things...), append(v.seen.Firms, firms...)
	}
}

// either is one name, or as often one of others.
func (v *Voice) either(name string, others []string) string {
	if len(others) == 0 || v.rnd.IntN(2) == 0 {
		return name
	}
	return weights.Pick(v.rnd, others)
}
