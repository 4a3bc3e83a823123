package encoding

import (
	"sync"

	"github.com/memforge/memforge/pipeline"
)

// VerifiedFiles remembers which files this process has hashed. It is safe for concurrent
// use.
type VerifiedFiles struct {
	mu   sync.Mutex
	seen map[pipeline.Digest]FileStamp
}

// maxVerified bounds its memory. Beyond it the list starts anew, which costs a second
// reading and nothing else.
const maxVerified = 1 << 17

// Is reports whether a blob's file was found sound with this stamp.
func (v *VerifiedFiles) Is(digest pipeline.Digest, s FileStamp) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	known, ok := v.seen[digest]
	return ok && known == s
}

// Count is how many files are remembered.
func (v *VerifiedFiles) Count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.seen)
}

// Note remembers a file that was hashed.
func (v *VerifiedFiles) Note(digest pipeline.Digest, s FileStamp) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.seen == nil {
		v.seen = map[pipeline.Digest]FileStamp{}
	}
	if len(v.seen) >= maxVerified {
		clear(v.seen)
	}
	v.seen[digest] = s
}
