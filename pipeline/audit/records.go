package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkRecords holds the released records of other schemas than question against the
// gates that let them out, table by table, as checkReleased does with questions. Tables
// whose records no gate of this program judges have no part.
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

// gateBacking know which gates stand behind records.
type gateBacking struct {
	gatePaths
	graph stepGraph
	// applied are the items with a verdict of a gate that applies to them.
	applied map[string]bool
}

// judgeable reports whether some gate of this program judges records of a schema.
func (w gateBacking) judgeable(schema string) bool {
	return slices.ContainsFunc(w.graph.reg.Names(pipeline.KindGate), func(use string) bool {
		s, known := w.graph.reg.DefaultSpec(pipeline.KindGate, use)
		return known && slices.Contains(s.Accepts, schema)
	})
}

// givers are the nodes that records of a schema may be released from.
func (w gateBacking) givers(schema string) []string {
	return slices.DeleteFunc(slices.Clone(w.graph.from), func(node string) bool {
		s, known := w.graph.spec(node)
		if w.nodes[node].Kind == string(pipeline.KindGate) {
			return known && !slices.Contains(s.Accepts, schema)
		}
		return known && !slices.Contains(s.Emits, schema)
	})
}

// part holds the records of a table against the nodes that they are released from; where
// these give none, they may come from any node before.
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

// unjudged counts the records that no gate stands behind.
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
