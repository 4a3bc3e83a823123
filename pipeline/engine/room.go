package engine

import (
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// texts makes many small texts of few pieces of memory. A piece lives as long as one
// of its texts: who may keep a few of many is given texts of their own.
type texts struct {
	together bool
	piece    strings.Builder
	size     int
}

const leastPiece, mostPiece, mostText = 512, 32 << 10, 512 // bytes

func (t *texts) of(b []byte) string {
	if !t.together || len(b) > mostText {
		return string(b)
	}
	if t.piece.Cap()-t.piece.Len() < len(b) {
		t.size = min(max(2*t.size, leastPiece), mostPiece)
		t.piece.Reset()
		t.piece.Grow(t.size)
	}
	t.piece.Write(b)
	all := t.piece.String()
	return all[len(all)-len(b):]
}

// refLists makes many small lists of few pieces of memory, as texts does.
type refLists struct {
	together bool
	piece    []pipeline.Ref
	size     int
}

const leastRefs, mostRefs = 8, 1024

// of is an empty list with room for n, or for as many as there are in a piece.
func (r *refLists) of(n int) []pipeline.Ref {
	n = min(n, mostRefs)
	if !r.together {
		return make([]pipeline.Ref, 0, n)
	}
	if cap(r.piece)-len(r.piece) < n {
		r.size = min(max(2*r.size, leastRefs, n), mostRefs)
		r.piece = make([]pipeline.Ref, 0, r.size)
	}
	at := len(r.piece)
	r.piece = r.piece[:at+n]
	return r.piece[at : at : at+n]
}
