package parquetrows

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/xitongsys/parquet-go/reader"
	"github.com/xitongsys/parquet-go/source"
)

// Open returns a reader of single columns of a file that Guard has passed. It
// decodes in the caller's goroutine, where a panic can be recovered, because
// the library's row reader drops decoding errors and panics where it cannot.
func Open(data []byte) (*reader.ParquetReader, error) {
	pr, err := reader.NewParquetColumnReader(&memoryFile{Reader: bytes.NewReader(data), data: data}, 1)
	if err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return pr, nil
}

// memoryFile is a Parquet file in memory, as the library wants it.
type memoryFile struct {
	*bytes.Reader
	data []byte
}

var errReadOnly = errors.New("a table that is read is never written")

func (f *memoryFile) Write([]byte) (int, error) { return 0, errReadOnly }
func (f *memoryFile) Close() error              { return nil }

func (f *memoryFile) Create(string) (source.ParquetFile, error) { return nil, errReadOnly }

// Open returns another cursor on the same file. A name would lead out of it.
func (f *memoryFile) Open(name string) (source.ParquetFile, error) {
	if name != "" {
		return nil, fmt.Errorf("the table refers to another file %q", name)
	}
	return &memoryFile{Reader: bytes.NewReader(f.data), data: f.data}, nil
}

var _ io.Seeker = (*memoryFile)(nil)
