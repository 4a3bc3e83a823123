package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Tar walks a tar stream, which may be compressed by gzip. An archive in parts
// is the stream of its parts one after the other.
func Tar(r io.Reader, lim Limits, visit Visit) error {
	counted := &counter{r: r}
	plain, err := inflated(counted, lim)
	if err != nil {
		return fmt.Errorf("tar: %w", err)
	}
	t := tar.NewReader(plain)
	var used int64
	for n := 0; ; n++ {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("tar: %w", err)
		}
		if most := lim.members(); n >= most {
			return fmt.Errorf("tar: %w: more than %d members", ErrRefused, most)
		}
		if h.Typeflag != tar.TypeReg || Junk(h.Name) {
			continue
		}
		err = visit(tarMember(t, h, lim, &used))
		if errors.Is(err, fs.SkipAll) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func tarMember(t *tar.Reader, h *tar.Header, lim Limits, used *int64) (Member, io.Reader) {
	m := lim.judge(checkName(h.Name), h.Size)
	if m.Code != "" {
		return m, failing{errors.New(m.Reason)}
	}
	return m, &body{r: t, left: m.Size, used: used, lim: lim}
}

// inflated takes off the compression, if there is one, and bounds what comes
// out of it.
func inflated(in *counter, lim Limits) (io.Reader, error) {
	buffered := bufio.NewReaderSize(in, 1<<20)
	head, err := buffered.Peek(2)
	if err != nil {
		return nil, errors.New("the archive is empty")
	}
	if head[0] != 0x1f || head[1] != 0x8b {
		return buffered, nil
	}
	z, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, err
	}
	return &inflating{z: z, in: in, limit: lim.TotalBytes}, nil
}

// counter counts the bytes read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// inflating bounds decompressed bytes, in all and against the compressed ones.
type inflating struct {
	z     io.Reader
	in    *counter
	out   int64
	limit int64
}

func (i *inflating) Read(p []byte) (int, error) {
	n, err := i.z.Read(p)
	i.out += int64(n)
	if i.out > i.limit || i.out > 1<<20 && i.out/maxRatio > i.in.n {
		return n, fmt.Errorf("%w: %d bytes came out of %d", ErrRefused, i.out, i.in.n)
	}
	return n, err
}
