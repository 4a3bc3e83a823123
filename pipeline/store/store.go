// Package store is the kind of store that one machine has: blobs as files named by their
// SHA-256, results, records and the build history in one SQLite database
// beside them. FORMAT.md in this folder states the layout, the write order and
// the invariants. The package runs on Unix systems: it relies on flock, on
// atomic rename and on syncing folders.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

const (
	blobsDir   = "blobs"
	tmpDir     = "tmp"
	corruptDir = "corrupt"
	lockFile   = "lock"
	dbFile     = "store.db"
)

// Disk is a store in a local folder. It is safe for concurrent use.
type Disk struct {
	dir  string
	lock *atomicfile.Lock // nil when read-only

	read  *sql.DB
	query queries
	write *writer // nil when read-only
	// recent are the writer's, or those that there were when a reader opened.
	recent *recent

	blobs    encoding.KeyLock // one holder per digest: verify, publish, set aside
	verified encoding.VerifiedFiles
	mu       sync.Mutex
	synced   map[string]bool // blob folders whose entries are durable

	// startOver lets Repair make a new database for blobs that are there.
	startOver bool

	folders    sync.Mutex
	rootSynced bool // the entries of the blobs folder are durable

	// flush makes a file or folder durable. All of the store's own syncs go
	// through it, so that a test can forget what was not synced.
	flush func(*os.File) error
}

var _ pipeline.Store = (*Disk)(nil)

// OpenDisk opens the store in dir for reading and writing and makes it when there
// is none. Leftovers of a killed process are removed. When another process has
// it open for writing the error is a *LockedError.
func OpenDisk(ctx context.Context, dir string) (*Disk, error) {
	return openWriter(ctx, dir, false)
}

// OpenWait is OpenDisk, but waits until the other process is done or ctx is.
func OpenWait(ctx context.Context, dir string) (*Disk, error) {
	return openWriter(ctx, dir, true)
}

// OpenDiskReadOnly opens an existing store for reading, also while another process
// builds in it. It changes nothing: a corrupt blob is reported, not set aside.
func OpenDiskReadOnly(ctx context.Context, dir string) (*Disk, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(abs, dbFile)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			if held, _ := newDisk(abs).holdsBlobs(); held {
				return nil, fmt.Errorf("open store %s: %w", dir, &DatabaseError{errEmptied})
			}
			return nil, fmt.Errorf("open store %s: there is no store here; build something first or name another folder: %w", dir, err)
		}
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	d := newDisk(abs)
	if err := d.openReader(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, err), d.Close())
	}
	return d, nil
}

func openWriter(ctx context.Context, dir string, wait bool) (*Disk, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", dir, err)
	}
	d := newDisk(abs)
	if err := d.prepare(ctx, wait); err != nil {
		return nil, errors.Join(fmt.Errorf("open store %s: %w", dir, err), d.Close())
	}
	return d, nil
}

func newDisk(dir string) *Disk {
	return &Disk{dir: dir, synced: map[string]bool{}, flush: atomicfile.Flush}
}

func (d *Disk) prepare(ctx context.Context, wait bool) error {
	if err := d.prepareFolders(ctx, wait); err != nil {
		return err
	}
	return d.openDatabase(ctx)
}

// prepareFolders takes the lock and leaves a complete, swept tree.
func (d *Disk) prepareFolders(ctx context.Context, wait bool) error {
	if err := atomicfile.MakeFolder(d.dir, 0o755); err != nil {
		return err
	}
	lock, err := takeLock(ctx, filepath.Join(d.dir, lockFile), wait)
	if err != nil {
		return err
	}
	d.lock = lock
	if err := d.makeFolders(); err != nil {
		return err
	}
	return sweep(d.path(tmpDir))
}

func (d *Disk) openDatabase(ctx context.Context) (err error) {
	expected, err := d.holdsBlobs()
	if err != nil {
		return err
	}
	if d.write, err = openWriteDB(ctx, d.path(dbFile), expected && !d.startOver); err != nil {
		return err
	}
	if err := d.syncDir(d.dir); err != nil {
		return err
	}
	if err := d.openReader(ctx); err != nil {
		return err
	}
	return d.healLosses(ctx)
}

// holdsBlobs reports whether there is any folder of blobs. One is made before a
// database that could name them only when that was lost.
func (d *Disk) holdsBlobs() (bool, error) {
	entries, err := os.ReadDir(d.path(blobsDir))
	return len(entries) > 0, err
}

func (d *Disk) makeFolders() error {
	for _, name := range []string{tmpDir, corruptDir, blobsDir} {
		if err := os.MkdirAll(d.path(name), 0o755); err != nil {
			return err
		}
	}
	return nil
}

