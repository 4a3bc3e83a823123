package film

import "image"

// resample fills dst from the part of src whose corner is (x, y), with step
// pixels of src to a pixel of dst, by bilinear interpolation. The part must
// lie within src by a pixel. Weights have eight bits, so that the result is
// the same everywhere.
func resample(dst, src *image.RGBA, x, y, step float64) {
	w, h := dst.Rect.Dx(), dst.Rect.Dy()
	cols, weights := make([]int, w), make([]uint32, w)
	for i := range w {
		at := x + (float64(i)+0.5)*step - 0.5
		cols[i], weights[i] = split(at, src.Rect.Dx())
		cols[i] *= 4
	}
	for j := range h {
		row, wy := split(y+(float64(j)+0.5)*step-0.5, src.Rect.Dy())
		upper := src.Pix[row*src.Stride:]
		lower := src.Pix[(row+1)*src.Stride:]
		out := dst.Pix[j*dst.Stride : j*dst.Stride+4*w]
		for i, c := range cols {
			wx := weights[i]
			u, l := upper[c:c+8:c+8], lower[c:c+8:c+8]
			o := out[4*i : 4*i+4 : 4*i+4]
			for k := range 3 {
				top := uint32(u[k])*(256-wx) + uint32(u[k+4])*wx
				foot := uint32(l[k])*(256-wx) + uint32(l[k+4])*wx
				o[k] = uint8((top*(256-wy) + foot*wy + 1<<15) >> 16)
			}
			o[3] = 255
		}
	}
}

// split parts a coordinate into the pixel before it and the weight of the
// pixel after it, of 256. Both pixels are within size.
func split(at float64, size int) (int, uint32) {
	if at < 0 {
		return 0, 0
	}
	n := int(at)
	if n >= size-1 {
		return size - 2, 256
	}
	return n, uint32((at - float64(n)) * 256)
}

// blend lays src over dst, opaque at 1 and absent at 0. Both have one size.
func blend(dst, src *image.RGBA, opacity float64) {
	k := uint32(clamp(opacity)*256 + 0.5)
	for i := range dst.Pix {
		dst.Pix[i] = uint8((uint32(src.Pix[i])*k + uint32(dst.Pix[i])*(256-k)) >> 8)
	}
}
