package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"sync"

	ff "github.com/u2takey/ffmpeg-go"
)

// FrameSpec is the format of a video drawn by Go. Audio is a raw s16le, 48
// kHz, stereo file of exactly one frame's samples per picture, or empty.
type FrameSpec struct {
	Width, Height, FPS int32
	Audio              string
}

// EncodeFrames encodes the pictures that next returns for 0, 1, 2, ... until
// it returns false, and returns the path of an MP4 under dir. Each picture
// must be Width x Height; it may be drawn over after the next call. next runs
// on one goroutine and is not called again after an error.
func (t *Tools) EncodeFrames(ctx context.Context, spec FrameSpec, next func(n int64) (*image.RGBA, bool, error), dir string, lim Limits) (string, error) {
	p := DefaultProfile()
	p.Width, p.Height, p.FPS = spec.Width, spec.Height, spec.FPS
	if err := p.Check(); err != nil {
		return "", fmt.Errorf("encode frames: %w", err)
	}
	w, err := newWork(dir)
	if err != nil {
		return "", fmt.Errorf("encode frames: %w", err)
	}
	defer w.remove()
	args, err := compile(func() *ff.Stream { return drawnGraph(spec, p, w, lim) })
	if err != nil {
		return "", fmt.Errorf("encode frames: %w", err)
	}
	pictures := &frameReader{ctx: ctx, spec: spec, next: next}
	c := command{op: "encode frames", args: args, stdin: pictures, timeout: lim.Timeout, hide: []string{w.dir, spec.Audio}}
	err = t.run(ctx, c)
	frames, drawErr := pictures.end()
	if drawErr != nil {
		return "", fmt.Errorf("encode frames: %w", drawErr)
	}
	if err != nil {
		return "", err
	}
	if err := checkDrawnSound(spec.Audio, frames, p); err != nil {
		return "", fmt.Errorf("encode frames: %w", err)
	}
	out, err := finish(w, []string{"drawn.mp4"}, frames, spec.Audio != "", p, lim)
	if err != nil {
		return "", fmt.Errorf("encode frames: %w", err)
	}
	return out[0].Path, nil
}

func drawnGraph(spec FrameSpec, p Profile, w work, lim Limits) *ff.Stream {
	input := ff.Input("pipe:0", ff.KwArgs{
		"f": "rawvideo", "pix_fmt": "rgba", "s": fmt.Sprintf("%dx%d", spec.Width, spec.Height), "r": fmt.Sprint(spec.FPS),
	})
	picture := input.Get("v:0").
		Filter("scale", nil, ff.KwArgs{"flags": scaleFlags, "out_color_matrix": "bt709", "out_range": "tv"}).
		Filter("format", ff.Args{"yuv420p"}).
		Filter("setsar", ff.Args{"1"})
	streams, kw := []*ff.Stream{picture}, []ff.KwArgs{mp4Args(p), x264Args(p), sizeLimit(lim)}
	if spec.Audio != "" {
		streams, kw = append(streams, pcmInput(spec.Audio).Get("a:0")), append(kw, aacArgs())
	}
	return ff.Output(streams, "file:"+w.path("drawn.mp4"), kw...)
}

func checkDrawnSound(path string, frames int64, p Profile) error {
	if frames == 0 {
		return errors.New("no frame was drawn")
	}
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if want := frames * p.frameSamples() * sampleBytes; info.Size() != want {
		return fmt.Errorf("the sound has %d bytes, %d frames need %d", info.Size(), frames, want)
	}
	return nil
}

// frameReader is the byte stream of the pictures that next draws. The lock is
// for the case that ffmpeg dies and is given up while next still draws.
type frameReader struct {
	ctx  context.Context
	spec FrameSpec
	next func(n int64) (*image.RGBA, bool, error)

	mu   sync.Mutex
	n    int64
	rest []byte
	err  error
}

// Read implements io.Reader.
func (f *frameReader) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.rest) == 0 && f.err == nil {
		f.err = f.draw()
	}
	if len(f.rest) == 0 {
		return 0, f.err
	}
	n := copy(p, f.rest)
	f.rest = f.rest[n:]
	return n, nil
}

func (f *frameReader) draw() error {
	if err := f.ctx.Err(); err != nil {
		return err
	}
	img, ok, err := f.next(f.n)
	if err != nil {
		return fmt.Errorf("draw frame %d: %w", f.n, err)
	}
	if !ok {
		return io.EOF
	}
	if img == nil || img.Rect.Dx() != int(f.spec.Width) || img.Rect.Dy() != int(f.spec.Height) {
		return fmt.Errorf("draw frame %d: the picture is not %dx%d", f.n, f.spec.Width, f.spec.Height)
	}
	f.rest = packed(img)
	f.n++
	return nil
}

// packed returns the pixels row by row without gaps.
func packed(img *image.RGBA) []byte {
	row := img.Rect.Dx() * 4
	start := img.PixOffset(img.Rect.Min.X, img.Rect.Min.Y)
	if img.Stride == row {
		return img.Pix[start : start+row*img.Rect.Dy()]
	}
	out := make([]byte, 0, row*img.Rect.Dy())
	for y := range img.Rect.Dy() {
		out = append(out, img.Pix[start+y*img.Stride:][:row]...)
	}
	return out
}

// end returns how many pictures were drawn and what stopped the drawing.
func (f *frameReader) end() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || errors.Is(f.err, io.EOF) {
		return f.n, nil
	}
	return f.n, f.err
}
