package media

import (
	"os"
	"sync"
	"time"
)

// What is remembered at most: packets, about 100 bytes each; bytes of shrunk
// pictures, those of four hours; and bytes of headers, three kilobytes each.
const (
	maxCachedPackets    = 200_000
	maxCachedThumbnails = 64 << 20
	maxCachedHeaders    = 4 * maxHeader
)

// fileCache remembers what files hold, so that one that is joined over and over
// is listed once, and one of which many pictures are taken has its header read
// once.
type fileCache struct {
	lists      boundedCache[listing]
	thumbnails boundedCache[thumbnails] // of sources of split screens, read by ownInput
	headers    boundedCache[header]
}

// boundedCache remembers something about files up to a sum of sizes. When it is
// more, all is forgotten: what is still in use is soon back.
type boundedCache[V any] struct {
	mu     sync.Mutex
	values map[fileState]V
	size   int
}

func (c *boundedCache[V]) get(f fileState) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[f]
	return v, ok
}

func (c *boundedCache[V]) put(f fileState, v V, size, most int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil || c.size+size > most {
		c.values, c.size = map[fileState]V{}, 0
	}
	if _, ok := c.values[f]; !ok {
		c.values[f] = v
		c.size += size
	}
}

// fileState identifies a file by its path, size and time of change: normalised
// videos are written once and then only read, and a user's file that is written
// to has another time.
type fileState struct {
	path    string
	bytes   int64
	changed time.Time
}

func stateOf(path string) (fileState, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}, err
	}
	return fileState{path, info.Size(), info.ModTime()}, nil
}

func (t *Tools) listNormalised(path string) (listing, error) {
	state, err := stateOf(path)
	if err != nil {
		return listing{}, err
	}
	if l, ok := t.cache.lists.get(state); ok {
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
	t.cache.lists.put(state, c.picture, len(c.picture.packets), maxCachedPackets)
	return c.picture, nil
}
