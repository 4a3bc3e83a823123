package encoding

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// GCReport says what a garbage collection removed.
type GCReport struct {
	Builds, Results, Records, Blobs int64
	BlobBytes                       int64
}

// AtLeastOne refuses to keep no build at all.
func AtLeastOne(builds int) error {
	if builds < 1 {
		return fmt.Errorf("%d builds to keep: keep at least one, or delete the store", builds)
	}
	return nil
}

// KeptBuilds returns the newest builds down to the last of so many whole ones: trials, which
// are small and many, push none of these out.
func KeptBuilds(ctx context.Context, d pipeline.Store, whole int) ([]pipeline.Build, error) {
	builds, err := d.Builds(ctx, 0)
	for i, b := range builds {
		if b.Trial == "" {
			whole--
		}
		if whole == 0 {
			return builds[:i+1], err
		}
	}
	return builds, err
}

// IsMemory reports whether a result is the memory of a whole run.
func IsMemory(r Row) bool {
	return len(r.Result.Outputs) == 1 && r.Result.Outputs[0].Schema == engine.SchemaMemory
}

// Marks is where what is live is noted.
type Marks interface {
	Result(key Sum) error
	Record(digest Sum) error
	Blob(digest Sum) error
}

// markUnits marks what a list of units names, and the list.
func markUnits(ctx context.Context, open func(context.Context, pipeline.Digest) (io.ReadCloser, error), m Marks, units pipeline.Digest) (err error) {
	if err := markBlobs(m, units); err != nil {
		return err
	}
	r, err := open(ctx, units)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for u, err := range engine.ReadUnits(r) {
		if err != nil {
			return err
		}
		key, err := ParseSum(u.Key)
		if err != nil {
			return err
		}
		if err := m.Result(key); err != nil {
			return err
		}
		if u.In.Digest != "" {
			u.Out = append(u.Out, u.In)
		}
		if err := markRefs(m, u.Out); err != nil {
			return err
		}
	}
	return nil
}

// MarkBuilds marks what the steps of builds name.
func MarkBuilds(ctx context.Context, open func(context.Context, pipeline.Digest) (io.ReadCloser, error), m Marks, builds []pipeline.Build) error {
	seen := map[pipeline.Digest]bool{}
	for _, b := range builds {
		for _, n := range b.Steps {
			if n.UnitList == "" || seen[n.UnitList] {
				continue
			}
			seen[n.UnitList] = true
			if err := markUnits(ctx, open, m, n.UnitList); err != nil {
				return fmt.Errorf("build %d, step %s: %w; run `memforge store check --repair`", b.Seq, n.Name, err)
			}
		}
	}
	return nil
}

func markRefs(m Marks, refs []pipeline.Ref) error {
	for _, ref := range refs {
		s, err := ParseSum(ref.Digest)
		if err != nil {
			return err
		}
		if err := m.Record(s); err != nil {
			return err
		}
	}
	return nil
}

func markBlobs(m Marks, digests ...pipeline.Digest) error {
	for _, digest := range digests {
		s, err := ParseSum(digest)
		if err != nil {
			return err
		}
		if err := m.Blob(s); err != nil {
			return err
		}
	}
	return nil
}

// MarkResult marks what a live result needs.
func MarkResult(m Marks, r Row) error {
	return errors.Join(markRefs(m, r.Result.Outputs), markBlobs(m, r.Result.Blobs...), markBlobs(m, r.OutBlobs...))
}

// MarkRecord marks what a live record needs.
func MarkRecord(m Marks, body []byte) error {
	r, err := pipeline.DecodeRecord(body)
	if err != nil {
		return nil // damaged and unreadable, so it needs no blobs
	}
	return markBlobs(m, r.Blobs...)
}
