package audit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/review"
	"github.com/memforge/memforge/schemas"
)

// Agreement says how far those asked by a gate agree on the calls that were put
// to all of a pair.
type Agreement struct {
	// Gate, or the draw that people decided about.
	Gate string `json:"gate"`
	// Pairs in the order of the roles' names; with more than two roles, Alpha is
	// over all of them.
	Pairs []PairAgreement `json:"pairs"`
	// Partial says that the gate stopped as soon as its verdict was settled. Then
	// the answers decide which calls a pair has in common, and the figures are
	// no estimate of how far the two agree.
	Partial bool   `json:"partial"`
	Alpha   *Alpha `json:"alpha"`
	// Label is set for a gate that asks for labels: then labels are compared, also with
	// those that the items have, as the rater RaterItem. Disagree are the items that were
	// not given one label by all.
	Label    string   `json:"label,omitempty"`
	Disagree []string `json:"disagree,omitempty"`
}

// RaterItem stands for the label that an item has.
const RaterItem = "item"

// A stranger's release may give any labels: of maxLabel bytes at most and maxValues
// values, what is more counts as otherLabel.
const (
	maxLabel   = 64
	otherLabel = "(other)"
)

// PairAgreement is how far two agree, on marks or on answers.
type PairAgreement struct {
	A string `json:"a"`
	B string `json:"b"`
	// Calls that both have.
	Calls int `json:"calls"`
	// Observed is the share of equal labels, Kappa that beyond chance (Cohen);
	// the intervals are of 95 %, over clusters of questions about the same video
	// or pair. Kappa is null where both gave one and the same label throughout.
	Observed Interval  `json:"observed"`
	Kappa    *Interval `json:"kappa"`
	// Confusion[i][j] counts calls that A gave Labels[i] and B gave Labels[j].
	Labels    []string `json:"labels"`
	Confusion [][]int  `json:"confusion"`
}

// Interval is a figure with its bounds.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Alpha is Krippendorff's.
type Alpha struct {
	Interval
	Units int `json:"units"`
}

// call is what was asked once of everybody.
type call struct {
	item, view    string
	rotation, run int32
}

func callOf(p schemas.Probe) call { return call{p.Item, p.View, p.Rotation, p.Run} }

func (c call) compare(d call) int {
	return cmp.Or(cmp.Compare(c.item, d.item), cmp.Compare(c.view, d.view), cmp.Compare(c.rotation, d.rotation), cmp.Compare(c.run, d.run))
}

// labels puts the labels that were given, and those of the items, in the place of
// marks, for a gate that asks for labels.
func (t *court) labels(name string, marks map[call]map[string]string) (label string) {
	i := slices.IndexFunc(t.gates, func(g release.GateInfo) bool { return g.Name == name })
	if i < 0 {
		return ""
	}
	gate, err := t.reg.Gate(t.identity(t.gates[i]))
	labeller, ok := gate.(pipeline.Labeller)
	if err != nil || !ok {
		return ""
	}
	known := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(t.probes[name])) {
		for _, p := range t.probes[name][id] {
			of, value, ok := labeller.Label(t.Item(gate.Spec().Accepts, p.Item, name))
			if !ok || p.Answer == "" || marks[callOf(p)][p.Role] == "" {
				continue
			}
			label = of
			bounded := func(said string) string {
				if !known[said] && (len(known) >= maxValues || len(said) > maxLabel) {
					return otherLabel
				}
				known[said] = true
				return said
			}
			marks[callOf(p)][p.Role], marks[callOf(p)][RaterItem] = bounded(p.Answer), bounded(value)
		}
	}
	return label
}

