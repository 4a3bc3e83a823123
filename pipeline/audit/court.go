package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// court has everything in a release that gates judged and said.
type court struct {
	reg       *pipeline.Registry
	seed      uint64
	questions map[string]*schemas.Question
	// judged has the forms of questions that were not released, by id.
	judged   map[string][]*schemas.Flagged
	verdicts map[string][]schemas.Verdict // by gate, sorted by item
	probes   map[string]map[string][]schemas.Probe
}

func newCourt(reg *pipeline.Registry, c release.Contents) *court {
	t := &court{
		reg: reg, seed: c.Manifest.Seed, questions: map[string]*schemas.Question{}, judged: map[string][]*schemas.Flagged{},
		verdicts: map[string][]schemas.Verdict{}, probes: map[string]map[string][]schemas.Probe{},
	}
	for i := range c.Questions {
		t.questions[c.Questions[i].QuestionID] = &c.Questions[i]
	}
	for i := range c.Flagged {
		id := c.Flagged[i].Question.QuestionID
		t.judged[id] = append(t.judged[id], &c.Flagged[i])
	}
	for _, v := range c.Verdicts {
		t.verdicts[v.Gate] = append(t.verdicts[v.Gate], v)
	}
	for _, vs := range t.verdicts {
		slices.SortFunc(vs, func(a, b schemas.Verdict) int { return strings.Compare(a.Item, b.Item) })
	}
	for _, p := range c.Probes {
		if t.probes[p.Gate] == nil {
			t.probes[p.Gate] = map[string][]schemas.Probe{}
		}
		t.probes[p.Gate][p.Item] = append(t.probes[p.Gate][p.Item], p)
	}
	return t
}

// question is an item in the form that a gate judged, nil where it is no
// question that the release holds.
func (t *court) question(item, gate string) *schemas.Question {
	for _, f := range t.judged[item] {
		if slices.Contains(f.JudgedBy, gate) {
			return &f.Question
		}
	}
	return t.questions[item]
}

// retry works out the verdicts of one gate.
func (t *court) retry(ctx context.Context, info release.GateInfo) (Gate, error) {
	out := Gate{Name: info.Name, Use: info.Use, State: Same, Verdicts: len(t.verdicts[info.Name]), Differences: []string{}}
	for _, ps := range t.probes[info.Name] {
		out.Probes += len(ps)
	}
	id := pipeline.Identity{
		Name: info.Name, Kind: pipeline.KindGate, Use: info.Use, Version: info.Version, Config: info.Config, OnFail: info.OnFail, Seed: t.seed,
	}
	gate, err := t.reg.Gate(id)
	if err != nil {
		out.State, out.Why = Errored, err.Error()
		return out, nil
	}
	if why := unrecomputable(gate); why != "" {
		out.State, out.Why = NotRecomputable, why
		return out, nil
	}
	differences, err := t.compare(ctx, id, gate)
	switch {
	case err != nil && fatal(ctx, err):
		return out, err
	case errors.Is(err, pipeline.ErrNoStore):
		out.State, out.Why = NotRecomputable, "it looks at files that a release does not hold"
	case err != nil:
		out.State, out.Why = Errored, err.Error()
	case len(differences) > 0:
		out.State, out.Differences = Differs, differences
	}
	return out, nil
}

// unrecomputable says why no table can give a gate's verdicts.
func unrecomputable(g pipeline.Gate) string {
	s := g.Spec()
	if !slices.Equal(s.Accepts, []string{schemas.NameQuestion}) {
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

// compare lists the verdicts that do not follow.
func (t *court) compare(ctx context.Context, id pipeline.Identity, gate pipeline.Gate) ([]string, error) {
	var differences []string
	var items []pipeline.Record
	var verdicts []schemas.Verdict
	for _, v := range t.verdicts[id.Name] {
		q := t.question(v.Item, id.Name)
		if q == nil {
			differences = append(differences, fmt.Sprintf("%s: it has a verdict and is in neither questions nor flagged", v.Item))
			continue
		}
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			return nil, err
		}
		items, verdicts = append(items, r), append(verdicts, v)
	}
	judgements, err := t.judge(ctx, id, gate, items, verdicts)
	if err != nil {
		return nil, err
	}
	for i, j := range judgements {
		if why := departs(verdicts[i], j); why != "" {
			differences = append(differences, fmt.Sprintf("%s: %s", verdicts[i].Item, why))
		}
	}
	return differences, nil
}

func (t *court) judge(ctx context.Context, id pipeline.Identity, gate pipeline.Gate, items []pipeline.Record, _ []schemas.Verdict) ([]pipeline.Judgement, error) {
	return pipeline.Rejudge(ctx, pipeline.Runtime{Registry: t.reg}, id, gate, items)
}

// departs says where a verdict is another than the judgement that follows.
func departs(v schemas.Verdict, j pipeline.Judgement) string {
	var why []string
	say := func(what string, has, follows any) {
		if has != follows {
			why = append(why, fmt.Sprintf("%s is %q, %q follows", what, fmt.Sprint(has), fmt.Sprint(follows)))
		}
	}
	say("outcome", v.Outcome, string(j.Outcome))
	say("reason", v.Reason, j.Reason)
	say("calls_made", int(v.CallsMade), len(j.Probes))
	say("calls_full", int(v.CallsFull), j.CallsFull)
	return strings.Join(why, "; ")
}
