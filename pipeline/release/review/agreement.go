package review

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/schemas"
)

// Agreement says how far the people agree who decided about the items of a draw.
type Agreement struct {
	Draw string
	// Items that anybody decided about, Annotators who did, sorted.
	Items      int
	Annotators []string
	agreement.Raters
}

// Agreements compares decisions draw by draw; where no two decided about the same item
// there are no pairs. Clusters are those of agreement.Clusters: an item that is in none
// is one by itself. Intervals are drawn from seed.
func Agreements(all []schemas.Review, clusters map[string]string, seed uint64) ([]Agreement, error) {
	clusters = maps.Clone(clusters)
	if clusters == nil {
		clusters = map[string]string{}
	}
	byDraw := map[string]map[string]map[string]string{}
	for _, r := range all {
		if clusters[r.Item] == "" {
			clusters[r.Item] = r.Item // it was dropped, or is no question
		}
		if byDraw[r.Sample] == nil {
			byDraw[r.Sample] = map[string]map[string]string{}
		}
		if byDraw[r.Sample][r.Item] == nil {
			byDraw[r.Sample][r.Item] = map[string]string{}
		}
		byDraw[r.Sample][r.Item][r.Annotator] = Verdict(r)
	}
	var out []Agreement
	for _, draw := range slices.Sorted(maps.Keys(byDraw)) {
		a, err := compareDecisions(draw, byDraw[draw], clusters, seed)
		if err != nil {
			return nil, fmt.Errorf("agreement about draw %s: %w", draw, err)
		}
		out = append(out, a)
	}
	return out, nil
}

// compareDecisions compares the decisions of one draw, by item and annotator.
func compareDecisions(draw string, decided map[string]map[string]string, clusters map[string]string, seed uint64) (Agreement, error) {
	var said []agreement.ItemLabels
	names := map[string]bool{}
	for _, item := range slices.Sorted(maps.Keys(decided)) {
		said = append(said, agreement.ItemLabels{Item: item, ByRater: decided[item]})
		for annotator := range decided[item] {
			names[annotator] = true
		}
	}
	raters, err := agreement.MeasureAgreement(said, clusters, seed, draw)
	return Agreement{Draw: draw, Items: len(said), Annotators: slices.Sorted(maps.Keys(names)), Raters: raters}, err
}
