package film

import (
	"image"
	"math"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestSignsAreWrapped: at the space nearest the middle, the first of two that are as near.
func TestSignsAreWrapped(t *testing.T) {
	for text, want := range map[string][]string{
		"Cafe":             {"Cafe"},
		"A b c d e":        {"A b c d e"}, // nine signs stay on one line
		"Conservatory":     {"Conservatory"},
		"Main Street":      {"Main", "Street"},
		"A long sign text": {"A long", "sign text"}, // spaces at 2, 6 and 11 of 16
		"abcde f ghij":     {"abcde", "f ghij"},     // spaces at 5 and 7 of 12
	} {
		if got := wrap(text); !slices.Equal(got, want) {
			t.Errorf("%q is wrapped as %q, want %q", text, got, want)
		}
	}
}

// TestBackdropFillsItsRectangle: it begins at the origin and holds the whole world.
func TestBackdropFillsItsRectangle(t *testing.T) {
	fs, err := loadAssets()
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []float64{0.5, 0.75} {
		got := backdrop(schemas.Film{Place: "park", Light: "day"}, fs, scale)
		if want := image.Rect(0, 0, int(math.Ceil(worldW*scale)), int(math.Ceil(worldH*scale))); got.Rect != want {
			t.Errorf("at %g it is %v, want %v", scale, got.Rect, want)
		}
	}
}
