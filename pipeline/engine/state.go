package engine

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// State is how far a build has come, as a pure value: it does no I/O and looks
// at no clock, so an executor of any kind can drive or replay it. Records flow
// on as soon as they are ready; only a fold waits for its whole input.
//
// A driver asks Next for tasks, executes them in any order and reports each
// with Complete (or a source or a remembered node with Restore). What a bounded state
// holds no longer, it hands to its driver on the way (see limitMemory).
type State struct {
	nodes []*stepState // topological order
	index map[string]*stepState
	limit int          // see Limit
	bound *memoryLimit // nil is none
}

type stepState struct {
	step       Step
	downstream []*stepState
	waiting    int            // upstreams that are not complete
	pending    []pipeline.Ref // inputs not handed out yet
	later      refQueue       // those behind them
	listed     int            // how many there are where they are not known one by one
	key        pipeline.Key   // of the unit with those
	inputs     *recordIndex   // where there are several upstreams
	read       pastDigests    // those before inputs
	outputs    *recordIndex
	given      pastDigests // those before outputs
	units      []pipeline.Unit
	aside      int // units that were handed over, see full
	bound      *memoryLimit
	handed     [][]pipeline.Ref // inputs of the tasks at work
	taken      int
	started    bool
	complete   bool
	delivered  bool // Take has handed over what it did, or Restore brought it
	held       bool
	lastUnits  *unitList // see know
	again      []int32   // the units of known that are its own, beside units
	ahead      int       // the unit of known that probably comes next
	blobs      blobSet
	summary    Summary
}

// A CPU-bound task takes a batch of records. A large batch hides the cost of a
// lookup and a commit; a small one keeps all workers busy when little waits,
// so the size is a share of what waits, between two bounds. So does a task that
// models answer at once; but it may take long for a record (to take pictures of
// a video), so its bounds are closer.
const (
	minBatch, maxBatch, batchShare          = 64, 2048, 16
	minAnswered, maxAnswered, answeredShare = 8, 256, 4
)

// NewState starts a build of resolved steps in topological order.
func NewState(steps []Step) (*State, error) {
	s := &State{index: map[string]*stepState{}}
	for _, st := range steps {
		n := &stepState{step: st, inputs: &recordIndex{}, outputs: &recordIndex{}, blobs: blobSet{}, waiting: len(st.From)}
		for _, up := range st.From {
			from, ok := s.index[up]
			if !ok {
				return nil, fmt.Errorf("node %s reads from %s, which does not come before it", st.Name, up)
			}
			from.downstream = append(from.downstream, n)
		}
		if _, taken := s.index[st.Name]; taken {
			return nil, fmt.Errorf("two nodes are called %s", st.Name)
		}
		s.nodes = append(s.nodes, n)
		s.index[st.Name] = n
	}
	return s, nil
}

// Next hands out tasks of stages and gates that are ready, at most free[r] of
// each resource, those furthest downstream first so that little waits in
// between. Sources are the driver's: it has to fetch before it knows the task.
// A node that more records will come to takes a full batch, and a part of one only
// where a worker would have nothing else to do.
func (s *State) Next(free map[pipeline.Resource]int) []pipeline.Task {
	var tasks []pipeline.Task
	for _, full := range []bool{true, false} {
		for _, n := range slices.Backward(s.nodes) {
			for free[n.step.Spec.Resource] > 0 {
				t, ok := n.next(full)
				if !ok {
					break
				}
				free[n.step.Spec.Resource]--
				tasks = append(tasks, t)
			}
		}
	}
	return tasks
}

// next takes one task of a node, if one is ready. full asks for a full batch while
// more may come.
func (n *stepState) next(full bool) (pipeline.Task, bool) {
	if n.step.Kind == pipeline.KindSource || n.complete || n.held {
		return pipeline.Task{}, false
	}
	t := pipeline.Task{Step: n.step.Name, Identity: n.step.Identity, Each: n.step.Each, Instant: n.step.Instant}
	if !n.step.Each {
		if n.waiting > 0 || n.started {
			return pipeline.Task{}, false
		}
		if n.listed > 0 && n.key == "" {
			return pipeline.Task{}, false
		}
		sortRefs(n.pending)
		t.Inputs, n.pending = n.pending, nil
		n.taken, n.listed = len(t.Inputs)+n.listed, 0
		n.start(t.Inputs)
		return t, true
	}
	size := n.batch(full && n.waiting > 0)
	if n.waitingCount() == 0 || n.waitingCount() < size && n.waiting > 0 {
		return pipeline.Task{}, false
	}
	if len(n.pending) < size && n.later.len() > 0 {
		n.pending = n.later.take(slices.Clone(n.pending), max(n.bound.waiting(), size))
	}
	size = min(size, len(n.pending))
	t.Inputs, n.pending = slices.Clone(n.pending[:size]), n.pending[size:]
	n.taken += size
	n.start(t.Inputs)
	return t, true
}

// batch is how many records a task of the node takes.
func (n *stepState) batch(full bool) int {
	share, least, most := batchShare, minBatch, maxBatch
	switch {
	case n.step.Spec.Resource == pipeline.CPU:
	case n.step.Instant:
		share, least, most = answeredShare, minAnswered, maxAnswered
	default:
		return 1
	}
	if full {
		return most
	}
	return min(max(n.waitingCount()/share, least), most)
}

func (n *stepState) start(inputs []pipeline.Ref) {
	n.started = true
	n.handed = append(n.handed, inputs)
}

