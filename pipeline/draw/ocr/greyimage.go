package ocr

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/draw"
	"slices"
)

// greyImage is a picture in grey, and what lies behind its ink.
type greyImage struct {
	w, h       int
	grey, back []uint8
	// around is how far to either side the ground of a block is what is commonest.
	around int
}

// Bounds of what is taken for text, in pixels.
const (
	high     = 12  // of a block that has one ground in each row
	upright  = 20  // what is as high and at most two wide is a rule between columns
	faint    = 60  // of a rule to its ground
	contrast = 20  // of ink to its ground
	tallest  = 40  // of a letter
	widest   = 240 // of letters that touch
	square   = 9   // no letter has ink as wide and high
	rule     = 10  // what is as long and at most two high is a rule
	between  = 12  // from word to word

	mostSpots = 2000 // in a picture; the fullest of 300 exhibits has 194
)

func newGreyImage(img image.Image, around int) *greyImage {
	b := img.Bounds()
	p := &greyImage{w: b.Dx(), h: b.Dy(), grey: make([]uint8, b.Dx()*b.Dy()), back: make([]uint8, b.Dx()*b.Dy()), around: around}
	shown, ok := img.(image.RGBA64Image) // as all of the standard library, without an allocation a pixel
	if !ok {
		all := image.NewRGBA64(b)
		draw.Draw(all, b, img, b.Min, draw.Src)
		shown = all
	}
	for y := range p.h {
		row := p.grey[y*p.w:][:p.w]
		for x := range row {
			c := shown.RGBA64At(b.Min.X+x, b.Min.Y+y)
			row[x] = uint8((299*(uint32(c.R)>>8) + 587*(uint32(c.G)>>8) + 114*(uint32(c.B)>>8)) / 1000)
		}
	}
	for y := 0; y < p.h; y += high {
		for x := 0; x < p.w; x += high {
			p.findBackground(image.Rect(x, y, min(x+high, p.w), min(y+high, p.h)))
		}
	}
	return p
}

// findBackground finds what lies behind the pixels of a block: what is commonest around each in
// its row, so that a rule behind letters is ground, too, unless that is far from what is
// commonest around the block, or nowhere goes on for long, as the flat tops of letters.
// Then it is ink.
func (p *greyImage) findBackground(block image.Rectangle) {
	left, right := max(block.Min.X-p.around, 0), min(block.Max.X+p.around, p.w)
	var count [256]int
	for y := max(block.Min.Y-high, 0); y < min(block.Max.Y+high, p.h); y++ {
		countGreys(&count, p.grey[y*p.w:][left:right])
	}
	common := mostCommonGrey(&count)
	for y := block.Min.Y; y < block.Max.Y; y++ {
		near, out := p.grey[y*p.w:][left:right], p.back[y*p.w:][block.Min.X:block.Max.X]
		v := near[0]
		if !isPlain(near) {
			clear(count[:])
			countGreys(&count, near)
			v = mostCommonGrey(&count)
		}
		if max(v, common)-min(v, common) > faint || longestRun(near, v) < high {
			v = common
		}
		for x := range out {
			out[x] = v
		}
	}
}

// isPlain reports whether a row has one grey, as most of a page have.
func isPlain(row []uint8) bool { return bytes.Equal(row[1:], row[:len(row)-1]) }

func countGreys(count *[256]int, row []uint8) {
	if isPlain(row) {
		count[row[0]] += len(row)
		return
	}
	for _, v := range row {
		count[v]++
	}
}

// longestRun returns how often a grey stands in a row without another between.
func longestRun(row []uint8, v uint8) (most int) {
	if v == row[0] && isPlain(row) {
		return len(row)
	}
	run := 0
	for _, g := range row {
		if run++; g != v {
			run = 0
		}
		most = max(most, run)
	}
	return most
}

func mostCommonGrey(count *[256]int) uint8 {
	most := 0
	for v, n := range count {
		if n > count[most] {
			most = v
		}
	}
	return uint8(most)
}

func (p *greyImage) inkAt(x, y int) int {
	i := y*p.w + x
	return max(int(p.grey[i]), int(p.back[i])) - min(int(p.grey[i]), int(p.back[i]))
}

