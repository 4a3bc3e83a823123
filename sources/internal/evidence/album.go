package evidence

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/benchmark"
)

// Album keeps what is known of pictures that were taken: each is looked at and stored
// once, however many rows hold it.
type Album struct {
	scope   *pipeline.Scope
	license string
	rows    map[string]schemas.Media
	lost    map[pipeline.Digest]*pipeline.Rejection
}

// NewAlbum makes one of pictures under a licence.
func NewAlbum(scope *pipeline.Scope, license string) *Album {
	return &Album{scope, license, map[string]schemas.Media{}, map[pipeline.Digest]*pipeline.Rejection{}}
}

// AddBytes takes a picture that stands inside a row. It returns the picture's media id, or
// why it is none.
func (a *Album) AddBytes(ctx context.Context, data []byte) (id string, why *pipeline.Rejection, err error) {
	if len(data) == 0 {
		return "", pipeline.Reject(CodePicture, "there is no picture where one should be"), nil
	}
	d := pipeline.DigestOf(data)
	if m, known := a.rows[string(d)]; known {
		return m.MediaID, nil, nil
	}
	if why := a.lost[d]; why != nil {
		return "", why, nil
	}
	if why := a.check(d, data); why != nil {
		return "", why, nil
	}
	if _, err := a.scope.PutBlob(ctx, bytes.NewReader(data)); err != nil {
		return "", nil, err
	}
	return string(d), nil, nil
}

// AddBlob takes a picture that is in the store.
func (a *Album) AddBlob(ctx context.Context, d pipeline.Digest) (id string, why *pipeline.Rejection, err error) {
	if m, known := a.rows[string(d)]; known {
		return m.MediaID, nil, nil
	}
	if why := a.lost[d]; why != nil {
		return "", why, nil
	}
	r, err := a.scope.OpenBlob(ctx, d)
	if err != nil {
		return "", nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, still.DefaultLimits().Bytes+1))
	if err := errors.Join(err, r.Close()); err != nil {
		return "", nil, err
	}
	if why := a.check(d, data); why != nil {
		return "", why, nil
	}
	return string(d), nil, nil
}

// check decodes a picture to its last pixel, within limits: a header may tell of more
// than there is.
func (a *Album) check(d pipeline.Digest, data []byte) *pipeline.Rejection {
	_, facts, err := still.Decode(data, "", still.DefaultLimits())
	if err != nil {
		a.lost[d] = pipeline.Reject(codeOf(err), "%v; it should be a whole PNG, JPEG or WebP", err)
		return a.lost[d]
	}
	a.rows[string(d)] = schemas.Media{MediaID: string(d), Kind: "image", Mime: facts.Mime, Bytes: int64(len(data)), Width: int32(facts.Width), Height: int32(facts.Height), License: a.license}
	return nil
}

// codeOf tells pictures that would take excessive memory or time from others.
func codeOf(err error) string {
	var of *still.Error
	if errors.As(err, &of) {
		switch of.Code {
		case still.TooManyBytes, still.TooManyPixels, still.TooManyScans:
			return CodeExplodes
		}
	}
	return CodePicture
}

// Rows returns the rows of pictures that were taken.
func (a *Album) Rows(ids []string) (out []schemas.Media) {
	for _, id := range ids {
		if m, known := a.rows[id]; known {
			out = append(out, m)
		}
	}
	return out
}

// IndexPictures returns those of some needs, the best first, with the named ones among them taken
// out of their archives; empty names are passed over.
func IndexPictures(ctx context.Context, scope *pipeline.Scope, assets []pipeline.Asset, maxBytes int64, names []string, needs ...int) (*benchmark.Files, error) {
	files := benchmark.IndexPictures(assets, needs...)
	if err := files.AddArchives(ctx, scope, maxBytes, assets, needs...); err != nil {
		return nil, err
	}
	var stems []string
	for _, n := range names {
		if n != "" {
			stems = append(stems, files.Stem(n))
		}
	}
	return files, files.Extract(ctx, scope, stems)
}

// AddNamed takes the picture of a name among files.
func (a *Album) AddNamed(ctx context.Context, files *benchmark.Files, name string) (id string, why *pipeline.Rejection, err error) {
	blob, why := files.Blob(files.Stem(name))
	if why != nil {
		return "", why, nil
	}
	return a.AddBlob(ctx, blob)
}
