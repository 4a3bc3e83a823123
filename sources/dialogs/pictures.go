package dialogs

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/schemas"
)

// album finds pictures by the paths that dialogues name.
type album struct {
	byPath map[string]pipeline.Asset
	given  map[string]bool
	// seen are pictures that were looked at, by their blobs.
	seen map[pipeline.Digest]schemas.Media
}

func newAlbum(assets []pipeline.Asset) *album {
	a := &album{byPath: map[string]pipeline.Asset{}, given: map[string]bool{}, seen: map[pipeline.Digest]schemas.Media{}}
	for _, f := range assets {
		if f.Need == needPictures {
			a.byPath[f.Path] = f
		}
	}
	return a
}

// stem returns the base name of a path without its extension.
func stem(p string) string { return strings.TrimSuffix(path.Base(p), path.Ext(p)) }

// find looks where upstream's loader does, but never by base name alone: that could
// be another task's picture. dir is the folder of the dialogue.
func (a *album) find(ctx context.Context, scope *pipeline.Scope, dir string, p picture) (schemas.Media, *pipeline.Rejection, error) {
	for _, at := range candidatePaths(dir, p.path) {
		f, there := a.byPath[at]
		if !there {
			continue
		}
		if f.Problem != nil {
			return schemas.Media{}, f.Problem, nil
		}
		return a.readPicture(ctx, scope, f)
	}
	return schemas.Media{}, pipeline.Reject(codePicture, "no picture lies at %q; put it there, relative to the folder of the dialogue", p.path), nil
}

// candidatePaths returns the paths below the root that a written path may mean, the likeliest
// first. None leads out of the root.
func candidatePaths(dir, written string) (out []string) {
	written = strings.ReplaceAll(written, `\`, "/")
	bare := written
	for _, prefix := range []string{"../image/", "./image/", "image/", "data/image/"} {
		bare = strings.TrimPrefix(bare, prefix)
	}
	for _, p := range []string{path.Join(dir, written), path.Join(path.Dir(dir), written), path.Join(path.Dir(dir), "image", bare), path.Join(dir, "image", bare), path.Join("image", bare), bare} {
		if p = path.Clean(p); p != ".." && !strings.HasPrefix(p, "../") && !path.IsAbs(p) && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// readPicture returns the record of a picture, or why it cannot be used.
func (a *album) readPicture(ctx context.Context, scope *pipeline.Scope, f pipeline.Asset) (schemas.Media, *pipeline.Rejection, error) {
	if m, known := a.seen[f.Blob]; known {
		return m, nil, nil
	}
	file, err := scope.BlobPath(ctx, f.Blob)
	if err != nil {
		return schemas.Media{}, nil, err
	}
	is, err := decodeWhole(file, mimeOf(f.Path))
	var bad *still.Error
	switch {
	case errors.As(err, &bad):
		return schemas.Media{}, pipeline.Reject(codeOf(bad.Code), "%s: %v; give it as a whole PNG, JPEG or WebP of one picture, with the ending of what it is", f.Path, err), nil
	case err != nil:
		return schemas.Media{}, nil, err
	}
	m := schemas.Media{MediaID: string(f.Blob), Kind: "image", Mime: is.Mime, Bytes: f.Size, Width: int32(is.Width), Height: int32(is.Height)}
	a.seen[f.Blob] = m
	return m, nil, nil
}

// codeOf returns the code of a picture that is refused: no-picture, picture-truncated,
// picture-animated and so on.
func codeOf(c still.Code) string {
	if c == still.NoPicture {
		return codeNoPicture
	}
	return "picture-" + strings.ReplaceAll(string(c), "_", "-")
}

func mimeOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".png":
		return "image/png"
	case ".webp":
		return "image/webp"
	}
	return "image/jpeg"
}

// decodeWhole decodes a picture to its last pixel: a header may tell of more than there is.
func decodeWhole(name, mime string) (still.Facts, error) {
	file, err := os.Open(name)
	if err != nil {
		return still.Facts{}, err
	}
	defer file.Close()
	limits := still.DefaultLimits()
	data, err := io.ReadAll(io.LimitReader(file, limits.Bytes+1))
	if err != nil {
		return still.Facts{}, err
	}
	_, f, err := still.Decode(data, mime, limits)
	return f, err
}
