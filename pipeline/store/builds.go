package store

import (
	"context"
	"encoding/json"
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
	builds, damaged, err := d.builds(ctx, limit)
	if err == nil && len(damaged) > 0 {
		err = fmt.Errorf("builds %d cannot be read any more; run `memforge store check --repair`", damaged)
	}
	if err != nil {
		return nil, fmt.Errorf("read build history: %w", err)
	}
	return builds, nil
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
		var b pipeline.Build
		if err := json.Unmarshal(body, &b); err != nil {
			damaged = append(damaged, seq)
			return nil
		}
		b.Seq = seq
		builds = append(builds, b)
		return nil
	})
	return builds, damaged, err
}
