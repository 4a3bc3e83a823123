// Package still decodes pictures of strangers: PNG, JPEG and WebP in memory.
//
// Everything that a header tells is checked before a pixel is decoded, so that a
// small file cannot ask for much memory or time, and every refusal has a code.
package still

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/disintegration/imaging"
	"golang.org/x/image/webp"
)

// Code says why a picture is not decoded.
type Code string

// The codes.
const (
	TooManyBytes  Code = "too_many_bytes"
	TooManyPixels Code = "too_many_pixels"
	TooManyScans  Code = "too_many_scans" // of a JPEG: each takes as long as a picture
	NoPicture     Code = "no_picture"     // neither PNG, JPEG nor WebP
	Mislabelled   Code = "mislabelled"    // another type than it is said to be
	Truncated     Code = "truncated"      // it ends too early
	Damaged       Code = "damaged"        // it contradicts its format
	Animated      Code = "animated"       // more pictures than one
	Inks          Code = "cmyk"           // colours of printers, which have no one meaning on screens
)

// Error is a picture that is not decoded. It concerns the item that has it.
type Error struct {
	Code Code
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("picture: %s: %v", e.Code, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

func refuse(code Code, format string, args ...any) error {
	return &Error{code, fmt.Errorf(format, args...)}
}

// Limits of what is decoded.
type Limits struct{ Bytes, Pixels int64 }

// DefaultLimits allow a large photograph; one decoded takes up to 320 MB.
func DefaultLimits() Limits { return Limits{Bytes: 64 << 20, Pixels: 40 << 20} }

// Facts are what the header of a picture tells.
type Facts struct {
	Mime string
	// Width and Height as stored, before it is turned upright.
	Width, Height int
	// Orientation by EXIF, 1 (upright) to 8.
	Orientation int
}

type format struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	check  func([]byte) (tiff []byte, err error)
}

func formatOf(data []byte) (string, format) {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png", format{png.DecodeConfig, png.Decode, checkPNG}
	case bytes.HasPrefix(data, []byte{0xff, 0xd8, 0xff}):
		return "image/jpeg", format{jpeg.DecodeConfig, jpeg.Decode, checkJPEG}
	case len(data) >= 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp", format{webp.DecodeConfig, webp.Decode, checkWebP}
	}
	return "", format{}
}

// Inspect checks a picture without decoding it. Mime is the type it is said to
// have, empty where nothing is said. Errors are of type [*Error].
func Inspect(data []byte, mime string, l Limits) (f Facts, err error) {
	defer recoverPanic(&err)
	if int64(len(data)) > l.Bytes {
		return f, refuse(TooManyBytes, "it has %d bytes, %d are allowed", len(data), l.Bytes)
	}
	is, form := formatOf(data)
	if mime == "image/jpg" {
		mime = "image/jpeg"
	}
	switch {
	case is == "":
		return f, refuse(NoPicture, "its first bytes are those of no PNG, JPEG or WebP")
	case mime != "" && mime != is:
		return f, refuse(Mislabelled, "it is said to be %.40q and is %s", mime, is)
	}
	tiff, err := form.check(data)
	if err != nil {
		return f, err
	}
	c, err := form.config(bytes.NewReader(data))
	if err != nil {
		return f, decodeError(err)
	}
	f = Facts{Mime: is, Width: c.Width, Height: c.Height, Orientation: orientation(tiff)}
	switch {
	case c.Width < 1 || c.Height < 1:
		return f, refuse(Damaged, "it has %d x %d pixels", c.Width, c.Height)
	case int64(c.Width) > l.Pixels/int64(c.Height):
		return f, refuse(TooManyPixels, "it has %d x %d pixels, %d are allowed", c.Width, c.Height, l.Pixels)
	case c.ColorModel == color.CMYKModel:
		return f, refuse(Inks, "its colours are inks (CMYK); convert it to RGB")
	}
	return f, nil
}

// Decode decodes a picture that [Inspect] accepts, and turns it upright.
func Decode(data []byte, mime string, l Limits) (img image.Image, f Facts, err error) {
	defer recoverPanic(&err)
	if f, err = Inspect(data, mime, l); err != nil {
		return nil, f, err
	}
	_, form := formatOf(data)
	if img, err = form.decode(bytes.NewReader(data)); err != nil {
		return nil, f, decodeError(err)
	}
	if s := img.Bounds().Size(); s != image.Pt(f.Width, f.Height) {
		return nil, f, refuse(Damaged, "its header says %d x %d pixels, it has %d x %d", f.Width, f.Height, s.X, s.Y)
	}
	return upright(img, f.Orientation), f, nil
}

func upright(img image.Image, orientation int) image.Image {
	switch orientation {
	case 2:
		return imaging.FlipH(img)
	case 3:
		return imaging.Rotate180(img)
	case 4:
		return imaging.FlipV(img)
	case 5:
		return imaging.Transpose(img)
	case 6:
		return imaging.Rotate270(img)
	case 7:
		return imaging.Transverse(img)
	case 8:
		return imaging.Rotate90(img)
	}
	return img
}

func decodeError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return &Error{Truncated, err}
	}
	return &Error{Damaged, err}
}

func recoverPanic(err *error) {
	if r := recover(); r != nil {
		*err = refuse(Damaged, "%v", r)
	}
}
