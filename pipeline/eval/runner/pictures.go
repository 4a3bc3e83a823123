package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
)

// Pictures that are taken of a span of a video, and of a whole one, as gates take them.
const (
	spanFrames  = 8
	wholeFrames = 32
)

// Pictures gives the media of a release and pictures taken of its videos. It is safe for
// concurrent use.
type Pictures struct {
	files map[pipeline.Digest]string
	video map[string]bool
	temp  string
	tools *media.Tools

	mu    sync.Mutex
	store pipeline.Store // opened when it is needed
	done  func() error
	taken map[view.Picture][]pipeline.Digest
}

// NewPictures returns those of a release. Temp is the folder for what is taken of videos;
// empty means the system's.
func NewPictures(c release.Contents, temp string) *Pictures {
	p := &Pictures{files: c.MediaFiles(), video: map[string]bool{}, temp: temp, tools: media.Lazy(), taken: map[view.Picture][]pipeline.Digest{}}
	for _, m := range c.Media {
		p.video[m.MediaID] = m.Kind == "video"
	}
	return p
}

// open returns the store of all pictures.
func (p *Pictures) open(ctx context.Context) (pipeline.Store, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.openLocked(ctx)
}

func (p *Pictures) openLocked(ctx context.Context) (s pipeline.Store, err error) {
	if p.store == nil {
		p.store, p.done, err = store.OpenScratch(context.WithoutCancel(ctx), p.temp, p.files)
	}
	return p.store, err
}

// Close removes what was taken.
func (p *Pictures) Close() error {
	if p.done == nil {
		return nil
	}
	return p.done()
}

// take returns an image itself, or pictures evenly taken of a span of a video.
func (p *Pictures) take(ctx context.Context, of view.Picture) ([]pipeline.Digest, error) {
	if !p.video[of.Media] {
		return []pipeline.Digest{pipeline.Digest(of.Media)}, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if known, ok := p.taken[of]; ok {
		return known, nil
	}
	s, err := p.openLocked(ctx)
	if err != nil {
		return nil, err
	}
	shot, err := p.tools.PicturesBetween(ctx, p.files[pipeline.Digest(of.Media)], of.From, of.To, of.Frames)
	if err != nil {
		return nil, fmt.Errorf("medium %s: %w", of.Media, err)
	}
	var out []pipeline.Digest
	for _, img := range shot {
		data, err := media.JPEG(img)
		if err != nil {
			return nil, err
		}
		blob, err := s.PutBlob(ctx, bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("keep a picture of a video: %w", err)
		}
		out = append(out, blob.Digest)
	}
	p.taken[of] = out
	return out, nil
}

// path returns the file of a medium of the release, or of a picture that was taken.
func (p *Pictures) path(ctx context.Context, id string) (string, error) {
	if file, ok := p.files[pipeline.Digest(id)]; ok {
		return file, nil
	}
	s, err := p.open(ctx)
	if err != nil {
		return "", err
	}
	file, err := s.BlobPath(ctx, pipeline.Digest(id))
	if errors.Is(err, pipeline.ErrNoBlob) {
		return "", fmt.Errorf("the release has no medium %s", id)
	}
	return file, err
}
