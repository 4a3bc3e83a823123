package media

import (
	"context"
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
	lists map[fileStream]listing
	size  int
}

type fileStream struct {
	wanted
	bytes   int64
	changed time.Time
}

// keyOf names a stream of a file as it is now.
func keyOf(w wanted) (fileStream, error) {
	info, err := os.Stat(w.path)
	if err != nil {
		return fileStream{}, err
	}
	return fileStream{w, info.Size(), info.ModTime()}, nil
}

func (k *known) get(f fileStream) (listing, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l, ok := k.lists[f]
	return l, ok
}

// put remembers a list. When there are too many, all are forgotten: what is
// still in use is soon known again.
func (k *known) put(f fileStream, l listing) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.lists == nil || k.size+len(l.packets) > maxKnown {
		k.lists, k.size = map[fileStream]listing{}, 0
	}
	if _, ok := k.lists[f]; !ok {
		k.lists[f] = l
		k.size += len(l.packets)
	}
}

// knownListings lists streams, single ones, of mezzanines that may be known,
// and then those of others. One process lists all that are not known.
func (t *Tools) knownListings(ctx context.Context, mezzanines, others []wanted, lim Limits) (ours, theirs []listing, err error) {
	ours = make([]listing, len(mezzanines))
	keys := make([]fileStream, len(mezzanines))
	var missing []wanted
	var places []int
	for i, m := range mezzanines {
		if keys[i], err = keyOf(m); err != nil {
			return nil, nil, err
		}
		l, ok := t.known.get(keys[i])
		if !ok {
			missing, places = append(missing, m), append(places, i)
		}
		ours[i] = l
	}
	lists, err := t.listings(ctx, append(missing, others...), lim)
	if err != nil {
		return nil, nil, err
	}
	for n, i := range places {
		ours[i] = lists[n]
		t.known.put(keys[i], lists[n])
	}
	return ours, lists[len(places):], nil
}