// findSpots returns connected areas of ink, without rules, bars and anything
// else that cannot be a letter.
func (p *greyImage) findSpots() (out []image.Rectangle) {
	seen := make([]bool, len(p.grey))
	var stack []int
	for start := range seen {
		if seen[start] || p.inkAt(start%p.w, start/p.w) <= contrast {
			continue
		}
		box, n := image.Rectangle{}, 0
		seen[start] = true
		for stack = append(stack[:0], start); len(stack) > 0; n++ {
			at := image.Pt(stack[len(stack)-1]%p.w, stack[len(stack)-1]/p.w)
			stack = stack[:len(stack)-1]
			box = box.Union(image.Rectangle{at, at.Add(image.Pt(1, 1))})
			for y := max(at.Y-1, 0); y <= min(at.Y+1, p.h-1); y++ {
				for x := max(at.X-1, 0); x <= min(at.X+1, p.w-1); x++ {
					if i := y*p.w + x; !seen[i] && p.inkAt(x, y) > contrast {
						seen[i] = true
						stack = append(stack, i)
					}
				}
			}
		}
		if isLetter(box, n) && !p.continuesRule(box) && !p.isSolid(box) {
			out = append(out, box)
		}
	}
	return out
}

// isLetter reports whether so many pixels of ink in a box can be a letter.
func isLetter(box image.Rectangle, ink int) bool {
	w, h := box.Dx(), box.Dy()
	filled := w >= square && h >= square && ink*100 > w*h*90
	return h <= tallest && w <= widest && !(h <= 2 && w >= rule) && !(w <= 2 && h >= upright) && !filled
}

// isSolid reports whether ink fills a square too large for a stroke of a
// letter: that is a part of a bar, though the background found in its middle
// may be the bar's own colour.
func (p *greyImage) isSolid(box image.Rectangle) bool {
	var deep [widest]int // rows of ink that end in a row, by column
	for y := box.Min.Y; y < box.Max.Y; y++ {
		run := 0
		for x := range box.Dx() {
			if p.inkAt(box.Min.X+x, y) <= contrast {
				deep[x] = 0
			} else {
				deep[x]++
			}
			if run++; deep[x] < square {
				run = 0
			}
			if run == square {
				return true
			}
		}
	}
	return false
}

// continuesRule reports whether a spot is the end of a rule that counts as
// background where it goes on, or background beside such an end.
func (p *greyImage) continuesRule(box image.Rectangle) bool {
	if box.Dy() > 2 || box.Min.Y == 0 || box.Max.Y == p.h {
		return false
	}
	above, here, below := p.grey[(box.Min.Y-1)*p.w:], p.grey[box.Min.Y*p.w:], p.grey[box.Max.Y*p.w:]
	if x := box.Min.X; !greysDiffer(here[x], above[x]) && !greysDiffer(here[x], below[x]) {
		return true
	}
	for _, x := range []int{box.Min.X - 1, box.Max.X} {
		if x >= 0 && x < p.w && !greysDiffer(here[x], here[box.Min.X]) && greysDiffer(here[x], below[x]) {
			return true
		}
	}
	return false
}

// findLines joins spots that stand beside each other into lines, from the top
// and the left. A picture with more spots than any legitimate one is refused,
// because searching it would take long.
func (p *greyImage) findLines() ([]image.Rectangle, error) {
	out := p.findSpots()
	if len(out) > mostSpots {
		return nil, fmt.Errorf("it has %d spots of ink; an exhibit has at most %d", len(out), mostSpots)
	}
	for joined := true; joined; {
		joined = false
		for i := 0; i < len(out); i++ {
			for j := i + 1; j < len(out); j++ {
				if sameLine(out[i], out[j]) {
					out[i], joined = out[i].Union(out[j]), true
					out = slices.Delete(out, j, j+1)
					j--
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b image.Rectangle) int {
		return cmp.Or(cmp.Compare(a.Min.Y, b.Min.Y), cmp.Compare(a.Min.X, b.Min.X))
	})
	return out, nil
}

// sameLine reports whether two spots are of one line: next to each other, or a
// dot above its letter.
func sameLine(a, b image.Rectangle) bool {
	high := max(a.Dy(), b.Dy())
	aside := max(a.Min.X, b.Min.X) - min(a.Max.X, b.Max.X)
	apart := max(a.Min.Y, b.Min.Y) - min(a.Max.Y, b.Max.Y)
	if aside < 0 {
		return apart <= max(3, high/6)
	}
	return aside <= max(between, high*6/10) && apart < 2
}
