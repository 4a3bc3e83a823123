package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// checkReleased compares the questions with the gates that let them out: what was
// released has passed, what passed was released, and nothing twice. The state is
// Unjudged where nothing differs and gates back less than all questions.
func checkReleased(reg *pipeline.Registry, c release.Contents, gates []Gate) Part {
	p := newGatePaths(c)
	f := repeatedQuestions(c)
	for _, q := range c.Questions {
		if !p.reachesRelease(q.QuestionID, c.Manifest.From) {
			f.add("%s: it is released and no gate let it out", q.QuestionID)
		}
	}
	for _, m := range c.Media {
		for gate := range p.gates {
			if outcome, judged := p.outcomes[[2]string{gate, m.MediaID}]; judged && !p.passes(m.MediaID, gate) {
				f.add("%s: it is released, and gate %s gave it outcome %s", m.MediaID, gate, outcome)
			}
		}
	}
	for _, id := range p.unreleased(c) {
		f.add("%s: the last gate let it out and it is not released", id)
	}
	slices.Sort(f)
	out := part("questions released", f)
	b := p.countUnbacked(c, newStepGraph(reg, c).ungated())
	out.Checked, out.Unchecked = len(c.Questions)-b.none, b.none
	why := b.why()
	if again := func(g Gate) bool { return g.Verdicts > 0 && (g.State == Same || g.State == Differs) }; !slices.ContainsFunc(gates, again) {
		why = append(why, "no verdict is worked out again")
	}
	if out.Why = strings.Join(why, "; "); out.Why != "" && out.State == Same {
		out.State = Unjudged
	}
	return out
}

// unbacked counts the released questions that no gate backs.
type unbacked struct {
	none int
	// unjudged have no verdict of a gate that applies to them, past come from nodes
	// that no gate stands before.
	unjudged, past []string
	nodes          []string
}

// countUnbacked looks for the gate behind each released question. The ungated steps give
// questions whatever gates say.
func (p gatePaths) countUnbacked(c release.Contents, ungated []string) unbacked {
	b := unbacked{nodes: ungated}
	gated := slices.DeleteFunc(slices.Clone(c.Manifest.From), func(node string) bool { return slices.Contains(ungated, node) })
	applied := map[string]bool{}
	for key, outcome := range p.outcomes {
		if outcome != schemas.NotApplicable {
			applied[key[1]] = true
		}
	}
	for _, q := range c.Questions {
		switch id := q.QuestionID; {
		case !applied[id]:
			b.unjudged = append(b.unjudged, id)
		case len(ungated) > 0 && !p.reachesRelease(id, gated):
			b.past = append(b.past, id)
		default:
			continue
		}
		b.none++
	}
	return b
}

func (b unbacked) why() (why []string) {
	if len(b.unjudged) > 0 {
		why = append(why, fmt.Sprintf("no gate judged %d of the questions: %s", len(b.unjudged), firstFew(b.unjudged)))
	}
	if len(b.past) > 0 {
		why = append(why, fmt.Sprintf("%d questions are of %s, which no gate stands before: what a gate found does not keep them back", len(b.past), strings.Join(b.nodes, ", ")))
	}
	return why
}

const someShown = 3

func firstFew(ids []string) string {
	if len(ids) <= someShown {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:someShown], ", ") + ", ..."
}

// repeatedQuestions lists the questions that ask again what one before them asks.
func repeatedQuestions(c release.Contents) (f findings) {
	seen := map[string]string{}
	for _, q := range c.Questions {
		key := q.RepeatKey()
		if first, again := seen[key]; again {
			f.add("%s: it asks what %s asks, of the same", q.QuestionID, first)
			continue
		}
		seen[key] = q.QuestionID
	}
	return f
}

