package release

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"html/template"
	"image/png"
	"io"
	"slices"
	"strings"
)

// maxPixels bounds a picture of the gallery before it is decoded.
const maxPixels = 1 << 26

// pngSource begins the address of a picture that holds all of it.
const pngSource = "data:image/png;base64,"

// pictureSource is a picture as an address that holds all of it. Only bytes that
// are one PNG and nothing else become one, so that the address's type is true and
// nothing travels within or behind a picture.
func pictureSource(data []byte) (template.URL, error) {
	if err := wholePNG(data); err != nil {
		return "", err
	}
	return template.URL(pngSource + base64.StdEncoding.EncodeToString(data)), nil
}

// sourceIn is the picture's address in the text of an attribute, as pictureSource
// writes it; empty for what is no such address.
func sourceIn(attribute string) template.URL {
	text, found := strings.CutPrefix(html.UnescapeString(attribute), pngSource)
	data, err := base64.StdEncoding.DecodeString(text)
	if !found || err != nil {
		return ""
	}
	source, err := pictureSource(data)
	if err != nil {
		return ""
	}
	return source
}

// wholePNG holds a PNG against the parts of which a plain picture consists: no text
// within, and nothing behind.
func wholePNG(data []byte) error {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("it is no PNG: %w", err)
	}
	if size.Width*size.Height > maxPixels {
		return fmt.Errorf("a picture of %d x %d pixels", size.Width, size.Height)
	}
	var packed []byte
	parts := data[8:]
	for len(parts) >= 12 {
		length, kind := int(binary.BigEndian.Uint32(parts)), string(parts[4:8])
		if !slices.Contains([]string{"IHDR", "PLTE", "tRNS", "IDAT", "IEND"}, kind) || length > len(parts)-12 {
			return fmt.Errorf("a PNG with a part %q of %d bytes", kind, length)
		}
		if want := binary.BigEndian.Uint32(parts[8+length:]); crc32.ChecksumIEEE(parts[4:8+length]) != want {
			return fmt.Errorf("a PNG with a damaged part %q", kind)
		}
		if kind == "IDAT" {
			packed = append(packed, parts[8:8+length]...)
		}
		parts = parts[12+length:]
		if kind == "IEND" {
			break
		}
	}
	if len(parts) > 0 {
		return fmt.Errorf("%d bytes behind a PNG", len(parts))
	}
	return inflates(packed, size.Width, size.Height)
}

// inflates wants pixels packed as one whole stream. What they show is not looked
// at: undoing the filters of a PNG takes four times as long.
func inflates(packed []byte, width, height int) error {
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
