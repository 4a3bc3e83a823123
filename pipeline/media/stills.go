package media

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"

	"github.com/disintegration/imaging"

	"github.com/memforge/memforge/schemas"
)

// maxStills bounds the pictures taken out in one run: their numbers stand on
// the command line, which has an end.
const maxStills = 4000

// Still is one picture of a video.
type Still struct {
	Frame   int64
	Picture image.Image
}

// Stills takes frames out of a video with one decoding, upright, at most long
// pixels on the longer side (0: as large as they are). The frames must ascend;
// memory holds all of them, at most 4,000.
func (t *Tools) Stills(ctx context.Context, path string, frames []int64, long int) ([]Still, error) {
	return t.stills(ctx, path, frames, image.Rectangle{}, long)
}

// stills cuts a rectangle out of each frame (none: all of it) before it is
// shrunk.
func (t *Tools) stills(ctx context.Context, path string, frames []int64, part image.Rectangle, long int) ([]Still, error) {
	if err := checkFrames(frames); err != nil {
		return nil, fmt.Errorf("take pictures: %w", err)
	}
	if long < 0 || len(frames) == 0 {
		return nil, fmt.Errorf("take pictures: %d frames with a side of %d pixels: nothing can be shown", len(frames), long)
	}
	stills := make([]Still, 0, len(frames))
	keep := func(img image.Image) {
		if len(stills) < len(frames) {
			stills = append(stills, Still{frames[len(stills)], shrink(cropped(img, part), long)})
		}
	}
	filter := "select=" + selectFrames(frames)
	if err := t.pictures(ctx, path, nil, filter, len(frames), keep); err != nil {
		return nil, fmt.Errorf("take pictures: %w", err)
	}
	if len(stills) != len(frames) {
		return nil, fmt.Errorf("take pictures: %d of %d came: the video has no frame %d", len(stills), len(frames), frames[len(stills)])
	}
	return stills, nil
}

// SpanStills takes n frames of each span, each from the middle of one of n
// equal parts, with one decoding: the given part of each, or all of it where that
// is empty. The spans must follow each other; a span of fewer frames gives each
// of them once.
func (t *Tools) SpanStills(ctx context.Context, path string, spans []Span, n int, part image.Rectangle, long int) ([][]Still, error) {
	if err := checkSpans(spans); err != nil {
		return nil, fmt.Errorf("take pictures: %w", err)
	}
	if n < 1 {
		return nil, fmt.Errorf("take pictures: %d of each span: take at least one", n)
	}
	var frames []int64
	counts := make([]int, len(spans))
	for i, s := range spans {
		some := s.Spread(n)
		frames, counts[i] = append(frames, some...), len(some)
	}
	all, err := t.stills(ctx, path, frames, part, long)
	if err != nil {
		return nil, err
	}
	groups := make([][]Still, len(spans))
	for i, c := range counts {
		groups[i], all = all[:c:c], all[c:]
	}
	return groups, nil
}

// PNG encodes a picture without loss.
func PNG(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := imaging.Encode(&out, img, imaging.PNG); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return out.Bytes(), nil
}

// jpegQuality shows no artefact that a model could take for content.
const jpegQuality = 90

// JPEG encodes a picture at quality 90.
func JPEG(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := imaging.Encode(&out, img, imaging.JPEG, imaging.JPEGQuality(jpegQuality)); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return out.Bytes(), nil
}

// cropped takes a part out of a picture; all of it where the part is empty.
func cropped(img image.Image, part image.Rectangle) image.Image {
	if part = part.Intersect(img.Bounds()); part.Empty() {
		return img
	}
	return imaging.Crop(img, part)
}

// PictureArea is where a video's picture stands in the frames of its mezzanine,
// which black fills up: empty where it is not known or fills them.
func PictureArea(f *schemas.VideoFacts, m schemas.NormalisedVideo) image.Rectangle {
	if f == nil || f.Width < 1 || f.Height < 1 || m.Width < 2 || m.Height < 2 {
		return image.Rectangle{}
	}
	w, h := int64(m.Width), int64(m.Height)
	if int64(f.Width)*h < w*int64(f.Height) {
		w = h * int64(f.Width) / int64(f.Height) / 2 * 2
	} else {
		h = w * int64(f.Height) / int64(f.Width) / 2 * 2
	}
	if w < 2 || h < 2 || w == int64(m.Width) && h == int64(m.Height) {
		return image.Rectangle{}
	}
	at := image.Pt((int(m.Width)-int(w))/2, (int(m.Height)-int(h))/2)
	return image.Rectangle{at, at.Add(image.Pt(int(w), int(h)))}
}

// shrink limits the longer side; 0 is no limit.
func shrink(img image.Image, long int) image.Image {
	b := img.Bounds()
	if long == 0 || max(b.Dx(), b.Dy()) <= long {
		return img
	}
	return imaging.Fit(img, long, long, imaging.Lanczos)
}

func checkFrames(frames []int64) error {
	if len(frames) > maxStills {
		return fmt.Errorf("%d frames, at most %d at once: take fewer or in several runs", len(frames), maxStills)
	}
	before := int64(-1)
	for _, f := range frames {
		if f <= before {
			return fmt.Errorf("frame %d after %d: frames must ascend from 0", f, before)
		}
		before = f
	}
	return nil
}

// selectFrames is an expression that is 1 at the given frames. Halving the list keeps
// it quick and shallow, however long the list is.
func selectFrames(frames []int64) string {
	if len(frames) <= 4 {
		var terms []string
		for _, f := range frames {
			terms = append(terms, fmt.Sprintf(`eq(n\,%d)`, f))
		}
		return strings.Join(terms, "+")
	}
	m := len(frames) / 2
	return fmt.Sprintf(`if(lt(n\,%d)\,%s\,%s)`, frames[m], selectFrames(frames[:m]), selectFrames(frames[m:]))
}

// pictures decodes what a filter of numbers and fixed words lets through, at
// most count pictures, and hands over each as it comes. seek are options of the
// input that say where to begin and to end.
func (t *Tools) pictures(ctx context.Context, path string, seek []string, filter string, count int, keep func(image.Image)) error {
	in, err := inputURL(path)
	if err != nil {
		return err
	}
	args := append(globalArgs(), "-threads", "2")
	args = append(append(args, inputArgs(DefaultLimits())...), seek...)
	args = append(args, "-i", in, "-map", "0:V:0", "-vf", filter, "-frames:v", fmt.Sprint(count), "-fps_mode", "passthrough",
		"-sws_flags", scaleFlags, "-c:v", "png", "-compression_level", "1", "-pix_fmt", "rgb24", "-f", "image2pipe", "pipe:1")
	c := command{op: "decode", args: args, timeout: frameTimeout, hide: []string{in[len("file:"):]}}
	out, err := t.stream(ctx, c, func(r io.Reader) error { return decodePNGs(r, keep) })
	if err != nil {
		return err
	}
	if out.exit != 0 || out.timedOut || len(out.messages) > 0 {
		return &RunError{Op: c.op, Exit: out.exit, TimedOut: out.timedOut, Messages: out.messages}
	}
	return nil
}

func decodePNGs(r io.Reader, keep func(image.Image)) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for n := 0; ; n++ {
		if _, err := in.Peek(1); err == io.EOF {
			return nil
		}
		img, err := png.Decode(in)
		if err != nil {
			return fmt.Errorf("read picture %d: %w", n, err)
		}
		keep(img)
	}
}
