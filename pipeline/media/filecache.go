package media

import (
	"os"
	"sync"
	"time"
)

// maxCachedFiles bounds the packets that are remembered, about 100 bytes each.
const maxCachedFiles = 200_000

// fileCache remembers what files hold, so that one that is joined over and over
// is listed once, and one of which many pictures are taken has its header read
// once. A file is recognised by its path, size and time of change: normalised
// videos are written once and then only read, and a user's file that is written
// to has another time.
type fileCache struct {
	mu    sync.Mutex
	lists map[fileState]listing
	size  int
	shown map[fileState]thumbnails // of sources of split screens, read by ownInput
	pix   int
	heads map[fileState]header
	text  int // bytes that the headers were
}

// maxPix bounds the bytes of shrunk pictures that are remembered: those of four
// hours.
const maxPix = 64 << 20

// maxHeads bounds the bytes of headers that are remembered: three kilobytes each.
const maxHeads = 4 * maxHeader

type fileState struct {
	path    string
	bytes   int64
	changed time.Time
}

func (k *fileCache) get(f fileState) (listing, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.lists[f]
	return l, ok
}

// put remembers a list. When there are too many, all are forgotten: those still
// in use are soon listed again.
func (k *fileCache) put(f fileState, l listing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lists == nil || k.size+len(l.packets) > maxCachedFiles {
		k.lists, k.size = map[fileState]listing{}, 0
	}
	if _, ok := k.lists[f]; !ok {
		k.lists[f] = l
		k.size += len(l.packets)
	}
}

func (k *fileCache) thumbnails(path string) (thumbnails, bool) {
	state, err := stateOf(path)
	k.mu.Lock()
	defer k.mu.Unlock()
	p, ok := k.shown[state]
	return p, ok && err == nil
}

func (k *fileCache) putThumbnails(path string, p thumbnails) {
	state, err := stateOf(path)
	if err != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.shown == nil || k.pix+len(p.pix) > maxPix {
		k.shown, k.pix = map[fileState]thumbnails{}, 0
	}
	if _, ok := k.shown[state]; !ok {
		k.shown[state] = p
		k.pix += len(p.pix)
	}
}

func stateOf(path string) (fileState, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	return fileState{path, info.Size(), info.ModTime()}, nil
}

func (k *fileCache) header(path string) (state fileState, h header, ok bool) {
	state, err := stateOf(path)
	if err != nil {
		return state, header{}, false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	h, ok = k.heads[state]
	return state, h, ok
}

// putHeader remembers a header that was so many bytes long, as put does.
func (k *fileCache) putHeader(state fileState, h header, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.heads == nil || k.text+bytes > maxHeads {
		k.heads, k.text = map[fileState]header{}, 0
	}
	k.heads[state] = h
	k.text += bytes
}

// listNormalised lists the picture of a normalised video.
func (t *Tools) listNormalised(path string) (listing, error) {
	state, err := stateOf(path)
	if err != nil {
		return listing{}, err
	}
	if l, ok := t.cache.get(state); ok {
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
	t.cache.put(state, c.picture)
	return c.picture, nil
}
