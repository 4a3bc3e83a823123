package sharedstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Records returns the records with these digests, in order. Each is checked against its
// digest. A corrupt one is forgotten and reported as a *pipeline.CorruptError.
func (s *Store) Records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	records, err := s.records(ctx, ds)
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	return records, nil
}

func (s *Store) records(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	sums, err := encoding.ParseSums(ds)
	if err != nil {
		return nil, err
	}
	records := make([]pipeline.Record, 0, len(sums))
	for part := range slices.Chunk(sums, asked) {
		found, err := s.recordsOf(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, id := range part {
			r, ok := found[id]
			if !ok {
				return nil, fmt.Errorf("record %s: %w; build again to make it", id.Hex(), encoding.ErrNoRecord)
			}
			records = append(records, r)
		}
	}
	return records, nil
}

// usedRecords is Records of what is in use from now on.
func (s *Store) usedRecords(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	missing, err := s.absent(ctx, "records", ds)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("record %s: %w; build again to make it", missing[0], encoding.ErrNoRecord)
	}
	if err != nil {
		return nil, err
	}
	return s.Records(ctx, ds)
}

// each visits the rows of a query for sums. The body is valid only during the call.
func (s *Store) each(ctx context.Context, query string, asked [][]byte, visit func(id encoding.Sum, body []byte)) error {
	rows, err := s.db.Query(ctx, query, asked)
	if err != nil {
		return err
	}
	var id, body []byte
	_, err = pgx.ForEachRow(rows, []any{&id, (*pgtype.DriverBytes)(&body)}, func() error {
		if len(id) == len(encoding.Sum{}) {
			visit(encoding.Sum(id), body)
		}
		return nil
	})
	return err
}

// recordsOf reads at most asked records.
func (s *Store) recordsOf(ctx context.Context, ids []encoding.Sum) (found map[encoding.Sum]pipeline.Record, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var damaged *pipeline.CorruptError
	var wrong error
	err = postgres.Retry(ctx, func() error {
		found, damaged, wrong = make(map[encoding.Sum]pipeline.Record, len(ids)), nil, nil
		return s.each(ctx, `SELECT digest, body FROM records WHERE digest = ANY($1)`, raw(ids), func(id encoding.Sum, body []byte) {
			if got := encoding.Sum(sha256.Sum256(body)); got != id {
				damaged = &pipeline.CorruptError{Digest: pipeline.Digest(id.Hex()), Got: pipeline.Digest(got.Hex())}
				return
			}
			r, err := pipeline.DecodeRecord(body)
			if err != nil {
				wrong = err
			}
			found[id] = r
		})
	})
	if err == nil && damaged != nil {
		return nil, encoding.JoinIf(fmt.Errorf("record: %w", damaged), s.forgetRecord(ctx, damaged.Digest))
	}
	if err == nil {
		err = wrong
	}
	return found, err
}

// forgetRecord deletes a record whose bytes are not those of its digest.
func (s *Store) forgetRecord(ctx context.Context, digest pipeline.Digest) error {
	if s.readOnly {
		return nil
	}
	id, err := encoding.ParseSum(digest)
	if err != nil {
		return err
	}
	return postgres.Retry(ctx, func() error {
		_, err := s.db.Exec(ctx, `DELETE FROM records WHERE digest = $1 AND sha256(body) <> digest`, id[:])
		return err
	})
}

// asked is how many keys or digests one query looks up.
const asked = 2048

// Results returns those of the results that can be used, as of a store in a folder.
func (s *Store) Results(ctx context.Context, keys []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	found := make(map[pipeline.Key]pipeline.Result, len(keys))
	sums, err := encoding.ParseSums(keys)
	if err != nil {
		return nil, fmt.Errorf("look up result: %w", err)
	}
	names := map[string]string{}
	for part := range slices.Chunk(sums, asked) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		rows, err := s.rows(ctx, part, names)
		if err == nil {
			rows, err = s.whole(ctx, rows)
		}
		if err != nil {
			return nil, fmt.Errorf("look up results: %w", err)
		}
		for _, r := range rows {
			found[r.Result.Key] = r.Result
		}
	}
	return found, nil
}

// rows reads the sound rows of keys, which are in use from now on. The memory of a run
// of an earlier era is none: what it lists was not brought into this one, and may be
// gone.
func (s *Store) rows(ctx context.Context, keys []encoding.Sum, names map[string]string) (rows []encoding.Row, err error) {
	err = postgres.Retry(ctx, func() error {
		var old [][]byte
		if rows, old, err = s.readRows(ctx, keys, names); err != nil || len(old) == 0 {
			return err
		}
		if err := s.touch(ctx, "results", "key", old); err != nil {
			return err
		}
		later, _, err := s.readRows(ctx, sumsOf(old), names)
		rows = append(rows, later...)
		return err
	})
	return rows, err
}

// readRows reads the rows of this era, and the keys of those of earlier ones.
func (s *Store) readRows(ctx context.Context, keys []encoding.Sum, names map[string]string) (rows []encoding.Row, old [][]byte, err error) {
	found, err := s.db.Query(ctx, `SELECT key, body, era < $2 FROM results WHERE key = ANY($1)`, raw(keys), s.era())
	if err != nil {
		return nil, nil, err
	}
	var key, body []byte
	var earlier bool
	_, err = pgx.ForEachRow(found, []any{&key, (*pgtype.DriverBytes)(&body), &earlier}, func() error {
		is, r, err := encoding.DecodeRow(body, names)
		switch {
		case err != nil || !bytes.Equal(is[:], key) || earlier && encoding.IsMemory(r):
		case earlier:
			old = append(old, bytes.Clone(key))
		default:
			rows = append(rows, r)
		}
		return nil
	})
	return rows, old, err
}

func sumsOf(ids [][]byte) []encoding.Sum {
	sums := make([]encoding.Sum, len(ids))
	for i, id := range ids {
		sums[i] = encoding.Sum(id)
	}
	return sums
}

// whole drops the rows that miss a record or a blob.
func (s *Store) whole(ctx context.Context, rows []encoding.Row) ([]encoding.Row, error) {
	var blobs, records []pipeline.Digest
	for _, r := range rows {
		blobs = append(append(blobs, r.Result.Blobs...), r.OutBlobs...)
		for _, o := range r.Result.Outputs {
			records = append(records, o.Digest)
		}
	}
	slices.Sort(blobs)
	has, err := s.hasBlobs(ctx, slices.Compact(blobs))
	if err != nil {
		return nil, err
	}
	slices.Sort(records)
	absent, err := s.absent(ctx, "records", slices.Compact(records))
	if err != nil {
		return nil, err
	}
	gone := make(map[pipeline.Digest]bool, len(absent))
	for _, d := range absent {
		gone[d] = true
	}
	lacks := func(o pipeline.Ref) bool { return gone[o.Digest] }
	return slices.DeleteFunc(rows, func(r encoding.Row) bool {
		ok, _ := has(r) // asked of a set: it has no error
		return !ok || slices.ContainsFunc(r.Result.Outputs, lacks)
	}), nil
}

// SaveBuild appends to the build history; b.Seq is ignored. The units blobs of its
// steps must have been put before.
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

// KnownFile returns the blob of a local file that is known and unchanged; see that of Disk.
func (s *Store) KnownFile(ctx context.Context, path string) (pipeline.Blob, bool, error) {
	return encoding.KnownFile(ctx, path, s.knownFile)
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
