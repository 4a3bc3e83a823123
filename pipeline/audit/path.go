package audit

import (
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// paths follows questions through the graph of nodes, as far as it consists of
// gates: what a stage does with a question is in no table.
type paths struct {
	nodes    map[string]release.FunnelRow
	gates    map[string]release.GateInfo
	outcomes map[[2]string]string // by gate and item
	withheld map[string]bool
	rejected map[[2]string]bool // by stage and item
}

func newPaths(c release.Contents) paths {
	p := paths{
		nodes: map[string]release.FunnelRow{}, gates: map[string]release.GateInfo{},
		outcomes: map[[2]string]string{}, withheld: map[string]bool{}, rejected: map[[2]string]bool{},
	}
	for _, row := range c.Manifest.Funnel {
		p.nodes[row.Node] = row
	}
	for _, g := range c.Manifest.Gates {
		p.gates[g.Name] = g
	}
	for _, v := range c.Verdicts {
		p.outcomes[[2]string{v.Gate, v.Item}] = v.Outcome
	}
	for _, r := range c.Rejections {
		if schemas.Withheld(r.Code) {
			p.withheld[r.ID] = true
			continue
		}
		p.rejected[[2]string{r.Stage, r.ID}] = true
	}
	return p
}

// leaves reports whether one of the nodes may have given the question.
func (p paths) leaves(id string, nodes []string) bool {
	return slices.ContainsFunc(nodes, func(name string) bool { return p.gives(id, name) })
}

func (p paths) gives(id, node string) bool {
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
func (p paths) unreleased(c release.Contents) []string {
	released := map[string]bool{}
	for _, q := range c.Questions {
		released[q.QuestionID] = true
	}
	var out []string
	for _, f := range c.Flagged {
		id := f.Question.QuestionID
		if released[id] || p.withheld[id] {
			continue
		}
		passed := slices.ContainsFunc(c.Manifest.From, func(node string) bool {
			_, isGate := p.gates[node]
			return isGate && slices.Contains(f.JudgedBy, node) && p.gives(id, node)
		})
		if passed {
			out = append(out, id)
		}
	}
	return out
}
