package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// recomputer has everything in a release that gates judged and said.
type recomputer struct {
	*Items
	reg      *pipeline.Registry
	gates    []release.GateInfo
	seed     uint64
	verdicts map[string][]schemas.Verdict // by gate, sorted by item
	probes   map[string]map[string][]schemas.Probe
	codes    map[[2]string]string // of rejections, by gate and item
	pictures *pictureStore
}

func newRecomputer(reg *pipeline.Registry, items *Items, c release.Contents) *recomputer {
	t := &recomputer{
		Items: items, reg: reg, gates: c.Manifest.Gates, seed: c.Manifest.Seed,
		verdicts: map[string][]schemas.Verdict{}, probes: map[string]map[string][]schemas.Probe{},
		codes: map[[2]string]string{}, pictures: newPictureStore(c),
	}
	for _, r := range c.Rejections {
		if !schemas.Excluded(r.Code) {
			t.codes[[2]string{r.Stage, r.ID}] = r.Code
		}
	}
	for _, v := range c.Verdicts {
		t.verdicts[v.Gate] = append(t.verdicts[v.Gate], v)
	}
	for _, vs := range t.verdicts {
		slices.SortFunc(vs, func(a, b schemas.Verdict) int { return strings.Compare(a.Item, b.Item) })
	}
	for start, i := 0, 1; i <= len(c.Probes); i++ {
		p := c.Probes[start]
		if i < len(c.Probes) && c.Probes[i].Item == p.Item && c.Probes[i].Gate == p.Gate {
			continue
		}
		if t.probes[p.Gate] == nil {
			t.probes[p.Gate] = map[string][]schemas.Probe{}
		}
		// A part of the list, which has them together: they are too many for a copy.
		run := c.Probes[start:i:i]
		if before := t.probes[p.Gate][p.Item]; before != nil {
			run = slices.Concat(before, run)
		}
		t.probes[p.Gate][p.Item], start = run, i
	}
	return t
}

// recomputeGate works out the verdicts of one gate.
func (t *recomputer) recomputeGate(ctx context.Context, info release.GateInfo) (Gate, error) {
	out := Gate{Name: info.Name, Use: info.Use, State: Same, Verdicts: len(t.verdicts[info.Name]), Differences: []string{}}
	for _, v := range t.verdicts[info.Name] {
		out.Outcomes.Add(v)
	}
	for _, ps := range t.probes[info.Name] {
		out.Probes += len(ps)
	}
	id := t.identity(info)
	gate, err := t.reg.Gate(id)
	if err != nil {
		out.State, out.Why = Errored, err.Error()
		return out, nil
	}
	if why := t.whyNotRecomputable(gate); why != "" {
		out.State, out.Why = NotRecomputable, why
		if calls := t.unaskedCalls(gate, info); len(calls) > 0 {
			out.State, out.Why, out.Wrong, out.Differences = Differs, "", len(calls), calls
		}
		return out, nil
	}
	f, err := t.compareVerdicts(ctx, id, gate, info)
	out.Unshown = f.unshown
	switch {
	case err != nil && fatal(ctx, err):
		return out, err
	case errors.Is(err, pipeline.ErrNoStore):
		out.State, out.Why = NotRecomputable, "it looks at files that a release does not hold"
	case err != nil:
		out.State, out.Why = Errored, err.Error()
	case len(f.findings) > 0:
		out.State, out.Wrong, out.Differences = Differs, f.wrong, f.findings
	}
	return out, nil
}

// identity is what a gate was built by.
func (t *recomputer) identity(info release.GateInfo) pipeline.Identity {
	return pipeline.Identity{
		Name: info.Name, Kind: pipeline.KindGate, Use: info.Use, Version: info.Version, Config: info.Config, OnFail: info.OnFail, Seed: t.seed,
	}
}

// whyNotRecomputable says why no table can give a gate's verdicts.
func (t *recomputer) whyNotRecomputable(g pipeline.Gate) string {
	s := g.Spec()
	if !t.holds(s.Accepts) || len(s.Tools) > 0 && !slices.Contains(s.Accepts, schemas.NameQuestion) {
		return fmt.Sprintf("it judges records of %s, and what it holds them against is in the builder's store", strings.Join(s.Accepts, ", "))
	}
	if _, ok := g.(pipeline.Recomputer); ok {
		return ""
	}
	if len(s.Tools) > 0 || s.Resource != "" && s.Resource != pipeline.CPU {
		return "it looks at files that a release does not hold"
	}
	if len(s.Asks) > 0 {
		return "it asks models and does not say how its verdict follows from the answers"
	}
	return ""
}

