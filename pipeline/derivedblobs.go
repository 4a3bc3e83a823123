package pipeline

import (
	"context"
	"fmt"
	"slices"
)

// SchemaDerived is the schema of the record that remembers what was derived.
const SchemaDerived = "memforge.derived"

// derivedFormat changes when the key of what is derived does.
const derivedFormat = "memforge derived 1"

// DeriveBlobs gives the blobs that a recipe makes, in order: those that the store
// remembers, or else those that derive gives. It is for what is costly and hangs on
// nothing but the recipe, the plugin's version and its tools, while the result it
// is made for waits, such as a frame that a model is to see. GC forgets it: no
// build names it.
func (s *Scope) DeriveBlobs(ctx context.Context, recipe any, derive func() ([]Digest, error)) ([]Digest, error) {
	if s.options.KeepsNothing {
		return derive() // a gate that is run again, on a store that keeps nothing
	}
	key, err := s.derivedKey(recipe)
	if err != nil {
		return nil, err
	}
	known, err := s.loadDerived(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("recall what was derived: %w", err)
	}
	if known != nil {
		s.output.Blobs = append(s.output.Blobs, known...)
		return known, nil
	}
	out, err := derive()
	if err != nil || ctx.Err() != nil {
		return out, err
	}
	if err := s.saveDerived(ctx, key, out); err != nil {
		return nil, fmt.Errorf("remember what was derived: %w", err)
	}
	return out, nil
}

// derivedBlobs lists blobs in the order in which they were made.
type derivedBlobs struct {
	Blobs []Digest `json:"blobs"`
}

func (s *Scope) derivedKey(recipe any) (Key, error) {
	b, err := canonicalJSON(struct {
		Version string            `json:"version"`
		Tools   map[string]string `json:"tools"`
		Recipe  any               `json:"recipe"`
	}{s.options.Identity.Version, s.options.Identity.Tools, recipe})
	if err != nil {
		return "", fmt.Errorf("key of what is derived: %w", err)
	}
	return Key(DigestOf(fmt.Appendf(nil, "memforge key 1%s\n%s", DigestOf([]byte(derivedFormat)), b))), nil
}

func (s *Scope) loadDerived(ctx context.Context, key Key) ([]Digest, error) {
	found, err := s.options.Store.Results(ctx, []Key{key})
	if err != nil {
		return nil, err
	}
	r, ok := found[key]
	if !ok || len(r.Outputs) != 1 {
		return nil, nil
	}
	recs, err := s.options.Store.Records(ctx, []Digest{r.Outputs[0].Digest})
	if err != nil {
		return nil, err
	}
	d, err := Decode[derivedBlobs](recs[0])
	return d.Blobs, err
}

func (s *Scope) saveDerived(ctx context.Context, key Key, blobs []Digest) error {
	rec, err := NewRecord(SchemaDerived, "derived/"+string(key), derivedBlobs{Blobs: blobs}, blobs...)
	if err != nil {
		return err
	}
	ref, err := rec.Ref()
	if err != nil {
		return err
	}
	return s.options.Store.Commit(ctx, []Committed{{
		Result: Result{Key: key, Outputs: []Ref{ref}, Blobs: slices.Compact(slices.Sorted(slices.Values(blobs)))}, Records: []Record{rec}, Instant: true,
	}})
}
