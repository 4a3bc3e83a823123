package still

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// sample is 32 x 16, red in its upper left quarter, blue elsewhere.
func sample() *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, 32, 16))
	for i := range 32 * 16 {
		x, y := i%32, i/32
		if x < 16 && y < 8 {
			img.SetNRGBA(x, y, color.NRGBA{220, 20, 20, 255})
		} else {
			img.SetNRGBA(x, y, color.NRGBA{20, 20, 220, 255})
		}
	}
	return img
}

func asPNG(t testing.TB) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, sample()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asJPEG(t testing.TB) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, sample(), &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func asWebP(t testing.TB) []byte {
	data, err := os.ReadFile(filepath.Join("testdata", "small.webp"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inserted puts bytes at a place.
func inserted(data []byte, at int, more ...byte) []byte {
	return append(append(append([]byte{}, data[:at]...), more...), data[at:]...)
}

func edited(data []byte, at int, to ...byte) []byte {
	out := append([]byte{}, data...)
	copy(out[at:], to)
	return out
}

func part(kind string, data []byte) []byte {
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func exif(orientation byte) []byte {
	return []byte{'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0}
}

func exifJPEG(t testing.TB, orientation byte) []byte {
	body := append([]byte("Exif\x00\x00"), exif(orientation)...)
	return inserted(asJPEG(t), 2, append([]byte{0xff, 0xe1, 0, byte(len(body) + 2)}, body...)...)
}

func riff(parts ...[]byte) []byte {
	body := []byte("WEBP")
	for _, p := range parts {
		body = append(body, p...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func chunk(kind string, data []byte) []byte {
	return append(binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data))), data...)
}

func TestDecode(t *testing.T) {
	for mime, data := range map[string][]byte{"image/png": asPNG(t), "image/jpeg": asJPEG(t), "image/webp": asWebP(t)} {
		img, f, err := Decode(data, mime, DefaultLimits())
		if err != nil || f.Mime != mime || img.Bounds().Dx() != f.Width || f.Orientation != 1 {
			t.Errorf("%s: %+v %v", mime, f, err)
		}
	}
}

// Wherever the camera was held, red is in the corner that the tag says.
func TestUpright(t *testing.T) {
	corners := map[byte]image.Point{1: {0, 0}, 2: {1, 0}, 3: {1, 1}, 4: {0, 1}, 5: {0, 0}, 6: {1, 0}, 7: {1, 1}, 8: {0, 1}}
	for o, red := range corners {
		for name, data := range map[string][]byte{"jpeg": exifJPEG(t, o), "png": inserted(asPNG(t), 33, part("eXIf", exif(o))...)} {
			img, f, err := Decode(data, "", DefaultLimits())
			if err != nil || f.Orientation != int(o) {
				t.Fatalf("%s %d: %+v %v", name, o, f, err)
			}
			b := img.Bounds()
			if w, h := uprightSize(f); b.Dx() != w || b.Dy() != h || (o > 4) != (h > w) {
				t.Errorf("%s %d is %v", name, o, b)
			}
			for _, at := range []image.Point{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
				r, _, blue, _ := img.At(b.Min.X+2+at.X*(b.Dx()-5), b.Min.Y+2+at.Y*(b.Dy()-5)).RGBA()
				if (r > blue) != (at == red) {
					t.Errorf("%s %d: red is not at %v", name, o, red)
				}
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	pngs, jpegs, webps := asPNG(t), asJPEG(t), asWebP(t)
	huge := edited(pngs, 16, 0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	sof := bytes.Index(jpegs, []byte{0xff, 0xc0})
	sos := bytes.Index(jpegs, []byte{0xff, 0xda})
	canvas := func(flags byte, w, h byte) []byte {
		return chunk("VP8X", []byte{flags, 0, 0, 0, w - 1, 0, 0, h - 1, 0, 0})
	}
	for name, tc := range map[string]struct {
		data []byte
		mime string
		want Code
	}{
		"nothing":                 {nil, "", NoPicture},
		"text":                    {[]byte("<svg/> is no picture here"), "image/svg+xml", NoPicture},
		"gif":                     {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "image/gif", NoPicture},
		"png as jpeg":             {pngs, "image/jpeg", Mislabelled},
		"too many bytes":          {append(pngs, make([]byte, 1<<20)...), "", TooManyBytes},
		"png bomb":                {huge, "", TooManyPixels},
		"jpeg bomb":               {edited(jpegs, sof+5, 0xff, 0xff, 0xff, 0xff), "", TooManyPixels},
		"jpeg without height":     {edited(jpegs, sof+5, 0, 0), "", Damaged},
		"jpeg of scans":           {inserted(jpegs, sos, bytes.Repeat(jpegs[sos:sos+14], 200)...), "", TooManyScans},
		"png cut":                 {pngs[:len(pngs)-20], "", Truncated},
		"png header cut":          {pngs[:20], "", Truncated},
		"jpeg cut":                {jpegs[:len(jpegs)-9], "", Truncated},
		"jpeg header cut":         {jpegs[:30], "", Truncated},
		"webp cut":                {webps[:len(webps)-3], "", Truncated},
		"png flipped":             {edited(pngs, 50, ^pngs[50]), "", Damaged},
		"animated png":            {inserted(pngs, 33, part("acTL", make([]byte, 8))...), "", Animated},
		"animated webp":           {riff(canvas(2, 1, 1), chunk("ANIM", make([]byte, 6))), "", Animated},
		"webp larger than it is":  {riff(canvas(0, 9, 9), chunk("VP8L", []byte{0x2f, 0xff, 0xff, 0xff, 0x0f, 0})), "", Damaged},
		"webp of nothing":         {riff(), "", Damaged},
		"printer's colours":       {fourInks(t), "", Inks},
		"png part past the end":   {edited(pngs, 33, 0x7f, 0xff, 0xff, 0xff), "", Truncated},
		"jpeg segment of no size": {edited(jpegs, 4, 0, 0), "", Truncated},
	} {
		_, _, err := Decode(tc.data, tc.mime, Limits{Bytes: 1 << 20, Pixels: 1 << 20})
		var e *Error
		if !errors.As(err, &e) || e.Code != tc.want {
			t.Errorf("%s: %v, want %s", name, err, tc.want)
		}
	}
}

// fourInks is the header of a JPEG with four components.
func fourInks(t *testing.T) []byte {
	data := asJPEG(t)
	at := bytes.Index(data, []byte{0xff, 0xc0})
	frame := []byte{0xff, 0xc0, 0, 20, 8, 0, 16, 0, 32, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0}
	return append(append(append([]byte{}, data[:at]...), frame...), data[at+19:]...)
}

// FuzzDecode wants a code for whatever is no picture, and a picture within the
// limits for what is one.
func FuzzDecode(f *testing.F) {
	for _, seed := range [][]byte{asPNG(f), asJPEG(f), asWebP(f), exifJPEG(f, 6), riff(chunk("VP8X", make([]byte, 10)))} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		img, facts, err := Decode(data, "", Limits{Bytes: 1 << 16, Pixels: 1 << 14})
		var e *Error
		switch {
		case err == nil:
			if w, h := uprightSize(facts); img.Bounds().Dx() != w || img.Bounds().Dy() != h || w*h > 1<<14 {
				t.Errorf("%v of %+v", img.Bounds(), facts)
			}
		case !errors.As(err, &e) || e.Code == "":
			t.Errorf("no code: %v", err)
		}
	})
}

// uprightSize returns the size of the decoded picture.
func uprightSize(f Facts) (width, height int) {
	if f.Orientation > 4 {
		return f.Height, f.Width
	}
	return f.Width, f.Height
}
