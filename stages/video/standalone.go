package video

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// standaloneFiles returns a mezzanine's files for tools that read them from the first
// frame: a clip's are cut out of its longer mezzanine, by copy.
func standaloneFiles(ctx context.Context, scope *pipeline.Scope, tools *media.Tools, m *schemas.NormalisedVideo) (media.NormalisedVideo, error) {
	files, err := localFiles(ctx, scope, m)
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
		return files, rejectUnplayable("cut", "clip", err)
	}
	files.Audio, err = media.JoinSound([]media.SoundPiece{{Path: files.Audio, From: clip.From, To: clip.To}}, m.FPS, dir)
	if err != nil {
		return files, fmt.Errorf("cut mezzanine audio: %w", err)
	}
	files.Video = out.Path
	return files, nil
}
