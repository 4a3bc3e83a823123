package store

import (
	"sync"

	"github.com/memforge/memforge/pipeline"
)

// verified remembers which files this process has hashed. It is safe for concurrent
// use.
type verified struct {
	mu   sync.Mutex
	seen map[pipeline.Digest]stamp
}

// maxVerified bounds its memory. Beyond it the list starts anew, which costs a second
// reading and nothing else.
const maxVerified = 1 << 17

// is reports whether a blob's file was found sound with this stamp.
func (v *verified) is(digest pipeline.Digest, s stamp) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.seen[digest]
	return ok && known == s
}

func (v *verified) note(digest pipeline.Digest, s stamp) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen == nil {
		v.seen = map[pipeline.Digest]stamp{}
	}
	if len(v.seen) >= maxVerified {
		clear(v.seen)
	}
	v.seen[digest] = s
}
