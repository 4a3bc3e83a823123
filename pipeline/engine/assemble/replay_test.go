package assemble_test

import (
	"image"
	"slices"
	"testing"

	"github.com/disintegration/imaging"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

type replayer struct {
	t        *testing.T
	tools    *media.Tools
	store    pipeline.Store
	hashes   map[string][]string
	pictures map[string][]image.Image // of videos, in order
}

func (r *replayer) path(digest string) string {
	r.t.Helper()
	path, err := r.store.BlobPath(r.t.Context(), pipeline.Digest(digest))
	if err != nil {
		r.t.Fatal(err)
	}
	return path
}

func (r *replayer) frames(digest string) []string {
	r.t.Helper()
	if r.hashes[digest] == nil {
		hashes, err := r.tools.FrameHashes(r.t.Context(), r.path(digest))
		if err != nil {
			r.t.Fatal(err)
		}
		r.hashes[digest] = hashes
	}
	return r.hashes[digest]
}

// sequence checks a video whose segments follow each other: frame by frame,
// hash by hash.
func (r *replayer) sequence(m schemas.Media) {
	r.t.Helper()
	var want []string
	for _, s := range m.Recipe.Segments {
		if s.At != int64(len(want)) {
			r.t.Fatalf("%s: a segment stands at frame %d, the one before ends at %d", m.MediaID, s.At, len(want))
		}
		want = append(want, r.frames(s.Source)[s.From:s.To]...)
	}
	if got := r.frames(m.MediaID); !slices.Equal(got, want) || m.Frames != int64(len(want)) {
		r.t.Errorf("%s (%s): %d frames decode, %d stated; they are not the %d frames of the recipe", m.MediaID, m.Recipe.Layout, len(got), m.Frames, len(want))
	}
	if seconds := float64(m.Frames) / m.FPS; m.Duration != seconds {
		r.t.Errorf("%s: lasts %g s, %d frames at %g last %g s", m.MediaID, m.Duration, m.Frames, m.FPS, seconds)
	}
	if !m.HasAudio {
		r.t.Errorf("%s: the sound of its films is lost", m.MediaID)
	}
}

// split checks both halves just before and just after every exchange of sides.
func (r *replayer) split(m schemas.Media) {
	r.t.Helper()
	if got := int64(len(r.frames(m.MediaID))); got != m.Frames {
		r.t.Errorf("%s: %d frames decode, %d stated", m.MediaID, got, m.Frames)
	}
	at := []int64{0, m.Frames - 1}
	for _, swap := range m.Recipe.SwapFrames {
		at = append(at, swap-1, swap)
	}
	for _, n := range at {
		left, right := r.sides(m, n)
		out := r.frame(m.MediaID, n)
		half := out.Bounds().Dx() / 2
		for _, side := range []struct {
			name           string
			shown          image.Image
			wanted, rivals image.Image
		}{
			{"left", imaging.Crop(out, image.Rect(0, 0, half, out.Bounds().Dy())), left, right},
			{"right", imaging.Crop(out, image.Rect(half, 0, 2*half, out.Bounds().Dy())), right, left},
		} {
			near, far := distance(side.shown, side.wanted), distance(side.shown, side.rivals)
			if near > 6 || near > far/2 {
				r.t.Errorf("%s frame %d: the %s half is %.1f from the video the recipe puts there and %.1f from the other", m.MediaID, n, side.name, near, far)
			}
		}
	}
}

// sides returns what the recipe puts left and right in frame n, at half size.
func (r *replayer) sides(m schemas.Media, n int64) (left, right image.Image) {
	r.t.Helper()
	exchanged := false
	for _, s := range m.Recipe.SwapFrames {
		if n >= s {
			exchanged = !exchanged
		}
	}
	for _, s := range m.Recipe.Segments {
		if n < s.At || n >= s.At+s.To-s.From {
			continue
		}
		shown := imaging.Resize(r.frame(s.Source, s.From+n-s.At), int(m.Width)/2, 0, imaging.CatmullRom)
		if (s.Region == "left") != exchanged {
			left = shown
		} else {
			right = shown
		}
	}
	return left, right
}

// frame is a picture of a video, all of which are decoded at once: starting ffmpeg for
// each costs more.
func (r *replayer) frame(digest string, n int64) image.Image {
	r.t.Helper()
	if r.pictures[digest] == nil {
		all := len(r.frames(digest))
		list, err := r.tools.Stills(r.t.Context(), r.path(digest), media.Span{To: int64(all)}.Spread(all), 0)
		if err != nil || len(list) != all {
			r.t.Fatalf("pictures of %s: %d of %d, %v", digest, len(list), all, err)
		}
		for _, s := range list {
			r.pictures[digest] = append(r.pictures[digest], s.Picture)
		}
	}
	return r.pictures[digest][n]
}

// distance is the mean difference of the grey values of two pictures, 0 to 255.
func distance(a, b image.Image) float64 {
	x, y := imaging.Grayscale(a), imaging.Grayscale(b)
	sum, n := 0, 0
	for i := 0; i < len(x.Pix) && i < len(y.Pix); i += 4 {
		d := int(x.Pix[i]) - int(y.Pix[i])
		sum += max(d, -d)
		n++
	}
	return float64(sum) / float64(n)
}
