package cluster

import "github.com/memforge/memforge/pipeline/engine"

// counted is the progress of a node as it travels: with the counts that a Summary does
// not remember.
type counted struct {
	engine.Count
	Reused    int
	Transient int
	Waiting   int
}

func progressOf(counts []engine.Count) []counted {
	out := make([]counted, len(counts))
	for i, c := range counts {
		out[i] = counted{c, c.Summary.Reused, c.Summary.Transient, c.Summary.Waiting}
	}
	return out
}

func countsOf(progress []counted) []engine.Count {
	out := make([]engine.Count, len(progress))
	for i, c := range progress {
		c.Summary.Reused, c.Summary.Transient, c.Summary.Waiting = c.Reused, c.Transient, c.Waiting
		out[i] = c.Count
	}
	return out
}
