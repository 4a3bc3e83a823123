package sharedstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// cache holds copies of blobs in a local folder, which any number of processes of one
// machine share. Nothing in it is worth keeping: a file is hashed before it is taken
// in, and again before a process uses it for the first time.
//
// The time stamp of a file says when it was last asked for. What was asked for
// within grace is not removed, so that a path stays good until it is opened: who asks
// holds a shared lock meanwhile, who removes an exclusive one.
type cache struct {
	dir   string
	most  int64 // bytes
	grace time.Duration

	id       string // of this folder, in no other
	scratch  string
	lock     *atomicfile.Lock // says that scratch is in use
	verified encoding.VerifiedFiles
	asked    encoding.KeyLock // one holder per digest

	mu   sync.Mutex
	held int64 // bytes there were when last counted, and those added since
}

// grace is how long a path that was handed out stays good.
const grace = time.Hour

const (
	cacheLock  = "lock"
	cacheID    = "id"
	copiesDir  = "blobs"
	scratchDir = "scratch"
	lockSuffix = ".lock"
)

func openCache(dir string, most int64) (*cache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &cache{dir: dir, most: most, grace: grace}
	for _, sub := range []string{copiesDir, scratchDir} {
		if err := os.MkdirAll(c.path(sub), 0o700); err != nil {
			return nil, err
		}
	}
	if err := c.begin(); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, c.shrink()
}

// begin gives this process its scratch folder, alone with the cache.
func (c *cache) begin() (err error) {
	all, err := atomicfile.WaitLock(c.path(cacheLock), true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Release()) }()
	if err := c.sweep(); err != nil {
		return err
	}
	if c.scratch, err = os.MkdirTemp(c.path(scratchDir), "process-"); err != nil {
		return err
	}
	if c.lock, err = atomicfile.TakeLock(c.scratch + lockSuffix); err != nil {
		return err
	}
	c.id, err = c.identify()
	return err
}

func (c *cache) path(parts ...string) string {
	return filepath.Join(append([]string{c.dir}, parts...)...)
}

func (c *cache) file(digest pipeline.Digest) string {
	return c.path(copiesDir, string(digest[:2]), string(digest))
}

// sweep removes the scratch folders whose processes are gone.
func (c *cache) sweep() error {
	folders, err := filepath.Glob(c.path(scratchDir, "process-*"))
	for _, folder := range folders {
		folder = strings.TrimSuffix(folder, lockSuffix)
		if held, failed := atomicfile.IsLocked(folder + lockSuffix); held || missingIsFine(failed) != nil {
			continue
		}
		err = errors.Join(err, os.RemoveAll(folder), os.RemoveAll(folder+lockSuffix))
	}
	return err
}

// identify reads the name of this folder, which the first to open it gives it.
func (c *cache) identify() (string, error) {
	b, err := os.ReadFile(c.path(cacheID))
	if len(b) > 0 || missingIsFine(err) != nil {
		return string(b), err
	}
	var fresh [16]byte
	if _, err := rand.Read(fresh[:]); err != nil {
		return "", err
	}
	id := hex.EncodeToString(fresh[:])
	return id, atomicfile.Write(c.path(cacheID), 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, id)
		return err
	})
}

func (c *cache) close() error {
	if c.lock == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(c.scratch), os.Remove(c.scratch+lockSuffix), c.lock.Release())
}

// get returns the path of a blob's file, which fetch writes if it is not there.
func (c *cache) get(ctx context.Context, digest pipeline.Digest, fetch func(*os.File) error) (string, error) {
	unlock, err := c.asked.Lock(ctx, digest)
	if err != nil {
		return "", err
	}
	defer unlock()
	if there, err := c.sound(ctx, digest); there || err != nil {
		return c.file(digest), err
	}
	tmp, err := os.CreateTemp(c.scratch, "blob-")
	if err != nil {
		return "", err
	}
	err = errors.Join(fetch(tmp), tmp.Close())
	if err == nil {
		err = c.adopt(tmp.Name(), digest)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the error says more
		return "", err
	}
	return c.file(digest), c.shrinkIfFull()
}

// sound reports whether the file of a blob is there and has its bytes. Another is
// removed.
func (c *cache) sound(ctx context.Context, digest pipeline.Digest) (bool, error) {
	s, err := c.ask(digest)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil || c.verified.Is(digest, s) {
		return err == nil, err
	}
	f, err := atomicfile.Open(c.file(digest))
	if err != nil {
		return false, err
	}
	b, err := encoding.CopyHashed(ctx, io.Discard, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return false, err
	}
	if b.Digest != digest {
		return false, c.drop(digest)
	}
	c.verified.Note(digest, s)
	return true, nil
}

// ask marks a file as asked for, and returns the stamp that it has then.
func (c *cache) ask(digest pipeline.Digest) (s encoding.FileStamp, err error) {
	all, err := atomicfile.WaitLock(c.path(cacheLock), false)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, all.Release()) }()
	info, err := os.Lstat(c.file(digest))
	if err != nil {
		return s, err
	}
	s = encoding.FileStampOf(info)
	// Seldom: a file with another time is hashed anew.
	if time.Since(info.ModTime()) < c.grace/4 {
		return s, nil
	}
	known := c.verified.Is(digest, s)
	if err := os.Chtimes(c.file(digest), time.Time{}, time.Now()); err != nil {
		return s, err
	}
	if info, err = os.Lstat(c.file(digest)); err != nil {
		return s, err
	}
	if s = encoding.FileStampOf(info); known {
		c.verified.Note(digest, s)
	}
	return s, nil
}

// adopt renames a closed file that was hashed into its place.
func (c *cache) adopt(path string, digest pipeline.Digest) error {
	at := c.file(digest)
	if err := os.Chmod(path, 0o444); err != nil {
		return err
	}
	now := time.Now() // a file that is moved in may be old
	if err := os.Chtimes(path, time.Time{}, now); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		return err
	}
	if err := os.Rename(path, at); err != nil {
		return fmt.Errorf("take a blob into the cache: %w", err)
	}
	c.verified.Note(digest, encoding.FileStampOf(info))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held += info.Size()
	return nil
}

func (c *cache) drop(digest pipeline.Digest) error { return os.Remove(c.file(digest)) }

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

// shrink removes what was not asked for the longest, down to nine tenths of the limit.
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
	// Other processes add blobs without notice, and a full cache whose files are all in use need
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
