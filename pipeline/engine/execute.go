package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// Runtime is what Execute needs besides the task.
type Runtime struct {
	Registry *pipeline.Registry
	Store    pipeline.Store
	// Models answers what the built-in model does not; nil when no role of the
	// plan is given to another one.
	Models pipeline.Models
	// Heard, if set, is told of every request before it is answered. It must be safe
	// for concurrent use.
	Heard func(pipeline.Origin, pipeline.Request)
	// TempRoot is the folder for scratch folders; empty means the system's.
	TempRoot string
}

func (rt Runtime) grant(t pipeline.Task, item string) pipeline.ScopeOptions {
	return pipeline.ScopeOptions{
		Identity: t.Identity, Step: t.Step, Item: item, Store: rt.Store, Registry: rt.Registry,
		Models: rt.Models, OnRequest: rt.Heard, TempRoot: rt.TempRoot,
	}
}

// Execute runs a task and owns every effect of it: look the key up, run, write
// blobs, commit. It is idempotent. It returns one result per unit, in the
// order of the inputs. When a unit fails, the units before it stay committed.
// After a cancellation nothing more is committed.
func Execute(ctx context.Context, rt Runtime, t pipeline.Task) ([]pipeline.Result, error) {
	t, err := withInputs(ctx, rt, t)
	if err != nil {
		return nil, &pipeline.TaskError{Step: t.Step, Err: err}
	}
	if unitCount(t) == 0 {
		return nil, nil
	}
	keys, err := TaskKeys(t)
	if err != nil {
		return nil, err
	}
	known, err := rt.Store.Results(ctx, keys)
	if err != nil {
		return nil, &pipeline.TaskError{Step: t.Step, Err: fmt.Errorf("look up results: %w", err)}
	}
	results := make([]pipeline.Result, len(keys))
	var todo []int
	for i, k := range keys {
		if r, ok := known[k]; ok {
			r.Reused = true
			results[i] = r
			continue
		}
		todo = append(todo, i)
	}
	if len(todo) == 0 {
		return results, nil
	}
	done, err := runUnits(ctx, rt, t, keys, todo)
	if ctx.Err() != nil {
		return nil, &pipeline.TaskError{Step: t.Step, Err: ctx.Err()}
	}
	commits := slices.Clone(done)
	for i, c := range commits {
		if transient(c.Result) { // no task has this key: what another attempt may do better is computed again
			commits[i].Result.Key = pipeline.Key(pipeline.DigestOf([]byte("passing:" + string(c.Result.Key))))
		}
	}
	if commitErr := rt.Store.Commit(ctx, commits); commitErr != nil {
		return nil, &pipeline.TaskError{Step: t.Step, Err: fmt.Errorf("commit results: %w", errors.Join(commitErr, err))}
	}
	if err != nil {
		return nil, err
	}
	for j, i := range todo {
		results[i] = done[j].Result
	}
	return results, nil
}

func transient(r pipeline.Result) bool {
	return slices.ContainsFunc(r.Rejections, func(r pipeline.Rejection) bool { return r.Transient })
}

// runUnits computes the units todo and returns those done before the first
// error.
func runUnits(ctx context.Context, rt Runtime, t pipeline.Task, keys []pipeline.Key, todo []int) ([]pipeline.Committed, error) {
	fail := func(err error) ([]pipeline.Committed, error) { return nil, &pipeline.TaskError{Step: t.Step, Err: err} }
	plugin, err := rt.Registry.Build(t.Identity)
	if err != nil {
		return fail(err)
	}
	if err := checkIdentity(ctx, rt.Registry, t.Identity, plugin.Spec()); err != nil {
		return fail(err)
	}
	inputs, stored := make([]pipeline.Record, len(todo)), &storedOutputs{}
	if t.Each {
		refs := make([]pipeline.Ref, len(todo))
		for j, i := range todo {
			refs[j] = t.Inputs[i]
		}
		if inputs, err = loadRefs(ctx, rt.Store, refs); err != nil {
			return fail(fmt.Errorf("load inputs: %w", err))
		}
	} else if t.LastKey != "" {
		found, err := rt.Store.Results(ctx, []pipeline.Key{t.LastKey})
		if err != nil {
			return fail(fmt.Errorf("look up what it gave last: %w", err))
		}
		stored.last = found[t.LastKey].Outputs
	}
	if t.Identity.Kind == pipeline.KindGate && !t.Each {
		stored.items = t.Inputs
	}
	done := make([]pipeline.Committed, 0, len(todo))
	for j, i := range todo {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		u := unitRun{rt: rt, task: t, key: keys[i], plugin: plugin, spec: plugin.Spec(), input: inputs[j], stored: stored}
		if t.Each {
			u.task.Inputs = t.Inputs[i : i+1]
		}
		c, err := u.run(ctx)
		if err != nil {
			return done, &pipeline.TaskError{Step: t.Step, Item: u.input.ID, Err: err}
		}
		done = append(done, c)
	}
	return done, nil
}