// gatePaths follows questions through the graph of steps as far as it consists of gates:
// no table tells what a stage does with a question.
type gatePaths struct {
	nodes    map[string]manifest.RecordCounts
	gates    map[string]manifest.GateInfo
	outcomes map[[2]string]string // by gate and item
	excluded map[string]bool
	rejected map[[2]string]bool // by stage and item
}

func newGatePaths(c release.Contents) gatePaths {
	p := gatePaths{
		nodes: map[string]manifest.RecordCounts{}, gates: map[string]manifest.GateInfo{},
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

// unreleased lists the flagged questions that passed a gate read by the release and are
// not released, except those that were excluded and those that go on in another form.
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

// checkRecords compares the released records of other schemas with the gates that let
// them out, table by table, as checkReleased does for questions. A table whose records
// no gate of this program judges has no part.
func checkRecords(reg *pipeline.Registry, items *Items, c release.Contents) (out []Part) {
	w := gateBacking{gatePaths: newGatePaths(c), graph: newStepGraph(reg, c), applied: map[string]bool{}}
	var judgedMedia bool
	media := map[string]bool{}
	for _, m := range c.Media {
		media[m.MediaID] = true
	}
	for _, v := range c.Verdicts {
		w.applied[v.Item] = w.applied[v.Item] || v.Outcome != schemas.NotApplicable || media[v.Item]
		judgedMedia = judgedMedia || media[v.Item]
	}
	for _, schema := range reg.Schemas() {
		ids := items.ids(schema)
		if len(ids) == 0 || !w.judgeable(schema) {
			continue
		}
		t, _ := reg.Table(schema)
		out = append(out, w.part(t.Name, schema, ids))
	}
	if judgedMedia {
		// What the release needs of media comes from any node, so that only the gates
		// which said something can be held against it: checkReleased does.
		ids := make([]string, len(c.Media))
		for i, m := range c.Media {
			ids[i] = m.MediaID
		}
		out = append(out, w.unjudged(pipeline.TableMedia, ids))
	}
	return out
}

// gateBacking knows the gates behind records.
type gateBacking struct {
	gatePaths
	graph stepGraph
	// applied are the items with a verdict of a gate that applies to them.
	applied map[string]bool
}

func (w gateBacking) judgeable(schema string) bool {
	return slices.ContainsFunc(w.graph.reg.Names(pipeline.KindGate), func(use string) bool {
		s, known := w.graph.reg.DefaultSpec(pipeline.KindGate, use)
		return known && slices.Contains(s.Accepts, schema)
	})
}

// givers returns the steps that records of a schema may be released from.
func (w gateBacking) givers(schema string) []string {
	return slices.DeleteFunc(slices.Clone(w.graph.from), func(node string) bool {
		s, known := w.graph.spec(node)
		if w.nodes[node].Kind == string(pipeline.KindGate) {
			return known && !slices.Contains(s.Accepts, schema)
		}
		return known && !slices.Contains(s.Emits, schema)
	})
}

// part compares the records of a table with the steps that they are released from;
// without such steps they may come from any earlier one.
func (w gateBacking) part(name, schema string, ids []string) Part {
	out := w.unjudged(name, ids)
	givers := w.givers(schema)
	if len(givers) == 0 {
		return out
	}
	var f findings
	for _, id := range ids {
		if !w.reachesRelease(id, givers) {
			f.add("%s: it is released and no gate let it out", id)
		}
	}
	if len(f) > 0 {
		out.State, out.Differences = Differs, f
	}
	return out
}

// unjudged counts the records that no gate judged.
func (w gateBacking) unjudged(name string, ids []string) Part {
	none := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return w.applied[id] })
	out := part(name+" released", nil)
	out.Checked, out.Unchecked = len(ids)-len(none), len(none)
	if len(none) > 0 {
		slices.Sort(none)
		out.State, out.Why = Unjudged, fmt.Sprintf("no gate judged %d of the %s: %s", len(none), strings.ReplaceAll(name, "_", " "), firstFew(none))
	}
	return out
}
