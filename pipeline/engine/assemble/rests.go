package assemble

import (
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// gives reports whether a node gives the record, perhaps in another form.
func (c *collector) gives(node string, r pipeline.Record) bool {
	return c.given(node).has(c.item(r.Schema, r.ID))
}

// given are the records of a node: what they are called, and their digests.
func (c *collector) given(node string) names {
	given, ok := c.outputs[node]
	if !ok {
		given = names{}
		for u := range c.each(node) {
			for _, ref := range u.Out {
				given.add(c.item(ref.Schema, ref.ID))
				given.add(c.of(string(ref.Digest)))
			}
		}
		c.outputs[node] = given
	}
	return given
}

// maker is the last node that gives the record.
func (c *collector) maker(r pipeline.Record) string {
	i := len(c.nodes) - 1
	for i > 0 && !c.gives(c.nodes[i].Step.Name, r) {
		i--
	}
	return c.nodes[i].Step.Name
}

// author is the node that made the record as it is: the last that gives it and is no gate.
func (c *collector) author(r pipeline.Record) string {
	ref, err := r.Ref()
	for _, n := range slices.Backward(c.nodes) {
		if err == nil && n.Step.Kind != pipeline.KindGate && c.given(n.Step.Name).has(c.of(string(ref.Digest))) {
			return n.Step.Name
		}
	}
	return c.maker(r)
}

// droppedBy gives the number of the gate that dropped a record, by its item: under
// every schema that the record may have, for a gate over all items at once does not say
// which.
func (c *collector) droppedBy() map[name]int {
	out := map[name]int{}
	for i, n := range c.nodes {
		if n.Step.Kind != pipeline.KindGate {
			continue
		}
		for u := range c.each(n.Step.Name) {
			schemasOf := n.Step.Spec.Accepts
			if u.In.Schema != "" {
				schemasOf = []string{u.In.Schema}
			}
			for _, r := range u.Rejections {
				for _, s := range schemasOf {
					out[c.item(s, r.ID)] = i
				}
			}
		}
	}
	return out
}
