package sharedstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
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

// place is a row of the index: a blob that is put again has another number.
type place struct {
	digest pipeline.Digest
	size   int64
	put    int64
}

// indexed looks a blob up in the index. What is not there is pipeline.ErrNoBlob.
func (s *Store) indexed(ctx context.Context, digest pipeline.Digest) (place, error) {
	at := place{digest: digest}
	id, err := encoding.ParseSum(digest)
	if err != nil {
		return at, err
	}
	err = postgres.Retry(ctx, func() error {
		return s.db.QueryRow(ctx, `SELECT size, put FROM blobs WHERE digest = $1`, id[:]).Scan(&at.size, &at.put)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return at, encoding.NoBlob(digest)
	}
	return at, err
}

// forget takes a blob out of the index, so that it is made again. Another that was put
// in its place meanwhile stays.
func (s *Store) forget(ctx context.Context, at place) error {
	if s.readOnly {
		return nil
	}
	id, err := encoding.ParseSum(at.digest)
	if err != nil {
		return err
	}
	return postgres.Retry(ctx, func() error {
		_, err := s.db.Exec(ctx, `DELETE FROM blobs WHERE digest = $1 AND put = $2`, id[:], at.put)
		return err
	})
}

// OpenBlob reads a blob, a large one past the cache. A blob that does not have its
// digest is a *pipeline.CorruptError, from here or from the last Read, and taken out of
// the index.
func (s *Store) OpenBlob(ctx context.Context, digest pipeline.Digest) (io.ReadCloser, error) {
	r, err := s.openBlob(ctx, digest)
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return r, nil
}

func (s *Store) openBlob(ctx context.Context, digest pipeline.Digest) (io.ReadCloser, error) {
	at, err := s.indexed(ctx, digest)
	if err != nil {
		return nil, err
	}
	if at.size >= s.direct {
		return s.stream(ctx, at)
	}
	path, err := s.cached(ctx, at)
	if err != nil {
		return nil, err
	}
	f, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	// It was sound when it was taken in: the copy is bad, not the blob.
	return encoding.ReadFile(ctx, digest, f, func() error { return missingIsFine(s.cache.drop(digest)) }), nil
}

func (s *Store) stream(ctx context.Context, at place) (io.ReadCloser, error) {
	bytes, err := s.bucket.Get(ctx, at.digest)
	if err != nil {
		return nil, s.forgetLost(ctx, at, err)
	}
	return encoding.VerifyingReader(ctx, at.digest, bytes, func() error { return s.forget(ctx, at) }), nil
}

// forgetLost says why an object cannot be read. One that is gone is taken out of the index.
func (s *Store) forgetLost(ctx context.Context, at place, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return encoding.JoinIf(encoding.NoBlob(at.digest), s.forget(ctx, at))
	}
	return err
}

