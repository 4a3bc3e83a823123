package audit

import (
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// stepGraph is that of the nodes as the funnel states it, with what the plugins of
// this program say of themselves.
type stepGraph struct {
	reg  *pipeline.Registry
	rows map[string]release.RecordCounts
	from []string
}

func newStepGraph(reg *pipeline.Registry, c release.Contents) stepGraph {
	g := stepGraph{reg: reg, rows: map[string]release.RecordCounts{}, from: c.Manifest.From}
	for _, row := range c.Manifest.RecordCounts {
		g.rows[row.Step] = row
	}
	return g
}

// upstream are the nodes that some read, directly or not, and these themselves.
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

// spec is what a node's plugin says of itself; known is false where this program
// does not have it, or it says nothing without its configuration.
func (g stepGraph) spec(node string) (s pipeline.Spec, known bool) {
	row := g.rows[node]
	return g.reg.DefaultSpec(pipeline.Kind(row.Kind), row.Use)
}

// startsQuestions reports whether questions begin at a node: it gives some and reads none.
// A plugin that is not known may be such a one.
func (g stepGraph) startsQuestions(node string) (begins, known bool) {
	if g.rows[node].Kind == string(pipeline.KindGate) {
		return false, true
	}
	s, known := g.spec(node)
	return !known || slices.Contains(s.Emits, schemas.NameQuestion) && !readsQuestions(s), known
}

// readsQuestions holds for what a plugin reads to pass it on or to rewrite it.
func readsQuestions(s pipeline.Spec) bool {
	return slices.Contains(s.Accepts, schemas.NameQuestion) || slices.Contains(s.Accepts, schemas.NameFlagged)
}

// writers are the families that the questions of the release can be of by who
// wrote them; known is false where any plugin may have written some.
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

// ungated lists the nodes of the release's questions that no gate stands before:
// what they give is released whatever gates say.
func (g stepGraph) ungated() (out []string) {
	for _, name := range g.from {
		if g.reaches(name, map[string]bool{}) {
			out = append(out, name)
		}
	}
	return out
}

// reaches reports whether questions come to a node past all gates.
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
