package defects

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg" // pictures of videos may come as JPEG
	"image/png"
	"slices"
)

// A picture is a grid of light and dark cells, one bit each: a parcel, its
// colour and its form, and a check sum that tells a picture from a blur. Cells
// are large, so that a picture of a compressed video can be read as well.
const (
	columns, rows = 8, 6
	cell          = 8
	// Width and Height of a picture in pixels.
	Width, Height = columns * cell, rows * cell
)

// code packs a look into as many bytes as a picture has cells for.
func (l Look) code() [6]byte {
	var b [6]byte
	binary.BigEndian.PutUint16(b[:], uint16(l.Parcel))
	b[2], b[3] = byte(slices.Index(colours, l.Colour)+1), byte(slices.Index(forms, l.Form)+1)
	binary.BigEndian.PutUint16(b[4:], uint16(crc32.ChecksumIEEE(b[:4])))
	return b
}

// Draw draws a look.
func Draw(l Look) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, Width, Height))
	code := l.code()
	for i := range columns * rows {
		shade := uint8(30)
		if code[i/8]>>(7-i%8)&1 == 1 {
			shade = 220
		}
		at := image.Pt(i%columns*cell, i/columns*cell)
		draw.Draw(img, image.Rectangle{Min: at, Max: at.Add(image.Pt(cell, cell))}, image.NewUniform(color.Gray{Y: shade}), image.Point{}, draw.Src)
	}
	return img
}

// Blurred draws a picture that shows nothing; n tells such pictures apart.
func Blurred(n int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, Width, Height))
	draw.Draw(img, img.Bounds(), image.NewUniform(color.Gray{Y: uint8(90 + n%70)}), image.Point{}, draw.Src)
	img.SetRGBA(n/70%Width, n/70/Width%Height, color.RGBA{A: 255})
	return img
}

// encodePNG makes a PNG.
func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode a picture: %w", err)
	}
	return b.Bytes(), nil
}

// errBlurred says that a picture shows no look.
var errBlurred = errors.New("nothing can be made out in the picture")

// readPicture is the inverse of Draw, over the bytes of a PNG or JPEG of any
// size.
func readPicture(data []byte) (Look, error) {
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return Look{}, fmt.Errorf("read a picture: %w", err)
	}
	var code [6]byte
	b := img.Bounds()
	for i := range columns * rows {
		x, y := b.Min.X+(2*(i%columns)+1)*b.Dx()/(2*columns), b.Min.Y+(2*(i/columns)+1)*b.Dy()/(2*rows)
		if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y >= 128 {
			code[i/8] |= 1 << (7 - i%8)
		}
	}
	if uint16(crc32.ChecksumIEEE(code[:4])) != binary.BigEndian.Uint16(code[4:]) || int(code[2]) > len(colours) || int(code[3]) > len(forms) {
		return Look{}, errBlurred
	}
	l := Look{Parcel: int(binary.BigEndian.Uint16(code[:]))}
	if code[2] > 0 {
		l.Colour = colours[code[2]-1]
	}
	if code[3] > 0 {
		l.Form = forms[code[3]-1]
	}
	return l, nil
}
