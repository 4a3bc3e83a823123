package media

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"time"

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

func cropped(img image.Image, part image.Rectangle) image.Image {
	if part = part.Intersect(img.Bounds()); part.Empty() {
		return img
	}
	return imaging.Crop(img, part)
}

// PictureArea returns where a video's picture stands in the frames of its
// normalised form, which black fills up: empty where it is not known or fills
// them.
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

// selectFrames returns an expression that is 1 at the given frames. Halving the
// list keeps it quick and shallow, however long the list is.
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
// most count pictures, and passes each on as it comes. seek are options of the
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
	return t.run(ctx, c, func(r io.Reader) error { return decodePNGs(r, keep) })
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

// frameTimeout bounds the operations that take no Limits.
const frameTimeout = 30 * time.Minute

// FrameHashes returns the MD5 of each decoded picture, in order.
func (t *Tools) FrameHashes(ctx context.Context, path string) ([]string, error) {
	in, err := inputURL(path)
	if err != nil {
		return nil, fmt.Errorf("hash frames: %w", err)
	}
	args := append(globalArgs(), "-threads", "2")
	args = append(args, inputArgs(DefaultLimits())...)
	args = append(args, "-i", in, "-map", "0:V:0", "-fps_mode", "passthrough", "-f", "framemd5", "pipe:1")
	list, err := t.frameList(ctx, command{op: "hash frames", args: args, timeout: frameTimeout, hide: []string{in[len("file:"):]}})
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(list))
	for i, k := range list {
		hashes[i] = k.hash
	}
	return hashes, nil
}

// nearby is how many seconds are decoded in one run rather than jumped into:
// starting ffmpeg takes about as long as decoding a few seconds.
const nearby = 10

// ErrNoMoment says that nothing is to be seen at the time asked for.
var ErrNoMoment = errors.New("the video shows nothing then")

// PicturesBetween takes n pictures of the seconds from up to to of a video, each from
// the middle of one of n equal parts; to 0 is its end. It jumps to them, so a
// long video takes no longer than a short one. A span of fewer pictures gives
// each once, at least one.
func (t *Tools) PicturesBetween(ctx context.Context, path string, from, to float64, n int) ([]image.Image, error) {
	if n < 1 || from < 0 || to < 0 || math.IsNaN(from+to) || math.IsInf(from+to, 0) {
		return nil, fmt.Errorf("take %d pictures of seconds %g to %g: want at least one, and times from 0", n, from, to)
	}
	h, err := t.header(ctx, path, DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("take pictures: %w", err)
	}
	picture, _ := h.picture()
	rate, length := parseFraction(picture.Rate), to
	if h.Format.Duration.known() {
		length = float64(h.Format.Duration)
	}
	if to == 0 || to > length {
		to = length
	}
	if from >= length || rate <= 0 {
		return nil, fmt.Errorf("take pictures from second %g of %g: %w", from, length, ErrNoMoment)
	}
	frames := max(1, int64(math.Round((to-from)*rate)))
	wanted := Span{0, frames}.Spread(n)
	if to-from <= nearby {
		return t.picturesNear(ctx, path, from, wanted)
	}
	var out []image.Image
	for _, f := range wanted {
		one, err := t.picturesNear(ctx, path, from+float64(f)/rate, []int64{0})
		if err != nil {
			return nil, err
		}
		out = append(out, one...)
	}
	return out, nil
}

// picturesNear seeks once and takes frames counted from there.
func (t *Tools) picturesNear(ctx context.Context, path string, at float64, frames []int64) ([]image.Image, error) {
	var out []image.Image
	seek := []string{"-ss", fmt.Sprintf("%dus", int64(at*1e6))}
	if err := t.pictures(ctx, path, seek, "select="+selectFrames(frames), len(frames), func(img image.Image) { out = append(out, img) }); err != nil {
		return nil, fmt.Errorf("take pictures: %w", err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("take pictures from second %.2f: %w", at, ErrNoMoment)
	}
	return out, nil
}

// ContactSheetLayout is the layout of a contact sheet.
type ContactSheetLayout struct {
	Frames    int // pictures shown
	Columns   int
	CellWidth int // pixels; the height follows from the picture
}

// DefaultContactSheet shows 12 pictures in 4 columns.
func DefaultContactSheet() ContactSheetLayout {
	return ContactSheetLayout{Frames: 12, Columns: 4, CellWidth: 240}
}

const gutter = 4

func (s ContactSheetLayout) check() error {
	if s.Columns < 1 || s.CellWidth < 8 || s.CellWidth > 2048 || s.Frames < 1 || s.Frames > 100 {
		return fmt.Errorf("contact sheet of %d pictures of %d pixels in %d columns: use 1 to 100 pictures of 8 to 2048 pixels", s.Frames, s.CellWidth, s.Columns)
	}
	return nil
}

// ContactSheet shows pictures from evenly spaced moments of a video of frames
// pictures, in reading order, as one PNG.
func (t *Tools) ContactSheet(ctx context.Context, path string, frames int64, s ContactSheetLayout) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	stills, err := t.Stills(ctx, path, Span{0, frames}.Spread(s.Frames), 0)
	if err != nil {
		return nil, fmt.Errorf("contact sheet: %w", err)
	}
	return s.Compose(stills)
}

// Compose arranges pictures in reading order, as one PNG; the number of
// pictures is theirs.
func (s ContactSheetLayout) Compose(stills []Still) ([]byte, error) {
	s.Frames = len(stills)
	if err := s.check(); err != nil {
		return nil, err
	}
	b := stills[0].Picture.Bounds()
	high := max(1, s.CellWidth*b.Dy()/b.Dx())
	columns := min(s.Columns, len(stills))
	rows := (len(stills) + columns - 1) / columns
	sheet := imaging.New(columns*(s.CellWidth+gutter)-gutter, rows*(high+gutter)-gutter, color.White)
	for i, p := range stills {
		cell := imaging.Resize(p.Picture, s.CellWidth, high, imaging.Linear)
		at := image.Pt(i%columns*(s.CellWidth+gutter), i/columns*(high+gutter))
		sheet = imaging.Paste(sheet, cell, at)
	}
	return PNG(sheet)
}

// Span is frames [From, To) of a video.
type Span struct{ From, To int64 }

// Spread picks n frames, each from the middle of one of n equal parts. A span
// of fewer frames gives each of them once.
func (s Span) Spread(n int) []int64 {
	long := s.To - s.From
	count := min(int64(n), long)
	list := make([]int64, 0, max(0, count))
	for i := range count {
		list = append(list, s.From+(2*i+1)*long/(2*count))
	}
	return list
}

func checkSpans(spans []Span) error {
	before := int64(0)
	for i, s := range spans {
		if s.From < before || s.To <= s.From {
			return fmt.Errorf("span %d: frames %d to %d: want at least one frame, none before %d", i, s.From, s.To, before)
		}
		before = s.To
	}
	return nil
}
