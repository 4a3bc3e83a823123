package release

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// unseen is the view that shows question and options alone. The built-in model has
// nothing to go by there, so it draws lots.
const unseen = "none"

func isLot(p schemas.Probe) bool { return p.View == unseen && p.Model == pipeline.BuiltInModel }

// byLot are the gates and items of which all probes are lots.
func byLot(c *content) map[[2]string]bool {
	return allLots(c, func(p schemas.Probe) [2]string { return [2]string{p.Gate, p.Item} })
}

// drawing are the gates, without the rounds that their names tell, of which all
// probes of released questions are lots.
func drawing(c *content) []string {
	lots := allLots(c, func(p schemas.Probe) string {
		gate, _ := pipeline.SplitRound(p.Gate)
		return gate
	})
	maps.DeleteFunc(lots, func(_ string, all bool) bool { return !all })
	return slices.Sorted(maps.Keys(lots))
}

// allLots says by key whether all probes are lots.
func allLots[K comparable](c *content, key func(schemas.Probe) K) map[K]bool {
	out := map[K]bool{}
	for _, p := range c.probes {
		k := key(p)
		before, known := out[k]
		out[k] = isLot(p) && (before || !known)
	}
	return out
}
