package audit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
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
	// the answers decide which calls a pair has in common: they have no kappa and
	// no alpha, which would estimate nothing.
	Partial bool   `json:"partial"`
	Alpha   *Alpha `json:"alpha"`
	// OneOpinion are models that played several of the roles: that these agree says no
	// more than that a model agrees with itself.
	OneOpinion []pipeline.SharedModel `json:"one_opinion,omitempty"`
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

// PairAgreement is how far two agree, on marks, answers or decisions.
type PairAgreement = agreement.PairAgreement

// Interval is a figure with its bounds.
type Interval = agreement.Interval

// Alpha is Krippendorff's.
type Alpha = agreement.AlphaAgreement

// call is a request that a gate put to every role.
type call struct {
	item, view    string
	rotation, run int32
}

func callOf(p schemas.Probe) call { return call{p.Item, p.View, p.Rotation, p.Sample} }

func (c call) compare(d call) int {
	return cmp.Or(cmp.Compare(c.item, d.item), cmp.Compare(c.view, d.view), cmp.Compare(c.rotation, d.rotation), cmp.Compare(c.run, d.run))
}

// replaceWithLabels puts the labels that were given, and those of the items, in the place of
// marks, for a gate that asks for labels.
func (t *recomputer) replaceWithLabels(name string, marks map[call]map[string]string) (label string) {
	i := slices.IndexFunc(t.gates, func(g manifest.GateInfo) bool { return g.Name == name })
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

func disagreements(marks map[call]map[string]string) (out []string) {
	for c, m := range marks {
		if len(slices.Compact(slices.Sorted(maps.Values(m)))) > 1 {
			out = append(out, c.item)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// agreements compares the marks of the roles of each gate, one gate after another: the
// calls of all together would take more than the probes themselves.
func (t *recomputer) agreements(c release.Contents) ([]Agreement, error) {
	clusters := Clusters(c)
	out := []Agreement{}
	for _, gate := range slices.Sorted(maps.Keys(t.probes)) {
		marks := t.marks(gate)
		label := t.replaceWithLabels(gate, marks)
		a, err := compareMarks(gate, marks, clusters, c.Manifest.Seed)
		if err != nil {
			return nil, fmt.Errorf("agreement of gate %s: %w", gate, err)
		}
		if a.Label = label; label != "" {
			a.Disagree = disagreements(marks)
		}
		for _, n := range c.Manifest.Models {
			if n.Step == gate {
				a.OneOpinion = n.Opinions()
			}
		}
		a.Partial = slices.ContainsFunc(t.verdicts[gate], func(v schemas.Verdict) bool { return v.CallsMade < v.CallsFull })
		for i := range a.Pairs {
			if a.Partial {
				a.Pairs[i].DropEstimates()
				a.Alpha = nil
			}
		}
		if len(a.Pairs) > 0 {
			out = append(out, a)
		}
	}
	return out, nil
}

// marks returns what each role said in the calls of a gate, where a mark was given.
func (t *recomputer) marks(gate string) map[call]map[string]string {
	out := map[call]map[string]string{}
	for _, probes := range t.probes[gate] {
		for _, p := range probes {
			if out[callOf(p)] == nil {
				out[callOf(p)] = map[string]string{}
			}
			if slices.Contains([]string{schemas.MarkRight, schemas.MarkWrong, schemas.MarkFailed}, p.Mark) {
				out[callOf(p)][p.Role] = p.Mark
			}
		}
	}
	return out
}

// reviewAgreements compares what people decided about the items of each sample.
func reviewAgreements(c release.Contents) ([]Agreement, error) {
	out := []Agreement{}
	if len(c.Reviews) == 0 {
		return out, nil
	}
	all, err := review.Agreements(c.SampledReviews(), Clusters(c), c.Manifest.Seed)
	for _, a := range all {
		if len(a.Pairs) > 0 {
			out = append(out, Agreement{Gate: a.Draw, Pairs: a.Pairs, Alpha: a.Alpha})
		}
	}
	return out, err
}

func compareMarks(gate string, marks map[call]map[string]string, clusters map[string]string, seed uint64) (Agreement, error) {
	var said []agreement.ItemLabels
	for _, c := range slices.SortedFunc(maps.Keys(marks), call.compare) {
		said = append(said, agreement.ItemLabels{Item: c.item, ByRater: marks[c]})
	}
	among, err := agreement.MeasureAgreement(said, clusters, seed, gate)
	return Agreement{Gate: gate, Pairs: among.Pairs, Alpha: among.Alpha}, err
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
