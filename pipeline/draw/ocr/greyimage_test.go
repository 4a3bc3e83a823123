package ocr

import (
	"image"
	"slices"
	"testing"
)

// ground is an image on a ground of 255 with boxes of so much ink.
func ground(w, h, ink int, boxes ...image.Rectangle) *greyImage {
	p := &greyImage{w: w, h: h, grey: slices.Repeat([]uint8{255}, w*h), back: slices.Repeat([]uint8{255}, w*h)}
	for _, b := range boxes {
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				p.grey[y*w+x] = uint8(255 - ink)
			}
		}
	}
	return p
}

// A square of ink as large as no stroke of a letter is part of a bar.
func TestSolidInk(t *testing.T) {
	for name, tc := range map[string]struct {
		ink  int
		box  image.Rectangle
		want bool
	}{
		"a square":               {contrast + 1, image.Rect(5, 5, 5+square, 5+square), true},
		"too faint":              {contrast, image.Rect(5, 5, 5+square, 5+square), false},
		"a column narrower":      {255, image.Rect(5, 5, 4+square, 30), false},
		"a row lower":            {255, image.Rect(5, 5, 30, 4+square), false},
		"at the corner":          {255, image.Rect(0, 0, square, square), true},
		"wider and higher":       {255, image.Rect(7, 3, 25, 20), true},
		"up to the other border": {255, image.Rect(40-square, 40-square, 40, 40), true},
	} {
		if got := ground(40, 40, tc.ink, tc.box).isSolid(image.Rect(0, 0, 40, 40)); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
	gap := ground(40, 40, 255, image.Rect(0, 0, square, square))
	gap.grey[4*40+4] = 255
	if gap.isSolid(image.Rect(0, 0, 40, 40)) {
		t.Error("a square with a hole is solid")
	}
}

// What has the size of a letter is one, at each bound.
func TestSizesOfLetters(t *testing.T) {
	for _, tc := range []struct {
		w, h, ink int
		want      bool
	}{
		{10, 20, 60, true},
		{widest, tallest, 99, true}, {widest + 1, tallest, 99, false}, {widest, tallest + 1, 99, false},
		{rule - 1, 2, 5, true}, {rule, 2, 5, false}, {rule, 3, 5, true},
		{2, upright - 1, 5, true}, {2, upright, 5, false}, {3, upright, 5, true},
		{20, 20, 360, true}, {20, 20, 361, false},
		{square, square, 81, false}, {square - 1, square, 72, true}, {square, square - 1, 72, true},
	} {
		if got := isLetter(image.Rect(3, 3, 3+tc.w, 3+tc.h), tc.ink); got != tc.want {
			t.Errorf("%d x %d with %d of ink: %t, want %t", tc.w, tc.h, tc.ink, got, tc.want)
		}
	}
}

// Spots are of one line beside each other, up to a word's distance, and where one is just above.
func TestSpotsOfOneLine(t *testing.T) {
	a := image.Rect(100, 100, 110, 112)
	for name, tc := range map[string]struct {
		b    image.Rectangle
		want bool
	}{
		"beside":                      {image.Rect(112, 100, 120, 112), true},
		"a word further":              {image.Rect(110+between, 100, 130, 112), true},
		"further than a word":         {image.Rect(111+between, 100, 130, 112), false},
		"to the left":                 {image.Rect(80, 100, 100-between, 112), true},
		"a comma that begins below":   {image.Rect(112, 113, 115, 115), true},
		"below the line":              {image.Rect(112, 114, 115, 116), false},
		"a dot above":                 {image.Rect(103, 95, 106, 97), true},
		"a dot higher":                {image.Rect(103, 94, 106, 96), false},
		"touching corners, next line": {image.Rect(110, 114, 120, 126), false},
	} {
		if got := sameLine(a, tc.b); got != tc.want || sameLine(tc.b, a) != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
	// Larger letters stand further apart.
	high := image.Rect(100, 100, 130, 140)
	if !sameLine(high, image.Rect(154, 100, 180, 140)) || sameLine(high, image.Rect(155, 100, 180, 140)) || !sameLine(high, image.Rect(110, 146, 120, 150)) || sameLine(high, image.Rect(110, 147, 120, 150)) {
		t.Error("letters 40 high: want 24 between words and 6 to a dot")
	}
}
