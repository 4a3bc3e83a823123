package release

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/klauspost/compress/zstd"
)

// TestPagesAreCompressedAsTheLibraryDoes compares the shared encoder with one
// made for the page.
func TestPagesAreCompressedAsTheLibraryDoes(t *testing.T) {
	if err := useSharedEncoder(); err != nil {
		t.Fatal(err)
	}
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		t.Fatal(err)
	}
	shared, ok := codec.(pageCodec)
	if !ok {
		t.Fatalf("pages are compressed by %T", codec)
	}
	for name, page := range map[string][]byte{
		"empty": {}, "short": []byte("a"), "long": bytes.Repeat([]byte("what was asked, and what was answered; "), 1<<15),
	} {
		for _, level := range []int{compress.DefaultCompressionLevel, 1, 9} {
			got, want := shared.EncodeLevel(nil, page, level), shared.Codec.EncodeLevel(nil, page, level)
			if !bytes.Equal(got, want) {
				t.Errorf("%s page at level %d: %d bytes, not the library's %d", name, level, len(got), len(want))
			}
			if plain, err := zstdPlain(got); err != nil || !bytes.Equal(plain, page) {
				t.Errorf("%s page at level %d: %v", name, level, err)
			}
		}
	}
}

func zstdPlain(b []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(b, nil)
}

// BenchmarkPage compares the shared encoder with the library's own way, which is
// to make one for each page.
func BenchmarkPage(b *testing.B) {
	if err := useSharedEncoder(); err != nil {
		b.Fatal(err)
	}
	codec, err := compress.GetCodec(compress.Codecs.Zstd)
	if err != nil {
		b.Fatal(err)
	}
	page := bytes.Repeat([]byte("a row of a table of a small release\n"), 100)
	for name, c := range map[string]compress.Codec{"shared": codec, "own": codec.(pageCodec).Codec} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.EncodeLevel(nil, page, compress.DefaultCompressionLevel)
			}
		})
	}
}
