package still

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
	"slices"
)

// CheckPlainPNG wants one PNG of at most so many pixels and nothing else: no part but those
// that a plain picture consists of, so no text within, and nothing behind.
func CheckPlainPNG(data []byte, pixels int) error {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("it is no PNG: %w", err)
	}
	if size.Width*size.Height > pixels {
		return fmt.Errorf("a picture of %d x %d pixels", size.Width, size.Height)
	}
	var packed []byte
	behind, err := pngParts(data, func(kind string, part []byte) error {
		sum := len(part) - 4
		switch {
		case !slices.Contains([]string{"IHDR", "PLTE", "tRNS", "IDAT", "IEND"}, kind):
			return fmt.Errorf("a PNG with a part %q of %d bytes", kind, sum-8)
		case binary.BigEndian.Uint32(part[sum:]) != crc32.ChecksumIEEE(part[4:sum]):
			return fmt.Errorf("a PNG with a damaged part %q", kind)
		case kind == "IDAT":
			packed = append(packed, part[8:sum]...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(behind) > 0 {
		return fmt.Errorf("%d bytes behind a PNG", len(behind))
	}
	return checkInflates(packed, size.Width, size.Height)
}

// checkInflates wants pixels packed as one whole stream. What they show is not looked
// at: undoing the filters of a PNG takes four times as long.
func checkInflates(packed []byte, width, height int) error {
	from := bytes.NewReader(packed)
	z, err := zlib.NewReader(from)
	if err != nil {
		return fmt.Errorf("a PNG without pixels: %w", err)
	}
	most := int64(height) * (int64(width)*8 + 1) // 16 bits of four colours
	n, err := io.Copy(io.Discard, io.LimitReader(z, most+1))
	if err != nil {
		return fmt.Errorf("the pixels of a PNG: %w", err)
	}
	if n < int64(height) || n > most || from.Len() > 0 {
		return fmt.Errorf("%d bytes of pixels and %d behind them in a PNG of %d x %d", n, from.Len(), width, height)
	}
	return nil
}
