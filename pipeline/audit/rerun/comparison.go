package rerun

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// comparison collects what release and panel said.
type comparison struct {
	*audit.Items
	items    map[string][]schemas.Verdict // by gate, sorted by item
	probes   map[call]schemas.Probe
	answers  *pairs
	verdicts *pairs
	clusters map[string]string
	seed     uint64
}

type call struct {
	item, gate, view, role string
	rotation, run          int32
}

func newComparison(reg *pipeline.Registry, c release.Contents) (*comparison, error) {
	items, err := audit.IndexItems(reg, c)
	if err != nil {
		return nil, err
	}
	t := &comparison{
		Items: items, items: map[string][]schemas.Verdict{}, probes: map[call]schemas.Probe{},
		clusters: audit.Clusters(c), seed: c.Manifest.Seed,
	}
	t.answers, t.verdicts = t.pairs("answers"), t.pairs("verdicts")
	for _, v := range c.Verdicts {
		t.items[v.Gate] = append(t.items[v.Gate], v)
	}
	for _, vs := range t.items {
		slices.SortFunc(vs, func(a, b schemas.Verdict) int { return strings.Compare(a.Item, b.Item) })
	}
	for _, p := range c.Probes {
		t.probes[callOf(p)] = p
	}
	return t, nil
}

func callOf(p schemas.Probe) call { return call{p.Item, p.Gate, p.View, p.Role, p.Rotation, p.Sample} }

// pairs are labels of the release and of the panel.
type pairs struct {
	*comparison
	what string
	list []agreement.Pair
}

func (t *comparison) pairs(what string) *pairs { return &pairs{comparison: t, what: what} }

func (p *pairs) add(item, release, rerun string) {
	p.list = append(p.list, agreement.Pair{Item: item, A: release, B: rerun})
}

// agreement returns nil where there is nothing to compare.
func (p *pairs) agreement(gate string) (*audit.PairAgreement, error) {
	if len(p.list) == 0 {
		return nil, nil
	}
	a, err := agreement.ComparePair("release", "rerun", p.list, p.clusters, p.seed, "rerun", p.what, gate)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

// count compares the judgements of a gate with the release.
func (s *gateRun) count(out *Gate, results []itemResult, r *Report) error {
	answers, verdicts := s.tally.pairs("answers"), s.tally.pairs("verdicts")
	for _, j := range results {
		v := j.verdict
		if j.skip != "" {
			r.Skipped = append(r.Skipped, Skip{v.Item, v.Gate, j.skip})
			continue
		}
		out.Items++
		verdict := string(j.judgement.Outcome)
		verdicts.add(v.Item, outcome(v.Outcome), verdict)
		s.tally.verdicts.add(v.Item, outcome(v.Outcome), verdict)
		if v.Outcome != verdict {
			r.Judged = append(r.Judged, VerdictFlip{v.Item, v.Gate, v.Outcome, verdict, v.Reason, j.judgement.Reason})
		}
		if int(v.CallsMade) < int(v.CallsFull) || len(j.judgement.Probes) < j.judgement.CallsFull {
			out.Partial, r.Partial = true, true
		}
		s.answered(out, j, answers, r)
	}
	var err error
	if out.Answers, err = answers.agreement(s.info.Name); err != nil {
		return err
	}
	if out.Partial {
		out.Answers.DropEstimates()
	}
	out.Verdicts, err = verdicts.agreement(s.info.Name)
	return err
}

func (s *gateRun) answered(out *Gate, j itemResult, answers *pairs, r *Report) {
	q := s.tally.Question(j.verdict.Item, j.verdict.Gate)
	for _, p := range j.judgement.Probes {
		out.Calls++
		p.Item, p.Gate = j.verdict.Item, j.verdict.Gate
		old, shared := s.tally.probes[callOf(p)]
		if !shared {
			continue
		}
		out.Shared++
		a, b := answer(q, old.Answer), answer(q, p.Answer)
		answers.add(p.Item, a, b)
		s.tally.answers.add(p.Item, a, b)
		if old.Answer != p.Answer {
			r.Answered = append(r.Answered, AnswerFlip{p.Item, p.Gate, p.View, p.Role, p.Rotation, p.Sample, old.Answer, p.Answer})
		}
	}
}

// noAnswer and other stand for answers in a confusion matrix that are none, and
// for whatever a release states that an item does not offer: labels are few.
const (
	noAnswer = "(none)"
	other    = "(other)"
)

func answer(q *schemas.Question, given string) string {
	offered := q != nil && slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Key == given })
	switch {
	case given == "":
		return noAnswer
	case slices.Contains([]string{"yes", "no", "unknown"}, given), offered && len(given) <= 2:
		return given
	}
	return other
}

func outcome(stated string) string {
	if slices.Contains(schemas.Outcomes(), stated) {
		return stated
	}
	return other
}
