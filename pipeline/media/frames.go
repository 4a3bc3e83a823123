package media

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"io"
	"time"
)

// frameTimeout bounds the operations that take no Limits.
const frameTimeout = 30 * time.Minute

// maxStill bounds the PNG bytes read back from one run.
const maxStill = 512 << 20

// FrameHashes returns the MD5 of each decoded picture, in order.
func (t *Tools) FrameHashes(ctx context.Context, path string) ([]string, error) {
	in, err := local(path)
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

// Frame decodes picture n, counted from 0, upright.
func (t *Tools) Frame(ctx context.Context, path string, n int64) (image.Image, error) {
	if n < 0 {
		return nil, fmt.Errorf("decode frame %d: frames count from 0", n)
	}
	pictures, err := t.pictures(ctx, path, fmt.Sprintf("trim=start_frame=%d:end_frame=%d", n, n+1), 1)
	if err != nil {
		return nil, fmt.Errorf("decode frame %d: %w", n, err)
	}
	if len(pictures) != 1 {
		return nil, fmt.Errorf("decode frame %d: the video is shorter", n)
	}
	return pictures[0], nil
}

// Samples decodes count pictures of a video of frames pictures, each from the
// middle of one of count equal parts. A video of fewer pictures gives each of
// them once.
func (t *Tools) Samples(ctx context.Context, path string, frames int64, count int) ([]image.Image, error) {
	if count < 1 || frames < 1 {
		return nil, fmt.Errorf("sample %d of %d frames: both must be at least 1", count, frames)
	}
	count = int(min(int64(count), frames))
	step := frames / int64(count)
	filter := fmt.Sprintf("trim=start_frame=%d,framestep=%d", step/2, step)
	pictures, err := t.pictures(ctx, path, filter, count)
	if err != nil {
		return nil, fmt.Errorf("sample frames: %w", err)
	}
	if len(pictures) != count {
		return nil, fmt.Errorf("sample frames: %d pictures came, want %d: the video is not %d frames long", len(pictures), count, frames)
	}
	return pictures, nil
}

// pictures decodes what a filter of numbers and fixed words lets through, at
// most count pictures.
func (t *Tools) pictures(ctx context.Context, path, filter string, count int) ([]image.Image, error) {
	in, err := local(path)
	if err != nil {
		return nil, err
	}
	args := append(globalArgs(), "-threads", "2")
	args = append(args, inputArgs(DefaultLimits())...)
	args = append(args, "-i", in, "-map", "0:V:0", "-vf", filter, "-frames:v", fmt.Sprint(count), "-fps_mode", "passthrough",
		"-sws_flags", scaleFlags, "-c:v", "png", "-compression_level", "1", "-pix_fmt", "rgb24", "-f", "image2pipe", "pipe:1")
	out := &head{max: maxStill}
	c := command{op: "decode", args: args, stdout: out, timeout: frameTimeout, hide: []string{in[len("file:"):]}}
	if err := t.run(ctx, c); err != nil {
		return nil, err
	}
	return decodePNGs(out.kept.Bytes())
}

func decodePNGs(b []byte) ([]image.Image, error) {
	var pictures []image.Image
	for r := bytes.NewReader(b); r.Len() > 0; {
		img, err := png.Decode(io.Reader(r))
		if err != nil {
			return nil, fmt.Errorf("read picture %d: %w", len(pictures), err)
		}
		pictures = append(pictures, img)
	}
	return pictures, nil
}
