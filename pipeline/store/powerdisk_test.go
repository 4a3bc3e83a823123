package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// powerDisk is a folder on a disk that may lose power. It knows which bytes and
// names below it were synced; what was not, a power cut may take back.
type powerDisk struct {
	root string

	mu     sync.Mutex
	before func(n int) error // see watch
	syncs  int
	dead   error
	bytes  map[uint64][]byte           // that were synced, by inode
	names  map[string]map[string]entry // that were synced, by folder
	held   map[uint64]*os.File         // so that no other file gets their inodes
}

// entry is what a name stands for. Folders are known by their paths.
type entry struct {
	folder bool
	inode  uint64
}

// newPowerDisk takes all that is below root as synced.
func newPowerDisk(root string) (*powerDisk, error) {
	p := &powerDisk{root: root, bytes: map[uint64][]byte{}, names: map[string]map[string]entry{}, held: map[uint64]*os.File{}}
	return p, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return p.note(path)
	})
}

func (p *powerDisk) close() {
	for _, f := range p.held {
		f.Close()
	}
}

// flush stands for the sync of an open file or folder.
func (p *powerDisk) flush(f *os.File) error { return p.flushed(f.Name()) }

// flushed notes a file's bytes, or a folder's names, as synced.
func (p *powerDisk) flushed(path string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead != nil {
		return p.dead
	}
	p.syncs++
	if p.before != nil {
		p.dead = p.before(p.syncs)
	}
	if p.dead != nil {
		return p.dead
	}
	return p.note(path)
}

// watch has before called before every sync, with its number from 1. Its error is
// the end of the process: neither this sync is done nor another, until revive.
func (p *powerDisk) watch(before func(n int) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = before
}

// revive is the start of the next process, if this one was killed.
func (p *powerDisk) revive() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	killed := p.dead != nil
	p.dead = nil
	return killed
}

// done is how many syncs there were.
func (p *powerDisk) done() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.syncs
}

func (p *powerDisk) note(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		p.names[path], err = namesIn(path)
		return errors.Join(err, f.Close())
	}
	inode := inodeOf(info)
	if p.bytes[inode], err = io.ReadAll(f); err != nil {
		return err
	}
	if p.held[inode] != nil {
		return f.Close()
	}
	p.held[inode] = f
	return nil
}

// mercy is how likely a power cut spares a name, or a sector, that was not synced.
// Disks may keep names and lose the bytes, the other way round, or part of either.
type mercy struct {
	names, bytes float64
	luck         *rand.Rand
}

func (m mercy) spares(share float64) bool { return m.luck.Float64() < share }

// cut writes what a power cut now may leave of the disk into a new folder. It is
// for before, or for when nothing is written.
func (p *powerDisk) cut(to string, m mercy) error { return p.leave(p.root, to, m) }

func (p *powerDisk) leave(folder, to string, m mercy) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return err
	}
	now, err := namesIn(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	was := p.names[folder]
	all := maps.Clone(now)
	if all == nil {
		all = map[string]entry{}
	}
	maps.Copy(all, was)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		e, there := was[name]
		if newer, ok := now[name]; (ok != there || newer != e) && m.spares(m.names) {
			e, there = newer, ok
		}
		// What SQLite shares between processes is made anew by the first.
		if !there || strings.HasSuffix(name, "-shm") {
			continue
		}
		from, at := filepath.Join(folder, name), filepath.Join(to, name)
		if e.folder {
			err = p.leave(from, at, m)
		} else {
			err = os.WriteFile(at, p.left(from, e.inode, m), 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sector is what a disk writes at once.
const sector = 512

// left is what a cut leaves of a file: the bytes synced, or sector by sector
// those or the ones written since.
func (p *powerDisk) left(path string, inode uint64, m mercy) []byte {
	was := p.bytes[inode]
	if m.bytes == 0 {
		return was
	}
	is, err := os.ReadFile(path)
	if info, statErr := os.Stat(path); err != nil || statErr != nil || inodeOf(info) != inode || bytes.Equal(was, is) {
		return was
	}
	least, most := min(len(was), len(is)), max(len(was), len(is))
	out := make([]byte, least+m.luck.IntN(most-least+1))
	copy(out, was)
	for from := 0; from < len(out); from += sector {
		if from < len(is) && m.spares(m.bytes) {
			copy(out[from:min(len(out), from+sector)], is[from:])
		}
	}
	return out
}

func namesIn(folder string) (map[string]entry, error) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	out := make(map[string]entry, len(list))
	for _, l := range list {
		info, err := l.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return nil, err
		}
		if out[l.Name()] = (entry{folder: true}); !l.IsDir() {
			out[l.Name()] = entry{inode: inodeOf(info)}
		}
	}
	return out, nil
}

func inodeOf(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		panic(fmt.Sprintf("no inode of %s", info.Name()))
	}
	return st.Ino
}
