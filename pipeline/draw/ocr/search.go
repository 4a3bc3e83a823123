package ocr

import (
	"container/heap"
	"image"
	"slices"
	"strings"
)

// lineInk is how much ink lies on the pixels around a line, 0 to 255, column by column.
type lineInk struct {
	image.Rectangle
	ink []int
	// sums are the ink of each column.
	sums []int
	// first and last are the columns of ink.
	first, last int
}

// Bounds of a search.
const (
	margin   = 4
	noise    = 12   // of 255, that a pixel may be off
	perGlyph = 0.8  // wholly wrong pixels that one letter may cost
	perLine  = 0.35 // and each of a line on average
	most     = 600  // letters that are tried as the next ones
)

// measureInk measures the ink of a line against its darkest, or brightest, pixel; share is
// how much of that a fully inked one would have.
func (p *greyImage) measureInk(box image.Rectangle, share float64) *lineInk {
	s := &lineInk{Rectangle: image.Rect(box.Min.X-margin, box.Min.Y-1, box.Max.X+margin, box.Max.Y+1).Intersect(image.Rect(0, 0, p.w, p.h)), first: box.Min.X, last: box.Max.X - 1}
	full := 1
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			full = max(full, p.inkAt(x, y))
		}
	}
	s.ink, s.sums = make([]int, s.Dx()*s.Dy()), make([]int, s.Dx())
	for y := s.Min.Y; y < s.Max.Y; y++ {
		for x := s.Min.X; x < s.Max.X; x++ {
			ink := min(255, int(float64(255*p.inkAt(x, y))*share/float64(full)))
			s.ink[(x-s.Min.X)*s.Dy()+y-s.Min.Y] = ink
			s.sums[x-s.Min.X] += ink
		}
	}
	return s
}

// placedLetter is a letter at a place, in quarters of a pixel.
type placedLetter struct {
	letter, at int
}

func (s *Typeface) shapeOf(g placedLetter) *Shape { return &s.Letters[g.letter].Shapes[g.at&3] }

// searchStep is the beginning of a line, up to a letter.
type searchStep struct {
	placedLetter
	before *searchStep
	// settled are the columns before which all ink is accounted for.
	settled, length int
	cost            float64
	done            bool
}

// penAfter returns where the pen stands after a letter, in 1/64 pixel.
func (s *Typeface) penAfter(g placedLetter) int { return g.at*16 + 8 + s.Letters[g.letter].Advance }

// whole is what a pixel costs that is wholly wrong.
const whole = 255 * 255

// costBound returns a bound below what columnCost gives: as much as columns
// cost whose ink is as far off as theirs in sum, and spread over all rows. It
// stops above a bound.
func (s *lineInk) costBound(from, to, at, before int, first, second *Shape, most int) int {
	high, sum := s.Dy(), 0
	for x := from; x < to && sum <= most*high; x++ {
		ink, b, a := s.sums[x-s.Min.X], first.columnSum(x-at), 0
		if second != nil {
			a = second.columnSum(x - before)
		}
		// Where two letters cover a pixel it is no darker than fully inked.
		if off := max(ink-a-b, max(a, b)-ink) - high*noise; off > 0 {
			sum += off * off
		}
	}
	return sum / high
}

// columnCost returns the cost of the ink of columns up to one that two letters
// do not explain; it stops above a bound.
func (s *lineInk) columnCost(typeface *Typeface, base, from, to int, a *placedLetter, b placedLetter, bound float64) float64 {
	var expected [tallest + 2*margin]int
	high, most, sum := s.Dy(), int(bound*whole), 0
	first, second, before := typeface.shapeOf(b), (*Shape)(nil), 0
	if a != nil {
		second, before = typeface.shapeOf(*a), a.at>>2
	}
	from, to = max(from, s.Min.X), min(to, s.Max.X)
	if least := s.costBound(from, to, b.at>>2, before, first, second, most); least > most {
		return float64(least) / whole
	}
	for x := from; x < to; x++ {
		clear(expected[:high])
		first.addColumn(expected[:high], x-b.at>>2, s.Min.Y-base)
		if second != nil {
			second.addColumn(expected[:high], x-before, s.Min.Y-base)
		}
		for y, ink := range s.ink[(x-s.Min.X)*high:][:high] {
			off := ink - min(expected[y], 255)
			if off = max(off, -off) - noise; off > 0 {
				sum += off * off
			}
		}
		if sum > most {
			break
		}
	}
	return float64(sum) / whole
}

// queue gives the cheapest beginning first.
type queue []*searchStep

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) { *q = append(*q, x.(*searchStep)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// search finds the letters of a typeface that explain a line on a base line
// best, from the left; empty where none do.
func (s *lineInk) search(typeface *Typeface, base int) (text string, cost float64) {
	open, tried := &queue{}, map[placedLetter]bool{}
	s.tryFirst(typeface, base, open)
	for range most {
		if open.Len() == 0 {
			return "", 0
		}
		t := heap.Pop(open).(*searchStep)
		if t.cost > perGlyph+perLine*float64(t.length) {
			continue
		}
		if t.done {
			return spellOut(typeface, t), t.cost
		}
		if tried[t.placedLetter] {
			continue
		}
		tried[t.placedLetter] = true
		s.tryNext(typeface, base, t, open)
	}
	return "", 0
}

func (s *lineInk) tryFirst(typeface *Typeface, base int, open *queue) {
	for l := range typeface.Letters {
		for part := range 4 {
			shape := &typeface.Letters[l].Shapes[part]
			for d := -1; d <= 1 && shape.W > 0; d++ {
				s.tryLetter(typeface, base, nil, placedLetter{l, (s.first-shape.X+d)*4 + part}, open)
			}
		}
	}
}

// tryNext tries every letter after another, where it belongs and a quarter of a
// pixel to either side.
func (s *lineInk) tryNext(typeface *Typeface, base int, t *searchStep, open *queue) {
	for l := range typeface.Letters {
		at := (typeface.penAfter(t.placedLetter) + typeface.Kern[t.letter][l]) >> 4
		for d := -1; d <= 1; d++ {
			s.tryLetter(typeface, base, t, placedLetter{l, at + d}, open)
		}
	}
}

func (s *lineInk) tryLetter(typeface *Typeface, base int, before *searchStep, g placedLetter, open *queue) {
	shape := typeface.shapeOf(g)
	if g.at>>2 > s.last+1 || shape.W > 0 && (base+shape.Y < s.Min.Y || base+shape.Y+shape.H > s.Max.Y) {
		return
	}
	var a *placedLetter
	from, cost, length := s.first-1, 0.0, 1
	if before != nil {
		a, from, cost, length = &before.placedLetter, before.settled, before.cost, before.length+1
	}
	// The next letter may stand partly below this one.
	to := max((typeface.penAfter(g)+typeface.nearest[g.letter])>>6-1, from)
	own := s.columnCost(typeface, base, from, to, a, g, perGlyph)
	if own > perGlyph {
		return
	}
	cost += own
	if g.at>>2+shape.X+shape.W >= s.last && shape.W > 0 {
		if rest := s.columnCost(typeface, base, to, s.Max.X, nil, g, perGlyph); rest <= perGlyph {
			heap.Push(open, &searchStep{g, before, to, length, cost + rest, true})
		}
	}
	heap.Push(open, &searchStep{g, before, to, length, cost, false})
}

func spellOut(typeface *Typeface, t *searchStep) string {
	var out []string
	for ; t != nil; t = t.before {
		out = append(out, typeface.Letters[t.letter].Text)
	}
	slices.Reverse(out)
	return strings.Join(out, "")
}
