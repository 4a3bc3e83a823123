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
// kHz, stereo file of exactly one frame's samples per picture, or empty. A
// keyframe is set at each of Keys besides the regular ones.
type FrameSpec struct {
	Width, Height, FPS int32
	Audio              string
	Keys               []int64
}

// Profile is the default one at this size and rate.
func (s FrameSpec) Profile() Profile {
	p := DefaultProfile()
	p.Width, p.Height, p.FPS = s.Width, s.Height, s.FPS
	return p
}

// EncodeFrames encodes the pictures that next returns for 0, 1, 2, ... until
// it returns false, and returns the path of an MP4 under dir, with sound if
// there is any. It is EncodeNormalised as a film to play.
func (t *Tools) EncodeFrames(ctx context.Context, spec FrameSpec, next func(n int64) (*image.RGBA, bool, error), dir string, lim Limits) (string, error) {
	m, err := t.EncodeNormalised(ctx, spec, next, dir, lim)
	if err != nil {
		return "", err
	}
	return t.Play(ctx, m, spec.Profile(), dir, lim)
}

// Play copies the picture and, unless it is silence, the sound of a normalised video
// of a profile into one MP4 under dir and returns its path.
func (t *Tools) Play(ctx context.Context, m NormalisedVideo, p Profile, dir string, lim Limits) (string, error) {
	whole := Clip{Video: m.Video, To: m.Frames}
	if m.HasAudio {
		whole.Audio = m.Audio
	}
	out, err := t.Join(ctx, []Clip{whole}, p, dir, lim)
	return out.Path, err
}

// EncodeNormalised encodes the pictures that next returns for 0, 1, 2, ... until
// it returns false, straight into a normalised video of the default profile in the
// size and at the rate of spec. Each picture must be Width x Height; it may be
// drawn over after the next call. next runs on one goroutine and is not called
// again after an error.
func (t *Tools) EncodeNormalised(ctx context.Context, spec FrameSpec, next func(n int64) (*image.RGBA, bool, error), dir string, lim Limits) (NormalisedVideo, error) {
	p := spec.Profile()
	if err := p.Check(); err != nil {
		return NormalisedVideo{}, fmt.Errorf("encode frames: %w", err)
	}
	keys, err := extraKeys(spec.Keys, p)
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("encode frames: %w", err)
	}
	w, err := newWork(dir)
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("encode frames: %w", err)
	}
	defer w.remove()
	frames, err := t.encodeDrawn(ctx, spec, keys, next, w, lim)
	if err != nil {
		return NormalisedVideo{}, err
	}
	if err := checkDrawnSound(spec.Audio, frames, p); err != nil {
		return NormalisedVideo{}, fmt.Errorf("encode frames: %w", err)
	}
	c, err := readEncoded(w, "picture.mp4", frames, p, lim)
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("encode frames: %w", err)
	}
	m := NormalisedVideo{Frames: frames, KeyEvery: p.KeyEvery, HasAudio: spec.Audio != ""}
	if m.Keyframes, err = irregularKeys(c.picture.keys, keys, frames, p); err != nil {
		return NormalisedVideo{}, fmt.Errorf("encode frames: %w", err)
	}
	return publishNormalised(w, m, p)
}

// encodeDrawn writes picture.mp4 and, if there is sound, sound.aac, and returns
// how many pictures there were.
func (t *Tools) encodeDrawn(ctx context.Context, spec FrameSpec, keys []int64, next func(n int64) (*image.RGBA, bool, error), w workDir, lim Limits) (int64, error) {
	args, err := compile(func() *ff.Stream { return drawnGraph(spec, keys, w, lim) })
	if err != nil {
		return 0, fmt.Errorf("encode frames: %w", err)
	}
	pictures := &frameReader{ctx: ctx, spec: spec, next: next}
	c := command{op: "encode frames", args: args, stdin: pictures, timeout: lim.Timeout, hide: []string{w.dir, spec.Audio}}
	err = t.run(ctx, c)
	frames, drawErr := pictures.end()
	if drawErr != nil {
		return 0, fmt.Errorf("encode frames: %w", drawErr)
	}
	return frames, err
}

func drawnGraph(spec FrameSpec, keys []int64, w workDir, lim Limits) *ff.Stream {
	p := spec.Profile()
	input := ff.Input("pipe:0", ff.KwArgs{
		"f": "rawvideo", "pix_fmt": "rgba", "s": fmt.Sprintf("%dx%d", spec.Width, spec.Height), "r": fmt.Sprint(spec.FPS),
	})
	picture := input.Get("v:0").
		Filter("scale", nil, ff.KwArgs{"flags": scaleFlags, "out_color_matrix": "bt709", "out_range": "tv"}).
		Filter("format", ff.Args{"yuv420p"}).
		Filter("setsar", ff.Args{"1"})
	out := ff.Output([]*ff.Stream{picture}, "file:"+w.path("picture.mp4"), mp4Args(p), x264Args(p), forceKeys(keys, p), sizeLimit(lim))
	if spec.Audio == "" {
		return out
	}
	return ff.MergeOutputs(out, ff.Output([]*ff.Stream{ff.Input("file:"+spec.Audio, ff.KwArgs{"f": "s16le", "ar": fmt.Sprint(sampleRate), "ac": "2", "protocol_whitelist": "file,pipe"}).Get("a:0")}, "file:"+w.path("sound.aac"), adtsArgs(), sizeLimit(lim)))
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

// WriteTo implements io.WriterTo: whole pictures at a time, through a wide pipe
// where w is one.
func (f *frameReader) WriteTo(w io.Writer) (total int64, err error) {
	if pipe, ok := w.(*os.File); ok {
		widen(pipe)
	}
	for {
		picture, err := f.picture()
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		n, err := w.Write(picture)
		if total += int64(n); err != nil {
			return total, err
		}
	}
}

// picture draws the next one. It is not written under the lock: a program that
// reads no further must not hold up end.
func (f *frameReader) picture() ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = f.draw()
	}
	if f.err != nil {
		return nil, f.err
	}
	return f.rest, nil
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

func (f *frameReader) end() (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || errors.Is(f.err, io.EOF) {
		return f.n, nil
	}
	return f.n, f.err
}
