package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

// How a half is judged, in grey levels of a shrunk picture. Encoding moves one
// by less than a level at any usual quality.
const (
	// tooFar is how far a half may be from what it must show.
	tooFar = 8.0
	// alike is how near two sources may be so that neither can be told from
	// the other in a frame; both are then right.
	alike = 3.0
)

// checkSides compares both halves of every frame of a split-screen video with
// their sources.
func (i *inspection) checkSides(ctx context.Context) error {
	all, err := i.playedContent(ctx)
	if err != nil {
		return err
	}
	got := all.picture
	if n := int64(len(got.packets)); n != i.composed.frames {
		return newMismatch("%d frames, want %d", n, i.composed.frames)
	}
	if err := checkGrid(got.packets, i.profile); err != nil {
		return err
	}
	if got.width != i.profile.Width || got.height != i.profile.Height/2 {
		return newMismatch("a picture of %dx%d, want %dx%d", got.width, got.height, i.profile.Width, i.profile.Height/2)
	}
	if err := all.checkSound(i.profile); err != nil {
		return err
	}
	var wrong *mismatch
	if err := i.compareDecoded(ctx); !errors.As(err, &wrong) {
		return err
	}
	i.exact = true // what looks wrong may be the quick decoding
	i.ready = i.showTogether(ctx, i.ownPictureParts, i.sourcePictureParts)
	defer func() { i.ready = false }() // what else was shown is of the quick one
	return i.compareDecoded(ctx)
}

func (i *inspection) compareDecoded(ctx context.Context) error {
	if err := i.showStep(ctx, i.ownPictureParts); err != nil {
		return err
	}
	if i.shown.frames() != i.composed.frames {
		return newMismatch("%d frames decode, want %d", i.shown.frames(), i.composed.frames)
	}
	if err := i.showStep(ctx, i.sourcePictureParts); err != nil {
		return err
	}
	left, right, err := i.sources()
	if err != nil {
		return err
	}
	if !i.exact {
		for path, all := range i.decoded {
			if state, err := stateOf(path); err == nil {
				i.tools.cache.thumbnails.put(state, *all, len(all.pix), maxCachedThumbnails)
			}
		}
	}
	return i.compareSides(left, right)
}

func (i *inspection) ownPictureParts() ([]ffmpegPart, error) {
	return []ffmpegPart{thumbnailPart(i.path, i.input(), rowThumbnail, &i.shown)}, nil
}

// sourcePictureParts decodes each source of a split screen, unless it was.
func (i *inspection) sourcePictureParts() ([]ffmpegPart, error) {
	i.decoded = map[string]*thumbnails{}
	var list []ffmpegPart
	for _, row := range i.composed.rows {
		for _, p := range row {
			path := p.normalised.Video
			if i.decoded[path] != nil {
				continue
			}
			i.decoded[path] = new(thumbnails)
			if state, err := stateOf(path); err == nil && !i.exact {
				if all, ok := i.tools.cache.thumbnails.get(state); ok {
					*i.decoded[path] = all
					continue
				}
			}
			list = append(list, thumbnailPart(path, i.input(), sideThumbnail, i.decoded[path]))
		}
	}
	return list, nil
}

// sources returns the shrunk pictures that the left and the right row give,
// frame by frame of the output, before any swap.
func (i *inspection) sources() (left, right thumbnails, err error) {
	rows := [2]thumbnails{{size: sideThumbnail}, {size: sideThumbnail}}
	for r, row := range i.composed.rows {
		for _, p := range row {
			all := i.decoded[p.normalised.Video]
			if p.to > all.frames() {
				return thumbnails{}, thumbnails{}, newMismatch("the recipe shows frames %d to %d of a normalised video that has %d", p.from, p.to, all.frames())
			}
			size := int64(sideThumbnail.bytes())
			rows[r].pix = append(rows[r].pix, all.pix[p.from*size:p.to*size]...)
		}
	}
	return rows[0], rows[1], nil
}

func (i *inspection) compareSides(left, right thumbnails) error {
	same, shown := 0, i.shown
	for n := range i.composed.frames {
		l, r := left.frame(n), right.frame(n)
		if i.composed.swapped(n) {
			l, r = r, l
		}
		far := max(distance(shown.half(n, 0), l), distance(shown.half(n, 1), r))
		other := min(distance(shown.half(n, 0), r), distance(shown.half(n, 1), l))
		switch {
		case distance(l, r) < alike:
			same++
			if far > tooFar {
				return newMismatch("frame %d is %.0f grey levels from both sources", n, far)
			}
		case other < far:
			return newMismatch("frame %d shows the other source on a side (swaps at %v)", n, i.composed.swaps)
		case far > tooFar:
			return newMismatch("frame %d is %.0f grey levels from what it must show", n, far)
		}
	}
	i.report.addChecked("both halves of %d frames show their source, with swaps at %v; in %d frames both sources look alike", i.composed.frames, i.composed.swaps, same)
	return nil
}

// ownInput stands before the "-i" of a file of this package that is only
// looked at. The filter that smooths blocks is left out: it takes 40 % of the
// time, and moves a shrunk picture by a fifth of a grey level. In rare pictures
// it is far more: what is missing adds up from one keyframe to the next.
var ownInput = append([]string{"-skip_loop_filter", "all"}, exactInput...)

// exactInput is ownInput with that filter: what a player shows.
var exactInput = []string{"-threads", "1", "-protocol_whitelist", "file,pipe", "-f", "mp4"}

// thumbnailSize is the size to which pictures are shrunk to be told apart.
type thumbnailSize struct{ w, h int }

var (
	// sideThumbnail is that of a picture that fills one half of a split screen.
	sideThumbnail = thumbnailSize{16, 9}
	// rowThumbnail is that of a split screen: two halves.
	rowThumbnail = thumbnailSize{32, 9}
)

func (s thumbnailSize) bytes() int { return s.w * s.h }

func (s thumbnailSize) filter() []string {
	return []string{"-vf", fmt.Sprintf("scale=%d:%d:flags=area+accurate_rnd+bitexact,format=gray", s.w, s.h), "-sws_flags", scaleFlags}
}

// thumbnails are the pictures of a video, shrunk to a few grey pixels.
type thumbnails struct {
	size thumbnailSize
	pix  []byte
}

func (p thumbnails) frames() int64 { return int64(len(p.pix) / p.size.bytes()) }

func (p thumbnails) frame(n int64) []byte {
	return p.pix[n*int64(p.size.bytes()):][:p.size.bytes()]
}

// half returns the left (0) or right (1) half of a frame.
func (p thumbnails) half(n int64, side int) []byte {
	picture, w := p.frame(n), p.size.w/2
	out := make([]byte, 0, len(picture)/2)
	for y := range p.size.h {
		out = append(out, picture[y*p.size.w+side*w:][:w]...)
	}
	return out
}

// thumbnailPart decodes a file of this package from end to end; any message of
// the decoder is an error. input is ownInput or exactInput.
func thumbnailPart(path string, input []string, size thumbnailSize, shown *thumbnails) ffmpegPart {
	return ffmpegPart{
		op:     "decode",
		inputs: [][]string{append(slices.Clone(input), "-i", "file:"+path)},
		output: func(first int) []string {
			args := append([]string{"-map", fmt.Sprintf("%d:v:0", first), "-fps_mode", "passthrough"}, size.filter()...)
			return append(args, "-f", "rawvideo")
		},
		read: func(r io.Reader) error {
			pix, err := io.ReadAll(r)
			if err == nil && len(pix)%size.bytes() != 0 {
				err = fmt.Errorf("%d bytes are no pictures of %dx%d", len(pix), size.w, size.h)
			}
			*shown = thumbnails{size, pix}
			return err
		},
		hide: []string{path},
	}
}

// distance returns the mean absolute difference of two shrunk pictures.
func distance(a, b []byte) float64 {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}
