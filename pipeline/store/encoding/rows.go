package encoding

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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

// Hex returns the sum as text.
func (s Sum) Hex() string { return string(pipeline.DigestOfSum(s)) }

// ID returns the integer key of the sum's row.
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

// EncodeRow returns the body of a results row: the key, counts and lengths as
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

// StoredRecord is a record as it goes into the database.
type StoredRecord struct {
	ID   Sum
	Body []byte
}

// StoredResult is a result as it goes into the database.
type StoredResult struct {
	Key  Sum
	Body []byte
}

// AllInstant reports whether all of it comes again at once.
func AllInstant(outcomes []pipeline.Committed) bool {
	return !slices.ContainsFunc(outcomes, func(o pipeline.Committed) bool { return !o.Instant })
}

// EncodeRecords encodes the distinct records and lists the blobs of each.
func EncodeRecords(outcomes []pipeline.Committed) ([]StoredRecord, map[Sum][]pipeline.Digest, error) {
	blobsOf := make(map[Sum][]pipeline.Digest, len(outcomes))
	var records []StoredRecord
	for _, o := range outcomes {
		for i, r := range o.Records {
			body, err := encoded(o, i)
			if err != nil {
				return nil, nil, fmt.Errorf("record %s %q: %w", r.Schema, r.ID, err)
			}
			id := Sum(sha256.Sum256(body))
			if _, known := blobsOf[id]; known {
				continue
			}
			blobsOf[id] = r.Blobs
			records = append(records, StoredRecord{ID: id, Body: body})
		}
	}
	return records, blobsOf, nil
}

func encoded(o pipeline.Committed, i int) ([]byte, error) {
	if len(o.Encoded) == len(o.Records) {
		return o.Encoded[i], nil
	}
	return o.Records[i].Encode()
}

// AddStored adds the blobs of output records that come from earlier commits. Those
// that an outcome says are stored are looked for only if records were lost.
func AddStored(ctx context.Context, read func(context.Context, []pipeline.Digest) ([]pipeline.Record, error), outcomes []pipeline.Committed, blobsOf map[Sum][]pipeline.Digest, lossy bool) error {
	var earlier []pipeline.Digest
	var ids []Sum
	for _, o := range outcomes {
		if o.Stored && !lossy {
			continue
		}
		for _, out := range o.Result.Outputs {
			id, err := ParseSum(out.Digest)
			if err != nil {
				return fmt.Errorf("result %s: output %q: %w", o.Result.Key, out.ID, err)
			}
			if _, known := blobsOf[id]; known {
				continue
			}
			blobsOf[id] = nil
			ids = append(ids, id)
			earlier = append(earlier, out.Digest)
		}
	}
	records, err := read(ctx, earlier)
	if err != nil {
		return fmt.Errorf("outputs must be in the same or an earlier commit: %w", err)
	}
	for i, r := range records {
		blobsOf[ids[i]] = r.Blobs
	}
	return nil
}

// EncodeResults encodes results. It refuses those that has says lack a blob.
func EncodeResults(has func(Row) (bool, error), outcomes []pipeline.Committed, blobsOf map[Sum][]pipeline.Digest) ([]StoredResult, error) {
	results := make([]StoredResult, 0, len(outcomes))
	for _, o := range outcomes {
		key, err := ParseSum(o.Result.Key)
		if err != nil {
			return nil, fmt.Errorf("result: %w", err)
		}
		others, err := outputBlobs(o.Result, blobsOf)
		if err != nil {
			return nil, fmt.Errorf("result %s: %w", o.Result.Key, err)
		}
		r := Row{Result: o.Result, OutBlobs: others}
		body, err := EncodeRow(key, r)
		if err != nil {
			return nil, fmt.Errorf("result %s: %w", o.Result.Key, err)
		}
		ok, err := has(r)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, fmt.Errorf("result %s names a blob that was not put before: %w", o.Result.Key, pipeline.ErrNoBlob)
		}
		results = append(results, StoredResult{Key: key, Body: body})
	}
	return results, nil
}

// outputBlobs lists the distinct blobs of the outputs that the result does not
// name itself.
func outputBlobs(r pipeline.Result, blobsOf map[Sum][]pipeline.Digest) ([]pipeline.Digest, error) {
	var all []pipeline.Digest
	var seen map[pipeline.Digest]bool
	for _, o := range r.Outputs {
		id, err := ParseSum(o.Digest)
		if err != nil {
			return nil, fmt.Errorf("output %q: %w", o.ID, err)
		}
		for _, digest := range blobsOf[id] {
			if seen == nil {
				seen = make(map[pipeline.Digest]bool, len(r.Blobs)+1)
				for _, own := range r.Blobs {
					seen[own] = true
				}
			}
			if !seen[digest] {
				seen[digest] = true
				all = append(all, digest)
			}
		}
	}
	return all, nil
}

// EncodeBuild returns the body of a build's row. It refuses a build whose units are not
// in the store.
func EncodeBuild(ctx context.Context, absent func(context.Context, []pipeline.Digest) ([]pipeline.Digest, error), b pipeline.Build) ([]byte, error) {
	for _, n := range b.Steps {
		if n.UnitList == "" {
			continue
		}
		missing, err := absent(ctx, []pipeline.Digest{n.UnitList})
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", n.Name, err)
		}
		if len(missing) > 0 {
			return nil, fmt.Errorf("step %s: the units blob was not put before: %w", n.Name, NoBlob(n.UnitList))
		}
	}
	b.Seq = 0
	return json.Marshal(b)
}

// WholeHistory refuses a history of which builds are damaged.
func WholeHistory(builds []pipeline.Build, damaged []int64, err error) ([]pipeline.Build, error) {
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("builds %d cannot be read any more; run `memforge store check --repair`", damaged)
	}
	if err != nil {
		return nil, fmt.Errorf("read build history: %w", err)
	}
	return builds, nil
}

// AddBuild adds a row of the history to the builds, or to those that are damaged.
func AddBuild(builds []pipeline.Build, damaged []int64, seq int64, body []byte) ([]pipeline.Build, []int64) {
	var b pipeline.Build
	if err := json.Unmarshal(body, &b); err != nil {
		return builds, append(damaged, seq)
	}
	b.Seq = seq
	return append(builds, b), damaged
}
