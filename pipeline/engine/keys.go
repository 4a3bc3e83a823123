package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"

	"github.com/memforge/memforge/pipeline"
)

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
