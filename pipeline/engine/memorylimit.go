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

// usualLimit is how many units and records all nodes together hold one by one, some
// 100 MB of them.
const usualLimit = 1 << 19

// mostWaiting bounds how many inputs of a node wait one by one.
const mostWaiting = 1 << 16

// pastDigests are the records that a node gave or was given before the latest, by their
// digests, which say their ids too. 128 bits of a digest are as good as all of it
// among records that nobody makes by the 2^64.
type pastDigests map[[16]byte]struct{}

func (p pastDigests) add(d pipeline.Digest) error {
	raw, err := pipeline.RawDigest(d)
	p[[16]byte(raw[:16])] = struct{}{}
	return err
}

func (p pastDigests) has(d pipeline.Digest) (bool, error) {
	if len(p) == 0 {
		return false, nil
	}
	raw, err := pipeline.RawDigest(d)
	_, ok := p[[16]byte(raw[:16])]
	return ok, err
}

// spilledPart is what a node has done that its state holds no longer.
type spilledPart struct {
	node    string
	units   []pipeline.Unit
	outputs *recordIndex
}

// memoryLimit is how many units and records all nodes together hold, about.
type memoryLimit struct {
	max        int
	nodes      []*stepState
	spill      func(spilledPart) error // takes what is beyond
	untilCheck int                     // calls of look until it looks
	err        error                   // of give
}

// checkEvery is how many units are given between two looks at what is held.
const checkEvery = 1 << 10

// limitMemory has the nodes that read one by one hold at most so many units and records
// together, about; what is beyond, give takes. It comes before all else.
func (s *State) limitMemory(most int, give func(spilledPart) error) {
	s.bound = &memoryLimit{max: most, nodes: s.nodes, spill: give}
	for _, n := range s.nodes {
		n.bound = s.bound
	}
}

// handOverExcess has what is beyond the bound handed over, each so many calls.
func (b *memoryLimit) handOverExcess() error {
	if b == nil {
		return nil
	}
	if b.untilCheck--; b.untilCheck >= 0 || b.err != nil {
		return b.err
	}
	b.untilCheck = min(checkEvery, b.max)
	held := 0
	for _, n := range b.nodes {
		held += n.heldCount()
	}
	for held > b.max && b.err == nil {
		most := slices.MaxFunc(b.nodes, func(a, b *stepState) int { return cmp.Compare(a.heldCount(), b.heldCount()) })
		held -= most.heldCount()
		var p spilledPart
		if p, b.err = most.handOver(); b.err == nil {
			b.err = b.spill(p)
		}
	}
	return b.err
}

// waiting is how many inputs of a node wait one by one: the first of them where it
// takes them by and by, and all of them, or none, where it takes all at once.
func (b *memoryLimit) waiting() int {
	if b == nil {
		return math.MaxInt
	}
	return min(b.max, mostWaiting)
}

// heldCount is how much of a node can be handed over.
func (n *stepState) heldCount() (held int) {
	if n.delivered {
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

// handOver hands over all that a node has done and holds. A gate gives what is named after
// its items, and these are told apart before: of it the past need not be known.
func (n *stepState) handOver() (spilledPart, error) {
	if n.inputs != nil {
		if err := n.read.addAll(n.inputs); err != nil {
			return spilledPart{}, err
		}
		n.inputs = &recordIndex{}
	}
	p := spilledPart{node: n.step.Name, outputs: &recordIndex{}}
	if !n.step.Each {
		return p, nil
	}
	p.units, p.outputs = n.units, n.outputs
	n.aside += len(n.units)
	n.units, n.outputs = nil, &recordIndex{}
	if n.step.Kind == pipeline.KindGate || len(n.downstream) == 0 {
		return p, nil
	}
	return p, n.given.addAll(p.outputs)
}

func (p *pastDigests) addAll(records *recordIndex) error {
	if *p == nil {
		*p = pastDigests{}
	}
	for _, d := range records.all() {
		if err := p.add(d); err != nil {
			return err
		}
	}
	return nil
}

// enqueue puts an input behind those that wait.
func (n *stepState) enqueue(in pipeline.Ref) error {
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

// waitingCount is how many inputs wait.
func (n *stepState) waitingCount() int { return len(n.pending) + n.later.len() + n.listed }

// unlistedSteps are the nodes that could begin if the driver told what their many inputs
// amount to.
func (s *State) unlistedSteps() (nodes []Step) {
	for _, n := range s.nodes {
		if n.listed > 0 && n.waiting == 0 && n.key == "" && !n.held && !n.started {
			nodes = append(nodes, n.step)
		}
	}
	return nodes
}

// setInputCount tells how many inputs a node has of which the state does not know each, and the
// key that its unit has with them.
func (s *State) setInputCount(node string, inputs int, key pipeline.Key) {
	n := s.index[node]
	n.listed, n.key = inputs, key
}

// isListed reports whether the unit of a node has inputs that the state does not know
// one by one.
func (s *State) isListed(node string) bool { return s.index[node].key != "" }

// checkComplete says that a state is not all there.
func (n *stepState) checkComplete() error {
	if n.delivered || n.aside == 0 && n.listed == 0 && n.key == "" {
		return nil
	}
	return fmt.Errorf("%d of its units and %d of its inputs are with the driver; another driver finds in the store what is done", n.aside, n.listed)
}
