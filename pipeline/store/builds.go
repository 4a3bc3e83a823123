package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// SaveBuild appends to the build history; b.Seq is ignored. The units blobs of
// its nodes must have been put before.
func (d *Disk) SaveBuild(ctx context.Context, b pipeline.Build) error {
	if err := d.saveBuild(ctx, b); err != nil {
		return fmt.Errorf("save build: %w", err)
	}
	return nil
}

func (d *Disk) saveBuild(ctx context.Context, b pipeline.Build) error {
	if err := d.writable(); err != nil {
		return err
	}
	for _, n := range b.Nodes {
		if n.Units == "" {
			continue
		}
		missing, err := d.MissingBlobs(ctx, []pipeline.Digest{n.Units})
		if err != nil {
			return fmt.Errorf("node %s: %w", n.Name, err)
		}
		if len(missing) > 0 {
			return fmt.Errorf("node %s: the units blob was not put before: %w", n.Name, noBlob(n.Units))
		}
	}
	b.Seq = 0
	body, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error { return d.write.run(d.write.putBuild, body) })
}

// Builds returns at most limit builds, the newest first; all when limit is 0
// or less.
func (d *Disk) Builds(ctx context.Context, limit int) ([]pipeline.Build, error) {
	builds, err := d.builds(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("read build history: %w", err)
	}
	return builds, nil
}

func (d *Disk) builds(ctx context.Context, limit int) (builds []pipeline.Build, err error) {
	if limit <= 0 {
		limit = -1
	}
	rows, err := d.read.QueryContext(ctx, `SELECT seq, body FROM builds ORDER BY seq DESC LIMIT ?`, limit)
	if err != nil {
		return nil, dbErr("read database", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		b, err := scanBuild(rows)
		if err != nil {
			return nil, err
		}
		builds = append(builds, b)
	}
	if err := rows.Err(); err != nil {
		return nil, dbErr("read database", err)
	}
	return builds, nil
}

func scanBuild(rows *sql.Rows) (pipeline.Build, error) {
	var seq int64
	var body []byte
	if err := rows.Scan(&seq, &body); err != nil {
		return pipeline.Build{}, dbErr("read database", err)
	}
	var b pipeline.Build
	if err := json.Unmarshal(body, &b); err != nil {
		return pipeline.Build{}, fmt.Errorf("build %d: %w; run `memforge store repair`", seq, err)
	}
	b.Seq = seq
	return b, nil
}