// unitRun is one execution of one plugin.
type unitRun struct {
	rt     Runtime
	task   pipeline.Task
	key    pipeline.Key
	plugin any
	spec   pipeline.Spec
	input  pipeline.Record            // zero unless task.Each
	stored *storedOutputs             // outputs that need not be stored again
	byID   map[string]pipeline.Digest // the outputs, once they are many
	named  []pipeline.Digest          // blobs of the outputs
	out    pipeline.Committed
}

// run executes the plugin and checks what it gave.
func (u *unitRun) run(ctx context.Context) (pipeline.Committed, error) {
	result := &u.out.Result
	result.Key, u.out.Instant = u.key, u.task.Instant
	left, err := pipeline.RunInScope(u.rt.grant(u.task, u.input.ID), func(scope *pipeline.Scope) error {
		emit := func(r pipeline.Record) error { return u.emit(ctx, r) }
		switch p := u.plugin.(type) {
		case pipeline.Source:
			return p.Read(ctx, scope, u.task.Assets, func(r pipeline.Record) error {
				err := emit(r)
				if errors.Is(err, errDuplicate) { // upstream data may repeat itself: the later item is lost
					scope.Reject(r.ID, pipeline.Reject("duplicate-id", "another item of this source has the id %q already; make ids unique upstream", r.ID))
					return nil
				}
				return err
			})
		case pipeline.Map:
			recs, err := p.Map(ctx, scope, u.input)
			var lost *pipeline.Rejection
			if errors.As(err, &lost) && ctx.Err() == nil {
				scope.Reject(u.input.ID, lost)
				return nil
			}
			for i := 0; i < len(recs) && err == nil; i++ {
				err = emit(recs[i])
			}
			return err
		case pipeline.Fold:
			return p.Fold(ctx, scope, u.collection(ctx), emit)
		case pipeline.Gate:
			return u.judge(ctx, scope, p)
		}
		return fmt.Errorf("%s %q is neither Source, Map, Fold nor Gate", u.task.Identity.Kind, u.task.Identity.Use)
	})
	if err != nil {
		return pipeline.Committed{}, err
	}
	result.Rejections = append(left.Rejections, result.Rejections...)
	result.Blobs = slices.Concat(left.Blobs, u.named)
	slices.Sort(result.Blobs)
	result.Blobs = slices.Compact(result.Blobs)
	if len(u.named) == 0 {
		return u.out, nil
	}
	missing, err := u.rt.Store.MissingBlobs(ctx, u.named)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("outputs name blob %s, which was never stored", missing[0])
	}
	if err != nil {
		return pipeline.Committed{}, err
	}
	return u.out, nil
}

// emit accepts one output record.
func (u *unitRun) emit(ctx context.Context, r pipeline.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !slices.Contains(u.spec.Emits, r.Schema) {
		return fmt.Errorf("output %q has schema %q, which the plugin does not declare in Spec.Emits", r.ID, r.Schema)
	}
	body, err := r.Encode()
	if err != nil {
		return err
	}
	ref := pipeline.Ref{ID: r.ID, Schema: r.Schema, Digest: pipeline.DigestOf(body)}
	after := len(u.out.Result.Outputs)
	switch d, ok := u.addOutput(ref); {
	case ok && d == ref.Digest:
		return nil
	case ok:
		return fmt.Errorf("output %q: %w", r.ID, errDuplicate)
	}
	u.named = append(u.named, r.Blobs...)
	if u.task.Each && u.task.Inputs[0].Digest == ref.Digest || !u.task.Each && u.stored.has(after, ref) {
		u.out.Stored = true
		return nil
	}
	if at := bytes.Index(body, r.Data); at > 0 && len(r.Data) > 0 {
		r.Data = body[at : at+len(r.Data)] // not held twice
	}
	u.out.Records = append(u.out.Records, r)
	u.out.Encoded = append(u.out.Encoded, body)
	return nil
}

