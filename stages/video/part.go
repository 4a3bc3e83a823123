package video

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// pcmRate is the sample rate of every mezzanine, pcmBytes the size of one
// sample of its two channels.
const (
	pcmRate  = 48000
	pcmBytes = 4
)

// sound reads the samples of a mezzanine's frames.
func sound(ctx context.Context, scope *pipeline.Scope, m *schemas.Mezzanine) (io.ReadCloser, error) {
	if m.Of == 0 {
		r, err := scope.OpenBlob(ctx, pipeline.Digest(m.Audio))
		if err != nil {
			return nil, fmt.Errorf("mezzanine audio: %w", err)
		}
		return r, nil
	}
	path, err := scope.BlobPath(ctx, pipeline.Digest(m.Audio))
	if err != nil {
		return nil, fmt.Errorf("mezzanine audio: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("mezzanine audio: %w", err)
	}
	frame := int64(pcmRate/m.FPS) * pcmBytes
	part := io.NewSectionReader(f, m.From*frame, m.Frames*frame)
	return struct {
		io.Reader
		io.Closer
	}{part, f}, nil
}

// apart returns a mezzanine's files for tools that read them from the first
// frame: a clip's are cut out of its longer mezzanine, by copy.
func apart(ctx context.Context, scope *pipeline.Scope, tools *media.Tools, m *schemas.Mezzanine) (media.Mezzanine, error) {
	files, err := local(ctx, scope, m)
	if err != nil || m.Of == 0 {
		return files, err
	}
	dir, err := scope.TempDir()
	if err != nil {
		return files, err
	}
	clip := media.Clip{Video: files.Video, From: m.From, To: m.From + m.Frames}
	out, err := tools.Join(ctx, []media.Clip{clip}, joinProfile(m), dir, media.DefaultLimits())
	if err != nil {
		return files, refused("cut", "clip", err)
	}
	files.Video, files.Audio = out.Path, filepath.Join(dir, filepath.Base(out.Path)+".pcm")
	return files, saveSound(ctx, scope, m, files.Audio)
}

func saveSound(ctx context.Context, scope *pipeline.Scope, m *schemas.Mezzanine, path string) (err error) {
	part, err := sound(ctx, scope, m)
	if err != nil {
		return err
	}
	defer part.Close()
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("cut mezzanine audio: %w", err)
	}
	if _, err = io.Copy(f, part); err != nil {
		err = fmt.Errorf("cut mezzanine audio: %w", err)
	}
	return errors.Join(err, f.Close())
}
