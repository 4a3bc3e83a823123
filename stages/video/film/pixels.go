package film

import (
	"encoding/binary"
	"image"
)

// resample fills dst from the part of src whose corner is (x, y), with step
// pixels of src to a pixel of dst, by bilinear interpolation in integers of
// eight bits.
func resample(dst, src *image.RGBA, x, y, step float64) {
	w := dst.Rect.Dx()
	taps := make([]tap, w)
	for i := range taps {
		taps[i] = tapAt(x+(float64(i)+0.5)*step-0.5, src.Rect.Dx())
	}
	upper, lower := &line{pix: make([]uint32, w), row: -1}, &line{pix: make([]uint32, w), row: -1}
	for j := range dst.Rect.Dy() {
		v := tapAt(y+(float64(j)+0.5)*step-0.5, src.Rect.Dy())
		if lower.row == v.at {
			upper, lower = lower, upper
		}
		upper.load(src, v.at, taps)
		lower.load(src, v.at+1, taps)
		out := dst.Pix[j*dst.Stride : j*dst.Stride+4*w]
		for i, a := range upper.pix {
			binary.LittleEndian.PutUint32(out[4*i:], lerpPixel(a, lower.pix[i], v.weight)|0xff000000)
		}
	}
}

// line is one row of the source, resampled across.
type line struct {
	pix []uint32
	row int
}

func (l *line) load(src *image.RGBA, row int, taps []tap) {
	if l.row == row {
		return
	}
	l.row = row
	pix := src.Pix[row*src.Stride:]
	for i, t := range taps {
		pair := binary.LittleEndian.Uint64(pix[4*t.at:])
		l.pix[i] = lerpPixel(uint32(pair), uint32(pair>>32), t.weight)
	}
}

// lerpPixel mixes the three colours of two pixels, weight of 256 from b. Two
// channels share a multiplication; what one borrows from the other is masked.
func lerpPixel(a, b, weight uint32) uint32 {
	const even = 0x00ff00ff
	p, q := a&even, b&even
	rb := (p + ((q-p)*weight)>>8) & even
	p, q = a>>8&0xff, b>>8&0xff
	g := (p + ((q-p)*weight)>>8) & 0xff
	return rb | g<<8
}

// tap is a pixel and the weight, of 256, of the one after it.
type tap struct {
	at     int
	weight uint32
}

// tapAt parts a coordinate. Both pixels are within size.
func tapAt(at float64, size int) tap {
	if at < 0 {
		return tap{}
	}
	n := int(at)
	if n >= size-1 {
		return tap{size - 2, 256}
	}
	return tap{n, uint32((at - float64(n)) * 256)}
}

// blend lays src over dst, opaque at 1 and absent at 0. Both have one size.
func blend(dst, src *image.RGBA, opacity float64) {
	k := uint32(clamp(opacity)*256 + 0.5)
	for i := range dst.Pix {
		dst.Pix[i] = uint8((uint32(src.Pix[i])*k + uint32(dst.Pix[i])*(256-k)) >> 8)
	}
}
