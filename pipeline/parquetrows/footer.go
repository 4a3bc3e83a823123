// Package parquetrows reads Parquet files that strangers wrote. The decoder
// trusts every length and count in a file, so each page that will be decoded
// is walked first, and what would take memory or time out of proportion is an
// error. Callers compare a file's digest before that: most damage to values
// leaves no trace.
package parquetrows

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

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

// Footer decodes the footer under the limit that no list or string in it is
// longer than the footer.
func Footer(data []byte) (*parquet.FileMetaData, error) {
	n := len(data)
	if n < 12 || string(data[:4]) != "PAR1" || string(data[n-4:]) != "PAR1" {
		return nil, errors.New("not a Parquet file")
	}
	size := int(footerBytes(data))
	if size == 0 || size > n-12 || size > maxFooter {
		return nil, fmt.Errorf("a footer of %d bytes does not fit", size)
	}
	footer := parquet.NewFileMetaData()
	if _, err := readThrift(footer, data[n-8-size:n-8]); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return footer, nil
}

// footerBytes is how long the file says that its footer is.
func footerBytes(data []byte) int64 { return int64(uint32At(data[len(data)-8:])) }

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
func Dictionaries(footer *parquet.FileMetaData) map[string]bool {
	out := map[string]bool{}
	for _, g := range footer.GetRowGroups() {
		for _, c := range g.GetColumns() {
			if m := c.GetMetaData(); m != nil && m.DictionaryPageOffset != nil {
				out[common.PathToStr(m.GetPathInSchema())] = true
			}
		}
	}
	return out
}
