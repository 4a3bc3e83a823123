package ocr_test

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/pipeline/draw/ocr"
)

// TestHostilePicturesAreIllegible: a picture that no exhibit is gets an error, and not
// the hours that looking for letters in it would take.
func TestHostilePicturesAreIllegible(t *testing.T) {
	t.Parallel()
	r, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		t.Fatal(err)
	}
	white := func(w, h int) *image.Gray {
		img := image.NewGray(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			img.Pix[i] = 255
		}
		return img
	}
	tower := white(200, 400)
	for y := 20; y < 380; y += 5 {
		for x := 50; x < 58; x++ {
			tower.Pix[y*200+x], tower.Pix[(y+2)*200+x-x%2] = 0, 0
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	dust := white(1500, 1500)
	for y := 0; y < 1500; y += 3 {
		for x := 0; x < 1500; x += 3 {
			dust.Pix[y*1500+x] = uint8(rnd.IntN(256))
		}
	}
	rings := white(1500, 1500)
	for y := 20; y < 1480; y += 40 {
		for x := 20; x < 1480; x += 40 {
			for i := range 9 {
				rings.Pix[y*1500+x+i], rings.Pix[(y+8)*1500+x+i], rings.Pix[(y+i)*1500+x], rings.Pix[(y+i)*1500+x+8] = 0, 0, 0, 0
			}
		}
	}
	for name, img := range map[string]*image.Gray{"a tower of dots": tower, "rings": rings, "dust": dust, "no pixel": white(0, 0), "one": white(1, 1)} {
		for _, kind := range []string{ocr.Chart, ocr.Table, ocr.Card, ocr.Poster, ocr.Page} {
			if seen, err := r.Read(img, kind); err == nil {
				t.Errorf("%s as %s is read as %+v", name, kind, seen)
			}
		}
	}
}

// FuzzRead: no pixels make the reader panic.
func FuzzRead(f *testing.F) {
	r, err := ocr.New(ocr.PictureFonts)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{16, 0, 255, 0, 255}, uint8(0))
	f.Add([]byte("\x40 letters that are none, and a second line of them"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		if len(data) < 2 || len(data) > 1<<13 {
			return
		}
		w := int(data[0])/2 + 1
		img := image.NewGray(image.Rect(0, 0, w, (len(data)-2)/w+1))
		copy(img.Pix, data[1:])
		kinds := []string{ocr.Chart, ocr.Table, ocr.Card, ocr.Poster, ocr.Page}
		if seen, err := r.Read(img, kinds[int(kind)%len(kinds)]); err == nil && seen.Title == "" && len(seen.Rows) == 0 {
			t.Errorf("read without an error, and nothing in it: %+v", seen)
		}
	})
}
