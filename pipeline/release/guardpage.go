package release

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/xitongsys/parquet-go/parquet"
)

// guardChunk walks the pages of one column of one row group and returns how
// many values it holds.
func guardChunk(data []byte, c *parquet.ColumnChunk, l leaf, rows int64) (int64, error) {
	m := c.GetMetaData()
	if m == nil || c.FilePath != nil || !slices.Equal(m.GetPathInSchema(), l.path) {
		return 0, errors.New("its metadata is that of another place")
	}
	if kind := l.kind.physical(); m.GetType() != kind {
		return 0, fmt.Errorf("values of type %s, want %s", m.GetType(), kind)
	}
	if codec := m.GetCodec(); codec != parquet.CompressionCodec_ZSTD && codec != parquet.CompressionCodec_UNCOMPRESSED {
		return 0, fmt.Errorf("compression %s; releases use zstd or none", codec)
	}
	if m.DictionaryPageOffset != nil {
		return 0, errors.New("it has a dictionary; releases have none")
	}
	start := m.GetDataPageOffset()
	size, values := m.GetTotalCompressedSize(), m.GetNumValues()
	if start < 4 || size <= 0 || start > int64(len(data)) || size > int64(len(data))-start {
		return 0, fmt.Errorf("%d bytes at %d do not lie in the file", size, start)
	}
	if values < rows || values > maxTableValues {
		return 0, fmt.Errorf("%d values in %d rows", values, rows)
	}
	pages, left := data[start:start+size], values
	for len(pages) > 0 {
		n, taken, err := guardPage(pages, m.GetCodec(), l, left)
		if err != nil {
			return 0, err
		}
		left -= n
		pages = pages[taken:]
	}
	if left != 0 {
		return 0, fmt.Errorf("its pages hold %d values less than it says", left)
	}
	return values, nil
}

// guardPage checks the first page of data and returns how many values it holds
// and how many bytes it takes.
func guardPage(data []byte, codec parquet.CompressionCodec, l leaf, left int64) (values int64, taken int, err error) {
	header := parquet.NewPageHeader()
	taken, err = readThrift(header, data)
	if err != nil {
		return 0, 0, fmt.Errorf("page header: %w", err)
	}
	size, plain := int(header.GetCompressedPageSize()), int(header.GetUncompressedPageSize())
	if size < 0 || size > len(data)-taken || plain < 0 || plain > maxPageBytes {
		return 0, 0, fmt.Errorf("a page of %d bytes, %d uncompressed", size, plain)
	}
	body := data[taken : taken+size]
	if codec == parquet.CompressionCodec_ZSTD {
		if body, err = inflate(body, plain); err != nil {
			return 0, 0, err
		}
	}
	if len(body) != plain {
		return 0, 0, fmt.Errorf("a page of %d bytes, %d announced", len(body), plain)
	}
	h := header.GetDataPageHeader()
	if header.GetType() != parquet.PageType_DATA_PAGE || h == nil {
		return 0, 0, fmt.Errorf("pages of type %s are not read", header.GetType())
	}
	n := int64(h.GetNumValues())
	if n <= 0 || n > left {
		return 0, 0, fmt.Errorf("a page of %d values where %d are left", n, left)
	}
	if h.GetEncoding() != parquet.Encoding_PLAIN {
		return 0, 0, fmt.Errorf("values encoded as %s; releases use plain ones", h.GetEncoding())
	}
	return n, taken + size, guardData(body, n, l)
}

// inflate decompresses at most size bytes.
func inflate(data []byte, size int) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPageBytes))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	out, err := dec.DecodeAll(data, make([]byte, 0, size))
	if err != nil {
		return nil, fmt.Errorf("decompress page: %w", err)
	}
	return out, nil
}

// guardData checks levels and values of a data page. Only texts need a look:
// of all else the decoder takes memory by count, which is bounded.
func guardData(body []byte, n int64, l leaf) error {
	for _, highest := range []int{l.rep, l.def} {
		if highest == 0 {
			continue
		}
		if len(body) < 4 {
			return errors.New("levels are cut off")
		}
		size := uint32At(body)
		if size == 0 || size > len(body)-4 {
			return fmt.Errorf("levels of %d bytes", size)
		}
		if err := guardRuns(body[4:4+size], bits.Len(uint(highest)), n); err != nil {
			return fmt.Errorf("levels: %w", err)
		}
		body = body[4+size:]
	}
	if kind := l.kind; kind == kindString || kind == kindBytes {
		return guardTexts(body)
	}
	return nil
}

// guardRuns checks that runs of the RLE and bit-packing hybrid, whose values
// have width bits, hold no more than n values; the last group of a packed run may be filled up.
func guardRuns(data []byte, width int, n int64) error {
	var total int64
	for len(data) > 0 {
		header, size := binary.Uvarint(data)
		if size <= 0 || header>>1 > uint64(n) {
			return fmt.Errorf("a run longer than %d values", n)
		}
		data = data[size:]
		need := (width + 7) / 8
		count := int64(header >> 1)
		if header&1 == 1 {
			need = int(count) * width
			count *= 8
		}
		if need > len(data) || count == 0 {
			return errors.New("a run is cut off or empty")
		}
		data = data[need:]
		if total += count; total > n+7 {
			return fmt.Errorf("more than %d values", n)
		}
	}
	return nil
}

// guardTexts checks that the lengths before texts lead from one to the next.
func guardTexts(data []byte) error {
	for len(data) > 0 {
		if len(data) < 4 {
			return errors.New("a length is cut off")
		}
		length := uint32At(data)
		if length > len(data)-4 {
			return fmt.Errorf("a text of %d bytes is cut off", length)
		}
		data = data[4+length:]
	}
	return nil
}

func uint32At(b []byte) int { return int(binary.LittleEndian.Uint32(b)) }
