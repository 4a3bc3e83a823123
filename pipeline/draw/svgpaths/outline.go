package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

func units(x float64) int { return int(math.Round(x * 64)) }

// pen writes absolute steps in 1/64 pixel.
type pen struct {
	out          strings.Builder
	x, y         float64 // where it is
	startX       float64
	startY       float64
	handX, handY float64 // the last handle, which S and T mirror
	last         byte
}

func (p *pen) step(name string, xy ...float64) {
	p.out.WriteString(" " + name)
	for _, v := range xy {
		fmt.Fprintf(&p.out, " %d", units(v))
	}
	if n := len(xy); n > 0 {
		p.x, p.y = xy[n-2], xy[n-1]
	}
}

var (
	stepsOf  = regexp.MustCompile(`[A-Za-z][^A-Za-z]*`)
	numberOf = regexp.MustCompile(`[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?`)
	// The flags of an arc may stand without a blank behind them.
	arcOf = regexp.MustCompile(strings.ReplaceAll(`N[ ,]*N[ ,]*N[ ,]*([01])[ ,]*([01])[ ,]*N[ ,]*N`, "N", `([-+]?(?:\d+\.?\d*|\.\d+))`))
	takes = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0}
)

// outline reads the d of a path.
func outline(d string) (string, error) {
	p := &pen{}
	for _, step := range stepsOf.FindAllString(d, -1) {
		op := byte(unicode.ToUpper(rune(step[0])))
		n, known := takes[op]
		numbers, err := numbersOf(op, step[1:])
		if err != nil || !known || n == 0 && len(numbers) > 0 || n > 0 && (len(numbers) == 0 || len(numbers)%n != 0) {
			return "", fmt.Errorf("path step %q", step)
		}
		relative := step[0] != op
		if n == 0 {
			p.out.WriteString(" Z")
			p.x, p.y = p.startX, p.startY
		}
		for i := 0; i < len(numbers); i += n {
			p.do(op, numbers[i:i+n], relative)
			if op == 'M' {
				op = 'L' // further pairs are lines
			}
		}
	}
	return p.out.String(), nil
}

func numbersOf(op byte, text string) ([]float64, error) {
	words := numberOf.FindAllString(text, -1)
	if op == 'A' {
		words = nil
		for _, m := range arcOf.FindAllStringSubmatch(text, -1) {
			words = append(words, m[1:]...)
		}
	}
	var out []float64
	for _, w := range words {
		v, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// from makes the numbers of a relative step absolute.
func (p *pen) from(op byte, n []float64) {
	for i := range n {
		switch {
		case op == 'H' || op == 'A' && i == 5 || op != 'V' && op != 'A' && i%2 == 0:
			n[i] += p.x
		case op == 'V' || op == 'A' && i == 6 || op != 'A' && i%2 == 1:
			n[i] += p.y
		}
	}
}

func (p *pen) do(op byte, n []float64, relative bool) {
	if relative {
		p.from(op, n)
	}
	fromX, fromY := p.x, p.y
	if !strings.ContainsRune("CSQT", rune(p.last)) {
		p.handX, p.handY = p.x, p.y
	}
	mirrorX, mirrorY := 2*p.x-p.handX, 2*p.y-p.handY
	switch op {
	case 'M':
		p.step("M", n...)
		p.startX, p.startY = p.x, p.y
	case 'L':
		p.step("L", n...)
	case 'H':
		p.step("L", n[0], fromY)
	case 'V':
		p.step("L", fromX, n[0])
	case 'C':
		p.step("C", n...)
		p.handX, p.handY = n[2], n[3]
	case 'S':
		p.step("C", mirrorX, mirrorY, n[0], n[1], n[2], n[3])
		p.handX, p.handY = n[0], n[1]
	case 'Q':
		p.step("Q", n...)
		p.handX, p.handY = n[0], n[1]
	case 'T':
		p.step("Q", mirrorX, mirrorY, n[0], n[1])
		p.handX, p.handY = mirrorX, mirrorY
	case 'A':
		p.arc(n[0], n[1], n[2]*math.Pi/180, n[3] != 0, n[4] != 0, n[5], n[6])
	}
	p.last = op
}

// arc writes cubic curves of at most a quarter turn each (SVG 1.1, F.6).
func (p *pen) arc(rx, ry, tilt float64, large, sweep bool, x, y float64) {
	x0, y0 := p.x, p.y
	rx, ry = math.Abs(rx), math.Abs(ry)
	if rx == 0 || ry == 0 || x == x0 && y == y0 {
		p.step("L", x, y)
		return
	}
	s, c := math.Sincos(tilt)
	dx, dy := (x0-x)/2, (y0-y)/2
	u, v := (c*dx+s*dy)/rx, (c*dy-s*dx)/ry
	if k := math.Hypot(u, v); k > 1 {
		rx, ry, u, v = rx*k, ry*k, u/k, v/k
	}
	k := math.Sqrt(math.Max(0, 1/(u*u+v*v)-1))
	if large == sweep {
		k = -k
	}
	cu, cv := k*v, -k*u
	from, to := math.Atan2(v-cv, u-cu), math.Atan2(-v-cv, -u-cu)
	if sweep && to < from {
		to += 2 * math.Pi
	} else if !sweep && to > from {
		to -= 2 * math.Pi
	}
	at := func(u, v float64) (float64, float64) {
		u, v = (u+cu)*rx, (v+cv)*ry
		return c*u - s*v + (x0+x)/2, s*u + c*v + (y0+y)/2
	}
	parts := math.Ceil(math.Abs(to-from)/(math.Pi/2) - 1e-9)
	h := 4.0 / 3 * math.Tan((to-from)/parts/4)
	for i := range int(parts) {
		a, b := from+(to-from)*float64(i)/parts, from+(to-from)*float64(i+1)/parts
		sa, ca := math.Sincos(a)
		sb, cb := math.Sincos(b)
		x1, y1 := at(ca-h*sa, sa+h*ca)
		x2, y2 := at(cb+h*sb, sb-h*cb)
		x3, y3 := at(cb, sb)
		p.step("C", x1, y1, x2, y2, x3, y3)
	}
}
