package sharedstore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Check reads the whole store and verifies it. It changes nothing, also where the store
// is open for writing. An object that is gone counts as a corrupt blob.
func (s *Store) Check(ctx context.Context) (encoding.CheckReport, error) {
	reader := *s
	reader.readOnly, reader.writer = true, nil
	var report encoding.CheckReport
	for _, step := range []func(context.Context, *encoding.CheckReport) error{
		reader.checkBlobs, reader.checkRecords, reader.checkResults, reader.checkBuilds,
	} {
		if err := step(ctx, &report); err != nil {
			return report, fmt.Errorf("check store: %w", err)
		}
	}
	return report, nil
}

// Repair sets damaged blobs aside and forgets damaged records and builds that cannot be
// read. The next build makes what was lost.
func (s *Store) Repair(ctx context.Context) (report encoding.CheckReport, err error) {
	if report, err = s.Check(ctx); err != nil {
		return report, err
	}
	if err := s.repair(ctx, report); err != nil {
		return report, fmt.Errorf("repair store: %w", err)
	}
	return report, nil
}

func (s *Store) repair(ctx context.Context, report encoding.CheckReport) error {
	if err := s.writable(); err != nil {
		return err
	}
	if len(report.Corrupt) > 0 {
		if _, err := s.QuarantineCorrupt(ctx); err != nil {
			return err
		}
	}
	if _, err := s.db.Exec(ctx, `DELETE FROM records WHERE sha256(body) <> digest`); err != nil {
		return err
	}
	_, err := s.db.Exec(ctx, `DELETE FROM builds WHERE seq = ANY($1)`, report.BrokenBuilds)
	return err
}

func (s *Store) checkBlobs(ctx context.Context, report *encoding.CheckReport) error {
	return s.eachBlob(ctx, func(at place) error {
		err := s.copyVerified(ctx, at, io.Discard, func() error { return nil })
		var corrupt *pipeline.CorruptError
		switch {
		case errors.As(err, &corrupt), errors.Is(err, pipeline.ErrNoBlob):
			report.Corrupt = append(report.Corrupt, at.digest)
		case err != nil:
			return err
		}
		report.Blobs++
		report.BlobBytes += at.size
		return nil
	})
}

func (s *Store) checkRecords(ctx context.Context, report *encoding.CheckReport) error {
	return s.db.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE sha256(body) <> digest) FROM records`).Scan(&report.Records, &report.Damaged)
}

// checkResults looks at every result, page by page.
func (s *Store) checkResults(ctx context.Context, report *encoding.CheckReport) error {
	bad := map[pipeline.Digest]bool{}
	for _, d := range report.Corrupt {
		bad[d] = true
	}
	for after := []byte{}; ; {
		keys, err := s.keysAfter(ctx, after)
		if err != nil || len(keys) == 0 {
			return err
		}
		report.Results += len(keys)
		rows, _, err := s.readRows(ctx, keys, map[string]string{})
		if err != nil {
			return err
		}
		report.Damaged += len(keys) - len(rows)
		if err := s.broken(ctx, rows, bad, report); err != nil {
			return err
		}
		after = keys[len(keys)-1][:]
	}
}

// broken notes the rows that lack something, or need a blob that is bad.
func (s *Store) broken(ctx context.Context, rows []encoding.Row, bad map[pipeline.Digest]bool, report *encoding.CheckReport) error {
	lacks := map[pipeline.Key]bool{}
	for _, r := range rows {
		lacks[r.Result.Key] = true
	}
	order := make([]pipeline.Key, len(rows))
	for i, r := range rows {
		order[i] = r.Result.Key
	}
	whole, err := s.whole(ctx, rows)
	if err != nil {
		return err
	}
	for _, r := range whole {
		lacks[r.Result.Key] = false
		for _, list := range [][]pipeline.Digest{r.Result.Blobs, r.OutBlobs} {
			for _, d := range list {
				lacks[r.Result.Key] = lacks[r.Result.Key] || bad[d]
			}
		}
	}
	for _, k := range order {
		if lacks[k] {
			report.Broken = append(report.Broken, k)
		}
	}
	return nil
}

func (s *Store) keysAfter(ctx context.Context, after []byte) (keys []encoding.Sum, err error) {
	rows, err := s.db.Query(ctx, `SELECT key FROM results WHERE key > $1 ORDER BY key LIMIT $2`, after, asked)
	if err != nil {
		return nil, err
	}
	var key []byte
	_, err = pgx.ForEachRow(rows, []any{&key}, func() error {
		keys = append(keys, encoding.Sum(key))
		return nil
	})
	return keys, err
}

func (s *Store) checkBuilds(ctx context.Context, report *encoding.CheckReport) error {
	builds, damaged, err := s.readBuilds(ctx, 0)
	if err != nil {
		return err
	}
	report.Builds = len(builds) + len(damaged)
	report.BrokenBuilds = append(report.BrokenBuilds, damaged...)
	for _, b := range builds {
		var units []pipeline.Digest
		for _, n := range b.Steps {
			if n.UnitList != "" {
				units = append(units, n.UnitList)
			}
		}
		missing, err := s.MissingBlobs(ctx, units)
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			report.BrokenBuilds = append(report.BrokenBuilds, b.Seq)
		}
	}
	return nil
}
