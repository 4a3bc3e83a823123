// Package picturereader reads pictures of the visual family from their pixels. It gets
// a picture and a question, never the scene, the world or the boxes of the picture. Like
// a trained model it has learnt from other pictures: it knows the looks of things, their
// values and their usual places, and finds things by matching such prototypes.
package picturereader

import (
	"image"
	"image/draw"

	"github.com/memforge/memforge/stages/visual/paint"
	"github.com/memforge/memforge/stages/visual/scene"
)

// Version of the reader: it changes with its answers.
const Version = "3"

// Reader reads pictures. It is not safe for concurrent use.
type Reader struct {
	vocabulary     *vocabulary
	renderer       *paint.Renderer
	templates      map[string]template
	values         map[string]string
	pictures       map[string]*image.RGBA
	prototypes     map[string]*image.RGBA
	prototypeBytes int
}

// New returns a reader that has learnt its vocabulary.
func New() (*Reader, error) {
	words, err := learnVocabulary()
	return &Reader{vocabulary: words, renderer: paint.NewRenderer(), templates: map[string]template{}, values: map[string]string{}, pictures: map[string]*image.RGBA{}, prototypes: map[string]*image.RGBA{}}, err
}

const (
	maxPrototypeBytes  = 64 << 20 // bytes of prototypes
	maxOpenPictures    = 32       // pictures that are kept decoded
	certainScore       = 0.97     // found so well that nothing else is tried
	maxVariants        = 12       // of a thing, drawn to find it
	minContrast        = 4        // least deviation of brightness in which a shape is seen
	maxLocationsRead   = 1        // of these, drawn with every value
	maxShift           = 12       // pixels that a thing may stand off
	maxPixelDifference = 80       // sum of differences of a pixel up to which it is the same
	minLabelScore      = 0.93     // how much a picture correlates with a label
	minUnlabelledScore = 0.93     // share of a thing without a label that is there
	minCountShare      = 0.95     // share of decisive pixels that show a number
	minLabelPixels     = 20       // pixels of a label
	minValueShare      = 0.65     // share of decisive pixels that show a value
	minValueMargin     = 0.2      // more than any other value does
)

// Value returns which of some values an aspect of a thing has in a picture, or "".
func (r *Reader) Value(img image.Image, thing, aspect string, values []string) (string, error) {
	picture := toRGBA(img)
	spots, err := r.locate(picture, thing, aspect)
	if err != nil {
		return "", err
	}
	if aspect == scene.Place {
		return r.readPlace(spots, values), nil
	}
	best, bestShare := "", 0.0
	for _, s := range spots[:min(len(spots), maxLocationsRead)] {
		value, share := r.readAspect(picture, s, aspect, values)
		if aspect == scene.Count && !r.confirmCount(picture, s, value, share) {
			continue
		}
		if value != "" && share > bestShare {
			best, bestShare = value, share
		}
	}
	return best, nil
}

func toRGBA(img image.Image) *image.RGBA {
	if out, ok := img.(*image.RGBA); ok && out.Rect.Min == (image.Point{}) {
		return out
	}
	out := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out
}
