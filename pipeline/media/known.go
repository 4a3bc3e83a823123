package media

import (
	"os"
	"sync"
	"time"
)

// maxKnown bounds the packets that are remembered, about 100 bytes each.
const maxKnown = 200_000

// known remembers what mezzanines hold, so that a file that is joined over and
// over is listed once. A file is known again by its path, size and time of
// change: mezzanines are written once and then only read.
type known struct {
	mu    sync.Mutex
	lists map[fileState]listing
	size  int
}

type fileState struct {
	path    string
	bytes   int64
	changed time.Time
}

func (k *known) get(f fileState) (listing, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.lists[f]
	return l, ok
}

// put remembers a list. When there are too many, all are forgotten: what is
// still in use is soon known again.
func (k *known) put(f fileState, l listing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lists == nil || k.size+len(l.packets) > maxKnown {
		k.lists, k.size = map[fileState]listing{}, 0
	}
	if _, ok := k.lists[f]; !ok {
		k.lists[f] = l
		k.size += len(l.packets)
	}
}

// mezzanine lists the picture of a mezzanine.
func (t *Tools) mezzanine(path string) (listing, error) {
	info, err := os.Stat(path)
	if err != nil {
		return listing{}, err
	}
	state := fileState{path, info.Size(), info.ModTime()}
	if l, ok := t.known.get(state); ok {
		return l, nil
	}
	lists, err := readMP4(path)
	if err != nil {
		return listing{}, err
	}
	c, err := contentOf(lists, false)
	if err != nil {
		return listing{}, err
	}
	t.known.put(state, c.picture)
	return c.picture, nil
}
