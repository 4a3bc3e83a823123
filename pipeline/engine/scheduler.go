package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/memforge/memforge/pipeline"
)

// SchedulerOptions are what a run is confined to.
type SchedulerOptions struct {
	// Partial is for runs that only find out what there is to ask: a loss ends
	// nothing, and folds whose input lacks items wait for another run. What would
	// have ended a whole run is a *LostError at the end.
	Partial bool
	// Limit is how many records of each schema sources hand on; 0 means all. What a
	// node loses is then no reason to end the run.
	Limit int
	// ConcurrentFetches is how many sources fetch at once; at least 1.
	ConcurrentFetches int
	// MaxHeld is how many units and records of unfinished nodes are in memory one by one,
	// about; those beyond are in scratch files. 0 is the usual number.
	MaxHeld int
}

// Scheduler is one run of a plan as its driver sees it, whatever executes the tasks:
// it has the State, and with it the effects that no task has. It fetches, restores
// what is remembered, and stores and remembers the nodes that end. It belongs to
// one goroutine.
type Scheduler struct {
	rt      Runtime
	state   *State
	opt     SchedulerOptions
	nodes   []StepRun
	index   map[string]int
	partial map[string]bool // nodes whose output is not complete
	last    map[string]lastRun
	kept    *spilledSteps
	lost    []error // of a partial run
}

// StepRun is one node as a run left it.
type StepRun struct {
	Step    Step
	Summary Summary
	// Units is the blob with the node's units.
	Units  pipeline.Digest
	Assets []pipeline.Asset
}

// Built is how many units were computed rather than found.
func (n StepRun) Built() int { return n.Summary.Units - n.Summary.Reused }

// NewScheduler fetches the files of all sources and restores the nodes whose whole run
// is remembered.
func NewScheduler(ctx context.Context, rt Runtime, steps []Step, fetch pipeline.Fetcher, opt SchedulerOptions) (*Scheduler, error) {
	state, err := NewState(steps)
	if err != nil {
		return nil, err
	}
	state.Limit(opt.Limit)
	d := &Scheduler{rt: rt, kept: newKept(rt.TempRoot), state: state, opt: opt, nodes: make([]StepRun, len(steps)), index: map[string]int{}, partial: map[string]bool{}, last: map[string]lastRun{}}
	state.limitMemory(cmp.Or(opt.MaxHeld, usualLimit), d.spill)
	for i, s := range steps {
		d.nodes[i].Step = s
		d.index[s.Name] = i
	}
	if err := d.fetchAll(ctx, fetch); err != nil {
		return nil, err
	}
	return d, d.restore(ctx)
}

// Next hands out tasks that are ready; see State.Next. One that is a unit of many
// inputs names the lists that they stand in, so that every task is small.
func (d *Scheduler) Next(free map[pipeline.Resource]int) []pipeline.Task {
	tasks := d.state.Next(free)
	for i, t := range tasks {
		tasks[i].LastKey = d.last[t.Step].key
		if t.Each || len(t.Inputs) <= mostCarried && !d.state.isListed(t.Step) {
			continue
		}
		tasks[i].Inputs = nil
		for _, up := range d.nodes[d.index[t.Step]].Step.From {
			tasks[i].Lists = append(tasks[i].Lists, d.nodes[d.index[up]].Units)
		}
	}
	return tasks
}

// Resource is what a task of a node occupies.
func (d *Scheduler) Resource(node string) pipeline.Resource {
	return d.nodes[d.index[node]].Step.Spec.Resource
}

// Counts is the progress of every node.
func (d *Scheduler) Counts() []Count { return d.state.Counts() }

// Done reports whether every node ended.
func (d *Scheduler) Done() bool { return d.state.Done() }

// Complete takes the results of a task, and stores and remembers the nodes that
// end with it. An error ends the run.
func (d *Scheduler) Complete(ctx context.Context, t pipeline.Task, results []pipeline.Result) error {
	complete, err := d.state.Complete(t, results)
	if err != nil {
		return err
	}
	var errs []error
	for _, name := range complete {
		errs = append(errs, d.complete(ctx, name))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return d.listManyInputs(ctx)
}

// Fail takes the error of a task and returns it if it ends the run: unless an
// answer is still to come for the task, or the run is partial and the task lost
// what it works on.
func (d *Scheduler) Fail(t pipeline.Task, err error) error {
	var lost *pipeline.Rejection
	if !errors.As(err, &lost) || !lost.Waiting && !d.opt.Partial {
		return err
	}
	if !lost.Transient {
		d.lost = append(d.lost, err)
	}
	d.state.Hold(t.Step)
	d.holdFoldsAfter(t.Step)
	return nil
}

// End says how a run ended that has nothing left to do: nil, a *LostError or
// ErrWaiting.
func (d *Scheduler) End() error {
	switch {
	case len(d.lost) > 0:
		return &LostError{errors.Join(d.lost...)}
	case d.state.Done(), d.opt.Partial:
		return nil
	case len(d.partial) > 0:
		return ErrWaiting
	}
	return errors.New("the build cannot go on although nodes are unfinished; this is a bug in the executor")
}

// EndedSteps lists the nodes that ended, in topological order.
func (d *Scheduler) EndedSteps() []StepRun {
	var ended []StepRun
	for _, n := range d.nodes {
		if n.Units != "" {
			ended = append(ended, n)
		}
	}
	return ended
}
