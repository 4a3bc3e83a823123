package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"iter"
)

// Task is one unit of work as data: it carries digests, never payloads, so it
// can cross a process boundary as JSON.
type Task struct {
	// Step is the node's name in the plan. It is not part of the key; a
	// plugin that writes its node's name gets it from Identity.Name.
	Step     string   `json:"node"`
	Identity Identity `json:"identity"`
	// Each says that every input is a unit of its own (Map stages and gates
	// that judge one item at a time). Otherwise the task is one unit.
	Each bool `json:"each,omitempty"`
	// Instant is that of Step; it changes no result.
	Instant bool `json:"instant,omitempty"`
	// Inputs of stages and gates; sorted by id when Each is false.
	Inputs []Ref `json:"inputs,omitempty"`
	// Lists stand for many Inputs of a task that is one unit: the lists of units of
	// the nodes that it reads. Whoever executes it reads the inputs from there.
	Lists []Digest `json:"lists,omitempty"`
	// LastKey is the key of the result that a task which is one unit had when it ran last
	// with other inputs: most of what it gives is in the store already. It is no part
	// of the key and changes no result.
	LastKey Key `json:"last,omitempty"`
	// Assets of a source.
	Assets []Asset `json:"assets,omitempty"`
}

// Identity is the part of a key that all units of a node share.
type Identity struct {
	// Name is the node's name for sources and gates, whose records carry it.
	Name    string            `json:"name,omitempty"`
	Kind    Kind              `json:"kind"`
	Use     string            `json:"use"`
	Version string            `json:"version"`
	Config  RawConfig         `json:"config"`
	OnFail  string            `json:"on_fail,omitempty"`
	Seed    uint64            `json:"seed"`
	Tools   map[string]string `json:"tools,omitempty"`
	// Models are the models behind the roles it asks, by role, Prompts the
	// digests of the prompts by task, Rules the versions of the built-in rules
	// by task.
	Models  map[string]ModelIdentity `json:"models,omitempty"`
	Prompts map[string]Digest        `json:"prompts,omitempty"`
	Rules   map[string]string        `json:"rules,omitempty"`
	// Corrections is the digest of the answers that were taken back of those that
	// the models behind its roles gave to its tasks; empty when none was.
	Corrections Digest `json:"corrections,omitempty"`
	// Checks are the versions of the question checks that it may run, by family.
	Checks map[string]string `json:"checks,omitempty"`
}

// keyFormat changes when the composition of keys does, verdictFormat when what
// the engine writes of a judgement does.
const (
	keyFormat     = "memforge key 1"
	verdictFormat = "memforge verdict 2"
)

// Digest of the identity.
func (i Identity) Digest() (Digest, error) {
	b, err := canonicalJSON(i)
	if err != nil {
		return "", fmt.Errorf("identity of %s %s: %w", i.Kind, i.Use, err)
	}
	if i.Kind == KindGate {
		b = append(b, verdictFormat...)
	}
	return DigestOf(b), nil
}

// Key names everything that can change the task's output. A task with Each
// must have exactly one input; see Keys for many.
func (t Task) Key() (Key, error) {
	if t.Each && len(t.Inputs) != 1 {
		return "", fmt.Errorf("key of task %s: it has %d inputs, each with a key of its own", t.Step, len(t.Inputs))
	}
	keys, err := t.Keys()
	if err != nil {
		return "", err
	}
	return keys[0], nil
}

// Keys returns one key per unit: per input when Each is set, else one. A task with
// Lists has none before its inputs are read.
func (t Task) Keys() ([]Key, error) {
	if len(t.Lists) > 0 {
		return nil, fmt.Errorf("keys of task %s: its inputs are not read from their lists yet", t.Step)
	}
	id, err := t.Identity.Digest()
	if err != nil {
		return nil, err
	}
	if t.Each {
		keys := make([]Key, len(t.Inputs))
		text := append([]byte(keyFormat+string(id)), '\n')
		start := len(text)
		for i, in := range t.Inputs {
			text = append(text[:start], in.Digest...)
			keys[i] = Key(DigestOf(text)) // as hashKey gives it
		}
		return keys, nil
	}
	inputs := make([]Digest, len(t.Inputs))
	for i, in := range t.Inputs {
		inputs[i] = in.Digest
	}
	key, err := keyOf(id, nil, inputs, t.Assets)
	if err != nil {
		return nil, fmt.Errorf("key of task %s: %w", t.Step, err)
	}
	return []Key{key}, nil
}

// RunKey names a node's whole run: its identity, what its upstreams gave, and a
// source's files.
func (i Identity) RunKey(upstream []Digest, assets []Asset) (Key, error) {
	id, err := i.Digest()
	if err != nil {
		return "", err
	}
	return keyOf(id, []string{"run"}, upstream, assets)
}

// InputsKey is the key, as Keys gives it, of a task of a stage or gate that is one
// unit, for who has not all its inputs at once: their digests in the order of ids.
func (i Identity) InputsKey(inputs iter.Seq2[Digest, error]) (Key, error) {
	id, err := i.Digest()
	if err != nil {
		return "", err
	}
	h := beginKey(id)
	for d, err := range inputs {
		if err != nil {
			return "", err
		}
		keyPart(h, string(d))
	}
	return endKey(h), nil
}

func keyOf(identity Digest, parts []string, inputs []Digest, assets []Asset) (Key, error) {
	for _, in := range inputs {
		parts = append(parts, string(in))
	}
	for _, a := range assets {
		b, err := canonicalJSON(a)
		if err != nil {
			return "", fmt.Errorf("asset %s: %w", a.Path, err)
		}
		parts = append(parts, string(DigestOf(b)))
	}
	return hashKey(identity, parts...), nil
}

func hashKey(identity Digest, parts ...string) Key {
	h := beginKey(identity)
	for _, p := range parts {
		keyPart(h, p)
	}
	return endKey(h)
}

func beginKey(identity Digest) hash.Hash {
	h := sha256.New()
	h.Write([]byte(keyFormat))
	h.Write([]byte(identity))
	return h
}

func keyPart(h hash.Hash, part string) {
	h.Write([]byte{'\n'})
	h.Write([]byte(part))
}

func endKey(h hash.Hash) Key { return Key(hex.EncodeToString(h.Sum(nil))) }

// TaskError says which node failed on which item.
type TaskError struct {
	Step string
	Item string // record id, or empty
	Err  error
}

func (e *TaskError) Error() string {
	if e.Item == "" {
		return fmt.Sprintf("node %s: %v", e.Step, e.Err)
	}
	return fmt.Sprintf("node %s, record %s: %v", e.Step, e.Item, e.Err)
}

func (e *TaskError) Unwrap() error { return e.Err }

// PanicError is a plugin's panic, caught at the task's boundary.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("the plugin panicked: %v (a bug in the plugin; stack follows)\n%s", e.Value, e.Stack)
}
