package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

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

// checkIdentity makes sure that an identity is the one that this program would make.
func checkIdentity(ctx context.Context, r *pipeline.Registry, id pipeline.Identity, spec pipeline.Spec) error {
	own := id
	if err := r.Complete(ctx, &own, spec); err != nil {
		return err
	}
	var e ForeignError
	e.compare("tool", id.Tools, own.Tools)
	e.compare("prompt", digestTexts(id.Prompts), digestTexts(own.Prompts))
	e.compare("built-in rule", id.Rules, own.Rules)
	e.compare("question check", id.Checks, own.Checks)
	if len(e.Differs) > 0 {
		return &e
	}
	return nil
}

func (e *ForeignError) compare(what string, task, own map[string]string) {
	names := map[string]bool{}
	for _, m := range []map[string]string{task, own} {
		for name := range m {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if task[name] != own[name] {
			e.Differs = append(e.Differs, fmt.Sprintf("%s %s: %s there, %s here", what, name, orNone(task[name]), orNone(own[name])))
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func digestTexts(m map[string]pipeline.Digest) map[string]string {
	out := map[string]string{}
	for k, d := range m {
		out[k] = string(d)
	}
	return out
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

// emit accepts one output record. The same one again is nothing new.
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
	const few = 8 // outputs are looked through one by one
	outputs := u.out.Result.Outputs
	if u.byID == nil && len(outputs) == few {
		// Most likely it gives about as many as last.
		u.byID, outputs = make(map[string]pipeline.Digest, len(u.stored.last)), slices.Grow(outputs, len(u.stored.last))
		for _, o := range outputs {
			u.byID[o.ID] = o.Digest
		}
	}
	before, known := u.byID[r.ID]
	if u.byID == nil {
		if at := slices.IndexFunc(outputs, func(o pipeline.Ref) bool { return o.ID == r.ID }); at >= 0 {
			before, known = outputs[at].Digest, true
		}
	}
	switch {
	case known && before == ref.Digest:
		return nil
	case known:
		return fmt.Errorf("output %q: %w", r.ID, errDuplicate)
	case u.byID != nil:
		u.byID[r.ID] = ref.Digest
	}
	after := len(outputs)
	u.out.Result.Outputs = append(outputs, ref)
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

func loadRefs(ctx context.Context, st pipeline.Store, refs []pipeline.Ref) ([]pipeline.Record, error) {
	ds := make([]pipeline.Digest, len(refs))
	for i, r := range refs {
		ds[i] = r.Digest
	}
	return st.Records(ctx, ds)
}
