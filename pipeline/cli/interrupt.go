package cli

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline/engine/local"
)

// forceWait is how long a cancelled command may take to end after the second signal: it
// may hang in a read that nothing can cancel.
const forceWait = 10 * time.Second

// interrupts turns signals into an orderly end. A command that called Drain gets the
// first one as a request to finish what runs; any other command, and the second signal,
// is cancelled. The second signal ends the process within forceWait, a third one at
// once.
type interrupts struct {
	cancel  context.CancelCauseFunc
	exit    func()
	wait    time.Duration
	drain   chan struct{}
	mu      sync.Mutex
	drains  bool
	signals int
	stopped chan struct{}
}

// watchSignals handles signals until end is called. exit ends the process.
func watchSignals(parent context.Context, signals <-chan os.Signal, exit func()) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancelCause(parent)
	i := &interrupts{cancel: cancel, exit: exit, wait: forceWait, drain: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		for {
			select {
			case <-signals:
				i.handleSignal()
			case <-i.stopped:
				return
			}
		}
	}()
	return ctx, i
}

func (i *interrupts) handleSignal() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.signals++
	if i.signals == 1 {
		close(i.drain)
	}
	if i.signals > 1 || !i.drains {
		i.cancel(local.ErrInterrupted)
	}
	switch {
	case i.signals == 2:
		go i.force()
	case i.signals > 2:
		i.exit()
	}
}

// force ends the process unless the command ends first.
func (i *interrupts) force() {
	t := time.NewTimer(i.wait)
	defer t.Stop()
	select {
	case <-t.C:
		i.exit()
	case <-i.stopped:
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