// addOutput takes an output, unless there is one of its id, whose digest it then gives.
func (u *unitRun) addOutput(ref pipeline.Ref) (before pipeline.Digest, known bool) {
	const few = 8 // outputs are looked through one by one
	outputs := u.out.Result.Outputs
	if u.byID == nil {
		for _, o := range outputs {
			if o.ID == ref.ID {
				return o.Digest, true
			}
		}
	} else if before, known = u.byID[ref.ID]; known {
		return before, true
	}
	if u.byID == nil && len(outputs) == few {
		// Most likely it gives about as many as last.
		u.byID, outputs = make(map[string]pipeline.Digest, len(u.stored.last)), slices.Grow(outputs, len(u.stored.last))
		for _, o := range outputs {
			u.byID[o.ID] = o.Digest
		}
	}
	if u.byID != nil {
		u.byID[ref.ID] = ref.Digest
	}
	u.out.Result.Outputs = append(outputs, ref)
	return "", false
}

func loadRefs(ctx context.Context, st pipeline.Store, refs []pipeline.Ref) ([]pipeline.Record, error) {
	ds := make([]pipeline.Digest, len(refs))
	for i, r := range refs {
		ds[i] = r.Digest
	}
	return st.Records(ctx, ds)
}

// mostCarried is how many inputs of one unit travel with its task: as JSON they
// take some 128 KB. More of them are read from Task.Lists.
const mostCarried = 1024

// withInputs returns a task with the inputs that its lists stand for: what is on them of
// the schemas that its plugin accepts, by id.
func withInputs(ctx context.Context, rt Runtime, t pipeline.Task) (pipeline.Task, error) {
	if len(t.Lists) == 0 {
		return t, nil
	}
	if t.Each || len(t.Inputs) > 0 {
		return t, errors.New("only a task that is one unit has its inputs in lists, and then in nothing else")
	}
	plugin, err := rt.Registry.Build(t.Identity)
	if err != nil {
		return t, err
	}
	for _, list := range t.Lists {
		for r, err := range outputsOf(ctx, rt.Store, list, plugin.Spec().Accepts) {
			if err != nil {
				return t, fmt.Errorf("read its inputs: %w", err)
			}
			t.Inputs = append(t.Inputs, r)
		}
	}
	sortRefs(t.Inputs)
	t.Inputs = slices.Compact(t.Inputs)
	for i := range t.Inputs[min(1, len(t.Inputs)):] {
		if id := t.Inputs[i].ID; id == t.Inputs[i+1].ID {
			return t, fmt.Errorf("read its inputs: record %q: %w", id, errDuplicate)
		}
	}
	t.Lists = nil
	return t, nil
}

// A fold reads its inputs in batches: the more records are sought together, the
// closer they lie. What a batch takes is known of the one before.
const (
	leastRead, mostRead = 512, 64 << 10 // records
	readBytes           = 4 << 20       // of data
	readGrowth          = 16            // of a batch over the one before
)

