package build

import (
	"maps"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

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
func droppedAs(u pipeline.Unit, id string, n engine.NodeRun) map[[2]string]string {
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
