//go:build clouds

package bucket

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/blob/driver"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/gcerrors"
)

// errDown is what a server says that has no time.
var errDown = errors.New("503 Slow Down")

// faulty is a bucket of a cloud whose server fails so many calls, cuts what it sends
// after so many bytes, and says wrong lengths.
type faulty struct {
	driver.Bucket
	inner *blob.Bucket
	down  int
	cut   int64
	cuts  int
	reads int
}

func (f *faulty) ErrorCode(err error) gcerrors.ErrorCode {
	if errors.Is(err, errDown) {
		return gcerrors.Unknown
	}
	return gcerrors.Code(err)
}

func (f *faulty) ErrorAs(error, any) bool { return false }

func (f *faulty) Close() error { return f.inner.Close() }

func (f *faulty) fails() bool {
	f.down--
	return f.down >= 0
}

func (f *faulty) NewRangeReader(ctx context.Context, key string, offset, length int64, _ *driver.ReaderOptions) (driver.Reader, error) {
	if f.reads++; f.fails() {
		return nil, errDown
	}
	r, err := f.inner.NewRangeReader(ctx, key, offset, length, nil)
	if err != nil {
		return nil, err
	}
	if length < 0 {
		length = r.Size() - offset
	}
	cut := &cutReader{Reader: r, left: length}
	if f.cuts--; f.cuts >= 0 {
		cut.left = f.cut
	}
	return cut, nil
}

// cutReader ends early, as a connection does.
type cutReader struct {
	*blob.Reader
	left int64
}

func (c *cutReader) As(any) bool { return false }

func (c *cutReader) Attributes() *driver.ReaderAttributes {
	return &driver.ReaderAttributes{Size: c.Size()}
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Reader.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

func (f *faulty) NewTypedWriter(ctx context.Context, key, contentType string, _ *driver.WriterOptions) (driver.Writer, error) {
	if f.fails() {
		return nil, errDown
	}
	return f.inner.NewWriter(ctx, key, &blob.WriterOptions{ContentType: contentType})
}

func (f *faulty) Delete(ctx context.Context, key string, _ *driver.DeleteOptions) error {
	if f.fails() {
		return errDown
	}
	return f.inner.Delete(ctx, key)
}

func cloud(t *testing.T) (*Bucket, *faulty) {
	t.Helper()
	f := &faulty{inner: memblob.OpenBucket(nil)}
	b := &Bucket{objects: cloudObjects{blob.NewBucket(f)}, patience: 10 * time.Second}
	t.Cleanup(func() { _ = b.Close() })
	return b, f
}

func TestObjectsOfACloud(t *testing.T) {
	b, _ := cloud(t)
	testObjects(t, b)
}

// A server that has no time, and connections that break, are waited for; what was read
// is not asked for again.
func TestServersThatFail(t *testing.T) {
	b, f := cloud(t)
	text := strings.Repeat("0123456789", 1000)
	f.down = 3
	d := put(t, b, text)
	f.down, f.cut, f.cuts = 2, 3000, 3
	if got, err := get(b, d); got != text || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if f.reads != 2+4 {
		t.Errorf("asked %d times, want 2 that failed and 4 pieces", f.reads)
	}
	// It becomes another between two pieces.
	f.cut, f.cuts = 3000, 1
	r, err := b.Get(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.inner.WriteAll(t.Context(), name(d), []byte("short"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); !errors.Is(err, errChanged) {
		t.Errorf("an object that changed: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	f.down = 2
	if err := b.Remove(t.Context(), d); err != nil {
		t.Error(err)
	}
	f.cut, f.cuts = 0, 1000
	d = put(t, b, text)
	if _, err := get(b, d); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a server that sends nothing: %v", err)
	}
	b.patience, f.down = 50*time.Millisecond, 1000
	if _, err := get(b, d); err == nil || !strings.Contains(err.Error(), errDown.Error()) {
		t.Errorf("a server that is gone: %v", err)
	}
}
