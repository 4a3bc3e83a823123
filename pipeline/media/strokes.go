package media

import "image"

// How strokes are found in a shrunk picture.
const (
	// sharp is the difference of brightness of neighbouring pixels that is an
	// edge; camera pictures seldom have it, writing always.
	sharp = 48
	// strokeGap is the longest way between the two edges of a stroke or of the
	// space between two, pixels.
	strokeGap = 8
	// strokeRun is how many edges of changing direction make a piece of
	// writing: four letters or so.
	strokeRun = 8
	// textRows is how many such rows a cell must have: of the height of small
	// letters.
	textRows = 3
	// textCells is how many cells of a ninth must have strokes.
	textCells = 3
	// textStays is the share of pictures in which they must have them.
	textStays = 0.5
)

// strokeCells tells which cells have rows of dense, sharp strokes.
func strokeCells(luma []uint8) [cellCount]bool {
	var rows [cellCount]int
	for y := range lookHeight {
		marked := strokeRuns(luma[y*lookWidth:][:lookWidth])
		for column := range cellColumns {
			if marked[column] {
				rows[y/cellSize*cellColumns+column]++
			}
		}
	}
	var dense [cellCount]bool
	for c, n := range rows {
		dense[c] = n >= textRows
	}
	return dense
}

// strokeRuns marks the cells of a row that lie in a run of edges which turn from
// bright to dark and back at short distances.
func strokeRuns(row []uint8) [cellColumns]bool {
	var marked [cellColumns]bool
	var edges []int
	before := 0
	end := func() {
		if len(edges) >= strokeRun {
			for _, x := range edges {
				marked[x/cellSize] = true
			}
		}
		edges, before = edges[:0], 0
	}
	for x := 1; x < len(row); x++ {
		d := int(row[x]) - int(row[x-1])
		direction := 0
		switch {
		case d >= sharp:
			direction = 1
		case d <= -sharp:
			direction = -1
		}
		if len(edges) > 0 && x-edges[len(edges)-1] > strokeGap {
			end()
		}
		if direction != 0 && direction != before {
			edges, before = append(edges, x), direction
		}
	}
	end()
	return marked
}

// textNinths names the ninths that have strokes in most pictures.
func (s *spanMeasure) textNinths(cells []int, r image.Rectangle) []string {
	var count, size [9]int
	for _, c := range cells {
		k := ninthOf(c, r)
		size[k]++
		if float64(s.strokes[c]) >= textStays*float64(s.pictures) && s.strokes[c] > 0 {
			count[k]++
		}
	}
	var names []string
	for k, n := range count {
		// A ninth that is full of strokes is a texture.
		if n >= textCells && 10*n < 9*size[k] {
			names = append(names, ninths[k])
		}
	}
	return names
}
