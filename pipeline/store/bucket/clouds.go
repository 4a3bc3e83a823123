//go:build clouds

package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"gocloud.dev/blob"
	// Each driver registers the scheme of its URLs.
	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

// cloudObjects are what a cloud keeps.
type cloudObjects struct{ bucket *blob.Bucket }

func openCloud(ctx context.Context, url string) (objects, error) {
	b, err := blob.OpenBucket(ctx, url)
	if err != nil {
		return nil, err
	}
	return cloudObjects{b}, nil
}

// put uploads in parts where the cloud takes them; a part that fails is sent again.
func (o cloudObjects) put(ctx context.Context, name, contentType string, r io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := o.bucket.NewWriter(ctx, name, &blob.WriterOptions{ContentType: contentType, DisableContentTypeDetection: true})
	if err != nil {
		return classify(err)
	}
	if _, err := io.Copy(w, r); err != nil {
		cancel() // else Close would keep the half
		return classify(errors.Join(err, w.Close()))
	}
	return classify(w.Close())
}

func (o cloudObjects) create(ctx context.Context, name string, data []byte) error {
	err := o.bucket.WriteAll(ctx, name, data, &blob.WriterOptions{ContentType: "application/json", IfNotExist: true})
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return fmt.Errorf("%w: %w", fs.ErrExist, err)
	}
	return classify(err)
}

func (o cloudObjects) list(ctx context.Context, prefix string, deep bool) (out []Object, err error) {
	options := &blob.ListOptions{Prefix: prefix}
	if !deep {
		options.Delimiter = "/"
	}
	for i := o.bucket.List(options); ; {
		at, err := i.Next(ctx)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, classify(err)
		case !at.IsDir:
			out = append(out, Object{Name: at.Key, Size: at.Size, MD5: at.MD5})
		}
	}
}

func (o cloudObjects) open(ctx context.Context, name string, offset, length int64) (piece, error) {
	r, err := o.bucket.NewRangeReader(ctx, name, offset, length, nil)
	if err != nil {
		return nil, classify(err)
	}
	return cloudPiece{r}, nil
}

func (o cloudObjects) remove(ctx context.Context, name string) error {
	return classify(o.bucket.Delete(ctx, name))
}

func (o cloudObjects) close() error { return o.bucket.Close() }

type cloudPiece struct{ *blob.Reader }

func (p cloudPiece) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	return n, classify(err)
}

// classify tells apart what is absent, what trying again may heal, and what it may not.
func classify(err error) error {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound:
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	case gcerrors.PermissionDenied, gcerrors.InvalidArgument, gcerrors.Unimplemented, gcerrors.Canceled:
		return permanentError{err}
	}
	return err
}
