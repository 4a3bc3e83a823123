package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
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

// takeLock locks the store for this process.
func takeLock(ctx context.Context, path string, wait bool) (*atomicfile.Lock, error) {
	for {
		lock, err := atomicfile.TakeLock(path)
		var held *atomicfile.LockedError
		if !errors.As(err, &held) {
			return lock, err
		}
		err = &LockedError{Path: path, PID: held.PID}
		if !wait {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), err)
		case <-time.After(lockPoll):
		}
	}
}
