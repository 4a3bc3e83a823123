package parquetread

import (
	"errors"
	"fmt"
	"io"

	"github.com/xitongsys/parquet-go/common"
	"github.com/xitongsys/parquet-go/parquet"
	"github.com/xitongsys/parquet-go/reader"
	"github.com/xitongsys/parquet-go/schema"
	"github.com/xitongsys/parquet-go/source"
)

// Group is a row group whose bytes are in memory and have been walked, so that it
// can be decoded.
type Group struct {
	// Rows is how many it has, Inflated how much of the budget it takes.
	Rows, Inflated int64
	reader         *reader.ParquetReader
	first          int64 // row
}

// Narrow makes the group one of n of its rows, from one on: others are not decoded. It is for a
// group of which nothing was decoded yet.
func (g *Group) Narrow(from, n int64) error {
	if from < 0 || n < 1 || from > g.Rows-n {
		return fmt.Errorf("rows %d to %d of a row group of %d", from, from+n, g.Rows)
	}
	g.first, g.Rows = from, n
	return nil
}

// Column decodes a stored column by its path: values with their repetition and
// definition levels. It does so in the caller's goroutine, where a panic can be
// recovered, because the library's row reader drops decoding errors and panics
// where it cannot.
func (g *Group) Column(path []string) (values []any, reps, defs []int32, err error) {
	name := common.PathToStr(append([]string{g.reader.SchemaHandler.GetRootExName()}, path...))
	if err := g.reader.SkipRowsByPath(name, g.first); err != nil {
		return nil, nil, nil, err
	}
	return g.reader.ReadColumnByPath(name, g.Rows)
}

// readBuffer is how many bytes of a column are buffered as it is decoded. The library
// takes two buffers of the size that the footer states, and the bytes are in memory
// already.
const readBuffer = 64 << 10

// open gives a reader of one row group, to which the group is the whole file. The
// library renames what is in its footer, so that it gets a copy.
func (f *File) open(group *parquet.RowGroup, chunks chunkFile) *reader.ParquetReader {
	own, footer := *group, *f.Footer
	own.Columns = nil
	for _, c := range group.GetColumns() {
		chunk, meta := *c, *c.GetMetaData()
		meta.TotalCompressedSize = min(meta.TotalCompressedSize, readBuffer)
		chunk.MetaData = &meta
		own.Columns = append(own.Columns, &chunk)
	}
	footer.Schema = nil
	for _, e := range f.Footer.GetSchema() {
		element := *e
		footer.Schema = append(footer.Schema, &element)
	}
	footer.RowGroups, footer.NumRows = []*parquet.RowGroup{&own}, own.NumRows
	pr := &reader.ParquetReader{
		NP: 1, PFile: &chunks, Footer: &footer, ColumnBuffers: map[string]*reader.ColumnBufferType{},
		SchemaHandler: schema.NewSchemaHandlerFromSchemaList(footer.Schema),
	}
	pr.RenameSchema()
	return pr
}

// loaded are bytes of a file from a place on.
type loaded struct {
	from int64
	data []byte
}

// chunkFile is a Parquet file with some columns in memory, in the form that the library
// wants.
type chunkFile struct {
	chunks []loaded
	at     int64
}

var errReadOnly = errors.New("a table that is read is never written")

func (f *chunkFile) Write([]byte) (int, error)                 { return 0, errReadOnly }
func (f *chunkFile) Close() error                              { return nil }
func (f *chunkFile) Create(string) (source.ParquetFile, error) { return nil, errReadOnly }

// Open returns another cursor on the same file. A name would lead out of it.
func (f *chunkFile) Open(name string) (source.ParquetFile, error) {
	if name != "" {
		return nil, fmt.Errorf("the table refers to another file %q", name)
	}
	return &chunkFile{chunks: f.chunks}, nil
}

// Seek implements io.Seeker from the beginning of the file.
func (f *chunkFile) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart {
		return 0, errors.New("the end of a table that is read in parts is not known")
	}
	f.at = offset
	return offset, nil
}

// Read implements io.Reader: bytes that are not in memory are the end.
func (f *chunkFile) Read(p []byte) (int, error) {
	for _, c := range f.chunks {
		if at := f.at - c.from; at >= 0 && at < int64(len(c.data)) {
			n := copy(p, c.data[at:])
			f.at += int64(n)
			return n, nil
		}
	}
	return 0, io.EOF
}
