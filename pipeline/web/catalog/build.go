package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/progress"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/store"
)

// Build shows the build in an output folder, also while it runs.
type Build struct {
	// Out is the folder, Store that of its results: the folder store in it unless the
	// configuration names another.
	Out, Store string
}

// BuildState is how a build is getting on.
type BuildState struct {
	progress.Status
	// Heard is when the build last said something, zero where none did. Running is false for one
	// that ended, and for one that has been silent for Silence.
	Heard   time.Time
	Running bool
	// Newest are the last records of steps that gave any, those of later steps first.
	Newest []BuildRecord
	// Releases are in the folder by name and version.
	Releases []release.Info
}

// BuildRecord is a record of a step.
type BuildRecord struct {
	Step string
	pipeline.Record
}

// Silence is after how long without a word a build is taken for one that was killed.
const Silence = 15 * time.Second

// IsBuild reports whether a folder is that of a build and no release.
func IsBuild(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, manifest.FileName)); err == nil {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, progress.StatusName))
	if err != nil {
		_, err = os.Stat(filepath.Join(dir, "store"))
	}
	return err == nil
}

// OpenBuild returns the build in an output folder.
func OpenBuild(out string) (*Build, error) {
	if !IsBuild(out) {
		return nil, fmt.Errorf("%s is neither a release nor the output folder of a build: name a folder with a manifest.json, or run.out of a configuration that was built", out)
	}
	return &Build{Out: out, Store: filepath.Join(out, "store")}, nil
}

// State reads the state of the build as it is now.
func (b *Build) State(ctx context.Context) (s BuildState, err error) {
	s.Status, s.Heard, err = progress.ReadStatus(b.Out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	s.Running = err == nil && !s.Ended && time.Since(s.Heard) < Silence
	if s.Releases, err = release.List(filepath.Join(b.Out, "releases")); err != nil {
		return s, err
	}
	for i := range s.Releases {
		s.Releases[i].Manifest.Files = nil // many
	}
	var refs []pipeline.Ref
	var steps []string
	for i := len(s.Steps) - 1; i >= 0 && len(refs) < mostNewest; i-- {
		if r := s.Steps[i].Newest; r != nil {
			refs, steps = append(refs, *r), append(steps, s.Steps[i].Name)
		}
	}
	records, err := b.records(ctx, refs)
	for i, r := range records {
		s.Newest = append(s.Newest, BuildRecord{steps[i], r})
	}
	return s, err
}

// mostNewest bounds BuildState.Newest.
const mostNewest = 50

// records reads those of refs that the store has by now.
func (b *Build) records(ctx context.Context, refs []pipeline.Ref) (out []pipeline.Record, err error) {
	if len(refs) == 0 {
		return nil, nil
	}
	st, err := store.OpenReadOnly(ctx, b.Store)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	digests := make([]pipeline.Digest, len(refs))
	for i, r := range refs {
		digests[i] = r.Digest
	}
	if out, err = st.Records(ctx, digests); err == nil {
		return out, nil
	}
	out = make([]pipeline.Record, len(refs)) // one that is not committed fails all
	for i, d := range digests {
		if one, err := st.Records(ctx, []pipeline.Digest{d}); err == nil {
			out[i] = one[0]
		} else {
			out[i] = pipeline.Record{ID: refs[i].ID, Schema: refs[i].Schema}
		}
	}
	return out, ctx.Err()
}
