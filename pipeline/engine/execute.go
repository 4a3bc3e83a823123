package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"iter"
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

func unitCount(t pipeline.Task) int {
	if t.Each {
		return len(t.Inputs)
	}
	return 1
}

// keyFormat changes when the composition of keys does, verdictFormat when what
// the engine writes of a judgement does.
const (
	keyFormat     = "memforge key 1"
	verdictFormat = "memforge verdict 2"
)

// TaskKeys returns one key per unit of a task: per input when Each is set, else one. A key
// names everything that can change the unit's output. A task with Lists has none before
// its inputs are read.
func TaskKeys(t pipeline.Task) ([]pipeline.Key, error) {
	if len(t.Lists) > 0 {
		return nil, fmt.Errorf("keys of task %s: its inputs are not read from their lists yet", t.Step)
	}
	id, err := identityDigest(t.Identity)
	if err != nil {
		return nil, err
	}
	if t.Each {
		keys := make([]pipeline.Key, len(t.Inputs))
		text := append([]byte(keyFormat+string(id)), '\n')
		start := len(text)
		for i, in := range t.Inputs {
			text = append(text[:start], in.Digest...)
			keys[i] = pipeline.Key(pipeline.DigestOf(text)) // as keyHash gives it
		}
		return keys, nil
	}
	h := newKeyHash(id)
	for _, in := range t.Inputs {
		h.add(string(in.Digest))
	}
	if err := h.addAssets(t.Assets); err != nil {
		return nil, fmt.Errorf("key of task %s: %w", t.Step, err)
	}
	return []pipeline.Key{h.key()}, nil
}

// InputsKey returns the key, as TaskKeys gives it, of a task of a stage or gate that is
// one unit, from the digests of its inputs in the order of their ids.
func InputsKey(id pipeline.Identity, inputs iter.Seq2[pipeline.Digest, error]) (pipeline.Key, error) {
	d, err := identityDigest(id)
	if err != nil {
		return "", err
	}
	h := newKeyHash(d)
	for in, err := range inputs {
		if err != nil {
			return "", err
		}
		h.add(string(in))
	}
	return h.key(), nil
}

// runKey names a step's whole run: its identity, what its upstreams gave, and a
// source's files.
func runKey(id pipeline.Identity, upstream []pipeline.Digest, assets []pipeline.Asset) (pipeline.Key, error) {
	d, err := identityDigest(id)
	if err != nil {
		return "", err
	}
	h := newKeyHash(d)
	h.add("run")
	for _, up := range upstream {
		h.add(string(up))
	}
	if err := h.addAssets(assets); err != nil {
		return "", err
	}
	return h.key(), nil
}

func identityDigest(id pipeline.Identity) (pipeline.Digest, error) {
	b, err := pipeline.Canonical(id)
	if err != nil {
		return "", fmt.Errorf("identity of %s %s: %w", id.Kind, id.Use, err)
	}
	if id.Kind == pipeline.KindGate {
		b = append(b, verdictFormat...)
	}
	return pipeline.DigestOf(b), nil
}

// keyHash hashes the parts of a key.
type keyHash struct{ hash.Hash }

func newKeyHash(identity pipeline.Digest) keyHash {
	h := keyHash{sha256.New()}
	h.Write([]byte(keyFormat))
	h.Write([]byte(identity))
	return h
}

func (h keyHash) add(part string) {
	h.Write([]byte{'\n'})
	h.Write([]byte(part))
}

func (h keyHash) addAssets(assets []pipeline.Asset) error {
	for _, a := range assets {
		b, err := pipeline.Canonical(a)
		if err != nil {
			return fmt.Errorf("asset %s: %w", a.Path, err)
		}
		h.add(string(pipeline.DigestOf(b)))
	}
	return nil
}

func (h keyHash) key() pipeline.Key { return pipeline.Key(hex.EncodeToString(h.Sum(nil))) }

// recordsHash is the digest of records in the order in which they come.
type recordsHash struct {
	of    hash.Hash
	lines []byte
}

func (h *recordsHash) add(r pipeline.Ref) {
	h.lines = append(append(append(append(h.lines, r.ID...), 0), r.Digest...), '\n')
	if len(h.lines) >= 1<<14 {
		h.flush()
	}
}

func (h *recordsHash) flush() {
	if h.of == nil {
		h.of = sha256.New()
	}
	h.of.Write(h.lines)
	h.lines = h.lines[:0]
}

func (h *recordsHash) digest() pipeline.Digest {
	h.flush()
	return pipeline.Digest(hex.EncodeToString(h.of.Sum(nil)))
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
