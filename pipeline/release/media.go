package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/durable"
	"github.com/memforge/memforge/schemas"
)

// copyMedia copies a medium out of the store and checks every byte of it. It
// copies and does not link: a release must not change with the store.
func copyMedia(ctx context.Context, store pipeline.Store, m schemas.Media, dest string) (err error) {
	src, err := store.OpenBlob(ctx, pipeline.Digest(m.MediaID))
	if err != nil {
		return fmt.Errorf("media %s: %w", m.MediaID, err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var got string
	var n int64
	err = writeFile(dest, func(w io.Writer) error {
		got, n, err = durable.Copy(ctx, w, src)
		return err
	})
	if err != nil {
		return fmt.Errorf("media %s: %w", m.MediaID, err)
	}
	if got != m.MediaID {
		return fmt.Errorf("media %s: %w", m.MediaID, &pipeline.CorruptError{Digest: pipeline.Digest(m.MediaID), Got: pipeline.Digest(got)})
	}
	if n != m.Bytes {
		return fmt.Errorf("media %s: its record says %d bytes, the file has %d; the stage that made it must record the size", m.MediaID, m.Bytes, n)
	}
	return nil
}

func readBlob(ctx context.Context, store pipeline.Store, m schemas.Media) ([]byte, error) {
	src, err := store.OpenBlob(ctx, pipeline.Digest(m.MediaID))
	if err != nil {
		return nil, fmt.Errorf("media %s: %w", m.MediaID, err)
	}
	data, err := io.ReadAll(io.LimitReader(src, maxPicture+1))
	if err = errors.Join(err, src.Close()); err != nil {
		return nil, fmt.Errorf("media %s: %w", m.MediaID, err)
	}
	return data, nil
}

// writeFile writes a new file. syncTree makes it durable later, together with
// all others.
func writeFile(name string, fill func(io.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
		}
	}()
	out := &firstError{w: f}
	if err := fill(out); err != nil {
		return err
	}
	if out.err != nil {
		return out.err
	}
	return f.Close()
}

func writeBytes(name string, data []byte) error {
	return writeFile(name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
