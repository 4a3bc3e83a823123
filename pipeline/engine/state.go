package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// State is how far a build has come. It does no I/O and looks at no clock, so an
// executor of any kind can drive it. Records flow on as soon as they are ready; only a
// fold waits for its whole input.
//
// A driver asks Next for tasks, executes them in any order and reports each with
// Complete, or a remembered step with Restore.
type State struct {
	steps []*stepState // topological order
	index map[string]*stepState
	limit int // see Limit
	// keep takes each unit that was done; the state does not hold them.
	keep func(Step, pipeline.Unit) error
	// maxInputs is how many inputs of a step that is one unit the state holds one by
	// one. It only counts more of them; see setInputs.
	maxInputs int
}

type stepState struct {
	step       Step
	downstream []*stepState
	waiting    int            // upstreams that are not complete
	queue      refQueue       // inputs not handed out yet, where each is a unit
	inputs     []pipeline.Ref // those of a step that is one unit
	inputCount int
	many       bool             // more than inputs holds
	key        pipeline.Key     // of the unit of many inputs
	read       recordSet        // inputs, where there are several upstreams
	given      recordSet        // outputs, where several units may give one record
	handed     [][]pipeline.Ref // inputs of the tasks at work
	taken      int
	started    bool
	complete   bool
	held       bool
	// last are the units of another run of its identity. Of an input that is among theirs
	// no task is made: what it gives is known.
	last     *unitList
	reused   []int32 // those of last that are its own too
	nextLast int     // the unit of last that probably comes next
	blobs    blobSet
	summary  Summary
	newest   pipeline.Ref // output
}

// usualInputs is maxInputs of a build.
const usualInputs = 1 << 16

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
	s := &State{index: map[string]*stepState{}, maxInputs: usualInputs, keep: func(Step, pipeline.Unit) error { return nil }}
	for _, st := range steps {
		n := &stepState{step: st, blobs: blobSet{}, waiting: len(st.From)}
		for _, up := range st.From {
			from, ok := s.index[up]
			if !ok {
				return nil, fmt.Errorf("step %s reads from %s, which does not come before it", st.Name, up)
			}
			from.downstream = append(from.downstream, n)
		}
		if _, taken := s.index[st.Name]; taken {
			return nil, fmt.Errorf("two steps are called %s", st.Name)
		}
		s.steps = append(s.steps, n)
		s.index[st.Name] = n
	}
	return s, nil
}

