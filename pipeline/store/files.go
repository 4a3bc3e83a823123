package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// racy is how old a file must be before its size, time and inode are taken as
// proof that it did not change: within this span a second write may leave the
// same time stamp.
const racy = 2 * time.Second

// CachedFile stores a local file as a blob. The file is not read when path,
// size, time and inode are those of an earlier call and the blob is there.
func (d *Disk) CachedFile(ctx context.Context, path string) (pipeline.Blob, error) {
	return cachedFile(ctx, d, path)
}

// readings are what a store remembers of local files.
type readings interface {
	writable() error
	knownFile(ctx context.Context, path string, now stamp) (pipeline.Blob, bool, error)
	putFile(ctx context.Context, path string, move bool) (pipeline.Blob, error)
	rememberFile(ctx context.Context, path string, s stamp, digest pipeline.Digest) error
}

// cachedFile is CachedFile of any kind of store.
func cachedFile(ctx context.Context, d readings, path string) (pipeline.Blob, error) {
	b, err := storeFile(ctx, d, path)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("store local file %s: %w", path, err)
	}
	return b, nil
}

func storeFile(ctx context.Context, d readings, path string) (pipeline.Blob, error) {
	if err := d.writable(); err != nil {
		return pipeline.Blob{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	began := time.Now()
	before, err := os.Stat(abs)
	if err != nil {
		return pipeline.Blob{}, err
	}
	known, ok, err := d.knownFile(ctx, abs, stampOf(before))
	if err != nil || ok {
		return known, err
	}
	b, err := d.putFile(ctx, abs, false)
	if err != nil {
		return pipeline.Blob{}, err
	}
	after, err := os.Stat(abs)
	if err != nil {
		return pipeline.Blob{}, err
	}
	if stampOf(before) != stampOf(after) || b.Size != before.Size() {
		return pipeline.Blob{}, errors.New("the file changed while it was read; let its writer finish and try again")
	}
	if before.ModTime().After(began.Add(-racy)) {
		return b, nil
	}
	return b, d.rememberFile(ctx, abs, stampOf(before), b.Digest)
}

// knownFile looks the file up among those stored before.
func (d *Disk) knownFile(ctx context.Context, path string, now stamp) (pipeline.Blob, bool, error) {
	var was stamp
	var raw []byte
	var inode int64
	err := d.query.file.QueryRowContext(ctx, path).Scan(&was.size, &was.mtime, &inode, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return pipeline.Blob{}, false, nil
	}
	if err != nil {
		return pipeline.Blob{}, false, dbErr("read database", err)
	}
	was.inode = uint64(inode)
	if was != now || len(raw) != len(sum{}) {
		return pipeline.Blob{}, false, nil
	}
	digest := pipeline.Digest(sum(raw).hex())
	ok, err := d.hasBlob(digest)
	return pipeline.Blob{Digest: digest, Size: now.size}, ok && err == nil, err
}

func (d *Disk) rememberFile(ctx context.Context, path string, s stamp, digest pipeline.Digest) error {
	id, err := parseSum(digest)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error {
		return d.write.run(d.write.putFile, path, s.size, s.mtime, int64(s.inode), id[:])
	})
}
