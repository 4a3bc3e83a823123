package atomicfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Copy copies until from ends or ctx is done. It returns the SHA-256 of what it
// copied, in hexadecimal, and how many bytes that were.
func Copy(ctx context.Context, to io.Writer, from io.Reader) (sum string, n int64, err error) {
	h := sha256.New()
	n, err = io.Copy(io.MultiWriter(to, h), contextReader{ctx, from})
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// contextReader ends a copy when its context does.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
