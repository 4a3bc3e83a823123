package audit

import (
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// gatePaths follows questions through the graph of nodes, as far as it consists of
// gates: what a stage does with a question is in no table.
type gatePaths struct {
	nodes    map[string]release.RecordCounts
	gates    map[string]release.GateInfo
	outcomes map[[2]string]string // by gate and item
	excluded map[string]bool
	rejected map[[2]string]bool // by stage and item
}

func newGatePaths(c release.Contents) gatePaths {
	p := gatePaths{
		nodes: map[string]release.RecordCounts{}, gates: map[string]release.GateInfo{},
		outcomes: map[[2]string]string{}, excluded: map[string]bool{}, rejected: map[[2]string]bool{},
	}
	for _, row := range c.Manifest.RecordCounts {
		p.nodes[row.Step] = row
	}
	for _, g := range c.Manifest.Gates {
		p.gates[g.Name] = g
	}
	for _, v := range c.Verdicts {
		p.outcomes[[2]string{v.Gate, v.Item}] = v.Outcome
	}
	for _, r := range c.Rejections {
		if schemas.Excluded(r.Code) {
			p.excluded[r.ID] = true
			continue
		}
		p.rejected[[2]string{r.Stage, r.ID}] = true
	}
	return p
}

// reachesRelease reports whether one of the nodes may have given the question.
func (p gatePaths) reachesRelease(id string, nodes []string) bool {
	return slices.ContainsFunc(nodes, func(name string) bool { return p.passes(id, name) })
}

func (p gatePaths) passes(id, node string) bool {
	if p.nodes[node].Kind != string(pipeline.KindGate) {
		return true
	}
	switch p.outcomes[[2]string{node, id}] {
	case schemas.Pass, schemas.NotApplicable, schemas.Insufficient:
		return true
	case schemas.Fail:
		onFail := p.gates[node].OnFail
		return onFail == pipeline.OnFailKeep || onFail == pipeline.OnFailRelabel && !p.rejected[[2]string{node, id}]
	}
	return false
}

// unreleased lists the flagged questions that a gate read by the release let
// out, but for those that a medium was withheld from and those that go on in
// another form.
func (p gatePaths) unreleased(c release.Contents) []string {
	released := map[string]bool{}
	for _, q := range c.Questions {
		released[q.QuestionID] = true
	}
	var out []string
	for _, f := range c.Flagged {
		id := f.Question.QuestionID
		if released[id] || p.excluded[id] {
			continue
		}
		passed := slices.ContainsFunc(c.Manifest.From, func(node string) bool {
			_, isGate := p.gates[node]
			return isGate && slices.Contains(f.JudgedBy, node) && p.passes(id, node)
		})
		if passed {
			out = append(out, id)
		}
	}
	return out
}
