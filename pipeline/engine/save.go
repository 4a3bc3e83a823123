package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// stateMark begins a saved state.
const stateMark = "memforge state 1\n"

// Save gives the state as bytes, for LoadState. They name what is done and what
// waits, by digest, and nothing of the order in which it was done: equal progress
// gives equal bytes. Tasks at work count as not begun, for executing one again does
// no harm. What is only known of a last run is left out. A state of which a part is
// with its driver cannot be saved.
//
// The bytes are stateMark, the digest of the steps, the limit, and the nodes in the
// order of the steps. A node is its flags, its counts as JSON, its blobs, its units
// by input and its waiting inputs by id. Numbers, texts, digests, units and
// references are written as EncodeUnits does.
func (s *State) Save() ([]byte, error) {
	plan, err := s.digest()
	if err != nil {
		return nil, fmt.Errorf("save the state of a build: %w", err)
	}
	w := unitWriter{b: []byte(stateMark), schemas: map[string]uint64{}}
	if err := w.digest(string(plan)); err != nil {
		return nil, err
	}
	w.b = binary.AppendUvarint(w.b, uint64(s.limit))
	for _, n := range s.nodes {
		if err := w.node(n); err != nil {
			return nil, fmt.Errorf("save the state of node %s: %w", n.step.Name, err)
		}
	}
	return w.b, nil
}

// digest of what makes a state that of its steps.
func (s *State) digest() (pipeline.Digest, error) {
	type step struct {
		Node     string            `json:"node"`
		From     []string          `json:"from"`
		Each     bool              `json:"each"`
		Accepts  []string          `json:"accepts"`
		Identity pipeline.Identity `json:"identity"`
	}
	steps := make([]step, len(s.nodes))
	for i, n := range s.nodes {
		steps[i] = step{n.step.Name, n.step.From, n.step.Each, n.step.Spec.Accepts, n.step.Identity}
	}
	b, err := pipeline.Canonical(steps)
	return pipeline.DigestOf(b), err
}

// Flags of a saved node.
const (
	savedComplete = 1 << iota
	savedDelivered
	savedHeld
	savedFlags // no flag, but the end of them
)

// savedCounts are the counts of a saved node: with those that a Summary does not
// remember, because they are how a run went.
type savedCounts struct {
	Summary
	Reused    int `json:"reused"`
	Transient int `json:"transient"`
	Waiting   int `json:"waiting"`
	Taken     int `json:"taken"`
}

// counts of a node without its tasks at work.
func (n *stepState) counts() savedCounts {
	c := savedCounts{n.summary, n.summary.Reused, n.summary.Transient, n.summary.Waiting, n.taken}
	for _, inputs := range n.handed {
		c.Taken -= len(inputs)
	}
	return c
}

func (w *unitWriter) node(n *stepState) error {
	flags := byte(0)
	for flag, set := range map[byte]bool{savedComplete: n.complete, savedDelivered: n.delivered, savedHeld: n.held} {
		if set {
			flags |= flag
		}
	}
	w.b = append(w.b, flags)
	if err := n.checkComplete(); err != nil {
		return err
	}
	counts, err := pipeline.Canonical(n.counts())
	if err != nil {
		return err
	}
	w.text(string(counts))
	w.count(len(n.blobs))
	for _, d := range n.blobs.sorted() {
		if err := w.digest(string(d)); err != nil {
			return err
		}
	}
	if err := w.units(n.done()); err != nil {
		return err
	}
	waiting := slices.Concat(append(slices.Clone(n.handed), n.pending, n.later.all())...)
	sortRefs(waiting)
	w.count(len(waiting))
	for _, r := range waiting {
		w.text(r.ID)
		if err := w.rest(r); err != nil {
			return err
		}
	}
	return nil
}

func (w *unitWriter) count(n int) { w.b = binary.AppendUvarint(w.b, uint64(n)) }

func byInput(a, b pipeline.Unit) int { return strings.Compare(a.In.ID, b.In.ID) }

// blobSet are the digests of blobs, each once.
type blobSet map[[sha256.Size]byte]struct{}

func (s blobSet) add(d pipeline.Digest) error {
	raw, err := pipeline.RawDigest(d)
	s[raw] = struct{}{}
	return err
}

// sorted is nil of none.
func (s blobSet) sorted() (out []pipeline.Digest) {
	if len(s) > 0 {
		out = make([]pipeline.Digest, 0, len(s))
	}
	for raw := range s {
		out = append(out, pipeline.DigestOfSum(raw))
	}
	slices.Sort(out)
	return out
}
