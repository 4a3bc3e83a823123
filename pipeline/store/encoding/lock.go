package encoding

import (
	"context"
	"sync"

	"github.com/memforge/memforge/pipeline"
)

// KeyLock lets one goroutine at a time work on a digest.
type KeyLock struct {
	mu   sync.Mutex
	held map[pipeline.Digest]chan struct{}
}

// Lock waits for a digest.
func (l *KeyLock) Lock(ctx context.Context, d pipeline.Digest) (unlock func(), err error) {
	for {
		l.mu.Lock()
		busy, taken := l.held[d]
		if !taken {
			break
		}
		l.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[pipeline.Digest]chan struct{}{}
	}
	done := make(chan struct{})
	l.held[d] = done
	return func() {
		l.mu.Lock()
		delete(l.held, d)
		l.mu.Unlock()
		close(done)
	}, nil
}
