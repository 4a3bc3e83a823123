package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// Lock is an exclusive lock on a file. The kernel drops it when the process
// dies, so a file that is left does no harm and need not be removed.
type Lock struct{ file *os.File }

// LockedError says that another process holds a lock.
type LockedError struct {
	Path string
	// PID is the process that holds it, empty when it could not be read.
	PID string
}

func (e *LockedError) Error() string {
	if e.PID == "" {
		return "another process holds " + e.Path
	}
	return "process " + e.PID + " holds " + e.Path
}

// TakeLock locks a file, which is made if need be, and writes the process into
// it. It does not wait: a lock that is held is a *LockedError.
func TakeLock(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	err = flock(f, syscall.LOCK_EX)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = &LockedError{Path: path, PID: readPID(f)}
	}
	if err == nil {
		err = writePID(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

// WaitLock locks a file, which is made if need be, once no other process holds it against that:
// shared locks hold off exclusive ones only. Hold it for moments.
func WaitLock(path string, exclusive bool) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if err == nil {
			return &Lock{f}, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(err, f.Close())
		}
	}
}

// Release gives the lock back and leaves an empty file: a lock may lie in a
// folder that is an output, where no process belongs. A child that is just being
// started has the file too, until it runs: closing it alone would leave the lock
// to that.
func (l *Lock) Release() error {
	return errors.Join(l.file.Truncate(0), flock(l.file, syscall.LOCK_UN), l.file.Close())
}

// IsLocked reports whether a process holds the lock on a file, which must exist.
func IsLocked(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return flock(f, syscall.LOCK_SH) != nil, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); !errors.Is(err, syscall.EINTR) {
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