// BlobPath returns a read-only file of the cache with the blob's bytes. It stays for
// an hour after the last call, and as long as it is open.
func (s *Store) BlobPath(ctx context.Context, digest pipeline.Digest) (string, error) {
	at, err := s.indexed(ctx, digest)
	if err == nil {
		var path string
		if path, err = s.cached(ctx, at); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("blob path: %w", err)
}

// attempts is how often wrong bytes are asked for again: the way from the bucket may
// have changed them.
const attempts = 3

// cached brings a blob into the cache, whole and verified.
func (s *Store) cached(ctx context.Context, at place) (string, error) {
	return s.cache.get(ctx, at.digest, func(f *os.File) error {
		return s.copyVerified(ctx, at, f, func() error {
			_, err := f.Seek(0, io.SeekStart)
			return errors.Join(err, f.Truncate(0))
		})
	})
}

// copyVerified reads a blob whole. empty is called before what was written to w is written
// again. A blob that is gone or damaged is taken out of the index.
func (s *Store) copyVerified(ctx context.Context, at place, w io.Writer, empty func() error) error {
	for n := 1; ; n++ {
		got, err := s.fetch(ctx, at, w)
		if err != nil {
			return s.forgetLost(ctx, at, err)
		}
		if got == at.digest {
			return nil
		}
		if n == attempts {
			return encoding.JoinIf(&pipeline.CorruptError{Digest: at.digest, Got: got}, s.forget(ctx, at))
		}
		if err := empty(); err != nil {
			return err
		}
	}
}

func (s *Store) fetch(ctx context.Context, at place, w io.Writer) (pipeline.Digest, error) {
	r, err := s.bucket.Get(ctx, at.digest)
	if err != nil {
		return "", err
	}
	b, err := encoding.CopyHashed(ctx, w, r)
	return b.Digest, errors.Join(err, r.Close())
}

// MissingBlobs reports which of the digests are not in the index, in one query.
func (s *Store) MissingBlobs(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Digest, error) {
	missing, err := s.absent(ctx, "blobs", ds)
	if err != nil {
		return nil, fmt.Errorf("missing blobs: %w", err)
	}
	return missing, nil
}

// absent reports which digests a table lacks, in order. The others are in use from now
// on, so that no garbage collection takes them while this writer writes.
func (s *Store) absent(ctx context.Context, table string, ds []pipeline.Digest) (missing []pipeline.Digest, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(ds) == 0 {
		return nil, nil
	}
	sums, err := encoding.ParseSums(ds)
	if err != nil {
		return nil, err
	}
	err = postgres.Retry(ctx, func() error {
		gone, old, err := s.lookFor(ctx, table, sums)
		if err == nil && len(old) > 0 {
			if err = s.touch(ctx, table, "digest", old); err == nil {
				gone, _, err = s.lookFor(ctx, table, sums)
			}
		}
		missing = nil
		for _, n := range gone {
			missing = append(missing, ds[n])
		}
		return err
	})
	return missing, err
}

// lookFor returns the places of the sums that a table lacks, and those that are in it and
// of an earlier era.
func (s *Store) lookFor(ctx context.Context, table string, sums []encoding.Sum) (gone []int, old [][]byte, err error) {
	rows, err := s.db.Query(ctx, `SELECT n, t.digest IS NULL FROM unnest($1::bytea[]) WITH ORDINALITY AS asked(digest, n)
		LEFT JOIN `+table+` AS t ON t.digest = asked.digest WHERE t.digest IS NULL OR t.era < $2 ORDER BY n`, raw(sums), s.era())
	if err != nil {
		return nil, nil, err
	}
	var n int
	var lacks bool
	_, err = pgx.ForEachRow(rows, []any{&n, &lacks}, func() error {
		if lacks {
			gone = append(gone, n-1)
		} else {
			old = append(old, sums[n-1][:])
		}
		return nil
	})
	return gone, old, err
}

// touch brings rows into the era of this writer. Rows that are gone by then stay so: who
// needs them looks once more. They are locked in order, as all who write lock them.
func (s *Store) touch(ctx context.Context, table, column string, ids [][]byte) error {
	_, err := s.db.Exec(ctx, `WITH used AS (SELECT `+column+` AS id FROM `+table+` WHERE `+column+` = ANY($1) AND era < $2 ORDER BY 1 FOR NO KEY UPDATE)
		UPDATE `+table+` AS t SET era = $2 FROM used WHERE t.`+column+` = used.id`, ids, s.era())
	return err
}

func raw(sums []encoding.Sum) [][]byte {
	all := make([][]byte, len(sums))
	for i := range sums {
		all[i] = sums[i][:]
	}
	return all
}

// QuarantineCorrupt reads every blob of the index, and takes those that are damaged or
// gone out of it. It returns them.
func (s *Store) QuarantineCorrupt(ctx context.Context) (bad []pipeline.Digest, err error) {
	if err := s.writable(); err != nil {
		return nil, fmt.Errorf("set damaged blobs aside: %w", err)
	}
	var report encoding.CheckReport
	if err := s.checkBlobs(ctx, &report); err != nil {
		return report.Corrupt, fmt.Errorf("look for damaged blobs: %w", err)
	}
	return report.Corrupt, nil
}

func (s *Store) eachBlob(ctx context.Context, visit func(place) error) error {
	for after := []byte{}; ; {
		page, err := s.page(ctx, after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, at := range page {
			if err := visit(at); err != nil {
				return err
			}
		}
		last, err := encoding.ParseSum(page[len(page)-1].digest)
		if err != nil {
			return err
		}
		after = last[:]
	}
}

// page reads a part of the index, in the order of digests.
func (s *Store) page(ctx context.Context, after []byte) (page []place, err error) {
	err = postgres.Retry(ctx, func() error {
		page = nil
		rows, err := s.db.Query(ctx, `SELECT digest, size, put FROM blobs WHERE digest > $1 ORDER BY digest LIMIT $2`, after, asked)
		if err != nil {
			return err
		}
		var id []byte
		var at place
		_, err = pgx.ForEachRow(rows, []any{&id, &at.size, &at.put}, func() error {
			at.digest = pipeline.Digest(encoding.Sum(id).Hex())
			page = append(page, at)
			return nil
		})
		return err
	})
	return page, err
}
