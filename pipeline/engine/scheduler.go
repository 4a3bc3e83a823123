package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// SchedulerOptions are what a run is confined to.
type SchedulerOptions struct {
	// Partial is for runs that only find out what there is to ask: a loss ends
	// nothing, and folds whose input lacks items wait for another run. What would
	// have ended a whole run is a *LostError at the end.
	Partial bool
	// Limit is how many records of each schema sources hand on; 0 means all. What a
	// step loses is then no reason to end the run.
	Limit int
	// ConcurrentFetches is how many sources fetch at once; at least 1.
	ConcurrentFetches int
	// MaxHeld is about how many units of unfinished steps are in memory; those beyond
	// are in scratch files. 0 is the usual number.
	MaxHeld int
}

// usualHeld is MaxHeld of a build: with bytesHeld for each of them, 48 MiB.
const (
	usualHeld = 1 << 19
	bytesHeld = 96
)

// Scheduler is one run of a plan as its executor sees it, wherever the tasks run: it has
// the State, and with it the effects that no task has. It fetches, restores what is
// remembered, and stores and remembers the steps that end. It belongs to one goroutine.
type Scheduler struct {
	rt      Runtime
	state   *State
	opt     SchedulerOptions
	steps   []StepRun
	index   map[string]int
	partial map[string]bool // steps whose output is not complete
	last    map[string]lastRun
	lost    []error // of a partial run
	begun   bool    // the sources are handed out

	// What unfinished steps have done: the unit of a step that is one, and the tables
	// of units by the ids of their inputs of all others.
	single map[string]pipeline.Unit
	rows   *extsort.Tables
	row    unitWriter
}

// StepRun is one step as a run left it.
type StepRun struct {
	Step    Step
	Summary Summary
	// Units is the blob with the step's units.
	Units  pipeline.Digest
	Assets []pipeline.Asset
}

// Built returns how many units were computed rather than found.
func (n StepRun) Built() int { return n.Summary.Units - n.Summary.Reused }

// lastRun is what a step of this identity gave when it ran last, whatever its
// inputs were: most of them are mostly the same.
type lastRun struct {
	list   *unitList // nil of a step that is one unit
	counts *VerdictCounts
	key    pipeline.Key // of the unit that a step was
}

// NewScheduler fetches the files of all sources and restores the steps whose whole run
// is remembered.
func NewScheduler(ctx context.Context, rt Runtime, steps []Step, fetch pipeline.Fetcher, opt SchedulerOptions) (*Scheduler, error) {
	state, err := NewState(steps)
	if err != nil {
		return nil, err
	}
	held := cmp.Or(opt.MaxHeld, usualHeld)
	d := &Scheduler{
		rt: rt, state: state, opt: opt, steps: make([]StepRun, len(steps)), index: map[string]int{}, partial: map[string]bool{},
		last: map[string]lastRun{}, single: map[string]pipeline.Unit{}, rows: extsort.New(rt.TempRoot, held*bytesHeld),
		row: unitWriter{schemas: map[string]uint64{}},
	}
	state.Limit(opt.Limit)
	state.maxInputs, state.keep = min(held, usualInputs), d.keep
	for i, s := range steps {
		d.steps[i].Step = s
		d.index[s.Name] = i
	}
	// Before anything runs, so that a build that cannot get its input spends nothing.
	fetches, fetchCtx := errgroup.WithContext(ctx)
	fetches.SetLimit(max(1, opt.ConcurrentFetches))
	for i := range d.steps {
		n := &d.steps[i]
		if len(n.Step.Needs) == 0 {
			continue
		}
		fetches.Go(func() (err error) {
			if n.Assets, err = fetch.Fetch(fetchCtx, n.Step.Name, n.Step.Needs); err != nil {
				return fmt.Errorf("source %s: %w", n.Step.Name, err)
			}
			return nil
		})
	}
	if err := fetches.Wait(); err != nil {
		return nil, err
	}
	return d, d.restore(ctx)
}

