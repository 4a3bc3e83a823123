package store_test

import (
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Functions of SQLite's virtual file system that are watched.
type (
	vfsOpen   = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	vfsDelete = func(tls *libc.TLS, vfs, name uintptr, syncDir int32) int32
	vfsSync   = func(tls *libc.TLS, file uintptr, flags int32) int32
)

// newLog are the flags of logs and journals that are made: SQLite's own file
// system syncs their folder with the first sync of them.
const newLog = sqlite3.SQLITE_OPEN_WAL | sqlite3.SQLITE_OPEN_MAIN_JOURNAL | sqlite3.SQLITE_OPEN_SUPER_JOURNAL

// databases is SQLite's own file system, but that a disk is told of syncs instead.
type databases struct {
	disk func(path string) *powerDisk
	tls  *libc.TLS
	vfs  uintptr

	mu    sync.Mutex
	open  map[uintptr]string  // paths of open files
	fresh map[uintptr]bool    // of these, logs whose folder is not synced yet
	table map[uintptr]uintptr // SQLite's methods of files to ours

	openFile   vfsOpen
	deleteFile vfsDelete
	// What SQLite calls must be held on to, it does so by address.
	watchOpen   vfsOpen
	watchDelete vfsDelete
	watchSync   vfsSync
}

// watchDatabases lets a disk forget what databases below it do not sync. Others
// that are opened until the test ends lose nothing but their syncs.
func watchDatabases(t *testing.T, disk func(path string) *powerDisk) {
	t.Helper()
	tls := libc.NewTLS()
	own := sqlite3.Xsqlite3_vfs_find(tls, 0)
	name, err := libc.CString("power")
	vfs := libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_vfs{})))
	if own == 0 || vfs == 0 || err != nil {
		t.Fatalf("SQLite's file system cannot be watched: %v", err)
	}
	methods := at[sqlite3.Tsqlite3_vfs](vfs)
	*methods = *at[sqlite3.Tsqlite3_vfs](own)
	d := &databases{
		disk: disk, tls: tls, vfs: vfs, open: map[uintptr]string{}, fresh: map[uintptr]bool{}, table: map[uintptr]uintptr{},
		openFile: funcAt[vfsOpen](methods.FxOpen), deleteFile: funcAt[vfsDelete](methods.FxDelete),
	}
	d.watchOpen, d.watchDelete, d.watchSync = d.onOpen, d.onDelete, d.onSync
	methods.FzName, methods.FxOpen, methods.FxDelete = name, addressOf(&d.watchOpen), addressOf(&d.watchDelete)
	if rc := sqlite3.Xsqlite3_vfs_register(tls, vfs, 1); rc != sqlite3.SQLITE_OK {
		t.Fatalf("register SQLite's file system: %d", rc)
	}
	t.Cleanup(func() {
		if rc := sqlite3.Xsqlite3_vfs_unregister(d.tls, d.vfs); rc != sqlite3.SQLITE_OK {
			t.Errorf("unregister SQLite's file system: %d", rc)
		}
	})
}

func (d *databases) onOpen(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	rc := d.openFile(tls, vfs, name, file, flags, out)
	of := at[sqlite3.Tsqlite3_file](file)
	if rc != sqlite3.SQLITE_OK || of.FpMethods == 0 {
		return rc
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[file], d.fresh[file] = "", flags&newLog != 0
	if name != 0 {
		d.open[file] = libc.GoString(name)
	}
	ours, known := d.table[of.FpMethods]
	if !known {
		ours = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(sqlite3.Tsqlite3_io_methods{})))
		*at[sqlite3.Tsqlite3_io_methods](ours) = *at[sqlite3.Tsqlite3_io_methods](of.FpMethods)
		at[sqlite3.Tsqlite3_io_methods](ours).FxSync = addressOf(&d.watchSync)
		d.table[of.FpMethods] = ours
	}
	of.FpMethods = ours
	return rc
}

func (d *databases) onSync(_ *libc.TLS, file uintptr, _ int32) int32 {
	d.mu.Lock()
	path, fresh := d.open[file], d.fresh[file]
	d.fresh[file] = false
	d.mu.Unlock()
	disk := d.disk(path)
	if disk == nil {
		return sqlite3.SQLITE_OK
	}
	err := disk.flushed(path)
	if err == nil && fresh {
		err = disk.flushed(filepath.Dir(path))
	}
	if err != nil {
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	return sqlite3.SQLITE_OK
}

func (d *databases) onDelete(tls *libc.TLS, vfs, name uintptr, syncDir int32) int32 {
	rc := d.deleteFile(tls, vfs, name, 0)
	path := libc.GoString(name)
	disk := d.disk(path)
	if rc != sqlite3.SQLITE_OK || syncDir == 0 || disk == nil {
		return rc
	}
	if err := disk.flushed(filepath.Dir(path)); err != nil {
		return sqlite3.SQLITE_IOERR_DIR_FSYNC
	}
	return rc
}

// at is the value at an address of SQLite's memory.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

// funcAt is the function whose address SQLite has, addressOf that of one of ours.
func funcAt[F any](address uintptr) F { return *(*F)(unsafe.Pointer(&address)) }

func addressOf[F any](f *F) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }
