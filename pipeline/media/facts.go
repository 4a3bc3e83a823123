package media

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"slices"

	"golang.org/x/image/webp"

	"github.com/memforge/memforge/schemas"
)

// ErrUnread says that a file is of a format, or in a shape, that is not read
// without starting a program. It says nothing against the file.
var ErrUnread = errors.New("it is not read without ffmpeg")

// Facts describe a media file, read without starting a program.
type Facts struct {
	// Kind is video or image, Mime the type that the first bytes tell.
	Kind, Mime    string
	Width, Height int32
	// Of a video: frames in the file, frames a second (0 where they are not on
	// one grid), seconds, whether there is a sound track.
	Frames        int64
	FPS, Duration float64
	HasAudio      bool
	// Packets are the MD5 sums of the picture's packets in their order, Keys which
	// of them are keyframes.
	Packets []string
	Keys    []int64
	// Broken says why a packet can be neither picture nor sound; empty where none
	// is so by its form. Nothing is decoded.
	Broken string
}

// ErrDamaged says that a file is nothing that its type can be. It is an
// ErrUnread, too.
var ErrDamaged = errors.New("it is no whole file of its type")

type damaged struct{ cause error }

func (e *damaged) Error() string   { return ErrDamaged.Error() + ": " + e.cause.Error() }
func (e *damaged) Unwrap() []error { return []error{ErrUnread, ErrDamaged, e.cause} }

// ReadFileFacts reads a PNG, JPEG or WebP picture or an MP4 as this package writes
// them. For any other file the error is an ErrUnread: Kind and Mime are then what
// the first bytes tell, if anything.
func ReadFileFacts(f *os.File) (Facts, error) {
	info, err := f.Stat()
	if err != nil {
		return Facts{}, err
	}
	return parseFacts(f, info.Size())
}

func parseFacts(f mp4Bytes, size int64) (Facts, error) {
	head := make([]byte, 12)
	if _, err := io.ReadFull(f, head); err != nil {
		return Facts{}, fmt.Errorf("%w: it is shorter than any picture", ErrUnread)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Facts{}, err
	}
	for _, p := range []struct {
		mime   string
		is     bool
		config func(io.Reader) (image.Config, error)
	}{
		{"image/png", bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")), png.DecodeConfig},
		{"image/jpeg", bytes.HasPrefix(head, []byte{0xff, 0xd8, 0xff}), jpeg.DecodeConfig},
		{"image/webp", bytes.HasPrefix(head, []byte("RIFF")) && bytes.HasSuffix(head, []byte("WEBP")), webp.DecodeConfig},
	} {
		if p.is {
			return pictureFacts(f, p.mime, p.config)
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte{0x1a, 0x45, 0xdf, 0xa3}):
		return Facts{Kind: "video", Mime: "video/x-matroska"}, ErrUnread
	case !bytes.Equal(head[4:8], []byte("ftyp")):
		return Facts{}, ErrUnread
	}
	return videoFacts(f, size)
}

func pictureFacts(f io.Reader, mime string, config func(io.Reader) (image.Config, error)) (out Facts, err error) {
	out = Facts{Kind: "image", Mime: mime}
	defer func() {
		if r := recover(); r != nil {
			err = &damaged{fmt.Errorf("%v", r)}
		}
	}()
	c, err := config(f)
	switch {
	case err != nil && mime == "image/webp":
		return out, fmt.Errorf("%w: %w", ErrUnread, err) // not all of the format is known here
	case err != nil:
		return out, &damaged{err}
	}
	out.Width, out.Height = int32(c.Width), int32(c.Height)
	return out, nil
}

func videoFacts(f mp4Bytes, size int64) (Facts, error) {
	is := Facts{Kind: "video", Mime: "video/mp4"}
	lists, err := parseMP4(f, size)
	if errors.Is(err, errNoMP4) {
		return is, &damaged{err}
	}
	if err != nil {
		return is, fmt.Errorf("%w: %w", ErrUnread, err)
	}
	c, err := contentOf(lists, len(lists) > 1)
	if err != nil || c.picture.width == 0 || len(c.picture.packets) == 0 {
		return is, fmt.Errorf("%w: want a picture track and at most a sound track", ErrUnread)
	}
	list := c.picture.packets
	out := Facts{
		Kind: "video", Mime: "video/mp4", Width: c.picture.width, Height: c.picture.height,
		Frames: int64(len(list)), HasAudio: len(c.sound) > 0, Keys: c.picture.keys,
	}
	for _, l := range lists {
		out.Broken = cmp.Or(out.Broken, l.broken)
	}
	grid := list[0].pts == 0 && list[0].duration > 0
	end := int64(0)
	for i, k := range list {
		out.Packets = append(out.Packets, k.hash)
		grid = grid && k.duration == list[0].duration && k.pts == int64(i)*k.duration
		end = max(end, k.pts+k.duration)
	}
	if list[0].timescale > 0 {
		out.Duration = float64(end) / float64(list[0].timescale)
	}
	if grid {
		out.FPS = float64(list[0].timescale) / float64(list[0].duration)
		out.Duration = float64(out.Frames) / out.FPS
	}
	return out, nil
}

// CheckRecipe returns where a recipe contradicts itself or the file: segments
// follow each other without a gap and are as long as the video, there is sound
// where a source has some, whole pictures are entered at keyframes, and sides
// change where SwapFrames puts the swaps. A video without segments was not
// composed and passes.
func (f Facts) CheckRecipe(r schemas.Recipe) error {
	if len(r.Segments) == 0 && len(r.SwapFrames) == 0 {
		return nil
	}
	c, err := parseRecipe(r)
	if err != nil {
		return err
	}
	if c.split() != (r.Layout == schemas.LayoutSplit) {
		return newMismatch("the layout is %q, and its segments are not shown so", r.Layout)
	}
	if c.frames != f.Frames {
		return newMismatch("its segments have %d frames, the file %d", c.frames, f.Frames)
	}
	heard := slices.ContainsFunc(r.Segments, func(s schemas.Segment) bool { return s.Audio != "" })
	if heard != f.HasAudio {
		return newMismatch("a source has sound: %t, the file has a sound track: %t", heard, f.HasAudio)
	}
	if c.split() {
		if want := SwapFrames(c.frames, len(c.swaps)); !slices.Equal(c.swaps, want) {
			return newMismatch("swaps at frames %v, %d swaps are at %v", c.swaps, len(want), want)
		}
		return nil
	}
	for n, p := range c.rows[0] {
		if _, ok := slices.BinarySearch(f.Keys, p.at); !ok {
			return newMismatch("segment %d begins at frame %d of the file, which is no keyframe", n, p.at)
		}
	}
	return nil
}
