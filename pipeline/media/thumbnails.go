package media

import (
	"fmt"
	"io"
	"slices"
)

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

// half is the left (0) or right (1) half of a frame.
func (p thumbnails) half(n int64, side int) []byte {
	picture, w := p.frame(n), p.size.w/2
	out := make([]byte, 0, len(picture)/2)
	for y := range p.size.h {
		out = append(out, picture[y*p.size.w+side*w:][:w]...)
	}
	return out
}

// thumbnailPart decodes a file of this package from end to end; any message of the
// decoder is an error. input is ownInput or exactInput.
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

// distance is the mean absolute difference of two shrunk pictures.
func distance(a, b []byte) float64 {
	sum := 0
	for i := range a {
		sum += max(int(a[i])-int(b[i]), int(b[i])-int(a[i]))
	}
	return float64(sum) / float64(len(a))
}