// collection reads the inputs of a fold in batches.
func (u *unitRun) collection(ctx context.Context) pipeline.Collection {
	all := func(yield func(pipeline.Record, error) bool) {
		batch := leastRead
		for refs := u.task.Inputs; len(refs) > 0; {
			n := min(batch, len(refs))
			recs, err := loadRefs(ctx, u.rt.Store, refs[:n])
			if err != nil {
				yield(pipeline.Record{}, err)
				return
			}
			refs, batch = refs[n:], nextBatch(recs)
			for _, r := range recs {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	return pipeline.Collection{Len: len(u.task.Inputs), All: all}
}

// nextBatch returns how many records of the size of these take readBytes, within bounds.
func nextBatch(recs []pipeline.Record) int {
	size := 1
	for _, r := range recs {
		size += len(r.Data)
	}
	return max(leastRead, min(mostRead, readGrowth*len(recs), readBytes*len(recs)/size))
}

// storedOutputs are records that a task which is one unit may give and that are in the
// store: what it gave last, in the order in which it gave it, and the items that a
// gate hands on.
type storedOutputs struct {
	last, items []pipeline.Ref
	all         map[pipeline.Digest]bool // of both, once one is sought out of order
}

// has reports whether the output that is given after so many others is known to be in
// the store. Mostly they are the same as last, in the same order. One that has
// changed since is taken for new, without a look at all others.
func (s *storedOutputs) has(after int, out pipeline.Ref) bool {
	if after < len(s.last) && s.last[after].ID == out.ID && (s.items == nil || s.last[after].Digest == out.Digest) {
		return s.last[after].Digest == out.Digest
	}
	if s.all == nil {
		s.all = make(map[pipeline.Digest]bool, len(s.last)+len(s.items))
		for _, refs := range [][]pipeline.Ref{s.last, s.items} {
			for _, r := range refs {
				s.all[r.Digest] = true
			}
		}
	}
	return s.all[out.Digest]
}

func unitCount(t pipeline.Task) int {
	if t.Each {
		return len(t.Inputs)
	}
	return 1
}

// MissingError says that a result is not in the store although its task was done.
type MissingError struct {
	Step string
	Key  pipeline.Key
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("step %s: the task was done elsewhere and its result %s is not in the store; let all machines use one store", e.Step, e.Key)
}

// LookupResult is what a store knows of tasks.
type LookupResult struct {
	tasks []pipeline.Task
	keys  [][]pipeline.Key
	known map[pipeline.Key]pipeline.Result
}

// LookUpResults looks for the results of tasks, which their executors leave in the store.
func LookUpResults(ctx context.Context, rt Runtime, tasks []pipeline.Task) (LookupResult, error) {
	f := LookupResult{tasks: tasks, keys: make([][]pipeline.Key, len(tasks))}
	var all []pipeline.Key
	for i, t := range tasks {
		t, err := withInputs(ctx, rt, t)
		if err != nil {
			return f, &pipeline.TaskError{Step: t.Step, Err: err}
		}
		if unitCount(t) == 0 {
			continue
		}
		if f.keys[i], err = TaskKeys(t); err != nil {
			return f, err
		}
		all = append(all, f.keys[i]...)
	}
	var err error
	if f.known, err = rt.Store.Results(ctx, all); err != nil {
		return f, fmt.Errorf("look up results: %w", err)
	}
	return f, nil
}

// AllResults returns the results of a task, by its place, if the store has all of them.
func (f LookupResult) AllResults(i int) ([]pipeline.Result, bool) {
	results := make([]pipeline.Result, len(f.keys[i]))
	for j, k := range f.keys[i] {
		r, ok := f.known[k]
		if !ok {
			return nil, false
		}
		r.Reused = true
		results[j] = r
	}
	return results, true
}

// ResultsSince returns the results of a task that was executed since before was looked up, as
// Execute gave them there. passing are, by key, those that no store keeps, because
// another attempt may do better. A result that is in neither is a *MissingError.
func (f LookupResult) ResultsSince(before LookupResult, i int, passing map[pipeline.Key]pipeline.Result) ([]pipeline.Result, error) {
	results := make([]pipeline.Result, len(f.keys[i]))
	for j, k := range f.keys[i] {
		r, ok := f.known[k]
		if !ok {
			r, ok = passing[k]
		}
		if !ok || r.Key != k {
			return nil, &MissingError{f.tasks[i].Step, k}
		}
		_, r.Reused = before.known[k]
		results[j] = r
	}
	return results, nil
}

// TransientResults lists those of results that no store keeps, see Found.Since.
func TransientResults(results []pipeline.Result) (passing []pipeline.Result) {
	for _, r := range results {
		if transient(r) {
			passing = append(passing, r)
		}
	}
	return passing
}
