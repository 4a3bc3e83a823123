package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// A state that is bounded holds of large nodes only the latest: what is beyond, it
// hands over to its driver, who keeps it until the node ends. It cannot be saved then.

// usualBound is how many units and records all nodes together hold one by one, some
// 100 MB of them.
const usualBound = 1 << 19

// mostWaiting bounds how many inputs of a node wait one by one.
const mostWaiting = 1 << 16

// past are the records that a node gave or was given before the latest, by their
// digests, which say their ids too. 128 bits of a digest are as good as all of it
// among records that nobody makes by the 2^64.
type past map[[16]byte]struct{}

func (p past) add(d pipeline.Digest) error {
	raw, err := pipeline.RawDigest(d)
	p[[16]byte(raw[:16])] = struct{}{}
	return err
}

func (p past) has(d pipeline.Digest) (bool, error) {
	if len(p) == 0 {
		return false, nil
	}
	raw, err := pipeline.RawDigest(d)
	_, ok := p[[16]byte(raw[:16])]
	return ok, err
}

// part is what a node has done that its state holds no longer.
type part struct {
	node    string
	units   []pipeline.Unit
	outputs *seen
}

// bound is how many units and records all nodes together hold, about.
type bound struct {
	most  int
	nodes []*nodeState
	give  func(part) error // takes what is beyond
	left  int              // calls of look until it looks
	err   error            // of give
}

// lookEach is how many units are given between two looks at what is held.
const lookEach = 1 << 10

// boundTo has the nodes that read one by one hold at most so many units and records
// together, about; what is beyond, give takes. It comes before all else.
func (s *State) boundTo(most int, give func(part) error) {
	s.bound = &bound{most: most, nodes: s.nodes, give: give}
	for _, n := range s.nodes {
		n.bound = s.bound
	}
}

// look has what is beyond the bound handed over, each so many calls.
func (b *bound) look() error {
	if b == nil {
		return nil
	}
	if b.left--; b.left >= 0 || b.err != nil {
		return b.err
	}
	b.left = min(lookEach, b.most)
	held := 0
	for _, n := range b.nodes {
		held += n.weight()
	}
	for held > b.most && b.err == nil {
		most := slices.MaxFunc(b.nodes, func(a, b *nodeState) int { return cmp.Compare(a.weight(), b.weight()) })
		held -= most.weight()
		var p part
		if p, b.err = most.part(); b.err == nil {
			b.err = b.give(p)
		}
	}
	return b.err
}

// waiting is how many inputs of a node wait one by one: the first of them where it
// takes them by and by, and all of them, or none, where it takes all at once.
func (b *bound) waiting() int {
	if b == nil {
		return math.MaxInt
	}
	return min(b.most, mostWaiting)
}

// weight is how much of a node can be handed over.
func (n *nodeState) weight() (held int) {
	if n.told {
		return 0
	}
	if n.inputs != nil {
		held = n.inputs.len()
	}
	if n.step.Each {
		held += len(n.units) + n.outputs.len()
	}
	return held
}

// part hands over all that a node has done and holds. A gate gives what is named after
// its items, and these are told apart before: of it the past need not be known.
func (n *nodeState) part() (part, error) {
	if n.inputs != nil {
		if err := n.read.addAll(n.inputs); err != nil {
			return part{}, err
		}
		n.inputs = &seen{}
	}
	p := part{node: n.step.Name, outputs: &seen{}}
	if !n.step.Each {
		return p, nil
	}
	p.units, p.outputs = n.units, n.outputs
	n.aside += len(n.units)
	n.units, n.outputs = nil, &seen{}
	if n.step.Kind == pipeline.KindGate || len(n.downstream) == 0 {
		return p, nil
	}
	return p, n.given.addAll(p.outputs)
}

func (p *past) addAll(records *seen) error {
	if *p == nil {
		*p = past{}
	}
	for _, d := range records.all() {
		if err := p.add(d); err != nil {
			return err
		}
	}
	return nil
}

// wait puts an input behind those that wait.
func (n *nodeState) wait(in pipeline.Ref) error {
	switch {
	case !n.step.Each && n.listed == 0 && len(n.pending) == n.bound.waiting():
		n.listed, n.pending = len(n.pending)+1, nil
		return nil
	case !n.step.Each && n.listed > 0:
		n.listed++
		return nil
	case n.step.Each && (n.later.len() > 0 || len(n.pending) >= n.bound.waiting()):
		return n.later.put(in)
	}
	n.pending = append(n.pending, in)
	return nil
}

// waits is how many inputs wait.
func (n *nodeState) waits() int { return len(n.pending) + n.later.len() + n.listed }

// unlisted are the nodes that could begin if the driver told what their many inputs
// amount to.
func (s *State) unlisted() (nodes []Step) {
	for _, n := range s.nodes {
		if n.listed > 0 && n.waiting == 0 && n.key == "" && !n.held && !n.started {
			nodes = append(nodes, n.step)
		}
	}
	return nodes
}

// list tells how many inputs a node has of which the state does not know each, and the
// key that its unit has with them.
func (s *State) list(node string, inputs int, key pipeline.Key) {
	n := s.index[node]
	n.listed, n.key = inputs, key
}

// isListed reports whether the unit of a node has inputs that the state does not know
// one by one.
func (s *State) isListed(node string) bool { return s.index[node].key != "" }

// errAside says that a state is not all there.
func (n *nodeState) errAside() error {
	if n.told || n.aside == 0 && n.listed == 0 && n.key == "" {
		return nil
	}
	return fmt.Errorf("%d of its units and %d of its inputs are with the driver; another driver finds in the store what is done", n.aside, n.listed)
}
