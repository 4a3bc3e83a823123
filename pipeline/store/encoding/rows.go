package encoding

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// Sum is a digest or key as it stands in the database.
type Sum [sha256.Size]byte

// ParseSum reads a digest or key.
func ParseSum[S pipeline.Digest | pipeline.Key | string](s S) (Sum, error) {
	return pipeline.RawDigest(s)
}

// ParseSums reads several.
func ParseSums[S pipeline.Digest | pipeline.Key](names []S) ([]Sum, error) {
	sums := make([]Sum, len(names))
	for i, name := range names {
		s, err := ParseSum(name)
		if err != nil {
			return nil, err
		}
		sums[i] = s
	}
	return sums, nil
}

// Hex is the sum as text.
func (s Sum) Hex() string { return string(pipeline.DigestOfSum(s)) }

// ID is the integer key of the sum's row.
func (s Sum) ID() int64 { return int64(binary.BigEndian.Uint64(s[:8])) }

const checkLen = 8

var errRow = errors.New("the row is damaged")

// Row is a result as stored, with the blobs that must be there for it to count.
type Row struct {
	ID     int64 // set where rows are removed
	Result pipeline.Result
	// outBlobs are the blobs of the output records, own blobs not repeated.
	OutBlobs []pipeline.Digest
}

// EncodeRow gives the body of a results row: the key, counts and lengths as
// uvarints, digests raw, and at the end the first bytes of the SHA-256 of it
// all.
func EncodeRow(key Sum, r Row) ([]byte, error) {
	b := binary.AppendUvarint(key[:], uint64(len(r.Result.Outputs)))
	for _, o := range r.Result.Outputs {
		d, err := ParseSum(o.Digest)
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", o.ID, err)
		}
		b = appendText(appendText(b, o.ID), o.Schema)
		b = append(b, d[:]...)
	}
	b = binary.AppendUvarint(b, uint64(len(r.Result.Rejections)))
	for _, j := range r.Result.Rejections {
		b = appendText(appendText(appendText(b, j.ID), j.Code), j.Reason)
		flag := byte(0)
		if j.Flagged {
			flag = 1
		}
		b = append(b, flag)
	}
	for _, list := range [][]pipeline.Digest{r.Result.Blobs, r.OutBlobs} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, digest := range list {
			d, err := ParseSum(digest)
			if err != nil {
				return nil, fmt.Errorf("blob: %w", err)
			}
			b = append(b, d[:]...)
		}
	}
	check := sha256.Sum256(b)
	return append(b, check[:checkLen]...), nil
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// DecodeRow is the inverse of EncodeRow. names shares the strings of schemas
// among the rows of one lookup.
func DecodeRow(body []byte, names map[string]string) (Sum, Row, error) {
	if len(body) < len(Sum{})+checkLen {
		return Sum{}, Row{}, errRow
	}
	body, check := body[:len(body)-checkLen], body[len(body)-checkLen:]
	if want := sha256.Sum256(body); !bytes.Equal(check, want[:checkLen]) {
		return Sum{}, Row{}, errRow
	}
	key := Sum(body[:len(Sum{})])
	p := parser{b: body[len(key):], names: names}
	r := Row{Result: pipeline.Result{Key: pipeline.Key(key.Hex())}}
	r.Result.Outputs = list(&p, p.output)
	r.Result.Rejections = list(&p, p.rejection)
	r.Result.Blobs = list(&p, p.digest)
	r.OutBlobs = list(&p, p.digest)
	if p.bad || len(p.b) > 0 {
		return Sum{}, Row{}, errRow
	}
	return key, r, nil
}

// parser eats a body from the front; after damage it gives zero values.
type parser struct {
	b     []byte
	names map[string]string
	bad   bool
}

func list[T any](p *parser, item func() T) []T {
	n := p.uvarint()
	// Every item has at least one byte, which bounds what a bad count can claim.
	if p.bad || n > uint64(len(p.b)) {
		p.bad = true
		return nil
	}
	if n == 0 {
		return nil
	}
	out := make([]T, 0, min(n, uint64(64+len(p.b)/32)))
	for range n {
		out = append(out, item())
	}
	return out
}

func (p *parser) uvarint() uint64 {
	n, used := binary.Uvarint(p.b)
	if used <= 0 {
		p.bad = true
		return 0
	}
	p.b = p.b[used:]
	return n
}

func (p *parser) take(n uint64) []byte {
	if p.bad || n > uint64(len(p.b)) {
		p.bad = true
		return nil
	}
	out := p.b[:n]
	p.b = p.b[n:]
	return out
}

func (p *parser) text() string { return string(p.take(p.uvarint())) }

func (p *parser) schema() string {
	raw := p.take(p.uvarint())
	if s, ok := p.names[string(raw)]; ok {
		return s
	}
	s := string(raw)
	p.names[s] = s
	return s
}

func (p *parser) digest() pipeline.Digest {
	raw := p.take(sha256.Size)
	if len(raw) != sha256.Size {
		return ""
	}
	return pipeline.DigestOfSum([sha256.Size]byte(raw))
}

func (p *parser) output() pipeline.Ref {
	return pipeline.Ref{ID: p.text(), Schema: p.schema(), Digest: p.digest()}
}

func (p *parser) rejection() pipeline.Rejection {
	r := pipeline.Rejection{ID: p.text(), Code: p.text(), Reason: p.text()}
	if flag := p.take(1); len(flag) == 1 {
		r.Flagged = flag[0] == 1
	}
	return r
}
