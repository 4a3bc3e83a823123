package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// checkReviewed compares the mark that people decided about all sampled records with the
// tables, sample by sample; a release without a mark has no such part.
func checkReviewed(c release.Contents) []Part {
	if len(c.Manifest.Reviewed) == 0 {
		return nil
	}
	found, err := release.CheckReviewed(c)
	p := part("reviewed", found)
	for _, m := range c.Manifest.Reviewed {
		p.Checked += m.Items
	}
	if err != nil {
		p.State, p.Why = Errored, err.Error()
	}
	return []Part{p}
}

// checkDecided works out again what became of the records that people decided about. A
// release without decisions and without records dropped by them has no such part.
func checkDecided(reg *pipeline.Registry, c release.Contents) []Part {
	d := decisionCheck{graph: newStepGraph(reg, c), removals: review.Removals{Dropped: map[string]string{}, Lost: map[string]bool{}}}
	for _, r := range c.Rejections {
		if r.Code != review.CodeReviewedOut {
			d.removals.Lost[r.ID] = true
			continue
		}
		if s, known := d.graph.spec(r.Stage); known && !slices.Contains(s.Emits, schemas.NameSampled) {
			d.add("%s: %s dropped it as people decided, and follows no decisions", r.ID, r.Stage)
		}
		d.removals.Dropped[r.ID] = r.Reason
	}
	if len(c.Reviews) == 0 && len(d.removals.Dropped) == 0 {
		return nil
	}
	for node := range d.graph.rows {
		if s, known := d.graph.spec(node); known && slices.Contains(s.Emits, schemas.NameSampled) {
			d.nodes = append(d.nodes, node)
		}
	}
	d.removals.Last = !slices.ContainsFunc(d.nodes, func(node string) bool { return !slices.Contains(c.Manifest.From, node) })
	settled, err := release.CheckDecisions(c, d.removals)
	d.findings = append(d.findings, settled.Wrong...)
	if err == nil && settled.Outcomes != nil {
		err = d.forms(c, settled.Outcomes)
	}
	slices.Sort(d.findings)
	p := part("what people decided", d.findings)
	p.Checked, p.Unchecked, p.Why = settled.Decisions, settled.Others, unmatchedDecisions(settled)
	if err != nil {
		p.State, p.Why = Errored, err.Error()
	}
	return []Part{p}
}

// unmatchedDecisions says which decisions no sample can be compared with.
func unmatchedDecisions(s review.DecisionCheck) string {
	var why []string
	if s.Others > 0 {
		why = append(why, fmt.Sprintf("%s about what no draw was taken from", counted(s.Others, "decision")))
	}
	if len(s.UnknownSamples) > 0 {
		why = append(why, "nothing in the release drew "+firstFew(s.UnknownSamples))
	}
	return strings.Join(why, "; ")
}

type decisionCheck struct {
	findings
	graph    stepGraph
	removals review.Removals
	nodes    []string // that follow decisions
}

// forms compares released questions that a gate judged in another form with that form:
// where only people's decisions lie between, only what they said may differ.
func (d *decisionCheck) forms(c release.Contents, outcomes map[[2]string]review.Outcome) error {
	released := map[string]*schemas.Question{}
	for i := range c.Questions {
		released[c.Questions[i].QuestionID] = &c.Questions[i]
	}
	before := map[string]bool{}
	for _, node := range d.nodes {
		if !slices.Contains(c.Manifest.From, node) {
			return nil
		}
		for _, up := range d.graph.rows[node].From {
			before[up] = d.graph.rows[up].Kind == string(pipeline.KindGate)
		}
	}
	for _, g := range c.Manifest.Gates {
		if g.OnFail == pipeline.OnFailRelabel || g.OnFail == pipeline.OnFailRevise {
			before[g.Name] = false // it gives other forms than it judged
		}
	}
	for _, f := range c.Flagged {
		q := released[f.Question.QuestionID]
		if q == nil || !slices.ContainsFunc(f.JudgedBy, func(gate string) bool { return before[gate] }) {
			continue
		}
		o := outcomes[[2]string{q.QuestionID, schemas.NameQuestion}]
		if same, err := followsDecision(f.Question, *q, o); err != nil || !same {
			d.add("%s: it is released in another form than gates judged and people decided on", q.QuestionID)
		}
	}
	return nil
}

// followsDecision reports whether a question is the form that people saw, unchanged or
// as they decided.
func followsDecision(seen, released schemas.Question, o review.Outcome) (bool, error) {
	rec, err := pipeline.NewRecord(schemas.NameQuestion, seen.QuestionID, seen)
	if err != nil {
		return false, err
	}
	is, err := pipeline.QuestionDigest(released)
	if err != nil {
		return false, err
	}
	want, err := pipeline.ItemDigest(rec)
	if err != nil || is == want || o.Decision != schemas.DecisionRelabel {
		return is == want, err
	}
	if rec, err = review.Relabel(rec, o.Label); err != nil {
		return false, err
	}
	want, err = pipeline.ItemDigest(rec)
	return is == want, err
}
