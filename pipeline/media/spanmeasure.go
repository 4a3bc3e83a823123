package media

import (
	"image"
	"math"

	"github.com/memforge/memforge/schemas"
)

// What counts as seen.
const (
	// colourShare is the least part of the picture a colour is named for.
	colourShare = 0.1
	// maxColours is how many are named.
	maxColours = 3
	// moves is the least mean change of brightness, of 255, between two looks
	// that is movement in a ninth; noise stays below 1.
	moves = 2.0
)

// ninths are the names of the parts of a picture, in reading order.
var ninths = [9]string{"top left", "top", "top right", "left", "centre", "right", "bottom left", "bottom", "bottom right"}

// cells divide a picture finely enough to leave bars out later.
const (
	cellSize    = 10
	cellColumns = lookWidth / cellSize
	cellRows    = lookHeight / cellSize
	cellCount   = cellColumns * cellRows
)

// spanMeasure is what a span shows, by cell: bars are known only in the end.
type spanMeasure struct {
	pictures int
	colours  [cellCount][colourCount]int64
	sum      [cellCount]int64
	squares  [cellCount]int64
	changes  []change
	strokes  [cellCount]int32 // in how many pictures the cell had strokes

	frame  int64
	before []uint8
}

// change is how brightness changed from one picture to the next.
type change struct {
	from, to int64
	sum      [cellCount]int64
}

func (s *spanMeasure) add(frame int64, rgb []byte, b *bars) {
	luma := make([]uint8, lookPixels)
	for i := range luma {
		r, g, bl := rgb[3*i], rgb[3*i+1], rgb[3*i+2]
		y := uint8((54*int(r) + 183*int(g) + 19*int(bl)) >> 8)
		luma[i] = y
		c := cellOf(i)
		s.colours[c][colourOf(r, g, bl)]++
		s.sum[c] += int64(y)
		s.squares[c] += int64(y) * int64(y)
	}
	b.add(luma)
	for c, dense := range strokeCells(luma) {
		if dense {
			s.strokes[c]++
		}
	}
	if s.before != nil {
		d := change{from: s.frame, to: frame}
		for i, y := range luma {
			d.sum[cellOf(i)] += int64(max(int(y)-int(s.before[i]), int(s.before[i])-int(y)))
		}
		s.changes = append(s.changes, d)
	}
	s.pictures, s.frame, s.before = s.pictures+1, frame, luma
}

func cellOf(i int) int { return i/lookWidth/cellSize*cellColumns + i%lookWidth/cellSize }

// cellsWithin lists the cells that lie in a rectangle for their larger part.
func cellsWithin(r image.Rectangle) []int {
	var list []int
	for c := range cellCount {
		middle := image.Pt(c%cellColumns*cellSize+cellSize/2, c/cellColumns*cellSize+cellSize/2)
		if middle.In(r) {
			list = append(list, c)
		}
	}
	return list
}

// ninthOf is the part of the picture a cell lies in.
func ninthOf(c int, r image.Rectangle) int {
	x := c%cellColumns*cellSize + cellSize/2 - r.Min.X
	y := c/cellColumns*cellSize + cellSize/2 - r.Min.Y
	return min(2, 3*y/r.Dy())*3 + min(2, 3*x/r.Dx())
}

// appearance states what was seen inside a rectangle. Changes across a cut are no
// movement.
func (s *spanMeasure) appearance(r image.Rectangle, cuts []int) schemas.Appearance {
	cells := cellsWithin(r)
	if s.pictures == 0 || len(cells) == 0 {
		return schemas.Appearance{}
	}
	var sum, squares int64
	var shares [colourCount]int64
	for _, c := range cells {
		sum, squares = sum+s.sum[c], squares+s.squares[c]
		for k, n := range s.colours[c] {
			shares[k] += n
		}
	}
	n := float64(len(cells)*s.pictures) * cellSize * cellSize
	mean := float64(sum) / n
	l := schemas.Appearance{
		Colours: mostFrequentColours(shares[:], n), Brightness: round3(mean / 255),
		Contrast: round3(math.Sqrt(max(0, float64(squares)/n-mean*mean)) / 255),
		Text:     s.textNinths(cells, r),
	}
	l.Motion, l.MotionAt = s.motion(cells, r, cuts)
	return l
}

func (s *spanMeasure) motion(cells []int, r image.Rectangle, cuts []int) (float64, string) {
	var sum, count [9]float64
	for _, d := range s.changes {
		if crosses(d, cuts) {
			continue
		}
		for _, c := range cells {
			k := ninthOf(c, r)
			sum[k] += float64(d.sum[c])
			count[k] += cellSize * cellSize
		}
	}
	var all, pixels, most float64
	at := ""
	for k, name := range ninths {
		all, pixels = all+sum[k], pixels+count[k]
		if m := sum[k] / max(1, count[k]); m >= moves && m > most {
			most, at = m, name
		}
	}
	return round3(all / max(1, pixels) / 255), at
}

func crosses(d change, cuts []int) bool {
	for _, c := range cuts {
		if int64(c) > d.from && int64(c) <= d.to {
			return true
		}
	}
	return false
}

func round3(x float64) float64 { return math.Round(x*1000) / 1000 }
