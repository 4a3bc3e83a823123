package release

import (
	"sync"

	"github.com/apache/arrow/go/v17/parquet/compress"
)

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

// shareEncoder puts a pageCodec in the place of the library's, once. The list of
// codecs is the library's and has no lock: whoever writes calls this first, and
// nothing else of memforge reads or writes Parquet through that library.
var shareEncoder = sync.OnceValue(func() error {
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err == nil {
		compress.RegisterCodec(compress.Codecs.Zstd, pageCodec{codec})
	}
	return err
})
