package cli

import (
	"context"
	"os"
	"sync"

	"github.com/memforge/memforge/pipeline/run"
)

// interrupts turns signals into an orderly end. A command that called Drain
// gets the first one as a request to finish what runs; any other command, and
// the second signal, is cancelled.
type interrupts struct {
	cancel  context.CancelCauseFunc
	drain   chan struct{}
	mu      sync.Mutex
	drains  bool
	seen    int
	stopped chan struct{}
}

// watch handles signals until end is called.
func watch(parent context.Context, signals <-chan os.Signal) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancelCause(parent)
	i := &interrupts{cancel: cancel, drain: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		for {
			select {
			case <-signals:
				i.signal()
			case <-i.stopped:
				return
			}
		}
	}()
	return ctx, i
}

func (i *interrupts) signal() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.seen++
	if i.seen == 1 {
		close(i.drain)
	}
	if i.seen > 1 || !i.drains {
		i.cancel(run.ErrInterrupted)
	}
}

// Drain declares that the command ends by itself once the channel is closed.
func (i *interrupts) Drain() <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.drains = true
	return i.drain
}

func (i *interrupts) end() {
	close(i.stopped)
	i.cancel(nil)
}
