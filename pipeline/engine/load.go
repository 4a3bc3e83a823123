package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// SavedStateError says that bytes are not a state of the steps that they were given
// with, or not one that Save gave.
type SavedStateError struct {
	Step string // empty where it is about the whole
	Err  error
}

func (e *SavedStateError) Error() string {
	where := ""
	if e.Step != "" {
		where = " of node " + e.Step
	}
	return fmt.Sprintf("the saved state%s cannot be gone on with: %v; start the build anew, which finds in the store what is done", where, e.Err)
}

// Unwrap returns what is wrong.
func (e *SavedStateError) Unwrap() error { return e.Err }

// LoadState is the inverse of Save: a state of the same steps in which what was done
// is done and all else is still to be handed out. The driver begins sources that are
// not complete again, and takes what Untold lists. Bytes from anybody are no danger:
// those that Save would not give are a *SavedStateError.
func LoadState(steps []Step, b []byte) (*State, error) {
	s, err := NewState(steps)
	if err != nil {
		return nil, err
	}
	if err := s.load(b); err != nil {
		return nil, err
	}
	again, err := s.Save()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(b, again) {
		return nil, &SavedStateError{Err: errors.New("it is not written as a state is")}
	}
	return s, nil
}

// Undelivered are the nodes that are complete and whose units nobody has taken yet.
func (s *State) Undelivered() (nodes []string) {
	for _, n := range s.nodes {
		if n.complete && !n.delivered {
			nodes = append(nodes, n.step.Name)
		}
	}
	return nodes
}

func (s *State) load(b []byte) error {
	rest, ok := bytes.CutPrefix(b, []byte(stateMark))
	if !ok {
		return &SavedStateError{Err: errors.New("it does not begin as one")}
	}
	p := unitReader{b: rest}
	plan, err := s.digest()
	if err != nil {
		return err
	}
	if got := p.digest(); p.err == nil && got != string(plan) {
		return &SavedStateError{Err: errors.New("it is that of another plan, or of other versions of its plugins and tools")}
	}
	if s.limit = int(p.number()); s.limit < 0 {
		return &SavedStateError{Err: fmt.Errorf("the limit %d", s.limit)}
	}
	for _, n := range s.nodes {
		if p.node(n); p.err != nil {
			return &SavedStateError{n.step.Name, p.err}
		}
	}
	if done := s.completeIdle(); len(done) > 0 {
		return &SavedStateError{done[0], errors.New("it has nothing left to do and is not complete")}
	}
	if p.end("node"); p.err != nil {
		return &SavedStateError{Err: p.err}
	}
	return nil
}

// node reads a saved node. Those that it reads from were read before.
func (p *unitReader) node(n *stepState) {
	flags := p.raw(1)
	if p.err != nil {
		return
	}
	n.complete, n.delivered, n.held = flags[0]&savedComplete != 0, flags[0]&savedDelivered != 0, flags[0]&savedHeld != 0
	if flags[0] >= savedFlags || n.delivered && !n.complete || n.complete && n.waiting > 0 {
		p.err = fmt.Errorf("flags %x", flags[0])
		return
	}
	counts := p.counts()
	for range p.number() {
		d := p.digest()
		if p.err != nil {
			return
		}
		if p.err = n.blobs.add(pipeline.Digest(d)); p.err != nil {
			return
		}
	}
	p.units(n)
	p.waiting(n)
	if p.err == nil {
		p.err = n.resume(counts)
	}
}

func (p *unitReader) counts() (c savedCounts) {
	text := p.raw(p.number())
	if p.err != nil {
		return c
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	p.err = dec.Decode(&c)
	c.Summary.Reused, c.Summary.Transient, c.Summary.Waiting = c.Reused, c.Transient, c.Waiting
	return c
}

// units reads those of a node, which have the keys of its identity.
func (p *unitReader) units(n *stepState) {
	t := pipeline.Task{Step: n.step.Name, Identity: n.step.Identity, Each: true}
	for range p.number() {
		u := p.unit()
		if p.err != nil {
			return
		}
		if n.delivered || n.step.Each == (u.In.ID == "") {
			p.err = fmt.Errorf("it cannot have the unit %s", u.Key)
			return
		}
		n.units = append(n.units, u)
		t.Inputs = append(t.Inputs, u.In)
	}
	if !n.step.Each {
		return
	}
	keys, err := t.Keys()
	if err != nil {
		p.err = err
		return
	}
	for i, u := range n.units {
		if u.Key != keys[i] {
			p.err = fmt.Errorf("the unit of %s has the key %s, not %s", u.In.ID, u.Key, keys[i])
		}
	}
}

// waiting reads the inputs that were not taken.
func (p *unitReader) waiting(n *stepState) {
	for range p.number() {
		r := p.rest(string(p.raw(p.number())))
		if p.err != nil {
			return
		}
		if n.complete || r.ID == "" || !slices.Contains(n.step.Spec.Accepts, r.Schema) {
			p.err = fmt.Errorf("%s %q cannot wait for it", r.Schema, r.ID)
			return
		}
		n.pending = append(n.pending, r)
	}
}

// resume brings a node to where its units and waiting inputs say that it is.
func (n *stepState) resume(saved savedCounts) error {
	n.started = n.complete || len(n.units) > 0
	n.taken = saved.Taken
	n.summary = saved.Summary
	if n.taken < 0 {
		return fmt.Errorf("it has taken %d inputs", n.taken)
	}
	if n.delivered {
		n.finish()
		return nil
	}
	if err := n.fill(saved.Reused); err != nil {
		return err
	}
	taken, units := n.taken, len(n.units)
	switch {
	case n.step.Each && taken != units, !n.step.Each && !n.complete && (taken != 0 || units != 0), !n.step.Each && n.complete && units != 1:
		return fmt.Errorf("it cannot have taken %d inputs and given %d units", taken, units)
	case n.complete:
		n.summary.In = taken
		n.finish()
	case len(n.step.From) < 2:
		n.inputs = &recordIndex{}
	}
	return nil
}

// fill derives from the units and waiting inputs of a node what follows from them.
func (n *stepState) fill(reused int) error {
	inputs := slices.Clip(n.pending)
	n.summary = Summary{Reused: reused}
	for _, u := range n.units {
		n.summary.count(u)
		if err := unite(n.outputs, u.Out); err != nil {
			return err
		}
		if n.step.Each {
			inputs = append(inputs, u.In)
		}
	}
	if err := unite(n.inputs, inputs); err != nil {
		return err
	}
	if n.inputs.len() != len(inputs) || reused < 0 || reused > n.summary.Units {
		return errors.New("an input is there twice, or more is reused than was done")
	}
	return nil
}

// unite adds records to those of before, by id.
func unite(known *recordIndex, refs []pipeline.Ref) error {
	for _, r := range refs {
		if d, ok := known.add(r.ID, r.Digest); ok && d != r.Digest {
			return fmt.Errorf("record %q: %w", r.ID, errDuplicate)
		}
	}
	return nil
}
