package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline"
)

// errChanged ends the reading of an object that became another meanwhile.
var errChanged = errors.New("the object changed while it was read; try again")

// pieces is how many pieces without a byte end the reading.
const pieces = 8

// Get reads the object of a digest. When the connection breaks it goes on where it was.
// An object that is not there is fs.ErrNotExist.
func (b *Bucket) Get(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	return b.OpenObject(ctx, name(d), 0)
}

// reader reads an object in as many pieces as the connection breaks it into.
type reader struct {
	ctx    context.Context
	bucket *Bucket
	name   string
	size   int64 // -1 until it was opened
	at     int64
	piece  piece
	broken int // pieces since the last byte
}

func (r *reader) open() error {
	opened, err := retry(r.ctx, r.bucket, func() (piece, error) {
		length := int64(-1)
		if r.size >= 0 {
			length = r.size - r.at
		}
		p, err := r.bucket.objects.open(r.ctx, r.name, r.at, length)
		if err != nil {
			return nil, err
		}
		if r.size >= 0 && p.Size() != r.size {
			return nil, errors.Join(errChanged, p.Close())
		}
		r.size = p.Size()
		return p, nil
	})
	if err != nil {
		return r.failed(err)
	}
	r.piece = opened
	return nil
}

func (r *reader) failed(err error) error {
	return fmt.Errorf("read object %s: %w", r.name, err)
}

// Read ends after as many bytes as the object has.
func (r *reader) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for r.at < r.size {
		n, err := r.piece.Read(p)
		r.at += int64(n)
		if n > 0 {
			r.broken = 0
			return n, nil // what else was wrong is so at the next call too
		}
		if err == nil {
			continue
		}
		if err := r.again(err); err != nil {
			return 0, err
		}
	}
	return 0, io.EOF
}

// again opens the rest of the object anew.
func (r *reader) again(err error) error {
	if r.broken++; r.broken >= pieces || isPermanent(err) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return r.failed(err)
	}
	_ = r.piece.Close() // it is broken
	return r.open()
}

// Close ends the reading.
func (r *reader) Close() error { return r.piece.Close() }
