package media

import "image"

// barLevel is the brightness up to which a row or column is black.
const barLevel = 24

// bars finds the black bars around a picture: rows and columns at its edges
// that are black in every picture seen.
type bars struct {
	rows, columns []uint8 // the brightest pixel of each
}

func newBars() *bars {
	return &bars{make([]uint8, lookHeight), make([]uint8, lookWidth)}
}

func (b *bars) add(luma []uint8) {
	for y := range lookHeight {
		for x, v := range luma[y*lookWidth:][:lookWidth] {
			b.rows[y] = max(b.rows[y], v)
			b.columns[x] = max(b.columns[x], v)
		}
	}
}

// pictureArea is what is left without bars; all of it when everything is black.
func (b *bars) pictureArea() image.Rectangle {
	top, bottom := edges(b.rows)
	left, right := edges(b.columns)
	if top >= bottom || left >= right {
		return image.Rect(0, 0, lookWidth, lookHeight)
	}
	return image.Rect(left, top, right, bottom)
}

func edges(brightest []uint8) (from, to int) {
	to = len(brightest)
	for from < to && brightest[from] <= barLevel {
		from++
	}
	for to > from && brightest[to-1] <= barLevel {
		to--
	}
	return from, to
}
