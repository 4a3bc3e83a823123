package parquetread

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/xitongsys/parquet-go/parquet"
)

// pageCheck checks the pages of one column chunk in their order.
type pageCheck struct {
	codec parquet.CompressionCodec
	leaf  Leaf
	// left is how many values are still to come.
	left int64
	// dictionary says that the next page must be one, indexed that one was seen:
	// of a column of nulls it is empty.
	dictionary, indexed bool
	budget              *meter
	// exact is nil unless asked for; seen are the values of all pages.
	exact *exactness
	seen  valueStats
}

// checkPage checks the first page of data and returns how many bytes it takes.
func (w *pageCheck) checkPage(data []byte) (taken int, err error) {
	header := parquet.NewPageHeader()
	taken, err = readThrift(header, data)
	if err != nil {
		return 0, fmt.Errorf("page header: %w", err)
	}
	size, plain := int(header.GetCompressedPageSize()), int(header.GetUncompressedPageSize())
	if size < 0 || size > len(data)-taken || plain < 0 || plain > maxPageBytes {
		return 0, fmt.Errorf("a page of %d bytes, %d uncompressed", size, plain)
	}
	if err := w.reserve(header, plain); err != nil {
		return 0, err
	}
	body, err := inflate(w.codec, data[taken:taken+size], plain)
	if err != nil {
		return 0, err
	}
	if len(body) != plain {
		return 0, fmt.Errorf("a page of %d bytes, %d announced", len(body), plain)
	}
	if w.dictionary {
		w.dictionary = false
		return taken + size, w.dictionaryPage(header, body)
	}
	levels, values, err := w.dataPage(header, body)
	if err != nil {
		return 0, err
	}
	if w.exact != nil {
		w.checkExact(header, data[:taken], data[taken:taken+size], levels, values)
	}
	return taken + size, nil
}

// dataPage checks the levels and values of a page and separates them.
func (w *pageCheck) dataPage(header *parquet.PageHeader, body []byte) (levels, values []byte, err error) {
	h := header.GetDataPageHeader()
	if header.GetType() != parquet.PageType_DATA_PAGE || h == nil {
		return nil, nil, fmt.Errorf("pages of type %s are not read", header.GetType())
	}
	n := int64(h.GetNumValues())
	if n <= 0 || n > w.left {
		return nil, nil, fmt.Errorf("a page of %d values where %d are left", n, w.left)
	}
	w.left -= n
	levels, values, err = w.levels(body, n)
	if err != nil {
		return nil, nil, err
	}
	return levels, values, w.values(h.GetEncoding(), values, n)
}

// checkExact checks what a page holds besides its values, and what its header says of
// them.
func (w *pageCheck) checkExact(header *parquet.PageHeader, read, packed, levels, body []byte) {
	h := header.GetDataPageHeader()
	t := valueStats{kind: w.leaf.Type, values: int64(h.GetNumValues()), present: int64(h.GetNumValues())}
	if w.leaf.Def > 0 {
		t.present = highestLevels(levels, bits.Len(uint(w.leaf.Def)), t.values, w.leaf.Def)
	}
	name := strings.Join(w.leaf.Path, ".")
	switch {
	case !encodesTo(header, read):
		w.exact.note("a page of column %s has a header that holds more than is read of it", name)
	case w.codec == parquet.CompressionCodec_ZSTD && !oneFrame(packed):
		w.exact.note("a page of column %s is compressed with something behind it", name)
	case h.GetEncoding() != parquet.Encoding_PLAIN || !t.includePlain(body):
		w.exact.note("a page of column %s holds other values than it counts", name)
	}
	if why := t.contradicts(h.GetStatistics()); why != "" {
		w.exact.note("the statistics of a page of column %s are not true: %s", name, why)
	}
	w.seen.merge(&t)
}

// reserve takes the cost of a page from the budget before it is inflated.
func (w *pageCheck) reserve(header *parquet.PageHeader, plain int) error {
	var n int64
	if h := header.DictionaryPageHeader; w.dictionary && h != nil {
		n = int64(h.GetNumValues())
	} else if h := header.DataPageHeader; h != nil {
		n = int64(h.GetNumValues())
	}
	if n < 0 {
		return fmt.Errorf("a page of %d values", n)
	}
	return w.budget.spend(int64(plain) + n*ValueBytes)
}

// inflate decompresses at most size bytes.
func inflate(codec parquet.CompressionCodec, data []byte, size int) ([]byte, error) {
	switch codec {
	case parquet.CompressionCodec_UNCOMPRESSED:
		return data, nil
	case parquet.CompressionCodec_SNAPPY:
		if n, err := snappy.DecodedLen(data); err != nil || n != size {
			return nil, fmt.Errorf("a page of %d bytes, %d announced", n, size)
		}
		out, err := snappy.Decode(nil, data)
		if err != nil {
			return nil, fmt.Errorf("decompress page: %w", err)
		}
		return out, nil
	case parquet.CompressionCodec_ZSTD:
		return inflateZstd(data, size)
	}
	return nil, fmt.Errorf("compression %s is not read", codec)
}

