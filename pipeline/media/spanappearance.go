package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"math"

	"github.com/memforge/memforge/schemas"
)

// How pictures are looked at: shrunk to lookWidth x lookHeight, which leaves
// large writing readable as texture, about lookRate times a second.
const (
	lookWidth, lookHeight = 320, 180
	lookPixels            = lookWidth * lookHeight
	lookRate              = 4
)

// MeasureAppearance measures what can be seen in spans of a normalised video, with one decoding.
// The spans must follow each other; the result has one entry for each.
//
// Everything is arithmetic on pixels, and the same on every run: names of
// colours, mean and spread of brightness, where brightness changes, hard cuts
// as Probe finds them. Black bars around the picture are left out of colours
// and brightness. Text names ninths of the picture with rows of dense, sharp,
// evenly spread strokes that stand still: writing looks like that, and so may
// a picket fence; small or slanted writing is missed. It is a hint for a
// captioner, not a reading.
func (t *Tools) MeasureAppearance(ctx context.Context, path string, fps int32, spans []Span) ([]schemas.Appearance, error) {
	if err := checkSpans(spans); err != nil {
		return nil, fmt.Errorf("look: %w", err)
	}
	if fps < 1 {
		return nil, fmt.Errorf("look: %d frames a second", fps)
	}
	in, err := inputURL(path)
	if err != nil {
		return nil, fmt.Errorf("look: %w", err)
	}
	step := sampleStep(fps, spans)
	args := append(append(globalArgs(), ownInput...), "-i", in, "-map", "0:v:0", "-fps_mode", "passthrough", "-sws_flags", scaleFlags,
		"-vf", fmt.Sprintf("framestep=%d,scale=%d:%d:flags=area+accurate_rnd+bitexact,format=rgb24", step, lookWidth, lookHeight), "-f", "rawvideo", "pipe:1",
		"-map", "0:v:0", "-vf", cutFilter)
	args = append(args, cutOutput...)
	var finder cutFinder
	watcher := newWatcher(spans, int64(step))
	c := command{op: "look", args: args, more: []io.Writer{&finder}, timeout: frameTimeout, hide: []string{in[len("file:"):]}}
	if err := t.run(ctx, c, watcher.watch); err != nil {
		return nil, err
	}
	if n := len(spans); n > 0 && spans[n-1].To > int64(finder.pictures) {
		return nil, fmt.Errorf("look: a span ends at frame %d of a video that has %d", spans[n-1].To, finder.pictures)
	}
	return watcher.appearances(finder.cuts()), nil
}

// sampleStep returns the distance of the frames that are measured: two at least
// in the shortest span.
func sampleStep(fps int32, spans []Span) int {
	step := int64(max(1, fps/lookRate))
	for _, s := range spans {
		step = min(step, max(1, (s.To-s.From)/2))
	}
	return int(step)
}

// watcher collects what each span shows.
type watcher struct {
	spans []Span
	step  int64
	seen  []*spanMeasure
	bars  *bars
}

func newWatcher(spans []Span, step int64) *watcher {
	w := &watcher{spans: spans, step: step, bars: &bars{make([]uint8, lookHeight), make([]uint8, lookWidth)}}
	for range spans {
		w.seen = append(w.seen, &spanMeasure{})
	}
	return w
}

func (w *watcher) watch(r io.Reader) error {
	at := 0
	for n := int64(0); ; n++ {
		picture := make([]byte, 3*lookPixels)
		_, err := io.ReadFull(r, picture)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("picture %d: %w", n, err)
		}
		frame := n * w.step
		for at < len(w.spans) && frame >= w.spans[at].To {
			at++
		}
		if at < len(w.spans) && frame >= w.spans[at].From {
			w.seen[at].add(frame, picture, w.bars)
		}
	}
}

// appearances returns what was seen, given the frames that follow a hard cut.
func (w *watcher) appearances(cuts []int) []schemas.Appearance {
	picture := w.bars.pictureArea()
	list := make([]schemas.Appearance, len(w.spans))
	for i, s := range w.spans {
		inside := 0
		for _, c := range cuts {
			// A cut at its first frame lies before the span.
			if int64(c) > s.From && int64(c) < s.To {
				inside++
			}
		}
		list[i] = w.seen[i].appearance(picture, cuts)
		list[i].Cuts = int32(inside)
	}
	return list
}

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

// spanMeasure collects what a span shows, by cell: bars are known only in the
// end.
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

func ninthOf(c int, r image.Rectangle) int {
	x := c%cellColumns*cellSize + cellSize/2 - r.Min.X
	y := c/cellColumns*cellSize + cellSize/2 - r.Min.Y
	return min(2, 3*y/r.Dy())*3 + min(2, 3*x/r.Dx())
}

// appearance returns what was seen inside a rectangle. Changes across a cut are
// no movement.
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

// barLevel is the brightness up to which a row or column is black.
const barLevel = 24

// bars finds the black bars around a picture: rows and columns at its edges
// that are black in every picture seen.
type bars struct {
	rows, columns []uint8 // the brightest pixel of each
}

func (b *bars) add(luma []uint8) {
	for y := range lookHeight {
		for x, v := range luma[y*lookWidth:][:lookWidth] {
			b.rows[y] = max(b.rows[y], v)
			b.columns[x] = max(b.columns[x], v)
		}
	}
}

// pictureArea returns the area without bars; all of it when everything is
// black.
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
