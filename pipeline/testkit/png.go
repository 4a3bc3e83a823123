package testkit

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// PNG is a small picture, another one for another number.
func PNG(t testing.TB, n int) []byte {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, 8, 6))
	for i := range m.Pix {
		m.Pix[i] = 0xff
	}
	m.Set(n%8, n/8%6, color.RGBA{uint8(n), 20, 30, 0xff})
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// DecompressionBomb is a PNG of a few bytes whose header tells of a picture of many pixels.
func DecompressionBomb(t testing.TB) []byte {
	t.Helper()
	b := PNG(t, 0)
	// Width and height stand behind the signature, a length and a name.
	binary.BigEndian.PutUint32(b[16:], 60_000)
	binary.BigEndian.PutUint32(b[20:], 60_000)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(b[12:29]))
	return b
}
