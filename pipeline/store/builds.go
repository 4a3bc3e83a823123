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
	body, err := encodeBuild(ctx, d.MissingBlobs, b)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error { return d.write.run(d.write.putBuild, body) })
}

// encodeBuild gives the body of a build's row. It refuses a build whose units are not
// in the store.
func encodeBuild(ctx context.Context, absent func(context.Context, []pipeline.Digest) ([]pipeline.Digest, error), b pipeline.Build) ([]byte, error) {
	for _, n := range b.Nodes {
		if n.Units == "" {
			continue
		}
		missing, err := absent(ctx, []pipeline.Digest{n.Units})
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.Name, err)
		}
		if len(missing) > 0 {
			return nil, fmt.Errorf("node %s: the units blob was not put before: %w", n.Name, noBlob(n.Units))
		}
	}
	b.Seq = 0
	return json.Marshal(b)
}

// Builds returns at most limit builds, the newest first; all when limit is 0
// or less.
func (d *Disk) Builds(ctx context.Context, limit int) ([]pipeline.Build, error) {
	builds, damaged, err := d.builds(ctx, limit)
	return wholeHistory(builds, damaged, err)
}

func wholeHistory(builds []pipeline.Build, damaged []int64, err error) ([]pipeline.Build, error) {
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
		builds, damaged = addBuild(builds, damaged, seq, body)
		return nil
	})
	return builds, damaged, err
}

// addBuild adds a row of the history to the builds, or to those that are damaged.
func addBuild(builds []pipeline.Build, damaged []int64, seq int64, body []byte) ([]pipeline.Build, []int64) {
	var b pipeline.Build
	if err := json.Unmarshal(body, &b); err != nil {
		return builds, append(damaged, seq)
	}
	b.Seq = seq
	return append(builds, b), damaged
}
