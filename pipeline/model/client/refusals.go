package client

import (
	"context"
	"sync"
)

// refusals settles whose fault the refusal of a request is while a server has answered
// nothing: an item's if another is answered, the server's if it refuses all.
type refusals struct {
	mu sync.Mutex
	// active calls are being made, and waiting ones of them were refused; seen counts
	// refusals.
	active, waiting, seen int
	changed               chan struct{} // closed when the above change, or an answer came
}

// fewRefusals is how many requests are refused before a server that answers none is unusable.
const fewRefusals = 3

// announce wakes the calls that wait, after a change by change.
func (r *refusals) announce(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

func (r *refusals) begin() { r.announce(func() { r.active++ }) }
func (r *refusals) end()   { r.announce(func() { r.active-- }) }

// areOfItem waits until another call is answered, or until all calls are refused, and reports
// whether a refusal is the item's.
func (r *refusals) areOfItem(ctx context.Context, answered func() bool) (bool, error) {
	r.announce(func() { r.waiting++; r.seen++ })
	defer r.announce(func() { r.waiting-- })
	for {
		r.mu.Lock()
		if r.changed == nil {
			r.changed = make(chan struct{})
		}
		changed, all, few := r.changed, r.waiting == r.active, r.seen < fewRefusals
		r.mu.Unlock()
		if answered() {
			return true, nil
		}
		if all {
			return few, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}
