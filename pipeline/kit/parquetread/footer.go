// Package parquetrows reads Parquet files that strangers wrote. The decoder
// trusts every length and count in a file, so each page that will be decoded
// is walked first, and what would take memory or time out of proportion is an
// error. Callers compare a file's digest before that: most damage to values
// leaves no trace.
package parquetread

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/xitongsys/parquet-go/common"
	"github.com/xitongsys/parquet-go/parquet"
)

// maxPageBytes bounds one page, compressed or not, and maxFooter a footer, of
// which each byte takes many once it is decoded.
const (
	maxPageBytes = 64 << 20
	maxFooter    = 16 << 20
)

// File is a Parquet file of which the footer has been read. Its row groups are
// read one by one.
type File struct {
	Footer *parquet.FileMetaData
	at     io.ReaderAt
	size   int64
	raw    []byte // the footer as it stands in the file
	// Of Guard.
	rules  Rules
	leaves []Leaf
	skip   func(Leaf) bool
	exact  *exactness
}

// Open decodes the footer under the limit that no list or string in it is longer
// than the footer.
func Open(at io.ReaderAt, size int64) (*File, error) {
	var head [4]byte
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("not a Parquet file")
	}
	if err := errors.Join(readAt(at, head[:], 0), readAt(at, tail[:], size-8)); err != nil {
		return nil, err
	}
	if string(head[:]) != "PAR1" || string(tail[4:]) != "PAR1" {
		return nil, errors.New("not a Parquet file")
	}
	n := int64(uint32At(tail[:]))
	if n == 0 || n > size-12 || n > maxFooter {
		return nil, fmt.Errorf("a footer of %d bytes does not fit", n)
	}
	f := &File{Footer: parquet.NewFileMetaData(), at: at, size: size, raw: make([]byte, n)}
	if err := readAt(at, f.raw, size-8-n); err != nil {
		return nil, err
	}
	if _, err := readThrift(f.Footer, f.raw); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return f, nil
}

// readAt fills b with the bytes at a place.
func readAt(at io.ReaderAt, b []byte, from int64) error {
	if n, err := at.ReadAt(b, from); n < len(b) {
		return fmt.Errorf("read %d bytes at %d: %w", len(b), from, err)
	}
	return nil
}

// readThrift decodes one value and returns how many bytes it took.
func readThrift(v interface {
	Read(context.Context, thrift.TProtocol) error
}, data []byte) (int, error) {
	buffer := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(data)}
	limit := &thrift.TConfiguration{MaxMessageSize: int32(min(len(data), maxPageBytes)), MaxFrameSize: int32(min(len(data), maxPageBytes))}
	err := v.Read(context.Background(), thrift.NewTCompactProtocolConf(buffer, limit))
	return len(data) - buffer.Len(), err
}

func uint32At(b []byte) int { return int(binary.LittleEndian.Uint32(b)) }

// Dictionaries are the columns, by their path as the library joins it, of which a
// part is stored through a dictionary.
func (f *File) Dictionaries() map[string]bool {
	out := map[string]bool{}
	for _, g := range f.Footer.GetRowGroups() {
		for _, c := range g.GetColumns() {
			if m := c.GetMetaData(); m != nil && m.DictionaryPageOffset != nil {
				out[common.PathToStr(m.GetPathInSchema())] = true
			}
		}
	}
	return out
}
