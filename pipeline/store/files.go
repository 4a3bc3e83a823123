package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// CachedFile stores a local file as a blob. The file is not read when path,
// size, time and inode are those of an earlier call and the blob is there.
func (d *Disk) CachedFile(ctx context.Context, path string) (pipeline.Blob, error) {
	return encoding.CachedFile(ctx, path, encoding.FileCache{May: d.writable, Known: d.knownFile, Put: d.putFile, Remember: d.rememberFile})
}

// knownFile looks the file up among those stored before.
func (d *Disk) knownFile(ctx context.Context, path string, now encoding.FileStamp) (pipeline.Blob, bool, error) {
	var was encoding.FileStamp
	var raw []byte
	var inode int64
	err := d.query.file.QueryRowContext(ctx, path).Scan(&was.Size, &was.Mtime, &inode, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return pipeline.Blob{}, false, nil
	}
	if err != nil {
		return pipeline.Blob{}, false, dbErr("read database", err)
	}
	was.Inode = uint64(inode)
	if was != now || len(raw) != len(encoding.Sum{}) {
		return pipeline.Blob{}, false, nil
	}
	digest := pipeline.Digest(encoding.Sum(raw).Hex())
	ok, err := d.hasBlob(digest)
	return pipeline.Blob{Digest: digest, Size: now.Size}, ok && err == nil, err
}

func (d *Disk) rememberFile(ctx context.Context, path string, s encoding.FileStamp, digest pipeline.Digest) error {
	id, err := encoding.ParseSum(digest)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error {
		return d.write.run(d.write.putFile, path, s.Size, s.Mtime, int64(s.Inode), id[:])
	})
}
