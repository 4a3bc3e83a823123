package engine

import (
	"encoding/binary"

	"github.com/memforge/memforge/pipeline"
)

// refQueue are references that wait, the first first, in few bytes: some 35 and the id
// each, where one of its own takes 130 and the id.
type refQueue struct {
	blocks  [][]byte
	at      int // of the first in the first block
	count   int
	schemas []string
}

const refBlock = 64 << 10

func (q *refQueue) len() int { return q.count }

// put adds a reference at the end.
func (q *refQueue) put(r pipeline.Ref) error {
	raw, err := pipeline.RawDigest(r.Digest)
	if err != nil {
		return err
	}
	last := len(q.blocks) - 1
	if need := len(r.ID) + 2*binary.MaxVarintLen64 + len(raw); last < 0 || cap(q.blocks[last])-len(q.blocks[last]) < need {
		q.blocks = append(q.blocks, make([]byte, 0, max(refBlock, need)))
		last++
	}
	b := binary.AppendUvarint(q.blocks[last], uint64(q.schema(r.Schema)))
	b = binary.AppendUvarint(b, uint64(len(r.ID)))
	q.blocks[last] = append(append(b, r.ID...), raw[:]...)
	q.count++
	return nil
}

// schema is the number of a schema. A node takes few of them.
func (q *refQueue) schema(name string) int {
	for i, s := range q.schemas {
		if s == name {
			return i
		}
	}
	q.schemas = append(q.schemas, name)
	return len(q.schemas) - 1
}

// take removes the first n, or all if there are fewer, and adds them to refs.
func (q *refQueue) take(refs []pipeline.Ref, n int) []pipeline.Ref {
	for ; n > 0 && q.count > 0; n-- {
		b := q.blocks[0]
		p := unitReader{b: b, at: q.at, schemas: q.schemas}
		schema := p.schema()
		r := pipeline.Ref{ID: string(p.raw(p.number())), Schema: schema, Digest: pipeline.Digest(p.digest())}
		refs = append(refs, r)
		q.count--
		if q.at = p.at; q.at == len(b) {
			q.blocks[0] = nil
			q.blocks, q.at = q.blocks[1:], 0
		}
	}
	return refs
}

// all are those that wait.
func (q *refQueue) all() []pipeline.Ref {
	peek := *q
	peek.blocks = append([][]byte{}, q.blocks...)
	return peek.take(nil, q.count)
}
