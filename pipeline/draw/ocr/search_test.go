package ocr

import (
	"image"
	"math/rand/v2"
	"testing"
)

// TestLeastIsABound compares the bound that columns give with what their pixels cost,
// for letters that overlap, on ink that is theirs with noise, and on any ink.
func TestLeastIsABound(t *testing.T) {
	r, err := New(PictureFonts)
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	const high, wide, base = 30, 40, 20
	bound, tried := 0, 0
	for range 4000 {
		script := &r.typefaces[rnd.IntN(len(r.typefaces))]
		a, b := placedLetter{rnd.IntN(len(script.Letters)), 4 * 8}, placedLetter{rnd.IntN(len(script.Letters)), 4*8 + rnd.IntN(60)}
		first, second := script.shapeOf(b), script.shapeOf(a)
		if base+first.Y < 0 || base+first.Y+first.H > high || base+second.Y < 0 || base+second.Y+second.H > high {
			continue
		}
		s := &lineInk{Rectangle: image.Rect(0, 0, wide, high), ink: make([]int, high*wide), sums: make([]int, wide)}
		for x := range wide {
			told := make([]int, high)
			if rnd.IntN(8) > 0 {
				first.addColumn(told, x-b.at>>2, -base)
				second.addColumn(told, x-a.at>>2, -base)
			}
			for y := range high {
				ink := max(0, min(255, told[y]+rnd.IntN(80)-40))
				s.ink[x*high+y], s.sums[x] = ink, s.sums[x]+ink
			}
		}
		const never = 1e9
		least := s.costBound(0, wide, b.at>>2, a.at>>2, first, second, never)
		var cost int
		for x := range wide {
			told := make([]int, high)
			first.addColumn(told, x-b.at>>2, -base)
			second.addColumn(told, x-a.at>>2, -base)
			for y := range high {
				off := s.ink[x*high+y] - min(told[y], 255)
				if off = max(off, -off) - noise; off > 0 {
					cost += off * off
				}
			}
		}
		tried++
		if least > cost {
			t.Fatalf("letters %q and %q cost %d, and the bound is %d", script.Letters[a.letter].Text, script.Letters[b.letter].Text, cost, least)
		}
		if least > 0 {
			bound++
		}
	}
	if tried < 1000 || bound < tried/10 {
		t.Errorf("the bound says something of %d of %d pairs", bound, tried)
	}
}
