package draw

import "image"

// Picture lays an opaque picture over a box of whole pixels, cut to rounded
// corners. Each pixel is the mean of those that it stands for.
func (c *Canvas) Picture(img *image.RGBA, b Box, radius Unit) {
	to := b.pixels()
	if seen := to.Intersect(c.clip); !img.Rect.Empty() && !seen.Empty() {
		c.Fill(new(Path).Round(b, radius), photo{scaled(img, to, seen)})
	}
}

type photo struct{ img *image.RGBA }

func (p photo) shade() shade { return shade{photo: p.img} }

// scaled is the part that is seen of a picture in another rectangle.
func scaled(img *image.RGBA, to, seen image.Rectangle) *image.RGBA {
	out := image.NewRGBA(seen)
	span := func(at, n, of int) (int, int) { // what of n pixels the one at a place among of stands for
		from := at * n / of
		return from, max(from+1, (at+1)*n/of)
	}
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		y0, y1 := span(y-to.Min.Y, img.Rect.Dy(), to.Dy())
		for x := seen.Min.X; x < seen.Max.X; x++ {
			x0, x1 := span(x-to.Min.X, img.Rect.Dx(), to.Dx())
			i := out.PixOffset(x, y)
			mean4(img, image.Rect(x0, y0, x1, y1), out.Pix[i:i+4])
		}
	}
	return out
}

func mean4(img *image.RGBA, from image.Rectangle, to []uint8) {
	var sum [4]int
	for y := from.Min.Y; y < from.Max.Y; y++ {
		row := img.Pix[y*img.Stride+4*from.Min.X : y*img.Stride+4*from.Max.X]
		for i, v := range row {
			sum[i&3] += int(v)
		}
	}
	n := from.Dx() * from.Dy()
	for i := range to {
		to[i] = uint8((sum[i] + n/2) / n)
	}
}
