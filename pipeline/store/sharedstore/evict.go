package sharedstore

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// cached is a file of the cache.
type cached struct {
	path  string
	size  int64
	asked time.Time
}

// shrinkIfFull makes room when more is held than may be. Others may have added too, so
// it counts anew each time that a part of the limit was added.
func (c *cache) shrinkIfFull() error {
	c.mu.Lock()
	full := c.held > c.most
	c.mu.Unlock()
	if !full {
		return nil
	}
	return c.shrink()
}

// shrink removes what nobody has asked for longest, down to nine tenths of the limit.
// What was asked for within grace stays, even if it is more.
func (c *cache) shrink() error {
	files, held, err := c.list()
	if err != nil {
		return err
	}
	if held > c.most {
		slices.SortFunc(files, func(a, b cached) int { return cmp.Or(a.asked.Compare(b.asked), cmp.Compare(a.path, b.path)) })
		if held, err = c.remove(files, held); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	// What others add nobody tells, and a full cache whose files are all in use need
	// not be listed for each file.
	c.held = min(max(held, c.most-c.most/8), c.most-c.most/32)
	return nil
}

func (c *cache) list() (files []cached, held int64, err error) {
	err = filepath.WalkDir(c.path(copiesDir), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return missingIsFine(err)
		}
		info, err := e.Info()
		if err != nil {
			return missingIsFine(err)
		}
		files = append(files, cached{path, info.Size(), info.ModTime()})
		held += info.Size()
		return nil
	})
	return files, held, err
}

// missingIsFine: another process may have removed what was listed.
func missingIsFine(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// remove deletes files from the front until less is held, and says how much is.
func (c *cache) remove(files []cached, held int64) (left int64, err error) {
	all, err := atomicfile.WaitLock(c.path(cacheLock), true)
	if err != nil {
		return held, err
	}
	defer func() { err = errors.Join(err, all.Release()) }()
	for _, f := range files {
		if held <= c.most-c.most/10 {
			break
		}
		info, err := os.Lstat(f.path) // asked for since it was listed?
		if err != nil || time.Since(info.ModTime()) < c.grace {
			if err := missingIsFine(err); err != nil {
				return held, err
			}
			continue
		}
		if err := os.Remove(f.path); missingIsFine(err) != nil {
			return held, err
		}
		held -= f.size
	}
	return held, nil
}
