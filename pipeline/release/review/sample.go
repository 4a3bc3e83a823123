package review

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// CheckSample reports a draw that draws nothing.
func CheckSample(d pipeline.ReviewSample) error {
	if len(d.By) == 0 || !(d.Share > 0 && d.Share <= 1) || d.Least < 0 {
		return fmt.Errorf("draw a share of %g, at least %d, by %q: want a share above 0 up to 1, 0 or more, and something to draw by", d.Share, d.Least, d.By)
	}
	return nil
}

// Entry is a record as draws see it. Values are its columns that are text, whole numbers
// or truths, and its labels where no column is called so. What is 0, false or empty has
// none: such fields may be missing in a record.
type Entry struct {
	ID     string
	Values map[string]string
}

// EntryOf reads a record.
func EntryOf(rec pipeline.Record) (Entry, error) {
	var fields map[string]any
	if err := json.Unmarshal(rec.Data, &fields); err != nil {
		return Entry{}, fmt.Errorf("record %s %q: %w", rec.Schema, rec.ID, err)
	}
	e := Entry{rec.ID, map[string]string{}}
	for key, value := range fields {
		e.Set(key, value)
	}
	labels, _ := fields["labels"].(map[string]any)
	for key, value := range labels {
		if e.Values[key] == "" {
			e.Set(key, value)
		}
	}
	if rec.Schema == schemas.NameQuestion && e.Values["split"] == "" {
		e.Set("split", schemas.DefaultSplit)
	}
	return e, nil
}

// maxWhole bounds the whole numbers that every reader of JSON takes for the same.
const maxWhole = 1 << 53

// Set gives an entry a value, if it is one to draw by.
func (e Entry) Set(key string, value any) {
	var text string
	switch v := value.(type) {
	case string:
		text = v
	case bool:
		if v {
			text = "true"
		}
	case int32:
		text = whole(float64(v))
	case int64:
		text = whole(float64(v))
	case float64:
		text = whole(v)
	}
	if text != "" {
		e.Values[key] = text
	}
}

func whole(v float64) string {
	if v == 0 || v != math.Trunc(v) || math.Abs(v) > maxWhole {
		return ""
	}
	return strconv.FormatInt(int64(v), 10)
}

// Unit names what stands for the item in a draw: questions of one mirror group ask the
// same, so who reviews one reviews all. A question that was changed as an annotator
// proposed keeps the place of the one that it was.
func (e Entry) Unit() string {
	return cmp.Or(e.Values[schemas.LabelMirror], e.Values[schemas.LabelProposalOf], e.ID)
}

// shares names what the item has in common with others: its fact, which comes first, and its
// film or, without one, its task.
func (e Entry) shares() (out []string) {
	if fact := e.Values[schemas.LabelFact]; fact != "" {
		out = append(out, sharedFact+fact)
	}
	for _, key := range []string{schemas.LabelPair, "sequence", "task_id"} {
		if of := e.Values[key]; of != "" {
			return append(out, key+" "+of)
		}
	}
	return out
}

// sharedFact begins what shares has of a fact.
const sharedFact = "fact "

// Stratum holds the values of what is drawn by, in its order.
func (e Entry) Stratum(d pipeline.ReviewSample) []string {
	out := make([]string, len(d.By))
	for i, key := range d.By {
		out[i] = e.Values[key]
	}
	return out
}

// DrawnRow is the entry as one of those that a draw was taken from.
func (e Entry) DrawnRow(d pipeline.ReviewSample) schemas.Sampled {
	return schemas.Sampled{Item: e.ID, Sample: d.Name, Schema: d.Schema, Unit: e.Unit(), Shares: e.shares(), Stratum: e.Stratum(d), Keeper: d.Keeper}
}

// Population is what a draw is taken from.
type Population struct {
	pipeline.ReviewSample
	units map[string]*unit
}

// unit is an item, or several that ask the same. Its stratum and what it shares with other
// units are those of the first.
type unit struct {
	stratum string
	shares  []string
	items   []string
}

// repeats says how much of a unit is drawn already: 0 for nothing, 1 for an item of its film or
// task, 2 for its fact.
func (u *unit) repeats(drawn map[string]bool) (worst int) {
	for _, s := range u.shares {
		switch {
		case drawn[s] && strings.HasPrefix(s, sharedFact):
			return 2
		case drawn[s]:
			worst = 1
		}
	}
	return worst
}

// NewPopulation is one without items.
func NewPopulation(d pipeline.ReviewSample) *Population { return &Population{d, map[string]*unit{}} }

// Add puts an item in. Items come in the order of their ids.
func (p *Population) Add(r schemas.Sampled) {
	if p.units[r.Unit] == nil {
		p.units[r.Unit] = &unit{stratum: strings.Join(r.Stratum, "\x00"), shares: r.Shares}
	}
	p.units[r.Unit].items = append(p.units[r.Unit].items, r.Item)
}

// Drawn are the units that people are to decide about: of each stratum those with the least
// rank, where of a fact, and then of a film, one is drawn as long as there are others. So who
// reviews one item learns little of the next.
func (p *Population) Drawn() map[string]bool {
	rank := func(id string) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", p.Seed, id)
		return h.Sum64()
	}
	strata := map[string][]string{}
	for name, u := range p.units {
		strata[u.stratum] = append(strata[u.stratum], name)
	}
	drawn, shared := map[string]bool{}, map[string]bool{}
	for _, stratum := range slices.Sorted(maps.Keys(strata)) {
		ranked := slices.SortedFunc(slices.Values(strata[stratum]), func(a, b string) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
		})
		left := min(max(p.Least, int(math.Ceil(p.Share*float64(len(ranked))))), len(ranked))
		for most := 0; left > 0; most++ {
			for _, name := range ranked {
				u := p.units[name]
				if left == 0 || drawn[name] || u.repeats(shared) > most {
					continue
				}
				drawn[name] = true
				left--
				for _, s := range u.shares {
					shared[s] = true
				}
			}
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
		o.Majority = FindMajority(decisions, p.Annotators, p.Keeper)
		out = append(out, o)
	}
	return out
}

// settledBy reports whether as many as asked for decided about a unit, or the keeper did.
func (o Outcome) settledBy(annotators int) bool {
	return o.Keeper != "" || annotators > 0 && o.Of >= annotators
}

// unitDecisions returns the decisions about items that count as one; who decided about
// two copies counts once.
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