func inflateZstd(data []byte, size int) ([]byte, error) {
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

// dictionaryPage checks that a dictionary holds as many values as it says.
func (w *pageCheck) dictionaryPage(header *parquet.PageHeader, body []byte) error {
	h := header.GetDictionaryPageHeader()
	if header.GetType() != parquet.PageType_DICTIONARY_PAGE || h == nil {
		return fmt.Errorf("a page of type %s where a dictionary should be", header.GetType())
	}
	if e := h.GetEncoding(); e != parquet.Encoding_PLAIN && e != parquet.Encoding_PLAIN_DICTIONARY {
		return fmt.Errorf("a dictionary encoded as %s", e)
	}
	n, err := w.entriesIn(body)
	if err != nil {
		return fmt.Errorf("dictionary: %w", err)
	}
	if n != int64(h.GetNumValues()) {
		return fmt.Errorf("a dictionary of %d values, %d announced", n, h.GetNumValues())
	}
	w.indexed = true
	return nil
}

func (w *pageCheck) entriesIn(body []byte) (int64, error) {
	width := widthOf(w.leaf.Type)
	switch {
	case width == 0:
		return checkTexts(body)
	case len(body)%width != 0:
		return 0, fmt.Errorf("%d bytes are no whole numbers", len(body))
	}
	return int64(len(body) / width), nil
}

// levels checks the levels that a page begins with, and returns the definition levels
// and the values.
func (w *pageCheck) levels(body []byte, n int64) (defined, values []byte, err error) {
	for _, highest := range []int{w.leaf.Rep, w.leaf.Def} {
		if highest == 0 {
			continue
		}
		if len(body) < 4 {
			return nil, nil, errors.New("levels are cut off")
		}
		size := uint32At(body)
		if size == 0 || size > len(body)-4 {
			return nil, nil, fmt.Errorf("level data takes %d bytes, want 1 to %d: the file is damaged, fetch it again", size, len(body)-4)
		}
		if err := checkRuns(body[4:4+size], bits.Len(uint(highest)), n); err != nil {
			return nil, nil, fmt.Errorf("levels: %w", err)
		}
		defined, body = body[4:4+size], body[4+size:]
	}
	return defined, body, nil
}

// values checks the values of a page. Of numbers the decoder takes memory by count,
// which is bounded; texts and indices say themselves how long they are.
func (w *pageCheck) values(encoding parquet.Encoding, body []byte, n int64) error {
	switch encoding {
	case parquet.Encoding_PLAIN:
		if w.leaf.Type == parquet.Type_BYTE_ARRAY {
			_, err := checkTexts(body)
			return err
		}
		return nil
	case parquet.Encoding_RLE_DICTIONARY, parquet.Encoding_PLAIN_DICTIONARY:
		if w.indexed {
			return checkIndices(body, n)
		}
	}
	return fmt.Errorf("values encoded as %s, which is not read here", encoding)
}

// checkIndices checks numbers of dictionary entries: a byte of their width,
// then runs. Whether an entry exists is seen when they are looked up.
func checkIndices(body []byte, n int64) error {
	if len(body) == 0 {
		return nil // every value is null
	}
	if body[0] > 32 {
		return fmt.Errorf("indices of %d bits", body[0])
	}
	if err := checkRuns(body[1:], int(body[0]), n); err != nil {
		return fmt.Errorf("indices: %w", err)
	}
	return nil
}

// maxPadding is how many values more than there are the last packed run may hold:
// the format fills up to 8, some writers to 256.
const maxPadding = 255

// checkRuns checks that runs of the RLE and bit-packing hybrid, whose values
// have width bits, hold no more than n values and what they are filled up with.
func checkRuns(data []byte, width int, n int64) error {
	var total int64
	for len(data) > 0 {
		header, size := binary.Uvarint(data)
		if size <= 0 || header>>1 > uint64(n+maxPadding) {
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
		if total += count; total > n+maxPadding {
			return fmt.Errorf("more than %d values", n)
		}
	}
	return nil
}

// checkTexts checks that the lengths before texts lead from one to the next,
// and counts the texts.
func checkTexts(data []byte) (n int64, err error) {
	for ; len(data) > 0; n++ {
		if len(data) < 4 {
			return 0, errors.New("a length is cut off")
		}
		length := uint32At(data)
		if length > len(data)-4 {
			return 0, fmt.Errorf("a text of %d bytes is cut off", length)
		}
		data = data[4+length:]
	}
	return n, nil
}

// highestLevels counts, among the first n levels of runs that checkRuns has passed,
// those of the highest level: values that are there. It is negative if there are
// fewer than n.
func highestLevels(data []byte, width int, n int64, highest int) (count int64) {
	for n > 0 && len(data) > 0 {
		header, size := binary.Uvarint(data)
		data = data[size:]
		length, bytes := int64(header>>1), (width+7)/8
		if header&1 == 1 {
			length, bytes = 8*length, int(length)*width
		}
		for i := range min(length, n) {
			at := 0
			if header&1 == 1 {
				at = int(i) * width
			}
			if level(data, at, width) == highest {
				count++
			}
		}
		data = data[bytes:]
		n -= min(length, n)
	}
	if n > 0 {
		return -1
	}
	return count
}

// level returns the number of width bits that begins at a bit, the lowest first.
func level(data []byte, bit, width int) (v int) {
	for i := range width {
		v |= int(data[(bit+i)/8]>>((bit+i)%8)&1) << i
	}
	return v
}

// oneFrame reports whether zstd data is one frame and nothing else: what a decoder
// passes over may hold anything.
func oneFrame(data []byte) bool {
	const magic, blockHeader = 0xfd2fb528, 3
	if len(data) < 6 || binary.LittleEndian.Uint32(data) != magic {
		return false
	}
	flags := data[4]
	at := 5 + []int{0, 1, 2, 4}[flags&3] + []int{0, 2, 4, 8}[flags>>6]
	single := flags>>5&1 == 1
	if !single {
		at++ // the window
	} else if flags>>6 == 0 {
		at++ // a size of one byte
	}
	for last := false; !last; {
		if at+blockHeader > len(data) {
			return false
		}
		block := int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16
		last = block&1 == 1
		size := block >> 3
		if block>>1&3 == 1 {
			size = 1 // a run
		}
		at += blockHeader + size
	}
	if flags>>2&1 == 1 {
		at += 4 // the checksum
	}
	return at == len(data)
}