// unaskedCalls lists the verdicts of a gate that asks nobody and yet counts calls.
func (t *recomputer) unaskedCalls(g pipeline.Gate, info release.GateInfo) (f findings) {
	if len(g.Spec().Asks) > 0 {
		return nil
	}
	for _, v := range t.verdicts[info.Name] {
		if v.CallsFull != 0 || v.CallsMade != 0 {
			f.add("%s: it counts %d calls of %d, and the gate asks nobody", v.Item, v.CallsMade, v.CallsFull)
		}
	}
	return f
}

// comparison is what came of holding a gate's verdicts against what follows.
type comparison struct {
	findings
	wrong, unshown int // verdicts
}

// addVerdict notes what is wrong with one verdict.
func (f *comparison) addVerdict(item string, why ...string) {
	for _, w := range why {
		f.add("%s: %s", item, w)
	}
	if len(why) > 0 {
		f.wrong++
	}
}

// compareVerdicts finds the verdicts that do not follow.
func (t *recomputer) compareVerdicts(ctx context.Context, id pipeline.Identity, gate pipeline.Gate, info release.GateInfo) (f comparison, err error) {
	var kept []schemas.Verdict
	accepts := gate.Spec().Accepts
	recomputer, answers := gate.(pipeline.Recomputer)
	for _, v := range t.verdicts[id.Name] {
		switch item := t.Item(accepts, v.Item, id.Name); {
		case item != nil, answers && v.CallsMade > 0 && t.mayBeMissing(accepts, v.Item, id.Name):
			kept = append(kept, v)
		case t.mayBeMissing(accepts, v.Item, id.Name):
			f.unshown++
		default:
			f.addVerdict(v.Item, "it has a verdict and is in neither questions nor flagged")
		}
	}
	if answers {
		err = t.compareProbes(ctx, panelGate{recomputer, info}, kept, &f)
		return f, err
	}
	for some := range slices.Chunk(kept, batchSize(gate, len(kept))) {
		judgements, err := t.rejudge(ctx, id, gate, some)
		if err != nil {
			return f, err
		}
		for i, j := range judgements {
			f.addVerdict(some[i].Item, append(verdictDifferences(some[i], j), t.rejectionProblem(some[i], j)...)...)
		}
	}
	return f, nil
}

// judgedAtOnce bounds how many records are held for a gate that judges each alone.
const judgedAtOnce = 256

// batchSize is how many of so many items a gate is to be shown together.
func batchSize(gate pipeline.Gate, n int) int {
	if gate.Spec().Whole {
		return max(1, n)
	}
	return judgedAtOnce
}

// rejectionProblem says where an item that failed was rejected under another code.
func (t *recomputer) rejectionProblem(v schemas.Verdict, j pipeline.Judgement) []string {
	code, rejected := t.codes[[2]string{v.Gate, v.Item}]
	if !rejected || j.Outcome != pipeline.Fail || code == j.Code {
		return nil
	}
	return []string{fmt.Sprintf("it is rejected as %q, %q follows", code, j.Code)}
}

// rejudge runs a gate that asks nobody over the items of its verdicts.
func (t *recomputer) rejudge(ctx context.Context, id pipeline.Identity, gate pipeline.Gate, verdicts []schemas.Verdict) ([]pipeline.Judgement, error) {
	items := make([]pipeline.Record, len(verdicts))
	for i, v := range verdicts {
		var err error
		if items[i], err = t.Item(gate.Spec().Accepts, v.Item, id.Name).Record(); err != nil {
			return nil, err
		}
	}
	return engine.Rejudge(ctx, engine.Runtime{Registry: t.reg, Store: t.pictures}, id, gate, items)
}

// verdictDifferences says where a verdict is another than the judgement that follows.
func verdictDifferences(v schemas.Verdict, j pipeline.Judgement) (why findings) {
	say := func(what string, has, follows any) {
		if has != follows {
			why.add("%s is %q, %q follows", what, fmt.Sprint(has), fmt.Sprint(follows))
		}
	}
	say("outcome", v.Outcome, string(j.Outcome))
	say("reason", v.Reason, j.Reason)
	say("calls_made", int(v.CallsMade), len(j.Probes))
	say("calls_full", int(v.CallsFull), j.CallsFull)
	return why
}
