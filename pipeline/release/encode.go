package release

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline/kit/parquetread"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/describe"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"
)

// groupBytes closes a row group. Groups stay below 32 MB, because the writer has no page
// index and readers fetch groups whole.
const groupBytes = 16 << 20

// groupValues closes a row group as well: a null takes memory and no bytes.
const groupValues = 1 << 21

// encodeTable writes sorted rows as Parquet. The library's Close loses errors and
// panics when the first bytes cannot be written, so the writer remembers its first
// error and panics end here.
func encodeTable(w io.Writer, t table, rows iter.Seq[row]) (err error) {
	out := &firstError{w: w}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write table %s: %w", t.name, errors.Join(out.err, fmt.Errorf("the Parquet writer gave up: %v", p)))
		}
	}()
	if err := encodeGroups(out, t, rows); err != nil || out.err != nil {
		return fmt.Errorf("write table %s: %w", t.name, errors.Join(out.err, err))
	}
	return nil
}

func encodeGroups(w io.Writer, t table, rows iter.Seq[row]) (err error) {
	if err := useSharedEncoder(); err != nil {
		return err
	}
	features, err := describe.FeaturesJSON(t.name, t.columns)
	if err != nil {
		return err
	}
	props := writerProperties(t)
	root, err := parquetNodes(props.RootName(), props.RootRepetition(), t.columns)
	if err != nil {
		return err
	}
	meta := metadata.NewKeyValueMetadata()
	if err := meta.Append(describe.FeaturesKey, string(features)); err != nil {
		return err
	}
	fw := file.NewParquetWriter(w, root, file.WithWriterProps(props), file.WithWriteMetadata(meta))
	group := newRowGroup(t.columns)
	size := groupSize{leaves: len(group.leaves)}
	for r := range rows {
		if err := t.check(r); err != nil {
			return fmt.Errorf("row %d: %w", size.rows, err)
		}
		if size.startsGroup(r) {
			if err := group.flush(fw); err != nil {
				return err
			}
		}
		group.add(r)
	}
	if size.rows > 0 {
		if err := group.flush(fw); err != nil {
			return err
		}
	}
	return fw.Close()
}

type groupSize struct {
	leaves     int
	rows, held int // of the table, of the group
	bytes      int64
}

// startsGroup counts a row and reports whether a new row group begins with it.
func (g *groupSize) startsGroup(r row) bool {
	size := cellBytes(r)
	full := g.held > 0 && (g.bytes+size > groupBytes || g.held*g.leaves >= groupValues)
	if full {
		g.held, g.bytes = 0, 0
	}
	g.rows, g.held, g.bytes = g.rows+1, g.held+1, g.bytes+size
	return full
}

// cellBytes estimates the uncompressed bytes of a value in a Parquet page.
func cellBytes(v any) int64 {
	switch v := v.(type) {
	case string:
		return int64(len(v)) + 8
	case []byte:
		return int64(len(v)) + 8
	case []any:
		total := int64(8)
		for _, p := range v {
			total += cellBytes(p)
		}
		return total
	}
	return 12
}

// writerProperties compresses with zstd, except pictures, which are compressed
// already. The root must be required: other readers abort on a repeated one.
//
// Dictionaries are off: with them the library keeps pages that it has given
// back to a pool shared by the whole process, and reads their lengths later, so
// that two tables written at once race and may record each other's sizes.
func writerProperties(t table) *parquet.WriterProperties {
	props := []parquet.WriterProperty{
		parquet.WithRootRepetition(parquet.Repetitions.Required),
		parquet.WithCompression(compress.Codecs.Zstd),
		parquet.WithDictionaryDefault(false),
		parquet.WithMaxStatsSize(statsBytes(t)),
		parquet.WithCreatedBy("memforge"),
	}
	// Of the elements of lists no bounds are stated: in a table of 21,317 questions with
	// few pictures the library stated a least media id that was not the least.
	for _, l := range parquetread.LeavesOf(t.columns) {
		if l.Rep > 0 {
			props = append(props, parquet.WithStatsFor(strings.Join(l.Path, "."), false))
		}
	}
	for _, c := range t.columns {
		if c.Kind == rowschema.Image {
			path := c.Name + ".bytes"
			props = append(props,
				parquet.WithCompressionFor(path, compress.Codecs.Uncompressed),
				parquet.WithStatsFor(path, false))
		}
	}
	return parquet.NewWriterProperties(props...)
}

// Bytes of what the library says of a column behind its pages.
const (
	// chunkHeld stay in a buffer that is never flushed, so that nothing reaches the
	// file; of more the first part would, and nothing in the footer leads there.
	chunkHeld = 4096
	// chunkFixed is more than all but the bounds and the path take, and nameFixed
	// than the length before a name.
	chunkFixed, nameFixed = 192, 2
)

// statsBytes is the longest text that is stated as the least or greatest of a column
// or page; a longer one is left out. Two of them fit into chunkHeld with what else is
// said of a column.
func statsBytes(t table) int64 {
	longest := 0
	for _, l := range parquetread.LeavesOf(t.columns) {
		path := 0
		for _, name := range l.Path {
			path += len(name) + nameFixed
		}
		longest = max(longest, path)
	}
	return int64(chunkHeld-chunkFixed-longest) / 2
}

// firstError remembers the first failure of the writer below it and fails all
// later writes with it.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n, err := f.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	f.err = err
	return n, err
}

// pageCodec compresses every page with the one encoder that the library shares.
// By itself it makes an encoder for each page, whose tables take megabytes, and
// a release has a page for each of some hundred columns.
type pageCodec struct{ compress.Codec }

// EncodeLevel implements compress.Codec.
func (c pageCodec) EncodeLevel(dst, src []byte, level int) []byte {
	if level == compress.DefaultCompressionLevel {
		return c.Encode(dst, src)
	}
	return c.Codec.EncodeLevel(dst, src, level)
}

// useSharedEncoder puts a pageCodec in the place of the library's, once. The list of
// codecs is the library's and has no lock: a writer calls this first, and
// nothing else of memforge reads or writes Parquet through that library.
var useSharedEncoder = sync.OnceValue(func() error {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err == nil {
		compress.RegisterCodec(compress.Codecs.Zstd, pageCodec{codec})
	}
	return err
})
