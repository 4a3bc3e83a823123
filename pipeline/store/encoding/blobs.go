package encoding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// FileStamp tells whether a file is still the one that was verified.
type FileStamp struct {
	Size  int64
	Mtime int64 // nanoseconds
	Inode uint64
}

// FileStampOf returns the stamp of a file.
func FileStampOf(info fs.FileInfo) FileStamp {
	s := FileStamp{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Inode = st.Ino
	}
	return s
}

// PutFile is PutFile of any kind of store: what lies on the file system of dir is
// adopted, all else copied by put.
func PutFile(ctx context.Context, path string, move bool, dir string, adopt func(context.Context, *os.File) (pipeline.Blob, error), put func(context.Context, io.Reader) (pipeline.Blob, error)) (pipeline.Blob, error) {
	f, err := openRegular(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	if move && canRename(path, dir) {
		b, err := adopt(ctx, f)
		if !errors.Is(err, syscall.EXDEV) && !errors.Is(err, fs.ErrPermission) {
			return b, err
		}
		// Another mount of the same file system, or a stranger's file.
		if f, err = openRegular(path); err != nil {
			return pipeline.Blob{}, err
		}
	}
	b, err := put(ctx, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return pipeline.Blob{}, err
	}
	if !move {
		return b, nil
	}
	return b, os.Remove(path)
}

// canRename reports whether path is a plain file of the file system of dir that no
// second name can reach once it is a blob.
func canRename(path, dir string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	root, err := os.Stat(dir)
	if err != nil {
		return false
	}
	file, ok1 := info.Sys().(*syscall.Stat_t)
	here, ok2 := root.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && file.Dev == here.Dev && file.Nlink == 1
}

// HashStable hashes an open file and fails when it changes meanwhile.
func HashStable(ctx context.Context, f *os.File) (pipeline.Blob, error) {
	before, err := f.Stat()
	if err != nil {
		return pipeline.Blob{}, err
	}
	b, err := CopyHashed(ctx, io.Discard, f)
	if err != nil {
		return pipeline.Blob{}, err
	}
	after, err := f.Stat()
	if err != nil {
		return pipeline.Blob{}, err
	}
	if FileStampOf(before) != FileStampOf(after) || b.Size != after.Size() {
		return pipeline.Blob{}, errors.New("the file changed while it was read; let its writer finish and try again")
	}
	return b, nil
}

func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is not a regular file but %s", info.Mode())
	}
	return os.Open(path)
}

// CopyHashed copies r to w and names the bytes. It stops when ctx is done.
func CopyHashed(ctx context.Context, w io.Writer, r io.Reader) (pipeline.Blob, error) {
	h := sha256.New()
	n, err := io.CopyBuffer(onlyWriter{io.MultiWriter(w, h)}, ctxReader{ctx, r}, make([]byte, 128<<10))
	if err != nil {
		return pipeline.Blob{}, err
	}
	return pipeline.Blob{Digest: pipeline.Digest(hex.EncodeToString(h.Sum(nil))), Size: n}, nil
}

// onlyWriter hides ReadFrom, so that CopyBuffer uses its buffer.
type onlyWriter struct{ io.Writer }

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}

// racyWindow is how old a file must be before its size, time and inode are taken as
// proof that it did not change: within this span a second write may leave the
// same time stamp.
const racyWindow = 2 * time.Second

// FileCache are what a store remembers of local files, and how it takes one in.
type FileCache struct {
	May      func() error
	Known    func(ctx context.Context, path string, now FileStamp) (pipeline.Blob, bool, error)
	Put      func(ctx context.Context, path string, move bool) (pipeline.Blob, error)
	Remember func(ctx context.Context, path string, s FileStamp, digest pipeline.Digest) error
}

// KnownFile is KnownFile of any kind of store.
func KnownFile(ctx context.Context, path string, known func(ctx context.Context, path string, now FileStamp) (pipeline.Blob, bool, error)) (pipeline.Blob, bool, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return pipeline.Blob{}, false, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return pipeline.Blob{}, false, err
	}
	return known(ctx, abs, FileStampOf(info))
}

// CachedFile is CachedFile of any kind of store.
func CachedFile(ctx context.Context, path string, of FileCache) (pipeline.Blob, error) {
	b, err := of.store(ctx, path)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("store local file %s: %w", path, err)
	}
	return b, nil
}

func (of FileCache) store(ctx context.Context, path string) (pipeline.Blob, error) {
	if err := of.May(); err != nil {
		return pipeline.Blob{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	began := time.Now()
	before, err := os.Stat(abs)
	if err != nil {
		return pipeline.Blob{}, err
	}
	blob, ok, err := of.Known(ctx, abs, FileStampOf(before))
	if err != nil || ok {
		return blob, err
	}
	b, err := of.Put(ctx, abs, false)
	if err != nil {
		return pipeline.Blob{}, err
	}
	after, err := os.Stat(abs)
	if err != nil {
		return pipeline.Blob{}, err
	}
	if FileStampOf(before) != FileStampOf(after) || b.Size != before.Size() {
		return pipeline.Blob{}, errors.New("the file changed while it was read; let its writer finish and try again")
	}
	if before.ModTime().After(began.Add(-racyWindow)) {
		return b, nil
	}
	return b, of.Remember(ctx, abs, FileStampOf(before), b.Digest)
}

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

// Count returns how many files are remembered.
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

// KeyLock lets one goroutine at a time work on a digest.
type KeyLock struct {
	mu   sync.Mutex
	held map[pipeline.Digest]chan struct{}
}

// Lock waits for a digest.
func (l *KeyLock) Lock(ctx context.Context, d pipeline.Digest) (unlock func(), err error) {
	for {
		l.mu.Lock()
		busy, taken := l.held[d]
		if !taken {
			break
		}
		l.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	defer l.mu.Unlock()
	if l.held == nil {
		l.held = map[pipeline.Digest]chan struct{}{}
	}
	done := make(chan struct{})
	l.held[d] = done
	return func() {
		l.mu.Lock()
		delete(l.held, d)
		l.mu.Unlock()
		close(done)
	}, nil
}