// sweep empties a folder that only a process holding the lock writes to.
func sweep(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("sweep temporary files: %w", err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return fmt.Errorf("sweep temporary files: %w", err)
		}
	}
	return nil
}

// ScratchRoot returns a folder on the store's file system for the scratch folders of
// tasks: PutFile renames what lies there. Open empties it.
func (d *Disk) ScratchRoot() string { return d.path(tmpDir) }

// Close releases the store. Calls in flight must have returned.
func (d *Disk) Close() error {
	err := d.closeDatabase()
	if d.lock != nil {
		err = errors.Join(err, d.lock.Release())
	}
	if err != nil {
		return fmt.Errorf("close store %s: %w", d.dir, err)
	}
	return nil
}

func (d *Disk) closeDatabase() error {
	var errs []error
	if d.write != nil {
		errs = append(errs, d.write.moveAllRecent(context.Background()))
	}
	if d.read != nil {
		errs = append(errs, d.query.close(), d.read.Close())
	}
	if d.write != nil {
		errs = append(errs, d.write.close())
	}
	d.read, d.write, d.query = nil, nil, queries{}
	return errors.Join(errs...)
}

func (d *Disk) path(parts ...string) string {
	return filepath.Join(append([]string{d.dir}, parts...)...)
}

func (d *Disk) writable() error {
	if d.write == nil {
		return encoding.ErrReadOnly
	}
	return nil
}

func (d *Disk) syncDir(dir string) error {
	return atomicfile.SyncBy(dir, d.flush)
}

// Store is an open store of any kind.
type Store interface {
	pipeline.Store
	// ScratchRoot is a local folder for the scratch folders of tasks, from where
	// PutFile takes files at the least cost. Open empties it.
	ScratchRoot() string
	// KnownFile returns the blob of a local file that was stored before and has not
	// changed since, without reading it.
	KnownFile(ctx context.Context, path string) (pipeline.Blob, bool, error)
	// QuarantineCorrupt looks at every blob and sets the damaged ones aside, so that
	// they are made again. It returns their digests.
	QuarantineCorrupt(ctx context.Context) ([]pipeline.Digest, error)
	// Close releases the store. Calls in flight must have returned.
	Close() error
}

// Open opens the store that a URL names for reading and writing, and makes it where
// there is none: a folder, named by its path or a file:// URL, see OpenDisk. Any other
// URL is an *atomicfile.URLError; package storeurl knows more of them.
func Open(ctx context.Context, url string) (Store, error) {
	return opened(ctx, url, OpenDisk)
}

// OpenReadOnly opens a store that is there for reading, also while others build in
// it; see OpenDiskReadOnly.
func OpenReadOnly(ctx context.Context, url string) (Store, error) {
	return opened(ctx, url, OpenDiskReadOnly)
}

func opened(ctx context.Context, url string, open func(context.Context, string) (*Disk, error)) (Store, error) {
	dir, err := atomicfile.FolderFromURL(url)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	d, err := open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return d, nil
}

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

// Holder returns the process that has the store in a folder open for writing, if any.
func Holder(dir string) (pid string, held bool, err error) {
	path := filepath.Join(dir, lockFile)
	if held, err = atomicfile.IsLocked(path); errors.Is(err, fs.ErrNotExist) || !held {
		return "", false, ignoreAbsent(err)
	}
	b, err := atomicfile.Read(path, 32)
	return strings.TrimSpace(string(b)), true, err
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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

// errDeleted is the Err of a database without results that once had some.
var errDeleted = errors.New("its results were deleted, and not by memforge")

// deleted tells a database whose rows were deleted from that of a first build
// which was killed: the trigger counts deleted records in losses, which has one
// row, and SQLite remembers the last number of a build. GC and Repair leave neither
// a loss nor a number of builds that are gone while no result is left.
const deleted = `SELECT NOT EXISTS (SELECT 1 FROM results) AND (
	NOT EXISTS (SELECT 1 FROM losses WHERE records = 0) OR
	NOT EXISTS (SELECT 1 FROM builds) AND EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'builds' AND seq > 0))`

// checkDeleted refuses a database whose rows were deleted: what comes after would
// work everything out again without a word.
func (d *Disk) checkDeleted(ctx context.Context) error {
	var gone bool
	if err := d.read.QueryRowContext(ctx, deleted).Scan(&gone); err != nil {
		return dbErr("open database", err)
	}
	if gone {
		return &DatabaseError{errDeleted}
	}
	return nil
}
