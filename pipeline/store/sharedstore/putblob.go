package sharedstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// PutBlob stores the bytes of r. They are in the bucket and in the index of the
// database when it returns.
func (s *Store) PutBlob(ctx context.Context, r io.Reader) (pipeline.Blob, error) {
	b, err := s.putBlob(ctx, r)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put blob: %w", err)
	}
	return b, nil
}

func (s *Store) putBlob(ctx context.Context, r io.Reader) (pipeline.Blob, error) {
	if err := s.writable(); err != nil {
		return pipeline.Blob{}, err
	}
	tmp, err := os.CreateTemp(s.cache.scratch, "blob-")
	if err != nil {
		return pipeline.Blob{}, err
	}
	b, err := encoding.CopyHashed(ctx, tmp, r)
	if err == nil {
		err = s.publish(ctx, tmp, b)
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		_ = os.Remove(tmp.Name()) // the error says more
		return pipeline.Blob{}, err
	}
	return b, nil
}

// PutFile stores the file at path. With move the file is gone afterwards: it is
// renamed into the cache when it lies on the same file system, else copied and removed.
func (s *Store) PutFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	b, err := s.putFile(ctx, path, move)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put file %s: %w", path, err)
	}
	return b, nil
}

func (s *Store) putFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	if err := s.writable(); err != nil {
		return pipeline.Blob{}, err
	}
	return encoding.PutFile(ctx, path, move, s.cache.dir, s.adopt, s.putBlob)
}

// adopt puts an open file and renames it into the cache. It closes the file.
func (s *Store) adopt(ctx context.Context, f *os.File) (pipeline.Blob, error) {
	b, err := encoding.HashStable(ctx, f)
	if err == nil {
		err = s.publish(ctx, f, b)
	}
	return b, errors.Join(err, f.Close())
}

// publish makes a whole file a blob: first the object, then its place in the index,
// which is what makes it be there. Then it moves into the cache.
func (s *Store) publish(ctx context.Context, f *os.File, b pipeline.Blob) error {
	unlock, err := s.cache.asked.Lock(ctx, b.Digest)
	if err != nil {
		return err
	}
	defer unlock()
	missing, err := s.absent(ctx, "blobs", []pipeline.Digest{b.Digest})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := s.upload(ctx, f, b); err != nil {
			return err
		}
	}
	if err := s.cache.adopt(f.Name(), b.Digest); err != nil {
		return err
	}
	return s.cache.shrinkIfFull()
}

// upload writes the object of a blob that is not in the index. If it is about to be
// removed, that is called off first, or has been done.
func (s *Store) upload(ctx context.Context, f *os.File, b pipeline.Blob) error {
	id, err := encoding.ParseSum(b.Digest)
	if err != nil {
		return err
	}
	err = postgres.Retry(ctx, func() error {
		_, err := s.db.Exec(ctx, `DELETE FROM dying WHERE digest = $1`, id[:])
		return err
	})
	if err != nil {
		return err
	}
	if err := s.bucket.Put(ctx, b.Digest, f); err != nil {
		return err
	}
	return postgres.Retry(ctx, func() error {
		_, err := s.db.Exec(ctx, `INSERT INTO blobs (digest, era, size) VALUES ($1, $2, $3)
			ON CONFLICT (digest) DO UPDATE SET era = greatest(blobs.era, excluded.era)`, id[:], s.era(), b.Size)
		return err
	})
}