// disagree lists the items that were not given one label by all.
func disagree(marks map[call]map[string]string) (out []string) {
	for c, m := range marks {
		if len(slices.Compact(slices.Sorted(maps.Values(m)))) > 1 {
			out = append(out, c.item)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// agreements compares the marks of the roles of each gate.
func (t *court) agreements(c release.Contents) ([]Agreement, error) {
	clusters := Clusters(c)
	byGate := map[string]map[call]map[string]string{}
	for _, p := range c.Probes {
		if byGate[p.Gate] == nil {
			byGate[p.Gate] = map[call]map[string]string{}
		}
		if byGate[p.Gate][callOf(p)] == nil {
			byGate[p.Gate][callOf(p)] = map[string]string{}
		}
		if slices.Contains([]string{schemas.MarkRight, schemas.MarkWrong, schemas.MarkFailed}, p.Mark) {
			byGate[p.Gate][callOf(p)][p.Role] = p.Mark
		}
	}
	out := []Agreement{}
	for _, gate := range slices.Sorted(maps.Keys(byGate)) {
		label := t.labels(gate, byGate[gate])
		a, err := agree(gate, byGate[gate], clusters, c.Manifest.Seed)
		if err != nil {
			return nil, fmt.Errorf("agreement of gate %s: %w", gate, err)
		}
		if a.Label = label; label != "" {
			a.Disagree = disagree(byGate[gate])
		}
		a.Partial = slices.ContainsFunc(c.Verdicts, func(v schemas.Verdict) bool { return v.Gate == gate && v.CallsMade < v.CallsFull })
		if len(a.Pairs) > 0 {
			out = append(out, a)
		}
	}
	return out, nil
}

// decided compares what people decided about the items of each draw.
func decided(c release.Contents) ([]Agreement, error) {
	clusters := maps.Clone(Clusters(c))
	byDraw := map[string]map[call]map[string]string{}
	for _, r := range c.Reviews {
		if clusters[r.Item] == "" {
			clusters[r.Item] = r.Item // it was dropped, or its unit is known by another
		}
		at := call{item: r.Item}
		if byDraw[r.Draw] == nil {
			byDraw[r.Draw] = map[call]map[string]string{}
		}
		if byDraw[r.Draw][at] == nil {
			byDraw[r.Draw][at] = map[string]string{}
		}
		byDraw[r.Draw][at][r.Annotator] = review.Verdict(r)
	}
	out := []Agreement{}
	for _, draw := range slices.Sorted(maps.Keys(byDraw)) {
		a, err := agree(draw, byDraw[draw], clusters, c.Manifest.Seed)
		if err != nil {
			return nil, fmt.Errorf("agreement about draw %s: %w", draw, err)
		}
		if len(a.Pairs) > 0 {
			out = append(out, a)
		}
	}
	return out, nil
}

func agree(gate string, marks map[call]map[string]string, clusters map[string]string, seed uint64) (Agreement, error) {
	calls := slices.SortedFunc(maps.Keys(marks), call.compare)
	names := map[string]bool{}
	for _, m := range marks {
		for role := range m {
			names[role] = true
		}
	}
	roles := slices.Sorted(maps.Keys(names))
	out := Agreement{Gate: gate}
	for i, a := range roles {
		for _, b := range roles[i+1:] {
			var pairs []Labelled
			for _, c := range calls {
				if x, y := marks[c][a], marks[c][b]; x != "" && y != "" {
					pairs = append(pairs, Labelled{Item: c.item, A: x, B: y})
				}
			}
			if len(pairs) == 0 {
				continue
			}
			p, err := Compare(a, b, pairs, clusters, seed, gate, a, b)
			if err != nil {
				return out, err
			}
			out.Pairs = append(out.Pairs, p)
		}
	}
	if len(roles) > 2 {
		out.Alpha = alphaOf(calls, roles, marks, clusters)
	}
	return out, nil
}

// Labelled is an item and what two said of it.
type Labelled = agreement.Pair

// Compare is kappa with its confusion matrix, and intervals over the clusters of
// items. They are drawn from seed and labels.
func Compare(a, b string, pairs []Labelled, clusters map[string]string, seed uint64, labels ...string) (PairAgreement, error) {
	k, err := agreement.Cohen(pairs)
	if err != nil {
		return PairAgreement{}, err
	}
	of := func(item string) string { return clusters[item] }
	observed, kappa, err := agreement.Bounds(pairs, of, chance(seed, labels...))
	if err != nil {
		return PairAgreement{}, err
	}
	out := PairAgreement{A: a, B: b, Calls: k.N, Observed: Interval(observed), Labels: k.Labels, Confusion: k.Confusion}
	if k.Defined {
		out.Kappa = &Interval{kappa.Value, kappa.Low, kappa.High}
	}
	return out, nil
}

// alphaOf is nil where there is nothing to agree on.
func alphaOf(calls []call, roles []string, marks map[call]map[string]string, clusters map[string]string) *Alpha {
	var ratings agreement.Ratings
	for _, c := range calls {
		labels := make([]string, len(roles))
		for i, r := range roles {
			labels[i] = marks[c][r]
		}
		ratings = append(ratings, labels)
	}
	a, err := agreement.Krippendorff(ratings, func(i int) string { return clusters[calls[i].item] })
	if err != nil {
		return nil
	}
	return &Alpha{Interval{a.Value, a.Low, a.High}, a.Units}
}

// Clusters maps questions to what they share with others: what is known of
// one answer tells something of the others.
func Clusters(c release.Contents) map[string]string {
	var all []schemas.Question
	for _, f := range c.Flagged {
		all = append(all, f.Question)
	}
	return agreement.Clusters(append(all, c.Questions...)) // of one id, the question of the release counts
}

// chance is the generator of one interval: one release, one interval.
func chance(seed uint64, labels ...string) *rand.Rand {
	h := fnv.New64a()
	for _, l := range labels {
		fmt.Fprintf(h, "%q", l)
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
