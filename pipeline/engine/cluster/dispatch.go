package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/model/client"
)

// dispatcher sends the tasks of one build to workers, in batches: an engine takes some
// fifty milliseconds of processor time for whatever it carries, and a task of a model
// waits for less.
type dispatcher struct {
	build   string
	run     string
	program Program
	rt      engine.Runtime // for reading results
	state   *clusterstate.SharedState
	carrier BatchSender

	mu     sync.Mutex
	gather map[pipeline.Resource]*pendingBatch
	most   map[pipeline.Resource]int // tasks of a batch, see size
	spent  map[string]client.Total   // by step
	work   sync.WaitGroup
}

// pendingBatch are tasks that wait for others to travel with.
type pendingBatch struct {
	ctx   context.Context
	tasks []pipeline.Task
	done  []chan<- outcome
}

// outcome of a task.
type outcome struct {
	results []pipeline.Result
	err     error
}

// linger is how long a task waits for others that become ready with it.
const linger = 4 * time.Millisecond

// runTask is a local.TaskRunner.
func (d *dispatcher) runTask(ctx context.Context, t pipeline.Task, r pipeline.Resource) ([]pipeline.Result, error) {
	done := make(chan outcome, 1)
	d.add(ctx, t, r, done)
	select {
	case o := <-done:
		return o.results, o.err
	case <-ctx.Done():
		return nil, &pipeline.TaskError{Step: t.Step, Err: ctx.Err()}
	}
}

func (d *dispatcher) add(ctx context.Context, t pipeline.Task, r pipeline.Resource, done chan<- outcome) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := d.gather[r]
	if g == nil {
		g = &pendingBatch{ctx: ctx}
		d.gather[r] = g
		d.work.Go(func() {
			select {
			case <-time.After(linger):
			case <-ctx.Done():
			}
			d.send(r, g)
		})
	}
	g.tasks, g.done = append(g.tasks, t), append(g.done, done)
	if len(g.tasks) >= d.most[r] {
		delete(d.gather, r)
		d.work.Go(func() { d.sendTasks(r, g) })
	}
}

// send carries what was gathered, unless it went already because it was full.
func (d *dispatcher) send(r pipeline.Resource, g *pendingBatch) {
	d.mu.Lock()
	waits := d.gather[r] == g
	if waits {
		delete(d.gather, r)
	}
	d.mu.Unlock()
	if waits {
		d.sendTasks(r, g)
	}
}

// sendTasks has workers do what was gathered, and hands the results out. What the store has
// already need not travel.
func (d *dispatcher) sendTasks(r pipeline.Resource, g *pendingBatch) {
	out := make([]outcome, len(g.tasks))
	before, err := engine.LookUpResults(g.ctx, d.rt, g.tasks)
	p := taskBatch{Build: d.build, Run: d.run, Resource: r}
	var at []int
	for i, t := range g.tasks {
		if err != nil {
			break
		}
		var whole bool
		if out[i].results, whole = before.AllResults(i); !whole {
			p.Tasks, at = append(p.Tasks, t), append(at, i)
		}
	}
	if err == nil && len(at) > 0 {
		var done []outcome
		if done, err = d.sendBatch(g.ctx, p, before); err == nil {
			for j, i := range at {
				out[i] = done[j]
			}
		}
	}
	for i, done := range g.done {
		if err != nil {
			out[i] = outcome{err: &pipeline.TaskError{Step: g.tasks[i].Step, Err: err}}
		}
		done <- out[i]
	}
}

// sendBatch sends a batch and gives what its reply stands for.
func (d *dispatcher) sendBatch(ctx context.Context, p taskBatch, before engine.LookupResult) ([]outcome, error) {
	body, err := encode(p)
	if err != nil {
		return nil, err
	}
	name, r, err := d.awaitReply(ctx, p, body)
	if err != nil {
		return nil, err
	}
	d.addSpending(r.Spent)
	out, err := d.readResults(ctx, p, r, before)
	return out, errors.Join(err, d.state.DropBatch(ctx, name))
}

