package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// LockedError says that another process has the store open for writing.
type LockedError struct {
	Path string // the lock file
	PID  string // of the holder, empty when it could not be read
}

func (e *LockedError) Error() string {
	who := "another process"
	if e.PID != "" {
		who = "process " + e.PID
	}
	return fmt.Sprintf("%s is building in this store (it holds %s); wait for it to end or use another store", who, e.Path)
}

const lockPoll = 50 * time.Millisecond

// takeLock locks the file for this process. The kernel drops the lock when the
// process dies, so a stale file does no harm and is never removed.
func takeLock(ctx context.Context, path string, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = flock(f)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		err = &LockedError{Path: path, PID: readPID(f)}
		if !wait {
			break
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err, f.Close())
		case <-time.After(lockPoll):
		}
	}
	if err == nil {
		err = writePID(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	if _, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0); err != nil {
		return fmt.Errorf("write lock file: %w", err)
	}
	return nil
}

// readPID is for the error message only, hence empty on any trouble.
func readPID(f *os.File) string {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// keyLock lets one goroutine at a time work on a digest.
type keyLock struct {
	mu   sync.Mutex
	held map[pipeline.Digest]chan struct{}
}

func (l *keyLock) lock(ctx context.Context, d pipeline.Digest) (unlock func(), err error) {
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
