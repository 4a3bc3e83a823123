package release

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// DefaultShard is how many uncompressed bytes a file of a table has by default,
// about; a longer table has several.
const DefaultShard = 256 << 20

// shardCursor iterates over the rows of one shard after the other.
type shardCursor struct {
	cursor
	more  bool
	shard int64 // bytes of a shard
}

// rows yields the rows of the next shard: at least one if there is one.
func (s *shardCursor) rows(t table) iter.Seq[row] {
	return func(yield func(row) bool) {
		size := cellBytes(s.row)
		for n := 0; s.more && (n == 0 || size <= s.shard && n < maxTableRows); n++ {
			if !yield(s.row) {
				return
			}
			s.more = s.advance(t)
			size += cellBytes(s.row)
		}
	}
}

// writeSplit writes the rows of one split of a table, reads the files back with the
// second implementation and compares every value.
func (w *writer) writeSplit(ctx context.Context, t table, split string, rows iter.Seq[row]) ([]manifest.SplitInfo, error) {
	next, stop := iter.Pull(rows)
	defer stop()
	s := &shardCursor{cursor: cursor{next: next}, shard: w.shard}
	s.more = s.advance(t)
	var shards []manifest.SplitInfo
	var files []manifest.FileInfo
	for len(shards) == 0 || s.more {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Nobody knows yet how many there are.
		file, n, err := w.writeTable(t, manifest.ShardPath(t.name, split, len(shards), 0), s.rows(t))
		if err != nil {
			return nil, err
		}
		files, shards = append(files, file), append(shards, manifest.SplitInfo{Split: split, Rows: n})
	}
	for i := range files {
		place := manifest.ShardPath(t.name, split, i, len(files))
		if err := os.Rename(w.path(files[i].Path), w.path(place)); err != nil {
			return nil, err
		}
		files[i].Path, shards[i].Path = place, place
	}
	w.files = append(w.files, files...)
	return shards, w.readBack(ctx, t, files, rows)
}

// writeTable writes rows as one file and returns their number.
func (w *writer) writeTable(t table, place string, rows iter.Seq[row]) (manifest.FileInfo, int64, error) {
	sum, n, size := sha256.New(), int64(0), &counter{}
	err := writeFile(w.path(place), func(out io.Writer) error {
		return encodeTable(io.MultiWriter(out, sum, size), t, func(yield func(row) bool) {
			for r := range rows {
				if n++; !yield(r) {
					return
				}
			}
		})
	})
	if err == nil {
		err = w.failed
	}
	return manifest.FileInfo{Path: place, SHA256: pipeline.DigestOfSum([sha256.Size]byte(sum.Sum(nil))), Size: size.n}, n, err
}

type counter struct{ n int64 }

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}

// readBack compares the bytes on disk with those written, and the rows that the second
// implementation reads from them with those given, one row group at a time.
func (w *writer) readBack(ctx context.Context, t table, files []manifest.FileInfo, rows iter.Seq[row]) error {
	next, stop := iter.Pull(rows)
	defer stop()
	n := 0
	for _, f := range files {
		if got, _, err := digestFile(ctx, w.path(f.Path)); err != nil || got != f.SHA256 {
			return errors.Join(err, fmt.Errorf("table %s: the disk gives back other bytes than were written; check the disk", t.name))
		}
		for g, err := range readPart(w.temp, f.Path, t) {
			if err != nil {
				return fmt.Errorf("read back %s: %w", f.Path, err)
			}
			for _, got := range g.rows {
				want, _ := next()
				if err := compareRow(t, n, want, got); err != nil {
					return err
				}
				n++
			}
		}
	}
	if _, more := next(); more {
		return fmt.Errorf("table %s: wrote more than %d rows, the second reader finds no more", t.name, n)
	}
	return w.failed
}

// compareRow reports the first difference between a row written and the one read back;
// want is nil where none was written.
func compareRow(t table, n int, want, got row) error {
	if want == nil {
		return fmt.Errorf("table %s: wrote %d rows, the second reader finds more", t.name, n)
	}
	for j, c := range t.columns {
		if !rowschema.EqualCells(want[j], got[j]) {
			return fmt.Errorf("table %s, row %d, column %s: wrote %.80s, the second reader finds %.80s", t.name, n, c.Name, fmt.Sprint(want[j]), fmt.Sprint(got[j]))
		}
	}
	return nil
}

func (w *writer) writeMedia(ctx context.Context) error {
	for m := range w.content.media {
		if w.references(m) {
			continue
		}
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

// folderRows names the rows of the tables beside media files, each behind its folder.
const folderRows = "beside-folders"

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

// filesName is the table beside media files that folder loaders read.
const filesName = "metadata.parquet"

// copyMedia copies a medium out of the store and checks every byte of it. It does not
// link: a release must not change with the store.
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

// writeFile writes a new file; SyncTree makes it durable later, together with all
// others.
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