// awaitReply lays a batch down, has it carried and reads the reply that lies beside it: what
// the carrier brings of it is not relied on. A driver before this one may take the batch
// back once it has its reply, so one that is gone is laid down again.
func (d *dispatcher) awaitReply(ctx context.Context, p taskBatch, body []byte) (name pipeline.Digest, r reply, err error) {
	const attempts = 3
	var answer []byte
	for range attempts {
		if name, err = d.state.PutBatch(ctx, body); err != nil {
			return name, r, err
		}
		if _, err = d.carrier.SendBatch(ctx, d.program.queue(string(p.Resource)), name); err != nil {
			err = fmt.Errorf("send %d tasks to the workers: %w", len(p.Tasks), err)
			if is[*PermanentError](err) && ctx.Err() == nil {
				continue
			}
			return name, r, err
		}
		if answer, err = d.state.Reply(ctx, name); err == nil {
			break
		}
		if !errors.Is(err, clusterstate.ErrNoBatch) {
			return name, r, err
		}
	}
	if err != nil {
		return name, r, err
	}
	if r, err = decode[reply](answer); err == nil && r.Batch != name {
		err = fmt.Errorf("the reply to batch %s is that to %s; somebody changed the table of batches", name, r.Batch)
	}
	return name, r, err
}

func (d *dispatcher) addSpending(spent map[string]client.Total) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for node, t := range spent {
		d.spent[node] = d.spent[node].Plus(t)
	}
}

func (d *dispatcher) total() map[string]client.Total {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.spent)
}

func (d *dispatcher) readResults(ctx context.Context, p taskBatch, r reply, before engine.LookupResult) ([]outcome, error) {
	passing := map[pipeline.Key]pipeline.Result{}
	for _, res := range r.Passing {
		passing[res.Key] = res
	}
	found, err := engine.LookUpResults(ctx, d.rt, p.Tasks)
	if err != nil {
		return nil, err
	}
	out := make([]outcome, len(p.Tasks))
	for i := range p.Tasks {
		if f := r.Faults[i]; f != nil {
			out[i].err = f.err()
			continue
		}
		if out[i].results, err = found.ResultsSince(before, i, passing); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (d *dispatcher) wait() { d.work.Wait() }

// A worker holds two batches of each resource, so that it never waits for the driver, and
// as many wait in the queue: who starts workers by the length of queues sees by it that
// more would be of use. A batch fills the slots of a worker once, and is of two tasks at
// least: to carry one takes an engine about 18 ms of processor time.
const (
	held   = 2
	ahead  = 2 * held
	fewest = 2
)

// setBatchSizes sets how many tasks travel together, from how many are sent and the workers there
// are, by resource.
func (d *dispatcher) setBatchSizes(limits, workers map[pipeline.Resource]int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for r, n := range limits {
		d.most[r] = max(1, n/(ahead*workers[r]))
	}
}

// taskBatch is a group of tasks that travels together.
type taskBatch struct {
	// Build is the id of the order that the tasks are of. Run names the run: an order
	// that is given again has a budget anew.
	Build    string            `json:"build"`
	Run      string            `json:"run"`
	Resource pipeline.Resource `json:"resource"`
	Tasks    []pipeline.Task   `json:"tasks"`
}

// reply says what became of a batch, beside what is in the store.
type reply struct {
	Batch pipeline.Digest `json:"parcel"`
	// Faults are the errors of tasks, by their place in the batch.
	Faults map[int]*Fault `json:"faults,omitempty"`
	// Passing are results that no store keeps, see engine.Found.
	Passing []pipeline.Result `json:"passing,omitempty"`
	// Spent is what the worker asked of models, by step, and has not told yet.
	Spent map[string]client.Total `json:"spent,omitempty"`
}

func encode(v any) ([]byte, error) {
	b, err := pipeline.Canonical(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b, nil
}

func decode[T any](b []byte) (v T, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&v); err != nil {
		err = fmt.Errorf("read %T: %w", v, err)
	}
	return v, err
}
