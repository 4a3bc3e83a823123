package ocr

import (
	"container/heap"
	"image"
	"slices"
	"strings"
)

// strip is how much ink lies on the pixels around a line, 0 to 255, column by column.
type strip struct {
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

// expose measures the ink of a line against its darkest, or brightest, pixel; share is
// how much of that a fully inked one would have.
func (p *plate) expose(box image.Rectangle, share float64) *strip {
	s := &strip{Rectangle: image.Rect(box.Min.X-margin, box.Min.Y-1, box.Max.X+margin, box.Max.Y+1).Intersect(image.Rect(0, 0, p.w, p.h)), first: box.Min.X, last: box.Max.X - 1}
	full := 1
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			full = max(full, p.ink(x, y))
		}
	}
	s.ink, s.sums = make([]int, s.Dx()*s.Dy()), make([]int, s.Dx())
	for y := s.Min.Y; y < s.Max.Y; y++ {
		for x := s.Min.X; x < s.Max.X; x++ {
			ink := min(255, int(float64(255*p.ink(x, y))*share/float64(full)))
			s.ink[(x-s.Min.X)*s.Dy()+y-s.Min.Y] = ink
			s.sums[x-s.Min.X] += ink
		}
	}
	return s
}

// placed is a letter at a place, in quarters of a pixel.
type placed struct {
	letter, at int
}

func (s *Script) shape(g placed) *Shape { return &s.Letters[g.letter].Shapes[g.at&3] }

// step is the beginning of a line, up to a letter.
type step struct {
	placed
	before *step
	// settled are the columns before which all ink is accounted for.
	settled, length int
	cost            float64
	done            bool
}

// next is where the pen stands after a letter, in 1/64 pixel.
func (s *Script) next(g placed) int { return g.at*16 + 8 + s.Letters[g.letter].Advance }

// whole is what a pixel costs that is wholly wrong.
const whole = 255 * 255

// least is a bound below what account gives: as much as columns cost whose ink is as
// far off as theirs in sum, and spread over all rows. It stops above a bound.
func (s *strip) least(from, to, at, before int, first, second *Shape, most int) (sum int) {
	high := s.Dy()
	for x := from; x < to && sum <= most; x++ {
		ink, b, a := s.sums[x-s.Min.X], first.sum(x-at), 0
		if second != nil {
			a = second.sum(x - before)
		}
		// Where two letters cover a pixel it is no darker than fully inked.
		if off := max(ink-a-b, max(a, b)-ink) - high*noise; off > 0 {
			sum += off * off / high
		}
	}
	return sum
}

// account is what the ink of columns up to one costs that two letters do not explain;
// it stops above a bound.
func (s *strip) account(script *Script, base, from, to int, a *placed, b placed, bound float64) float64 {
	var told [tallest + 2*margin]int
	high, most, sum := s.Dy(), int(bound*whole), 0
	first, second, before := script.shape(b), (*Shape)(nil), 0
	if a != nil {
		second, before = script.shape(*a), a.at>>2
	}
	from, to = max(from, s.Min.X), min(to, s.Max.X)
	if least := s.least(from, to, b.at>>2, before, first, second, most); least > most {
		return float64(least) / whole
	}
	for x := from; x < to; x++ {
		clear(told[:high])
		first.add(told[:high], x-b.at>>2, s.Min.Y-base)
		if second != nil {
			second.add(told[:high], x-before, s.Min.Y-base)
		}
		for y, ink := range s.ink[(x-s.Min.X)*high:][:high] {
			off := ink - min(told[y], 255)
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
type queue []*step

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].cost < q[j].cost }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *queue) Push(x any) { *q = append(*q, x.(*step)) }

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// search finds the letters of a script that explain a line on a base line best, from
// the left; empty where none do.
func (s *strip) search(script *Script, base int) (text string, cost float64) {
	open, tried := &queue{}, map[placed]bool{}
	s.begin(script, base, open)
	for range most {
		if open.Len() == 0 {
			return "", 0
		}
		t := heap.Pop(open).(*step)
		if t.cost > perGlyph+perLine*float64(t.length) {
			continue
		}
		if t.done {
			return spelt(script, t), t.cost
		}
		if tried[t.placed] {
			continue
		}
		tried[t.placed] = true
		s.further(script, base, t, open)
	}
	return "", 0
}

// begin tries every letter as the first.
func (s *strip) begin(script *Script, base int, open *queue) {
	for l := range script.Letters {
		for part := range 4 {
			shape := &script.Letters[l].Shapes[part]
			for d := -1; d <= 1 && shape.W > 0; d++ {
				s.try(script, base, nil, placed{l, (s.first-shape.X+d)*4 + part}, open)
			}
		}
	}
}

// further tries every letter after another, where it belongs and a quarter of a pixel
// to either side.
func (s *strip) further(script *Script, base int, t *step, open *queue) {
	for l := range script.Letters {
		at := (script.next(t.placed) + script.Kern[t.letter][l]) >> 4
		for d := -1; d <= 1; d++ {
			s.try(script, base, t, placed{l, at + d}, open)
		}
	}
}

func (s *strip) try(script *Script, base int, before *step, g placed, open *queue) {
	shape := script.shape(g)
	if g.at>>2 > s.last+1 || shape.W > 0 && (base+shape.Y < s.Min.Y || base+shape.Y+shape.H > s.Max.Y) {
		return
	}
	var a *placed
	from, cost, length := s.first-1, 0.0, 1
	if before != nil {
		a, from, cost, length = &before.placed, before.settled, before.cost, before.length+1
	}
	// The next letter may stand partly below this one.
	to := max((script.next(g)+script.nearest[g.letter])>>6-1, from)
	own := s.account(script, base, from, to, a, g, perGlyph)
	if own > perGlyph {
		return
	}
	cost += own
	if g.at>>2+shape.X+shape.W >= s.last && shape.W > 0 {
		if rest := s.account(script, base, to, s.Max.X, nil, g, perGlyph); rest <= perGlyph {
			heap.Push(open, &step{g, before, to, length, cost + rest, true})
		}
	}
	heap.Push(open, &step{g, before, to, length, cost, false})
}

func spelt(script *Script, t *step) string {
	var out []string
	for ; t != nil; t = t.before {
		out = append(out, script.Letters[t.letter].Text)
	}
	slices.Reverse(out)
	return strings.Join(out, "")
}