// Limit lets sources hand on only the first n records of each schema; 0 is no
// bound. What they read is cached whole, and the records are those of a whole
// build, so that both share what is done with them.
func (s *State) Limit(n int) { s.limit = n }

// limited is what a source hands on of its records.
func (s *State) limited(out []pipeline.Ref) []pipeline.Ref {
	count := map[string]int{}
	return slices.DeleteFunc(slices.Clone(out), func(r pipeline.Ref) bool {
		count[r.Schema]++
		return count[r.Schema] > s.limit
	})
}

// Hold keeps a node that has not started from starting: its input will not be
// complete in this run.
func (s *State) Hold(node string) { s.index[node].held = true }

// Begin marks a source's task as running.
func (s *State) Begin(node string) { s.index[node].start(nil) }

// Restore completes a node from a remembered run of it. There need be no units when
// no incomplete node reads from it.
func (s *State) Restore(node string, remembered Summary, units iter.Seq2[pipeline.Unit, error]) ([]string, error) {
	n := s.index[node]
	n.started, n.complete = true, true
	for u, err := range units {
		if err != nil {
			return nil, err
		}
		if err := n.passOn(u); err != nil {
			return nil, err
		}
	}
	n.delivered, n.summary = true, remembered
	n.summary.Reused = remembered.Units
	n.finish()
	return s.completeIdle(), nil
}

// add records a unit and hands its outputs to the nodes downstream.
func (n *stepState) add(u pipeline.Unit) error {
	n.units = append(n.units, u)
	return n.passOn(u)
}

// passOn counts a unit and hands its outputs on.
func (n *stepState) passOn(u pipeline.Unit) error {
	if err := n.bound.handOverExcess(); err != nil {
		return err
	}
	n.summary.count(u)
	for _, ref := range u.Out {
		if d, ok := n.outputs.add(ref.ID, ref.Digest); ok {
			if d != ref.Digest {
				return outputError(n.step.Name, ref.ID, errDuplicate)
			}
			continue
		}
		if known, err := n.given.has(ref.Digest); known || err != nil {
			if err != nil {
				return outputError(n.step.Name, ref.ID, err)
			}
			continue
		}
		for _, d := range n.downstream {
			if err := d.offer(n.step.Name, ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// outputError says what is wrong with an output.
func outputError(node, id string, err error) error {
	if errors.Is(err, errDuplicate) {
		err = fmt.Errorf("output of two inputs: %w; derive ids from the content", err)
	}
	return &pipeline.TaskError{Step: node, Item: id, Err: err}
}

// offer gives a node an input, if it accepts its schema.
func (n *stepState) offer(from string, ref pipeline.Ref) error {
	if n.complete || !slices.Contains(n.step.Spec.Accepts, ref.Schema) {
		return nil
	}
	if len(n.step.From) > 1 {
		if d, ok := n.inputs.add(ref.ID, ref.Digest); ok {
			if d != ref.Digest {
				return &pipeline.TaskError{Step: n.step.Name, Item: ref.ID, Err: fmt.Errorf("input from %s: %w in this node's inputs", from, errDuplicate)}
			}
			return nil
		}
		if known, err := n.read.has(ref.Digest); known || err != nil {
			return err
		}
	}
	u, ok, err := n.lookUpLast(ref)
	if err != nil {
		return fmt.Errorf("node %s: what it gave last: %w", n.step.Name, err)
	}
	if ok {
		n.started = true
		n.taken++
		n.summary.Reused++
		return n.passOn(u)
	}
	return n.enqueue(ref)
}

// completeIdle completes every node that has nothing left to do, in order.
func (s *State) completeIdle() []string {
	var done []string
	for _, n := range s.nodes {
		if n.complete || len(n.handed) > 0 || n.waiting > 0 || n.waitingCount() > 0 {
			continue
		}
		if !n.step.Each && !n.started {
			continue
		}
		n.complete = true
		n.summary.In = n.taken
		n.finish()
		done = append(done, n.step.Name)
	}
	return done
}

// finish tells the nodes downstream and frees what is no longer needed.
func (n *stepState) finish() {
	for _, d := range n.downstream {
		d.waiting--
	}
	n.inputs, n.read = nil, nil
	if n.delivered {
		n.outputs, n.given, n.lastUnits = nil, nil, nil
	}
}

// Done reports whether every node is complete.
func (s *State) Done() bool {
	return !slices.ContainsFunc(s.nodes, func(n *stepState) bool { return !n.complete })
}

// SetVerdicts adds to the counts of a complete gate what its verdicts amount to.
func (s *State) SetVerdicts(node string, v *VerdictCounts) { s.index[node].summary.Verdicts = v }

// Count is the progress of one node.
type Count struct {
	Step     string
	Resource pipeline.Resource
	// From are the nodes it reads; Whole says that it is one unit: a source, a fold,
	// a gate that judges all at once.
	From  []string
	Whole bool
	// Known is the inputs known so far, final when Closed. Sources have none.
	Known int
	// Running is how many of its tasks are at work.
	Running  int
	Closed   bool
	Complete bool
	Summary  Summary
}

// Counts returns the progress of every node in topological order.
func (s *State) Counts() []Count {
	counts := make([]Count, len(s.nodes))
	for i, n := range s.nodes {
		counts[i] = Count{
			Step: n.step.Name, Resource: n.step.Spec.Resource, Known: n.taken + n.waitingCount(),
			From: n.step.From, Whole: !n.step.Each, Running: len(n.handed),
			Closed: n.waiting == 0, Complete: n.complete, Summary: n.summary,
		}
	}
	return counts
}
