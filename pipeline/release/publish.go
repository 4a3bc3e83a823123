package release

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// publish gives the finished folder its name. When the version exists, its
// bytes decide whether there is nothing to do or a conflict.
func (w *writer) publish(dir string) (Written, error) {
	done := Written{Dir: dir, Version: w.version.String()}
	if _, err := os.Lstat(dir); err == nil {
		return done, w.compareExisting(dir)
	}
	if err := os.Rename(w.temp, dir); err != nil {
		return Written{}, fmt.Errorf("give the release its name: %w", err)
	}
	if err := atomicfile.Sync(w.home); err != nil {
		return Written{}, err
	}
	done.Changed = true
	return done, nil
}

// compareExisting compares the release just written with the one in its place.
func (w *writer) compareExisting(dir string) error {
	have, err := atomicfile.Read(filepath.Join(dir, manifest.SumsName), manifest.MaxBytes)
	if err != nil {
		return &ExistsError{Dir: dir, Version: w.version.String(), Detail: err.Error()}
	}
	want, err := os.ReadFile(w.path(manifest.SumsName))
	if err != nil {
		return err
	}
	if bytes.Equal(have, want) {
		return checkQuick(dir)
	}
	return &ExistsError{Dir: dir, Version: w.version.String(), Detail: firstDifference(string(have), string(want))}
}

func firstDifference(have, want string) string {
	lines := map[string]bool{}
	for line := range strings.Lines(have) {
		lines[line] = true
	}
	for line := range strings.Lines(want) {
		if !lines[line] && len(line) > 66 {
			return strings.TrimSpace(line[66:]) + " differs"
		}
	}
	return "it has files that this build does not make"
}

// lockHome lets one process write releases of a name at a time. The lock goes
// with the process.
func lockHome(home string) (unlock func(), err error) {
	lock, err := atomicfile.TakeLock(filepath.Join(home, ".lock"))
	var held *atomicfile.LockedError
	if errors.As(err, &held) {
		return nil, fmt.Errorf("lock %s: another build is writing a release there; wait for it and run again: %w", home, err)
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", home, err)
	}
	return func() { _ = lock.Release() }, nil // the kernel does it else
}

// removePartial removes what writers that died have left. The lock is held, so
// none of it is in use.
func removePartial(home string) error {
	entries, err := os.ReadDir(home)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), partialPrefix) {
			errs = append(errs, os.RemoveAll(filepath.Join(home, e.Name())))
		}
	}
	return errors.Join(errs...)
}
