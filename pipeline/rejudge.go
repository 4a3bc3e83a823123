package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
)

// Gate constructs the gate that an identity describes. ErrOtherPlugin says that
// this program has none of that name and version.
func (r *Registry) Gate(id Identity) (Gate, error) {
	if p, ok := r.Plugin(KindGate, id.Use); !ok || p.Version != id.Version {
		return nil, fmt.Errorf("gate %s of version %s: %w", id.Use, id.Version, ErrOtherPlugin)
	}
	built, err := r.build(Node{Kind: KindGate, Use: id.Use, Version: id.Version, Config: id.Config})
	if err != nil {
		return nil, err
	}
	g, ok := built.(Gate)
	if !ok {
		return nil, fmt.Errorf("%q is registered as a gate and is none", id.Use)
	}
	return g, nil
}

// ErrOtherPlugin says that a plugin is unknown to this program, or known in
// another version.
var ErrOtherPlugin = errors.New("this program does not have it")

// ErrNoStore is returned to a plugin that asks for a blob where there is no
// store.
var ErrNoStore = errors.New("there is no store here")

// Rejudge runs a gate again outside a build, over items sorted by id: one
// judgement each. Chance falls as it did in a build with the same identity.
// Without a store in the runtime every blob is ErrNoStore. Nothing is kept.
func Rejudge(ctx context.Context, rt Runtime, id Identity, g Gate, items []Record) ([]Judgement, error) {
	if rt.Store == nil {
		rt.Store = noStore{}
	}
	if len(items) == 0 {
		return nil, nil
	}
	if g.Spec().Whole {
		return rejudge(ctx, rt, id, g, "", items)
	}
	out := make([]Judgement, 0, len(items))
	for i := range items {
		one, err := rejudge(ctx, rt, id, g, items[i].ID, items[i:i+1])
		if err != nil {
			return out, &TaskError{Node: id.Name, Item: items[i].ID, Err: err}
		}
		out = append(out, one...)
	}
	return out, nil
}

func rejudge(ctx context.Context, rt Runtime, id Identity, g Gate, input string, items []Record) (out []Judgement, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scope := &Scope{
		store: rt.Store, seed: id.Seed, use: id.Use, name: id.Name, node: id.Name, input: input, tempRoot: rt.TempRoot,
		models: asker{roles: id.Models, registry: rt.Registry, live: rt.Models},
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
		err = errors.Join(err, scope.close())
	}()
	if out, err = g.Judge(ctx, scope, items); err != nil {
		return nil, err
	}
	if len(out) != len(items) {
		return nil, fmt.Errorf("the gate gave %d judgements for %d items", len(out), len(items))
	}
	return out, nil
}

// noStore has no blob; of a store, a scope asks nothing else.
type noStore struct{ Store }

func (noStore) PutBlob(context.Context, io.Reader) (Blob, error)         { return Blob{}, ErrNoStore }
func (noStore) PutFile(context.Context, string, bool) (Blob, error)      { return Blob{}, ErrNoStore }
func (noStore) OpenBlob(context.Context, Digest) (io.ReadCloser, error)  { return nil, ErrNoStore }
func (noStore) BlobPath(context.Context, Digest) (string, error)         { return "", ErrNoStore }
func (noStore) MissingBlobs(context.Context, []Digest) ([]Digest, error) { return nil, ErrNoStore }
