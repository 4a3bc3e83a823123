// Package reader reads pictures of the visual family from their pixels. It gets a
// picture and what is asked, never the scene, the world or the boxes of the picture.
// As any trained reader it has learnt from other pictures: it knows how things of a
// name look, with which values, and about where they stand, and finds the asked one by
// matching such prototypes.
package picturereader

import (
	"image"
	"image/draw"

	"github.com/memforge/memforge/stages/visual/paint"
	"github.com/memforge/memforge/stages/visual/scene"
)

// Version of what is read: it changes with the answers.
const Version = "2"

// Reader reads. It is not safe for concurrent use.
type Reader struct {
	words    *vocabulary
	painter  *paint.Renderer
	outlines map[string]outline
	known    map[string]string
	open     map[string]*image.RGBA
	drawn    map[string]*image.RGBA // prototypes, which hold so many bytes
	held     int
}

// New learns.
func New() (*Reader, error) {
	words, err := learn()
	return &Reader{words: words, painter: paint.New(), outlines: map[string]outline{}, known: map[string]string{}, open: map[string]*image.RGBA{}, drawn: map[string]*image.RGBA{}}, err
}

// Bounds of what is tried.
const (
	mostHeld        = 64 << 20 // bytes of prototypes
	mostOpen        = 32       // pictures that are kept decoded
	sure            = 0.97     // found so well that nothing else is tried
	mostVariants    = 12       // of a thing, drawn to find it
	contrast        = 4        // least deviation of brightness in which a shape is seen
	mostRead        = 1        // of these, drawn with every value
	slack           = 12       // pixels that a thing may stand off
	same            = 80       // sum of differences of a pixel up to which it is the same
	found           = 0.93     // how much a picture correlates with a label
	foundUnlabelled = 0.93     // share of a thing without a label that is there
	countable       = 0.95     // share of decisive pixels that show a number
	fewest          = 20       // pixels of a label
	likely          = 0.65     // share of decisive pixels that show a value
	clearly         = 0.2      // more than any other value does
)

// Value is which of some values the aspect of a thing has in a picture; empty where
// that cannot be made out.
func (r *Reader) Value(picture image.Image, thing, aspect string, values []string) (string, error) {
	return r.make(flat(picture), thing, aspect, values)
}

func (r *Reader) make(picture *image.RGBA, thing, aspect string, values []string) (string, error) {
	spots, err := r.find(picture, thing, aspect)
	if err != nil {
		return "", err
	}
	if aspect == scene.Place {
		return r.place(spots, values), nil
	}
	best, bestShare := "", 0.0
	for _, s := range spots[:min(len(spots), mostRead)] {
		value, share := r.tell(picture, s, aspect, values)
		if aspect == scene.Count && !r.counted(picture, s, value, share) {
			continue
		}
		if value != "" && share > bestShare {
			best, bestShare = value, share
		}
	}
	return best, nil
}

// flat is a picture as the reader takes it.
func flat(img image.Image) *image.RGBA {
	if out, ok := img.(*image.RGBA); ok && out.Rect.Min == (image.Point{}) {
		return out
	}
	out := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out
}
