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

// stepCheck is the graph of the build as the funnel states it.
type stepCheck struct {
	findings
	rows map[string]release.RecordCounts
	// above lists the sources that a node descends from.
	above map[string][]string
	// unknown are the nodes of plugins that this program does not have, with these.
	unknown []string
}

// checkSteps holds what is said of nodes in several places of manifest and tables
// against each other: kinds, plugins, the graph, and where rejections come from.
func checkSteps(reg *pipeline.Registry, c release.Contents) Part {
	f := &stepCheck{rows: map[string]release.RecordCounts{}, above: map[string][]string{}}
	for _, row := range c.Manifest.RecordCounts {
		f.addStep(reg, row)
	}
	for _, name := range c.Manifest.From {
		if _, ok := f.rows[name]; !ok {
			f.add("questions are of node %q, and the funnel says nothing of it", name)
		}
	}
	for _, g := range c.Manifest.Gates {
		f.checkNamed(g.Name, string(pipeline.KindGate), g.Use, "gates")
		if !slices.Contains([]string{pipeline.OnFailDrop, pipeline.OnFailKeep, pipeline.OnFailRelabel, pipeline.OnFailRevise}, g.OnFail) {
			f.add("%s: on_fail is %q", g.Name, g.OnFail)
		}
		if revised := f.rows[g.Name].Revised; g.OnFail != pipeline.OnFailRevise && revised != 0 {
			f.add("%s: it handed %d items on to be rewritten, and on_fail is %s", g.Name, revised, g.OnFail)
		}
	}
	for _, j := range c.Manifest.GateCounts {
		f.checkNamed(j.Step(), string(pipeline.KindGate), j.Use, "judged")
		if j.Source != "" && !slices.Contains(f.above[j.Step()], j.Source) {
			f.add("%s: it judged items of %q, which it does not descend from", j.Step(), j.Source)
		}
	}
	for _, n := range c.Manifest.Models {
		f.checkModels(reg, n)
	}
	f.checkMarks(c.Manifest.Reviewed)
	for _, r := range c.Rejections {
		f.checkRejection(r)
	}
	p := part("nodes in the manifest", f.findings)
	p.Checked, p.Unchecked = len(c.Manifest.RecordCounts)-len(f.unknown), len(f.unknown)
	if len(f.unknown) > 0 {
		p.Why = fmt.Sprintf("this program does not have the plugins of %d nodes: %s", len(f.unknown), strings.Join(f.unknown, ", "))
	}
	return p
}

// addStep takes in a row of the funnel. Rows are in the order of the plan, so that
// what a node reads stands before it.
func (f *stepCheck) addStep(reg *pipeline.Registry, row release.RecordCounts) {
	if _, twice := f.rows[row.Step]; twice {
		f.add("%s: the funnel has two rows of it", row.Step)
	}
	f.rows[row.Step] = row
	isSource := row.Kind == string(pipeline.KindSource)
	if isSource != (len(row.From) == 0) {
		f.add("%s: it is a %s and reads %d nodes", row.Step, row.Kind, len(row.From))
	}
	if isSource {
		f.above[row.Step] = []string{row.Step}
	}
	most := int64(0)
	for _, from := range row.From {
		above, ok := f.rows[from]
		if !ok {
			f.add("%s: it reads %q, which no row before it is of", row.Step, from)
		}
		most += above.Out + above.Revised
		f.above[row.Step] = append(f.above[row.Step], f.above[from]...)
	}
	if row.In > most {
		f.add("%s: %d in, what it reads gave %d", row.Step, row.In, most)
	}
	// A stage flags what it could not make of an item that goes on, and the nodes of
	// a loop hand on what is rewritten.
	_, round := pipeline.SplitRound(row.Step)
	if isSource && row.Flagged != 0 || row.Kind != string(pipeline.KindGate) && round == 0 && row.Revised != 0 {
		f.add("%s: it is a %s, and flagged %d and revised %d", row.Step, row.Kind, row.Flagged, row.Revised)
	}
	if _, ok := reg.Plugin(pipeline.Kind(row.Kind), row.Use); !ok {
		f.unknown = append(f.unknown, fmt.Sprintf("%s of node %s", row.Use, row.Step))
	}
}

// checkModels holds a node that is said to have asked a model against its plugin.
func (f *stepCheck) checkModels(reg *pipeline.Registry, n release.StepModels) {
	f.checkNamed(n.Step, n.Kind, n.Use, "models")
	if s, known := reg.DefaultSpec(pipeline.Kind(n.Kind), n.Use); known && len(s.Asks) == 0 {
		f.add("%s: models says who answered it, and the %s %s asks nobody", n.Step, n.Kind, n.Use)
	}
}

// checkMarks holds the nodes that draws are said to be of against the funnel.
func (f *stepCheck) checkMarks(marks []review.SampleMark) {
	for _, m := range marks {
		if row, ok := f.rows[m.Step]; !ok || row.Kind != string(pipeline.KindStage) {
			f.add("%s: reviewed has it, and the funnel has no stage of that name", m.Step)
		}
	}
}

// checkNamed holds what a list of the manifest says of a node against the funnel.
func (f *stepCheck) checkNamed(name, kind, use, list string) {
	row, ok := f.rows[name]
	switch {
	case !ok:
		f.add("%s: %s has it, and the funnel says nothing of it", name, list)
	case row.Kind != kind || row.Use != use:
		f.add("%s: it is the %s %s in %s, and the %s %s in the funnel", name, kind, use, list, row.Kind, row.Use)
	}
}

// checkRejection holds the source of a rejection against the graph.
func (f *stepCheck) checkRejection(r schemas.Rejection) {
	row, ok := f.rows[r.Stage]
	switch {
	case !ok:
		return // checkRecordCounts says so
	case row.Kind == string(pipeline.KindSource) && r.Source != r.Stage:
		f.add("rejection of %s: source %s lost it, and it is said to be of %q", r.ID, r.Stage, r.Source)
	case r.Source != "" && !slices.Contains(f.above[r.Stage], r.Source):
		f.add("rejection of %s: it is said to be of %q, which %s does not descend from", r.ID, r.Source, r.Stage)
	}
}
