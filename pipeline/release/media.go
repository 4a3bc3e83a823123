package release

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

func (w *writer) writeMedia(ctx context.Context) error {
	for m := range w.content.media {
		place, err := mediaPath(m, w.kinds[m.Kind])
		if err != nil {
			return err
		}
		if err := copyMedia(ctx, w.store, m, w.path(place)); err != nil {
			return err
		}
		folder, name := path.Split(place)
		id := place[len(folder) : len(folder)+len(m.MediaID)] // no memory of its own
		w.files = append(w.files, manifest.FileInfo{Path: place, SHA256: pipeline.Digest(id), Size: m.Bytes})
		if err := w.set.Add(folderRows, extsort.AppendKey(nil, folder, name), append(row{folder}, rowOf(tableFiles, folderRow{name, m.MediaID})...)); err != nil {
			return err
		}
	}
	return w.writeFolderTables(ctx)
}

// folderRows has the rows of the tables beside media files, each behind its folder.
const folderRows = "beside-folders"

// writeFolderTables writes a table into each folder of media.
func (w *writer) writeFolderTables(ctx context.Context) error {
	var folder string
	var rows []row
	write := func() error {
		if len(rows) == 0 {
			return nil
		}
		t := tableOf(tableFiles)
		file, _, err := w.writeTable(t, folder+filesName, slices.Values(rows))
		if err != nil {
			return err
		}
		w.files = append(w.files, file)
		return w.readBack(ctx, t, []manifest.FileInfo{file}, slices.Values(rows))
	}
	for b, err := range w.set.Rows(folderRows) {
		if err != nil {
			return err
		}
		r := extsort.DecodeRow(b)
		if of := fmt.Sprint(r[0]); of != folder {
			if err := write(); err != nil {
				return err
			}
			folder, rows = of, nil
		}
		rows = append(rows, r[1:])
	}
	return errors.Join(write(), w.failed)
}

// filesName is the table beside media files that folder loaders look for.
const filesName = "metadata.parquet"

// copyMedia copies a medium out of the store and checks every byte of it. It
// copies and does not link: a release must not change with the store.
func copyMedia(ctx context.Context, store pipeline.Store, m schemas.Media, dest string) (err error) {
	defer nameMedium(m, &err)
	src, err := store.OpenBlob(ctx, pipeline.Digest(m.MediaID))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var got string
	var n int64
	err = writeFile(dest, func(w io.Writer) error {
		got, n, err = atomicfile.Copy(ctx, w, src)
		return err
	})
	switch {
	case err != nil:
		return err
	case got != m.MediaID:
		return &pipeline.CorruptError{Digest: pipeline.Digest(m.MediaID), Got: pipeline.Digest(got)}
	case n != m.Bytes:
		return fmt.Errorf("its record says %d bytes, the file has %d; the stage that made it must record the size", m.Bytes, n)
	}
	return nil
}

// nameMedium says which medium an error is about.
func nameMedium(m schemas.Media, err *error) {
	if *err != nil {
		*err = fmt.Errorf("media %s: %w", m.MediaID, *err)
	}
}

func readBlob(ctx context.Context, store pipeline.Store, m schemas.Media) (data []byte, err error) {
	defer nameMedium(m, &err)
	src, err := store.OpenBlob(ctx, pipeline.Digest(m.MediaID))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(io.LimitReader(src, maxPicture+1))
	return data, errors.Join(err, src.Close())
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