// Next hands out tasks that are ready: first those of all sources that have to run, then
// those of State.Next. One that is a unit of many inputs names the lists that they stand
// in, so that every task is small.
func (d *Scheduler) Next(free map[pipeline.Resource]int) (tasks []pipeline.Task) {
	for _, n := range d.steps {
		if n.Step.Kind == pipeline.KindSource && n.Units == "" && !d.begun {
			d.state.Begin(n.Step.Name)
			free[n.Step.Spec.Resource]--
			tasks = append(tasks, pipeline.Task{Step: n.Step.Name, Identity: n.Step.Identity, Assets: n.Assets, LastKey: d.last[n.Step.Name].key})
		}
	}
	d.begun = true
	for _, t := range d.state.Next(free) {
		t.LastKey = d.last[t.Step].key
		if !t.Each && (len(t.Inputs) > mostCarried || d.state.hasManyInputs(t.Step)) {
			t.Inputs = nil
			for _, up := range d.steps[d.index[t.Step]].Step.From {
				t.Lists = append(t.Lists, d.steps[d.index[up]].Units)
			}
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// Resource returns what a task of a step occupies.
func (d *Scheduler) Resource(step string) pipeline.Resource {
	return d.steps[d.index[step]].Step.Spec.Resource
}

// Counts returns the progress of every step.
func (d *Scheduler) Counts() []Count { return d.state.Counts() }

// Done reports whether every step ended.
func (d *Scheduler) Done() bool { return d.state.Done() }

// Complete takes the results of a task, and stores and remembers the steps that
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

// holdFoldsAfter holds the folds that would miss what a step did not give.
func (d *Scheduler) holdFoldsAfter(name string) {
	d.partial[name] = true
	for _, n := range d.steps {
		if slices.Contains(n.Step.From, name) && !n.Step.Each {
			d.state.Hold(n.Step.Name)
		}
	}
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
	return errors.New("the build cannot go on although steps are unfinished; this is a bug in the executor")
}

// EndedSteps lists the steps that ended, in topological order.
func (d *Scheduler) EndedSteps() []StepRun {
	var ended []StepRun
	for _, n := range d.steps {
		if n.Units != "" {
			ended = append(ended, n)
		}
	}
	return ended
}

// keep holds a unit until its step ends.
func (d *Scheduler) keep(s Step, u pipeline.Unit) error {
	if !s.Each {
		d.single[s.Name] = u
		return nil
	}
	d.row.b = d.row.b[:0]
	clear(d.row.schemas)
	err := d.row.unit(&u)
	if err == nil {
		err = d.rows.AddBytes(unitRows(s.Name), extsort.AppendKey(nil, u.In.ID), d.row.b)
	}
	if err != nil {
		return fmt.Errorf("step %s: put aside what it has done: %w", s.Name, err)
	}
	return nil
}

func unitRows(step string) string { return "units of " + step }

// units yields the units of a step by input: the new ones, and those at some places of its
// last run, which are sorted.
func (d *Scheduler) units(step string, reused []int32) iter.Seq2[pipeline.Unit, error] {
	last := d.state.index[step].last
	return func(yield func(pipeline.Unit, error) bool) {
		if u, ok := d.single[step]; ok {
			yield(u, nil)
			return
		}
		left := reused
		for row, err := range d.rows.Rows(unitRows(step)) {
			p := unitReader{b: row, err: err}
			u := p.unit()
			p.expectEnd("unit")
			for ; p.err == nil && len(left) > 0 && last.input(int(left[0])) < u.In.ID; left = left[1:] {
				if !yield(last.unit(int(left[0]))) {
					return
				}
			}
			if !yield(u, p.err) || p.err != nil {
				return
			}
		}
		for _, i := range left {
			if !yield(last.unit(int(i))) {
				return
			}
		}
	}
}

// complete stores the units of a finished step and remembers the run.
func (d *Scheduler) complete(ctx context.Context, name string) error {
	n, done := &d.steps[d.index[name]], d.state.index[name]
	slices.Sort(done.reused)
	n.Summary = done.summary
	if n.Step.Kind == pipeline.KindGate {
		var err error
		if n.Summary.Verdicts, err = d.countVerdicts(ctx, n.Step); err != nil {
			return fmt.Errorf("step %s: %w", name, err)
		}
		done.summary.Verdicts = n.Summary.Verdicts
	}
	blob, err := d.storeUnits(ctx, n)
	if err != nil {
		return fmt.Errorf("step %s: store its units: %w", name, err)
	}
	n.Units = blob.Digest
	remembered := d.single[name].Key
	if err := errors.Join(done.last.close(), d.rows.Drop(unitRows(name))); err != nil {
		return fmt.Errorf("step %s: give scratch files back: %w", name, err)
	}
	blobs := done.blobs
	done.last, done.reused, done.blobs = nil, nil, nil
	delete(d.last, name)
	delete(d.single, name)
	if n.Summary.Waiting > 0 || d.opt.Partial && n.Summary.Transient > 0 ||
		slices.ContainsFunc(n.Step.From, func(up string) bool { return d.partial[up] }) { // another run will give more of it
		d.holdFoldsAfter(name)
		return nil
	}
	if n.Summary.Transient == 0 && !d.isLimitedSource(n.Step) {
		if err := d.remember(ctx, *n, remembered, blobs); err != nil {
			return fmt.Errorf("step %s: remember the run: %w", name, err)
		}
	}
	return d.checkLosses(n)
}

// storeUnits writes the list of a step's units, and sets the digest of all outputs.
func (d *Scheduler) storeUnits(ctx context.Context, n *StepRun) (pipeline.Blob, error) {
	name := n.Step.Name
	reused := d.state.index[name].reused
	count := int(d.rows.Len(unitRows(name))) + len(reused)
	if _, ok := d.single[name]; ok {
		count = 1
	}
	write := func(to io.Writer) error {
		list, outputs, before := newUnitWriter(to, count), recordsHash{}, ""
		for u, err := range d.units(name, reused) {
			if err != nil {
				return err
			}
			if u.In.ID != "" && u.In.ID == before {
				return fmt.Errorf("record %s: %w in this step's inputs", u.In.ID, errDuplicate)
			}
			if err := list.unit(&u); err != nil {
				return err
			}
			for _, r := range u.Out {
				outputs.add(r)
			}
			before = u.In.ID
		}
		n.Summary.Outputs = outputs.digest()
		return list.flush()
	}
	r, w := io.Pipe()
	written := make(chan struct{})
	go func() {
		defer close(written)
		w.CloseWithError(write(w))
	}()
	blob, err := d.rt.Store.PutBlob(ctx, r)
	r.Close() // ends a writer that has no reader any more
	<-written
	return blob, err
}

// countVerdicts counts those of a gate's units: from the count of its last run, by the
// units alone in which the two differ.
func (d *Scheduler) countVerdicts(ctx context.Context, step Step) (*VerdictCounts, error) {
	sum, err := CountVerdicts(ctx, d.rt.Store, d.units(step.Name, nil))
	last := d.last[step.Name]
	if err != nil || last.list == nil {
		return sum, err
	}
	if last.counts == nil { // remembered by a version that did not count verdicts
		if last.counts, err = CountVerdicts(ctx, d.rt.Store, last.list.except(nil)); err != nil {
			return nil, err
		}
	}
	gone, err := CountVerdicts(ctx, d.rt.Store, last.list.except(d.state.index[step.Name].reused))
	if err != nil {
		return nil, err
	}
	sum.addTimes(last.counts, 1)
	sum.addTimes(gone, -1)
	return sum, nil
}

// checkLosses ends a run in which a step lost too much, or judged too little. Neither bound
// is part of any key, so a remembered run is judged afresh. In a partial run, what a step
// lost ends nothing but the folds after it, and in a trial nothing at all. The copies of a
// gate that judge what was rewritten see few items and may judge none of them.
func (d *Scheduler) checkLosses(n *StepRun) (err error) {
	if d.opt.Limit > 0 {
		return nil
	}
	s := n.Summary
	_, round := pipeline.SplitRound(n.Step.Name)
	switch {
	case s.LossShare(n.Step.Kind) > n.Step.MaxLoss:
		err = &LossError{Step: n.Step.Name, Kind: n.Step.Kind, Summary: s, Max: n.Step.MaxLoss}
	case s.Verdicts != nil && round == 0:
		err = s.Verdicts.Check(n.Step.Name, n.Step.MaxInsufficient)
	}
	if err == nil || !d.opt.Partial {
		return err
	}
	d.lost = append(d.lost, err)
	d.holdFoldsAfter(n.Step.Name)
	return nil
}

// isLimitedSource reports whether a step's run is not to be remembered, nor recalled: a
// limited source hands on less than its key says.
func (d *Scheduler) isLimitedSource(s Step) bool {
	return d.opt.Limit > 0 && s.Kind == pipeline.KindSource
}

// remember commits what a run was under its key, and as the last one of the step.
func (d *Scheduler) remember(ctx context.Context, n StepRun, unit pipeline.Key, blobs blobSet) error {
	key, err := d.memoryKey(n)
	if err != nil {
		return err
	}
	keys := []pipeline.Key{key}
	if d.opt.Limit == 0 {
		if key, err = lastKey(n.Step); err != nil {
			return err
		}
		keys = append(keys, key)
	}
	rests := []pipeline.Digest{n.Units}
	for raw := range blobs {
		rests = append(rests, pipeline.DigestOfSum(raw))
	}
	slices.Sort(rests)
	rests = slices.Compact(rests)
	var all []pipeline.Committed
	for _, key := range keys {
		rec, err := pipeline.NewRecord(SchemaMemory, "memory/"+string(key), Memory{Summary: n.Summary, Units: n.Units, Unit: unit}, n.Units)
		if err != nil {
			return err
		}
		ref, err := rec.Ref()
		if err != nil {
			return err
		}
		all = append(all, pipeline.Committed{Result: pipeline.Result{Key: key, Outputs: []pipeline.Ref{ref}, Blobs: rests}, Records: []pipeline.Record{rec}})
	}
	return d.rt.Store.Commit(ctx, all)
}

// memoryKey returns where a run of a step on what its upstreams gave is remembered. It needs
// their summaries.
func (d *Scheduler) memoryKey(n StepRun) (pipeline.Key, error) {
	var upstream []pipeline.Digest
	for _, from := range n.Step.From {
		upstream = append(upstream, d.steps[d.index[from]].Summary.Outputs)
	}
	return runKey(n.Step.Identity, upstream, n.Assets)
}

// lastKey returns where the last run of a step is remembered. Two steps may have one
// identity, so its name is part of it. What a step that is one unit gave last says
// only which records need not be stored again, so there its configuration and
// version do not matter.
func lastKey(s Step) (pipeline.Key, error) {
	if !s.Each {
		s.Identity = pipeline.Identity{Kind: s.Kind, Use: s.Use, Config: pipeline.RawConfig(`{}`)}
	}
	return runKey(s.Identity, []pipeline.Digest{pipeline.DigestOf([]byte("last run of " + s.Name))}, nil)
}

// restore completes every step whose whole run is remembered and whose
// upstreams' are. Units are only read where a step that has to run needs them.
func (d *Scheduler) restore(ctx context.Context) error {
	remembered := make([]bool, len(d.steps))
	isRemembered := func(step string) bool { return remembered[d.index[step]] }
	for i := range d.steps {
		n := &d.steps[i]
		whole := !slices.ContainsFunc(n.Step.From, func(up string) bool { return !isRemembered(up) })
		var err error
		if remembered[i], err = d.recall(ctx, n, whole); err != nil {
			return fmt.Errorf("step %s: recall its last run: %w", n.Step.Name, err)
		}
	}
	// Downstream first, so that a restored step is offered nothing.
	for i, n := range slices.Backward(d.steps) {
		if !remembered[i] {
			continue
		}
		units := func(func(pipeline.Unit, error) bool) {}
		if slices.ContainsFunc(d.steps, func(o StepRun) bool { return slices.Contains(o.Step.From, n.Step.Name) && !isRemembered(o.Step.Name) }) {
			units = StoredUnits(ctx, d.rt.Store, n.Units)
		}
		done, err := d.state.Restore(n.Step.Name, n.Summary, units)
		if err != nil {
			return err
		}
		d.steps[i].Summary.Reused = n.Summary.Units
		for _, name := range done { // nothing is left to do for them
			if err := d.complete(ctx, name); err != nil {
				return err
			}
		}
	}
	return d.listManyInputs(ctx)
}

// recall takes over a run of a step that is remembered for the same inputs, if whole says
// that these are known, and reports whether there is one. Without it the step begins with
// what it gave last: its units, or the key of the one that it is.
func (d *Scheduler) recall(ctx context.Context, n *StepRun, whole bool) (bool, error) {
	if whole && !d.isLimitedSource(n.Step) {
		key, err := d.memoryKey(*n)
		if err != nil {
			return false, err
		}
		memory, _, err := d.memory(ctx, key)
		if err != nil {
			return false, err
		}
		// Early versions did not count verdicts.
		if memory != nil && (n.Step.Kind != pipeline.KindGate || memory.Summary.Verdicts != nil) {
			n.Summary, n.Units = memory.Summary, memory.Units
			return true, d.checkLosses(n)
		}
	}
	key, err := lastKey(n.Step)
	if err != nil {
		return false, err
	}
	memory, blobs, err := d.memory(ctx, key)
	if memory == nil || err != nil {
		return false, err
	}
	if !n.Step.Each {
		d.last[n.Step.Name] = lastRun{key: memory.Unit}
		return false, nil
	}
	list, err := openUnitList(ctx, d.rt.Store, memory.Units)
	if list == nil || err != nil {
		return false, err
	}
	d.last[n.Step.Name] = lastRun{list: list, counts: memory.Summary.Verdicts}
	step := d.state.index[n.Step.Name]
	step.last = list
	return false, step.blobs.add(blobs...)
}

// memory reads what is remembered under a key, and the blobs that it rests on; it is
// nil where nothing is.
func (d *Scheduler) memory(ctx context.Context, key pipeline.Key) (*Memory, []pipeline.Digest, error) {
	found, err := d.rt.Store.Results(ctx, []pipeline.Key{key})
	if err != nil {
		return nil, nil, err
	}
	res, ok := found[key]
	if !ok {
		return nil, nil, nil
	}
	if len(res.Outputs) != 1 {
		return nil, nil, errors.New("the stored result is not the memory of a run; run `memforge store check`")
	}
	recs, err := d.rt.Store.Records(ctx, []pipeline.Digest{res.Outputs[0].Digest})
	if err != nil {
		return nil, nil, err
	}
	memory, err := pipeline.Decode[Memory](recs[0])
	return &memory, res.Blobs, err
}

// listManyInputs tells the state how many inputs have the steps that read many at once
// and can begin, and the keys that their units have with them.
func (d *Scheduler) listManyInputs(ctx context.Context) error {
	for _, step := range d.state.unlistedSteps() {
		count, key, err := d.listInputs(ctx, step)
		if err != nil {
			return fmt.Errorf("step %s: read its inputs: %w", step.Name, err)
		}
		d.state.setInputs(step.Name, count, key)
	}
	return nil
}

func (d *Scheduler) listInputs(ctx context.Context, step Step) (count int, key pipeline.Key, err error) {
	table := "inputs of " + step.Name
	for _, up := range step.From {
		for r, err := range outputsOf(ctx, d.rt.Store, d.steps[d.index[up]].Units, step.Spec.Accepts) {
			if err == nil {
				err = d.rows.Add(table, extsort.AppendKey(nil, r.ID), []any{r.ID, string(r.Digest)})
			}
			if err != nil {
				return 0, "", err
			}
		}
	}
	key, err = InputsKey(step.Identity, func(yield func(pipeline.Digest, error) bool) {
		last, before := "", ""
		for row, err := range d.rows.Rows(table) {
			id, digest := "", ""
			if err == nil {
				cells := extsort.DecodeRow(row)
				id, digest = cells[0].(string), cells[1].(string)
			}
			switch {
			case err == nil && count > 0 && id == last && digest == before:
				continue
			case err == nil && count > 0 && id == last:
				err = fmt.Errorf("record %q: %w", id, errDuplicate)
			}
			last, before = id, digest
			if count++; !yield(pipeline.Digest(digest), err) {
				return
			}
		}
	})
	if err != nil {
		return 0, "", err
	}
	return count, key, d.rows.Drop(table)
}
