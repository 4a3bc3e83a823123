package review

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Population is what a draw is taken from.
type Population struct {
	pipeline.ReviewSample
	units map[string]*unit
}

// unit is an item, or several that ask the same. Its stratum is that of the first.
type unit struct {
	stratum string
	items   []string
}

// NewPopulation is one without items.
func NewPopulation(d pipeline.ReviewSample) *Population { return &Population{d, map[string]*unit{}} }

// Add puts an item in. Items come in the order of their ids.
func (p *Population) Add(r schemas.Sampled) {
	if p.units[r.Unit] == nil {
		p.units[r.Unit] = &unit{stratum: strings.Join(r.Stratum, "\x00")}
	}
	p.units[r.Unit].items = append(p.units[r.Unit].items, r.Item)
}

// Drawn are the units that people are to decide about.
func (p *Population) Drawn() map[string]bool {
	strata := map[string][]string{}
	for name, u := range p.units {
		strata[u.stratum] = append(strata[u.stratum], name)
	}
	drawn := map[string]bool{}
	for _, names := range strata {
		for _, name := range pickUnits(p.ReviewSample, names) {
			drawn[name] = true
		}
	}
	return drawn
}

// Outcome is what people decided about a unit.
type Outcome struct {
	Majority
	Items []string
	Drawn bool
	// Seen is the item that was looked at, where anybody did.
	Seen string
}

// WhyOpen says why a unit that was drawn is not decided; empty where it is, or was not
// drawn.
func (o Outcome) WhyOpen(annotators int) string {
	switch {
	case !o.Drawn || o.Decision != "":
		return ""
	case o.Of < annotators:
		return missing
	}
	return disputed
}

// Why a drawn unit is open.
const (
	missing  = "lacks decisions"
	disputed = "is disputed"
)

// Missing reports an outcome that takes more decisions.
func (o Outcome) Missing(annotators int) bool { return o.WhyOpen(annotators) == missing }

// Disputed reports one about which as many as asked for decided, and no majority.
func (o Outcome) Disputed(annotators int) bool { return o.WhyOpen(annotators) == disputed }

// Outcomes are those of all units, in the order of their names. said has the decisions
// of the draw by item.
func (p *Population) Outcomes(said map[string][]schemas.Review) []Outcome {
	drawn := p.Drawn()
	var out []Outcome
	for _, name := range slices.Sorted(maps.Keys(p.units)) {
		o := Outcome{Items: p.units[name].items, Drawn: drawn[name]}
		decisions := unitDecisions(o.Items, said)
		if len(decisions) > 0 {
			o.Seen = decisions[0].Item
		}
		o.Majority = FindMajority(decisions, p.Annotators)
		out = append(out, o)
	}
	return out
}

// unitDecisions are the decisions about items that count as one: who sees two copies counts
// once.
func unitDecisions(items []string, said map[string][]schemas.Review) (out []schemas.Review) {
	for _, id := range items {
		for _, r := range said[id] {
			if !slices.ContainsFunc(out, func(o schemas.Review) bool { return o.Annotator == r.Annotator }) {
				out = append(out, r)
			}
		}
	}
	return out
}
