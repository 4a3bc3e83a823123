package encoding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/memforge/memforge/pipeline"
)

// NoBlob says that a blob is not there.
func NoBlob(digest pipeline.Digest) error {
	return fmt.Errorf("blob %s: %w; build again to make it", digest, pipeline.ErrNoBlob)
}

// blobReader verifies what it reads.
type blobReader struct {
	ctx    context.Context
	digest pipeline.Digest
	bytes  io.ReadCloser
	h      hash.Hash
	// corrupt is told of bytes that do not have the digest.
	corrupt func() error
	end     error // what every Read after the last byte returns
}

func (r *blobReader) Read(p []byte) (int, error) {
	if r.end != nil {
		return 0, r.end
	}
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	n, err := r.bytes.Read(p)
	r.h.Write(p[:n])
	if errors.Is(err, io.EOF) {
		r.end = r.finish()
		return n, r.end
	}
	if err != nil {
		return n, fmt.Errorf("read blob %s: %w", r.digest, err)
	}
	return n, nil
}

func (r *blobReader) finish() error {
	got := pipeline.Digest(hex.EncodeToString(r.h.Sum(nil)))
	if got == r.digest {
		return io.EOF
	}
	return JoinIf(&pipeline.CorruptError{Digest: r.digest, Got: got}, r.corrupt())
}

func (r *blobReader) Close() error { return r.bytes.Close() }

// fileReader is a blobReader of a file.
type fileReader struct {
	*blobReader
	f *os.File
}

// Size is for who reads all of it at once: a guess, until it was read.
func (r *fileReader) Size() int64 {
	info, err := r.f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// ReadFile is Verifying of a file.
func ReadFile(ctx context.Context, digest pipeline.Digest, f *os.File, corrupt func() error) io.ReadCloser {
	return &fileReader{newReader(ctx, digest, f, corrupt), f}
}

// VerifyingReader reads the bytes of a blob. corrupt is told when they do not have the digest.
func VerifyingReader(ctx context.Context, digest pipeline.Digest, bytes io.ReadCloser, corrupt func() error) io.ReadCloser {
	return newReader(ctx, digest, bytes, corrupt)
}

func newReader(ctx context.Context, digest pipeline.Digest, bytes io.ReadCloser, corrupt func() error) *blobReader {
	return &blobReader{ctx: ctx, digest: digest, bytes: bytes, h: sha256.New(), corrupt: corrupt}
}

// JoinIf keeps err itself when there is nothing to add to it.
func JoinIf(err, more error) error {
	if more == nil {
		return err
	}
	return errors.Join(err, more)
}
