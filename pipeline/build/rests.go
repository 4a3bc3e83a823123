package build

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/run"
	"github.com/memforge/memforge/schemas"
)

// leaning is a record in a plugin's table.
type leaning struct {
	rec   pipeline.Record
	table pipeline.Table
	row   []any
}

// id is what others refer to it by.
func (l leaning) id() [2]string { return [2]string{l.rec.Schema, fmt.Sprint(l.row[0])} }

// rested leaves out records of plugins' tables that rest on something which is not
// released: a gate dropped it, or a stage lost it. Each is a rejection of the gate,
// or else of the node that gave the record.
func (c *collector) rested(recs []pipeline.Record, tables []pipeline.Table, gates map[[2]string]string) (kept []pipeline.Record, lost []schemas.Rejection, err error) {
	ids := map[[2]string]bool{}
	var leans []leaning
	for _, r := range recs {
		i := slices.IndexFunc(tables, func(t pipeline.Table) bool { return t.Schema == r.Schema })
		if gate := gates[[2]string{r.Schema, r.ID}]; i >= 0 && gate != "" && !c.gives(gate, r) {
			continue // the gate has said so itself
		}
		if i < 0 {
			kept, ids[[2]string{r.Schema, r.ID}] = append(kept, r), true
			continue
		}
		row, err := tables[i].Row(r)
		if err != nil {
			return nil, nil, fmt.Errorf("table %s: %w", tables[i].Name, err)
		}
		l := leaning{r, tables[i], row}
		leans, ids[l.id()] = append(leans, l), true
	}
	for before := -1; before != len(lost); {
		before = len(lost)
		leans = slices.DeleteFunc(leans, func(l leaning) bool {
			why := c.missing(l, tables, ids, gates)
			if why != nil {
				lost = append(lost, *why)
				delete(ids, l.id())
			}
			return why != nil
		})
	}
	for _, l := range leans {
		kept = append(kept, l.rec)
	}
	return kept, lost, nil
}

// missing says why a record cannot stand in its table; nil where it can.
func (c *collector) missing(l leaning, tables []pipeline.Table, ids map[[2]string]bool, gates map[[2]string]string) *schemas.Rejection {
	for _, ref := range l.table.Refers(l.row) {
		id, _, _ := strings.Cut(ref.ID, "#")
		held := holders(ref.Tables, tables)
		if len(held) == 0 || slices.ContainsFunc(held, func(schema string) bool { return ids[[2]string{schema, id}] }) {
			continue
		}
		stage := c.maker(l.rec)
		for _, schema := range held {
			if gate := gates[[2]string{schema, id}]; gate != "" {
				stage = gate
			}
		}
		why := fmt.Sprintf("it refers to %s %s, which is not released", strings.Join(ref.Tables, " or "), id)
		return &schemas.Rejection{ID: l.rec.ID, Stage: stage, Code: schemas.WithheldRecord, Reason: why}
	}
	return nil
}

// holders are the schemas whose records the tables hold; none where one of them
// holds what is no record.
func holders(names []string, tables []pipeline.Table) (out []string) {
	own := map[string]string{
		"questions": schemas.NameQuestion, "tasks": schemas.NameTask, "media": schemas.NameMedia,
	}
	for _, t := range tables {
		own[t.Name] = t.Schema
	}
	for _, name := range names {
		if own[name] == "" {
			return nil
		}
		out = append(out, own[name])
	}
	return out
}

// gives reports whether a node gives the record.
func (c *collector) gives(node string, r pipeline.Record) bool {
	given, ok := c.outputs[node]
	if !ok {
		given = map[[2]string]bool{}
		for _, u := range c.units[node] {
			for _, ref := range u.Out {
				given[[2]string{ref.Schema, ref.ID}] = true
			}
		}
		c.outputs[node] = given
	}
	return given[[2]string{r.Schema, r.ID}]
}

// maker is the last node that gives the record.
func (c *collector) maker(r pipeline.Record) string {
	i := len(c.nodes) - 1
	for i > 0 && !c.gives(c.nodes[i].Step.Name, r) {
		i--
	}
	return c.nodes[i].Step.Name
}

// droppedBy names the gate that dropped a record, by schema and id.
func (c *collector) droppedBy() map[[2]string]string {
	out := map[[2]string]string{}
	for _, n := range c.nodes {
		if n.Step.Kind != pipeline.KindGate {
			continue
		}
		for _, u := range c.units[n.Step.Name] {
			for _, r := range u.Rejections {
				maps.Copy(out, droppedAs(u, r.ID, n))
			}
		}
	}
	return out
}

// droppedAs names a record that a unit of a gate dropped, under every schema that
// it may have: a gate over all items at once does not say which.
func droppedAs(u pipeline.Unit, id string, n run.Node) map[[2]string]string {
	schemasOf := n.Step.Spec.Accepts
	if u.In.Schema != "" {
		schemasOf = []string{u.In.Schema}
	}
	out := map[[2]string]string{}
	for _, s := range schemasOf {
		out[[2]string{s, id}] = n.Step.Name
	}
	return out
}