// Next hands out tasks of stages and gates that are ready, at most free[r] of
// each resource, those furthest downstream first so that little waits in
// between. Sources are the driver's: it has to fetch before it knows the task.
// A step that more records will come to takes a full batch, and a part of one only
// where a worker would have nothing else to do.
func (s *State) Next(free map[pipeline.Resource]int) []pipeline.Task {
	var tasks []pipeline.Task
	for _, full := range []bool{true, false} {
		for _, n := range slices.Backward(s.steps) {
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

// next takes one task of a step, if one is ready. full asks for a full batch while
// more may come.
func (n *stepState) next(full bool) (pipeline.Task, bool) {
	t := pipeline.Task{Step: n.step.Name, Identity: n.step.Identity, Each: n.step.Each, Instant: n.step.Instant}
	switch {
	case n.step.Kind == pipeline.KindSource || n.complete || n.held:
		return t, false
	case !n.step.Each:
		if n.waiting > 0 || n.started || n.many && n.key == "" {
			return t, false
		}
		sortRefs(n.inputs)
		t.Inputs, n.inputs = n.inputs, nil
		n.taken, n.inputCount = n.inputCount, 0
	default:
		size, most := 1, 1
		switch {
		case n.step.Spec.Resource == pipeline.CPU:
			size, most = max(minBatch, n.queue.len()/batchShare), maxBatch
		case n.step.Instant:
			size, most = max(minAnswered, n.queue.len()/answeredShare), maxAnswered
		}
		if size = min(size, most); full && n.waiting > 0 {
			size = most
		}
		if n.queue.len() == 0 || n.queue.len() < size && n.waiting > 0 {
			return t, false
		}
		t.Inputs = n.queue.take(size)
		n.taken += len(t.Inputs)
	}
	n.started, n.handed = true, append(n.handed, t.Inputs)
	return t, true
}

// Limit lets sources hand on only the first n records of each schema; 0 is no
// bound. What they read is cached whole, and the records are those of a whole
// build, so that both share what is done with them.
func (s *State) Limit(n int) { s.limit = n }

func (s *State) limited(out []pipeline.Ref) []pipeline.Ref {
	count := map[string]int{}
	return slices.DeleteFunc(slices.Clone(out), func(r pipeline.Ref) bool {
		count[r.Schema]++
		return count[r.Schema] > s.limit
	})
}

// Hold keeps a step that has not started from starting: its input will not be
// complete in this run.
func (s *State) Hold(step string) { s.index[step].held = true }

// Begin marks a source's task as running.
func (s *State) Begin(step string) {
	n := s.index[step]
	n.started, n.handed = true, append(n.handed, nil)
}

// unlistedSteps returns the steps that could begin if the driver told what their many
// inputs amount to.
func (s *State) unlistedSteps() (steps []Step) {
	for _, n := range s.steps {
		if n.many && n.key == "" && n.waiting == 0 && !n.held && !n.started {
			steps = append(steps, n.step)
		}
	}
	return steps
}

// setInputs tells how many inputs a step has of which the state does not know each, and
// the key that its unit has with them.
func (s *State) setInputs(step string, count int, key pipeline.Key) {
	n := s.index[step]
	n.inputCount, n.key = count, key
}

func (s *State) hasManyInputs(step string) bool { return s.index[step].many }

// Restore completes a step from a remembered run of it. There need be no units when
// no incomplete step reads from it.
func (s *State) Restore(step string, remembered Summary, units iter.Seq2[pipeline.Unit, error]) ([]string, error) {
	n := s.index[step]
	n.started, n.complete = true, true
	for u, err := range units {
		if err != nil {
			return nil, err
		}
		if err := s.passOn(n, u); err != nil {
			return nil, err
		}
	}
	n.summary = remembered
	n.summary.Reused = remembered.Units
	for _, d := range n.downstream {
		d.waiting--
	}
	n.given = recordSet{}
	return s.completeIdle(), nil
}

// lookUpLast returns what the last run gave for an input, if that is known. Inputs come
// mostly in order.
func (n *stepState) lookUpLast(in pipeline.Ref) (u pipeline.Unit, ok bool, err error) {
	l := n.last
	if l == nil {
		return u, false, nil
	}
	i := n.nextLast
	known := i < l.count && l.input(i) == in.ID
	if !known {
		i = l.find(in.ID)
		known = i < l.count && l.input(i) == in.ID
	}
	if n.nextLast = i; known {
		u, err = l.unit(i)
		ok = u.In == in
		n.nextLast++
	}
	if err = errors.Join(err, l.reader.err); err != nil {
		return pipeline.Unit{}, false, fmt.Errorf("step %s: what it gave last: %w", n.step.Name, err)
	}
	if ok {
		n.reused = append(n.reused, int32(i))
	}
	return u, ok, nil
}

// Complete takes the results of a task handed out before, one per unit, and
// passes the outputs on. It returns the steps that became complete by it. Results
// that are not those of the task are a *ResultsError and change nothing.
func (s *State) Complete(t pipeline.Task, results []pipeline.Result) ([]string, error) {
	refuse := func(format string, args ...any) ([]string, error) {
		return nil, &ResultsError{Step: t.Step, Why: fmt.Sprintf(format, args...)}
	}
	n, ok := s.index[t.Step]
	if !ok {
		return refuse("the plan has no such step")
	}
	at := slices.IndexFunc(n.handed, func(inputs []pipeline.Ref) bool { return len(t.Lists) > 0 || slices.Equal(inputs, t.Inputs) })
	if at < 0 || t.Each != n.step.Each {
		return refuse("no such task of the step is at work")
	}
	t.Inputs, t.Lists = n.handed[at], nil
	if n.step.Kind != pipeline.KindSource { // whose assets only the driver knows
		t.Identity = n.step.Identity
	}
	keys, err := TaskKeys(t)
	if err != nil {
		return nil, err
	}
	if n.key != "" {
		keys = []pipeline.Key{n.key}
	}
	if len(keys) != len(results) {
		return refuse("%d results for %d units", len(results), len(keys))
	}
	for i, r := range results {
		if r.Key != keys[i] {
			return refuse("result %d has the key %s, its unit %s", i, r.Key, keys[i])
		}
	}
	n.handed = slices.Delete(n.handed, at, at+1)
	for i, r := range results {
		u := pipeline.Unit{Key: r.Key, Out: r.Outputs, Rejections: r.Rejections}
		if t.Each {
			u.In = t.Inputs[i]
		}
		if s.limit > 0 && n.step.Kind == pipeline.KindSource {
			u.Out = s.limited(u.Out)
		}
		if r.Reused {
			n.summary.Reused++
		}
		if err := errors.Join(n.blobs.add(r.Blobs...), s.keep(n.step, u)); err != nil {
			return nil, err
		}
		if err := s.passOn(n, u); err != nil {
			return nil, err
		}
	}
	return s.completeIdle(), nil
}

// passOn counts a unit and hands its outputs to the steps downstream.
func (s *State) passOn(n *stepState, u pipeline.Unit) error {
	n.summary.count(u)
	if len(u.Out) > 0 {
		n.newest = u.Out[len(u.Out)-1]
	}
	// A gate names what it gives after its items, and these are told apart before.
	repeats := n.step.Each && n.step.Kind != pipeline.KindGate
	for _, ref := range u.Out {
		if repeats {
			known, err := n.given.add(ref)
			if errors.Is(err, errDuplicate) {
				err = fmt.Errorf("output of two inputs: %w; derive ids from the content", err)
			}
			if err != nil {
				return &pipeline.TaskError{Step: n.step.Name, Item: ref.ID, Err: err}
			}
			if known {
				continue
			}
		}
		for _, d := range n.downstream {
			if err := s.offer(d, n.step.Name, ref); err != nil {
				return err
			}
		}
	}
	return nil
}

// offer gives a step an input, if it accepts its schema.
func (s *State) offer(n *stepState, from string, in pipeline.Ref) error {
	if n.complete || !slices.Contains(n.step.Spec.Accepts, in.Schema) {
		return nil
	}
	if len(n.step.From) > 1 {
		known, err := n.read.add(in)
		if err != nil {
			return &pipeline.TaskError{Step: n.step.Name, Item: in.ID, Err: fmt.Errorf("input from %s: %w in this step's inputs", from, err)}
		}
		if known {
			return nil
		}
	}
	u, known, err := n.lookUpLast(in)
	switch {
	case err != nil:
		return err
	case known:
		n.started = true
		n.taken++
		n.summary.Reused++
		return s.passOn(n, u)
	case n.step.Each:
		return n.queue.put(in)
	}
	n.inputCount++
	if n.many = n.inputCount > s.maxInputs; n.many {
		n.inputs = nil
		return nil
	}
	n.inputs = append(n.inputs, in)
	return nil
}

// completeIdle completes every step that has nothing left to do, in order.
func (s *State) completeIdle() []string {
	var done []string
	for _, n := range s.steps {
		if n.complete || len(n.handed) > 0 || n.waiting > 0 || n.waitingInputs() > 0 || !n.step.Each && !n.started {
			continue
		}
		n.complete = true
		n.summary.In = n.taken
		for _, d := range n.downstream {
			d.waiting--
		}
		n.read, n.given = recordSet{}, recordSet{}
		done = append(done, n.step.Name)
	}
	return done
}

func (n *stepState) waitingInputs() int { return n.queue.len() + n.inputCount }

// Done reports whether every step is complete.
func (s *State) Done() bool {
	return !slices.ContainsFunc(s.steps, func(n *stepState) bool { return !n.complete })
}

// Count is the progress of one step.
type Count struct {
	Step     string
	Resource pipeline.Resource
	// From are the steps it reads; Whole says that it is one unit: a source, a fold,
	// a gate that judges all at once.
	From  []string
	Whole bool
	// Known is the inputs known so far, final when Closed. Sources have none.
	Known int
	// Running is how many of its tasks are at work; Waits says that they wait for servers,
	// and do not compute.
	Running  int
	Waits    bool
	Closed   bool
	Complete bool
	Summary  Summary
	// Newest is the last record that it gave in this run, if any.
	Newest pipeline.Ref
}

// waits reports whether the tasks of a step wait for servers.
func (s Step) waits() bool {
	return s.Spec.Resource == pipeline.Network || s.Spec.Resource == pipeline.Model && len(s.Identity.Models) > 0 && !s.Instant
}

// Counts returns the progress of every step in topological order.
func (s *State) Counts() []Count {
	counts := make([]Count, len(s.steps))
	for i, n := range s.steps {
		counts[i] = Count{
			Step: n.step.Name, Resource: n.step.Spec.Resource, Known: n.taken + n.waitingInputs(),
			From: n.step.From, Whole: !n.step.Each, Running: len(n.handed), Waits: n.step.waits(),
			Closed: n.waiting == 0, Complete: n.complete, Summary: n.summary, Newest: n.newest,
		}
	}
	return counts
}

func sortRefs(refs []pipeline.Ref) {
	byID := func(a, b pipeline.Ref) int { return strings.Compare(a.ID, b.ID) }
	if !slices.IsSortedFunc(refs, byID) {
		slices.SortFunc(refs, byID)
	}
}

// errDuplicate marks two different records with one id.
var errDuplicate = errors.New("two different records have the same id")

// recordSet is a set of records in 16 bytes each: a hash of the id, whose seed is
// another in each process, and the beginning of the digest. Among ten million records
// two ids share a hash once in 400,000 builds; such a build ends with errDuplicate, and
// the next one does not.
type recordSet struct {
	seed    maphash.Seed
	digests map[uint64]uint64
}

// add reports whether a record was there before. It returns errDuplicate for another
// one with its id.
func (s *recordSet) add(r pipeline.Ref) (known bool, err error) {
	raw, err := pipeline.RawDigest(r.Digest)
	if err != nil {
		return false, err
	}
	if s.digests == nil {
		s.seed, s.digests = maphash.MakeSeed(), map[uint64]uint64{}
	}
	id, digest := maphash.String(s.seed, r.ID), binary.LittleEndian.Uint64(raw[:])
	before, known := s.digests[id]
	if known && before != digest {
		return false, errDuplicate
	}
	s.digests[id] = digest
	return known, nil
}

// blobSet are the digests of blobs, each once.
type blobSet map[[32]byte]struct{}

func (s blobSet) add(digests ...pipeline.Digest) error {
	for _, d := range digests {
		raw, err := pipeline.RawDigest(d)
		if err != nil {
			return err
		}
		s[raw] = struct{}{}
	}
	return nil
}

// refQueue are references that wait, the first first, in few bytes: some 35 and the id
// each, where one of its own takes 130 and the id.
type refQueue struct {
	blocks  [][]byte
	at      int // of the first in the first block
	count   int
	schemas []string // a step takes few of them
}

const refBlock = 64 << 10

func (q *refQueue) len() int { return q.count }

func (q *refQueue) put(r pipeline.Ref) error {
	raw, err := pipeline.RawDigest(r.Digest)
	if err != nil {
		return err
	}
	schema := slices.Index(q.schemas, r.Schema)
	if schema < 0 {
		schema = len(q.schemas)
		q.schemas = append(q.schemas, r.Schema)
	}
	last := len(q.blocks) - 1
	if need := len(r.ID) + 2*binary.MaxVarintLen64 + len(raw); last < 0 || cap(q.blocks[last])-len(q.blocks[last]) < need {
		q.blocks = append(q.blocks, make([]byte, 0, max(refBlock, need)))
		last++
	}
	b := binary.AppendUvarint(q.blocks[last], uint64(schema))
	b = binary.AppendUvarint(b, uint64(len(r.ID)))
	q.blocks[last] = append(append(b, r.ID...), raw[:]...)
	q.count++
	return nil
}

// take removes the first n, or all if there are fewer.
func (q *refQueue) take(n int) []pipeline.Ref {
	refs := make([]pipeline.Ref, 0, min(n, q.count))
	for ; n > 0 && q.count > 0; n-- {
		p := unitReader{b: q.blocks[0], at: q.at, schemas: q.schemas}
		schema := p.schema()
		id := string(p.text())
		refs = append(refs, pipeline.Ref{ID: id, Schema: schema, Digest: pipeline.Digest(p.digest())})
		q.count--
		if q.at = p.at; q.at == len(p.b) {
			q.blocks[0] = nil
			q.blocks, q.at = q.blocks[1:], 0
		}
	}
	return refs
}
