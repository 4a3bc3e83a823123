package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

// Scope is what one task may touch: blobs, a scratch folder, derived
// randomness and the quarantine. It belongs to one task and one goroutine.
type Scope struct {
	store      Store
	seed       uint64
	name       string
	node       string
	use        string
	version    string
	tools      map[string]string
	input      string
	tempRoot   string
	tempDir    string
	models     asker
	rejections []Rejection
	blobs      []Digest
}

// Name is the node's name in pipeline.yaml, for sources and gates only: other
// stages must not depend on it.
func (s *Scope) Name() string { return s.name }

// Rand returns a generator derived from seed x plugin x input record x labels:
// the same task draws the same numbers on every machine.
func (s *Scope) Rand(labels ...string) *rand.Rand {
	h := sha256.New()
	writePart := func(p string) {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		io.WriteString(h, p)
	}
	writePart(fmt.Sprint(s.seed))
	writePart(s.use)
	if len(labels) == 0 {
		labels = []string{s.input}
	}
	for _, l := range labels {
		writePart(l)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// PutFile moves a file of the scratch folder into the store.
func (s *Scope) PutFile(ctx context.Context, path string) (Blob, error) {
	return s.keep(s.store.PutFile(ctx, path, true))
}

// PutBlob stores bytes.
func (s *Scope) PutBlob(ctx context.Context, r io.Reader) (Blob, error) {
	return s.keep(s.store.PutBlob(ctx, r))
}

func (s *Scope) keep(b Blob, err error) (Blob, error) {
	if err == nil {
		s.blobs = append(s.blobs, b.Digest)
	}
	return b, err
}

// BlobPath returns a read-only file with a blob's verified bytes.
func (s *Scope) BlobPath(ctx context.Context, d Digest) (string, error) {
	return s.store.BlobPath(ctx, d)
}

// OpenBlob reads a blob; see Store.OpenBlob.
func (s *Scope) OpenBlob(ctx context.Context, d Digest) (io.ReadCloser, error) {
	return s.store.OpenBlob(ctx, d)
}

// TempDir returns the task's scratch folder, made at the first call and
// removed with the task.
func (s *Scope) TempDir() (string, error) {
	if s.tempDir != "" {
		return s.tempDir, nil
	}
	dir, err := os.MkdirTemp(s.tempRoot, "task-")
	if err != nil {
		return "", fmt.Errorf("make scratch folder: %w", err)
	}
	s.tempDir = dir
	return dir, nil
}

// Reject quarantines an item of a source or fold and goes on.
func (s *Scope) Reject(id string, why *Rejection) {
	r := *why
	r.ID = id
	s.rejections = append(s.rejections, r)
}

func (s *Scope) close() error {
	if s.tempDir == "" {
		return nil
	}
	return os.RemoveAll(s.tempDir)
}

// asRejection finds a rejection in err's chain.
func asRejection(err error) (*Rejection, bool) {
	var r *Rejection
	ok := errors.As(err, &r)
	return r, ok
}
