package cluster

import (
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/model/client"
)

// stepCount is the progress of a node as it travels: with the counts that a Summary does
// not remember.
type stepCount struct {
	engine.Count
	Reused    int
	Transient int
	Waiting   int
}

// Progress is how far a build is.
type Progress struct {
	Nodes []stepCount
	// Spent is that of Outcome.
	Spent map[string]client.Total
}

func progressOf(counts []engine.Count, spent map[string]client.Total) Progress {
	p := Progress{Nodes: make([]stepCount, len(counts)), Spent: spent}
	for i, c := range counts {
		p.Nodes[i] = stepCount{c, c.Summary.Reused, c.Summary.Transient, c.Summary.Waiting}
	}
	return p
}

// Counts are what an in-process build tells of its nodes.
func (p Progress) Counts() []engine.Count {
	out := make([]engine.Count, len(p.Nodes))
	for i, c := range p.Nodes {
		c.Summary.Reused, c.Summary.Transient, c.Summary.Waiting = c.Reused, c.Transient, c.Waiting
		out[i] = c.Count
	}
	return out
}

// Total adds up what nodes spent.
func Total(spent map[string]client.Total) (t client.Total) {
	for _, node := range slices.Sorted(maps.Keys(spent)) {
		t = t.Plus(spent[node])
	}
	return t
}
