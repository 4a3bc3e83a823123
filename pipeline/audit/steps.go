package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// stepCheck collects the steps of the build in the order of the record counts.
type stepCheck struct {
	findings
	rows map[string]manifest.RecordCounts
	// above lists the sources that a node descends from.
	above map[string][]string
	// unknown are the nodes of plugins that this program does not have, with these.
	unknown []string
}

// checkSteps compares what manifest and tables say of steps in several places: kinds,
// plugins, the graph, and where rejections come from.
func checkSteps(reg *pipeline.Registry, c release.Contents) Part {
	f := &stepCheck{rows: map[string]manifest.RecordCounts{}, above: map[string][]string{}}
	for _, row := range c.Manifest.RecordCounts {
		f.addStep(reg, row)
	}
	for _, name := range c.Manifest.From {
		if _, ok := f.rows[name]; !ok {
			f.add("questions are of step %q, and the funnel says nothing of it", name)
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
	p := part("steps in the manifest", f.findings)
	p.Checked, p.Unchecked = len(c.Manifest.RecordCounts)-len(f.unknown), len(f.unknown)
	if len(f.unknown) > 0 {
		p.Why = fmt.Sprintf("this program does not have the plugins of %d steps: %s", len(f.unknown), strings.Join(f.unknown, ", "))
	}
	return p
}

// addStep adds a step. Rows are in the order of the plan, so what a step reads stands
// before it.
func (f *stepCheck) addStep(reg *pipeline.Registry, row manifest.RecordCounts) {
	if _, twice := f.rows[row.Step]; twice {
		f.add("%s: the funnel has two rows of it", row.Step)
	}
	f.rows[row.Step] = row
	isSource := row.Kind == string(pipeline.KindSource)
	if isSource != (len(row.From) == 0) {
		f.add("%s: it is a %s and reads %d steps", row.Step, row.Kind, len(row.From))
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
		f.unknown = append(f.unknown, fmt.Sprintf("%s of step %s", row.Use, row.Step))
	}
}

// checkModels compares a step that is said to have asked a model with its plugin.
func (f *stepCheck) checkModels(reg *pipeline.Registry, n manifest.StepModels) {
	f.checkNamed(n.Step, n.Kind, n.Use, "models")
	if s, known := reg.DefaultSpec(pipeline.Kind(n.Kind), n.Use); known && len(s.Asks) == 0 {
		f.add("%s: models says who answered it, and the %s %s asks no model", n.Step, n.Kind, n.Use)
	}
}

func (f *stepCheck) checkMarks(marks []review.SampleMark) {
	for _, m := range marks {
		if row, ok := f.rows[m.Step]; !ok || row.Kind != string(pipeline.KindStage) {
			f.add("%s: reviewed has it, and the funnel has no stage of that name", m.Step)
		}
	}
}

// checkNamed compares what a list of the manifest says of a step with the record counts.
func (f *stepCheck) checkNamed(name, kind, use, list string) {
	row, ok := f.rows[name]
	switch {
	case !ok:
		f.add("%s: %s has it, and the funnel says nothing of it", name, list)
	case row.Kind != kind || row.Use != use:
		f.add("%s: it is the %s %s in %s, and the %s %s in the funnel", name, kind, use, list, row.Kind, row.Use)
	}
}

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

// stepGraph is the graph of steps that the manifest states, with the specs of this
// program's plugins.
type stepGraph struct {
	reg  *pipeline.Registry
	rows map[string]manifest.RecordCounts
	from []string
}

func newStepGraph(reg *pipeline.Registry, c release.Contents) stepGraph {
	g := stepGraph{reg: reg, rows: map[string]manifest.RecordCounts{}, from: c.Manifest.From}
	for _, row := range c.Manifest.RecordCounts {
		g.rows[row.Step] = row
	}
	return g
}

// upstream returns some steps and all that they read, directly or not.
func (g stepGraph) upstream(names ...string) map[string]bool {
	out := map[string]bool{}
	for next := slices.Clone(names); len(next) > 0; next = next[1:] {
		if out[next[0]] {
			continue
		}
		out[next[0]] = true
		next = append(next, g.rows[next[0]].From...)
	}
	return out
}

// spec returns the spec of a step's plugin; known is false where this program lacks the
// plugin or its spec needs a configuration.
func (g stepGraph) spec(node string) (s pipeline.Spec, known bool) {
	row := g.rows[node]
	return g.reg.DefaultSpec(pipeline.Kind(row.Kind), row.Use)
}

// startsQuestions reports whether questions begin at a step: it gives some and reads
// none. A plugin that is not known may do so.
func (g stepGraph) startsQuestions(node string) (begins, known bool) {
	if g.rows[node].Kind == string(pipeline.KindGate) {
		return false, true
	}
	s, known := g.spec(node)
	return !known || slices.Contains(s.Emits, schemas.NameQuestion) && !readsQuestions(s), known
}

func readsQuestions(s pipeline.Spec) bool {
	return slices.Contains(s.Accepts, schemas.NameQuestion) || slices.Contains(s.Accepts, schemas.NameFlagged)
}

// writers returns the families that the plugins upstream write; known is false where any
// plugin may have written some.
func (g stepGraph) writers() (families []string, known bool) {
	for node := range g.upstream(g.from...) {
		if g.rows[node].Step == "" {
			continue // checkSteps says so
		}
		if of := g.reg.FamiliesOf(g.rows[node].Use); len(of) > 0 {
			families = append(families, of...)
			continue
		}
		if begins, _ := g.startsQuestions(node); begins {
			return nil, false
		}
	}
	slices.Sort(families)
	return slices.Compact(families), len(families) > 0
}

// ungated lists the released steps whose questions pass no gate.
func (g stepGraph) ungated() (out []string) {
	for _, name := range g.from {
		if g.reaches(name, map[string]bool{}) {
			out = append(out, name)
		}
	}
	return out
}

// reaches reports whether questions come to a step past all gates.
func (g stepGraph) reaches(node string, seen map[string]bool) bool {
	row, ok := g.rows[node]
	if !ok || seen[node] || row.Kind == string(pipeline.KindGate) {
		return false
	}
	seen[node] = true
	s, known := g.spec(node)
	switch {
	case known && !slices.Contains(s.Emits, schemas.NameQuestion):
		return false
	case row.Kind == string(pipeline.KindSource), known && !readsQuestions(s):
		return true
	}
	return slices.ContainsFunc(row.From, func(up string) bool { return g.reaches(up, seen) })
}

// otherVersion ends what is said of a foreign declaration: nothing tells which of the
// two it was.
const otherVersion = "another version of the plugin made the release, or somebody changed it: audit it with the program that wrote it"

// declaredTables compares the tables that plugins declared with the declarations of this
// program, since verify takes those of the manifest. Nothing derives the content of
// their rows.
func declaredTables(reg *pipeline.Registry, c release.Contents) (out []Part) {
	g := newStepGraph(reg, c)
	present := map[string]bool{}
	for _, t := range c.Manifest.Tables {
		if t.Declared == nil {
			continue
		}
		present[t.Declared.Schema] = true
		p := Part{
			Name: fmt.Sprintf("%s of table %s", counted(int(t.Rows), "row"), t.Name), State: NotRecomputable,
			Why: "a plugin declared the table; what its rows refer to is there", Differences: []string{},
		}
		if why := g.redeclared(*t.Declared); why != "" {
			p.State, p.Why = Errored, why+"; "+otherVersion
		}
		out = append(out, p)
	}
	for _, row := range c.Manifest.RecordCounts {
		s, _ := g.spec(row.Step)
		for _, schema := range s.Emits {
			if t, ok := reg.Table(schema); ok && !present[schema] {
				present[schema] = true
				why := fmt.Sprintf("step %s gives records of schema %s unless it is configured otherwise, and the release has no such table; %s", row.Step, schema, otherVersion)
				out = append(out, Part{Name: "table " + t.Name, State: Errored, Why: why, Differences: []string{}})
			}
		}
	}
	return out
}

// redeclared says how a declaration differs from this program's; empty where it is the
// same, or where a plugin that this program lacks may have made it.
func (g stepGraph) redeclared(stated pipeline.Table) string {
	all := g.reg.Tables()
	i := slices.IndexFunc(all, func(t pipeline.Table) bool { return t.Name == stated.Name })
	if i < 0 {
		switch own, ok := g.reg.Table(stated.Schema); {
		case stated.Schema == schemas.NameFlagged, stated.Schema == schemas.NameHydration:
			return ""
		case ok:
			return fmt.Sprintf("records of schema %s stand in table %s in this program", stated.Schema, own.Name)
		case g.lacksPlugin():
			return ""
		}
		return "this program has the plugins of all steps, and none declares the table"
	}
	own, names := all[i], []string{}
	for _, part := range []struct {
		name      string
		own, here any
	}{
		{"schema", own.Schema, stated.Schema},
		{"keys", own.Keys, stated.Keys},
		{"columns", own.Columns, stated.Columns},
		{"references", slices.Concat(own.References, []pipeline.Reference{}), slices.Concat(stated.References, []pipeline.Reference{})},
		{"part", own.Part, stated.Part},
	} {
		a, err := json.Marshal(part.own)
		b, err2 := json.Marshal(part.here)
		if errors.Join(err, err2) != nil || !bytes.Equal(a, b) {
			names = append(names, part.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("the manifest declares it with other %s than this program", strings.Join(names, ", "))
}

func (g stepGraph) lacksPlugin() bool {
	for _, row := range g.rows {
		if _, ok := g.reg.Plugin(pipeline.Kind(row.Kind), row.Use); !ok {
			return true
		}
	}
	return false
}
