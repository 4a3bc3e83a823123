package sharedstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// SaveBuild appends to the build history; b.Seq is ignored. The units blobs of its
// nodes must have been put before.
func (s *Store) SaveBuild(ctx context.Context, b pipeline.Build) error {
	if err := s.saveBuild(ctx, b); err != nil {
		return fmt.Errorf("save build: %w", err)
	}
	return nil
}

// saveBuild gives the row a name, so that it is there once however often it is tried.
func (s *Store) saveBuild(ctx context.Context, b pipeline.Build) error {
	if err := s.writable(); err != nil {
		return err
	}
	body, err := encoding.EncodeBuild(ctx, s.MissingBlobs, b)
	if err != nil {
		return err
	}
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return err
	}
	return postgres.Retry(ctx, func() error {
		return pgx.BeginFunc(ctx, s.db, func(tx pgx.Tx) error {
			if err := s.writer.holds(ctx, tx); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, `INSERT INTO builds (name, body) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`, name[:], body)
			return err
		})
	})
}

// Builds returns at most limit builds, the newest first; all when limit is 0 or less.
func (s *Store) Builds(ctx context.Context, limit int) ([]pipeline.Build, error) {
	builds, damaged, err := s.readBuilds(ctx, limit)
	return encoding.WholeHistory(builds, damaged, err)
}

// readBuilds also lists the builds whose rows are damaged.
func (s *Store) readBuilds(ctx context.Context, limit int) (builds []pipeline.Build, damaged []int64, err error) {
	var most *int
	if limit > 0 {
		most = &limit
	}
	err = postgres.Retry(ctx, func() error {
		builds, damaged = nil, nil
		rows, err := s.db.Query(ctx, `SELECT seq, body FROM builds ORDER BY seq DESC LIMIT $1`, most)
		if err != nil {
			return err
		}
		var seq int64
		var body []byte
		_, err = pgx.ForEachRow(rows, []any{&seq, &body}, func() error {
			builds, damaged = encoding.AddBuild(builds, damaged, seq, body)
			return nil
		})
		return err
	})
	return builds, damaged, err
}

// CachedFile stores a local file as a blob; see that of Disk. What is remembered of
// files is of the machine whose cache this is, and names no path.
func (s *Store) CachedFile(ctx context.Context, path string) (pipeline.Blob, error) {
	return encoding.CachedFile(ctx, path, encoding.FileCache{May: s.writable, Known: s.knownFile, Put: s.putFile, Remember: s.rememberFile})
}

func (s *Store) fileID(path string) []byte {
	id := sha256.Sum256([]byte(s.cache.id + "\n" + path))
	return id[:]
}

func (s *Store) knownFile(ctx context.Context, path string, now encoding.FileStamp) (pipeline.Blob, bool, error) {
	var raw []byte
	err := postgres.Retry(ctx, func() error {
		return s.db.QueryRow(ctx, `SELECT digest FROM files
			WHERE path = $1 AND size = $2 AND mtime = $3 AND inode = $4`, s.fileID(path), now.Size, now.Mtime, int64(now.Inode)).Scan(&raw)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return pipeline.Blob{}, false, nil
	}
	if err != nil || len(raw) != len(encoding.Sum{}) {
		return pipeline.Blob{}, false, err
	}
	digest := pipeline.Digest(encoding.Sum(raw).Hex())
	missing, err := s.MissingBlobs(ctx, []pipeline.Digest{digest})
	return pipeline.Blob{Digest: digest, Size: now.Size}, err == nil && len(missing) == 0, err
}

func (s *Store) rememberFile(ctx context.Context, path string, at encoding.FileStamp, digest pipeline.Digest) error {
	id, err := encoding.ParseSum(digest)
	if err != nil {
		return err
	}
	return postgres.Retry(ctx, func() error {
		_, err := s.db.Exec(ctx, `INSERT INTO files VALUES ($1, $2, $3, $4, $5) ON CONFLICT (path) DO UPDATE
			SET size = excluded.size, mtime = excluded.mtime, inode = excluded.inode, digest = excluded.digest`,
			s.fileID(path), at.Size, at.Mtime, int64(at.Inode), id[:])
		return err
	})
}
