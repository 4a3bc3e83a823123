package store

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
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
	body, err := encoding.EncodeBuild(ctx, d.MissingBlobs, b)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error { return d.write.run(d.write.putBuild, body) })
}

// Builds returns at most limit builds, the newest first; all when limit is 0
// or less.
func (d *Disk) Builds(ctx context.Context, limit int) ([]pipeline.Build, error) {
	builds, damaged, err := d.builds(ctx, limit)
	return encoding.WholeHistory(builds, damaged, err)
}

// builds also lists the builds whose rows are damaged.
func (d *Disk) builds(ctx context.Context, limit int) (builds []pipeline.Build, damaged []int64, err error) {
	if limit <= 0 {
		limit = -1
	}
	rows, err := d.read.QueryContext(ctx, `SELECT seq, body FROM builds ORDER BY seq DESC LIMIT ?`, limit)
	if err != nil {
		return nil, nil, dbErr("read database", err)
	}
	err = scanRows(rows, func(seq int64, body []byte) error {
		builds, damaged = encoding.AddBuild(builds, damaged, seq, body)
		return nil
	})
	return builds, damaged, err
}
