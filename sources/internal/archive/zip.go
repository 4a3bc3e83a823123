package archive

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// maxDirectory bounds the list of members at the end of a zip file, which is
// read into memory before anything can be said about it.
const maxDirectory = 32 << 20

// Zip walks a zip file in the order of its directory.
func Zip(r io.ReaderAt, size int64, lim Limits, visit Visit) error {
	bounded := &boundedAt{r: r, left: maxDirectory}
	z, err := zip.NewReader(bounded, size)
	if err != nil {
		return fmt.Errorf("zip: %w", err)
	}
	bounded.open = true
	if most := lim.members(); len(z.File) > most {
		return fmt.Errorf("zip: %w: %d members, more than %d", ErrRefused, len(z.File), most)
	}
	var used int64
	for _, f := range z.File {
		if !f.Mode().IsRegular() || Junk(f.Name) {
			continue
		}
		m := judgeZip(f, lim)
		err := visit(m, zipContent(f, m, lim, &used))
		if errors.Is(err, fs.SkipAll) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l Limits) members() int {
	if l.Members > 0 {
		return l.Members
	}
	return defaultMembers
}

func judgeZip(f *zip.File, lim Limits) Member {
	m := checkName(f.Name)
	if f.UncompressedSize64 > 1<<62 {
		f.UncompressedSize64 = 1 << 62
	}
	m = lim.judge(m, int64(f.UncompressedSize64))
	switch {
	case m.Code != "":
	case f.Flags&1 != 0:
		m.Code, m.Reason = Unreadable, "it is encrypted"
	case f.Method != zip.Store && f.Method != zip.Deflate:
		m.Code, m.Reason = Unreadable, fmt.Sprintf("compressed by method %d, which is not read", f.Method)
	case f.UncompressedSize64 > 1<<20 && f.UncompressedSize64/maxRatio > f.CompressedSize64:
		m.Code, m.Reason = TooLarge, fmt.Sprintf("%d bytes out of %d: more than any film or text shrinks", f.UncompressedSize64, f.CompressedSize64)
	}
	return m
}

func zipContent(f *zip.File, m Member, lim Limits, used *int64) io.Reader {
	if m.Code != "" {
		return failing{errors.New(m.Reason)}
	}
	open := func() (io.Reader, error) { return f.Open() }
	return &body{open: open, left: m.Size, used: used, lim: lim}
}

// boundedAt stops a reader of the directory after so many bytes.
type boundedAt struct {
	r    io.ReaderAt
	left int64
	open bool
}

func (b *boundedAt) ReadAt(p []byte, off int64) (int, error) {
	if b.open {
		return b.r.ReadAt(p, off)
	}
	if b.left -= int64(len(p)); b.left < 0 {
		return 0, fmt.Errorf("%w: its directory exceeds %d bytes", ErrRefused, maxDirectory)
	}
	return b.r.ReadAt(p, off)
}
