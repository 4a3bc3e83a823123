// Package hydrate makes the files of media that a release references, of a user's own
// copies of the originals, and proves their digests.
package hydrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Options change how media are made.
type Options struct {
	Limits release.Limits
	// Jobs is how many files are read or made at once; the number of processors if it is 0.
	Jobs int
	// Tell gets lines about progress, one at a time.
	Tell func(string)
}

// Result is a hydrated copy of a release, which verifies.
type Result struct {
	Dir    string
	Report release.Report
	// Media are those referenced, Made and Kept those that this run made or found made.
	Media, Made, Kept int
}

// IncompleteError lists why some of the referenced media could not be made. The others are
// there, and the copy verifies.
type IncompleteError struct {
	ID       string
	Lacking  int // media
	Problems []string
}

func (e *IncompleteError) Error() string {
	return fmt.Sprintf("release %s: %d referenced media could not be made:\n  %s", e.ID, e.Lacking, strings.Join(e.Problems, "\n  "))
}

// workSuffix is behind the name of the copy in that of the folder beside it, which holds
// files on their way. It is removed once all media are made.
const workSuffix = ".work"

// Hydrate copies the release in dir to out, unless it is there, and makes the referenced
// media in it of files below mediaDirs. What an earlier run made is kept. Originals are found
// by their digests; symbolic links are not followed. That some cannot be made is an
// *IncompleteError.
func Hydrate(ctx context.Context, dir, out string, mediaDirs []string, opts Options) (Result, error) {
	rel, err := opts.Limits.ReadHydration(ctx, dir)
	if err != nil {
		return Result{}, err
	}
	h := &hydration{Options: opts, rel: rel, out: out, work: filepath.Clean(out) + workSuffix, tools: media.Lazy(), files: map[string]string{}, steps: map[string]*schemas.HydrationStep{}, problems: map[string]string{}}
	if h.Jobs < 1 {
		h.Jobs = runtime.GOMAXPROCS(0)
	}
	res, err := h.run(ctx, mediaDirs)
	if err != nil {
		return res, fmt.Errorf("hydrate %s: %w", rel.Manifest.ID, err)
	}
	return res, nil
}

// hydration is one run.
type hydration struct {
	Options
	rel       release.Hydration
	out, work string
	tools     *media.Tools
	version   string // of the tools here, where it is another than that of the release
	steps     map[string]*schemas.HydrationStep
	mu        sync.Mutex
	files     map[string]string // places of files that are there, by digest
	problems  map[string]string // why files are not there, by digest
}

func (h *hydration) run(ctx context.Context, mediaDirs []string) (res Result, err error) {
	res = Result{Dir: h.out, Media: len(h.rel.Media)}
	if err := atomicfile.MakeFolder(h.work, 0o755); err != nil {
		return res, err
	}
	lock, err := atomicfile.TakeLock(filepath.Join(h.work, ".lock"))
	if err != nil {
		return res, fmt.Errorf("lock %s; wait for the other run: %w", h.work, err)
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if err := errors.Join(os.RemoveAll(h.temp()), atomicfile.MakeFolder(h.temp(), 0o755)); err != nil {
		return res, err
	}
	if err := h.copyRelease(ctx); err != nil {
		return res, err
	}
	lacking, err := h.lackingMedia(ctx)
	if err != nil {
		return res, err
	}
	res.Kept = len(h.rel.Media) - len(lacking)
	if err := h.makeMedia(ctx, lacking, mediaDirs); err != nil {
		return res, err
	}
	if res.Report, err = h.Limits.Verify(ctx, h.out); err != nil {
		return res, err
	}
	res.Made = len(lacking) - len(res.Report.Referenced)
	if len(res.Report.Referenced) > 0 {
		return res, &IncompleteError{h.rel.Manifest.ID, len(res.Report.Referenced), h.explain(lacking)}
	}
	return res, os.RemoveAll(h.work)
}

func (h *hydration) temp() string { return filepath.Join(h.work, "temp") }

func (h *hydration) tell(format string, args ...any) {
	if h.Tell != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.Tell(fmt.Sprintf(format, args...))
	}
}

// copyRelease copies the files that the release ships. Its lists come last, so that half a
// copy is no release.
func (h *hydration) copyRelease(ctx context.Context) error {
	if there, err := os.ReadDir(h.out); err == nil && len(there) > 0 {
		text, err := atomicfile.Read(filepath.Join(h.out, manifest.SumsName), manifest.MaxBytes)
		switch {
		case err == nil && string(text) == h.rel.Sums:
			return nil
		case err == nil || !h.started():
			return &OutError{h.out}
		}
	}
	if err := atomicfile.Write(h.mark(), 0o644, func(w io.Writer) error { _, err := io.WriteString(w, h.rel.Manifest.ID); return err }); err != nil {
		return err
	}
	sums, err := manifest.ParseSums(h.rel.Sums)
	if err != nil {
		return err
	}
	names := []string{}
	for i := range sums.Len() {
		names = append(names, sums.Path(i))
	}
	if h.rel.Signature != nil {
		names = append(names, release.SignatureName)
	}
	for _, name := range append(names, manifest.SumsName) {
		want := sums.Digest(name)
		if err := h.put(ctx, filepath.Join(h.rel.Dir, filepath.FromSlash(name)), filepath.Join(h.out, filepath.FromSlash(name)), string(want)); err != nil {
			return fmt.Errorf("copy %s: %w", name, err)
		}
	}
	return atomicfile.SyncTree(h.out)
}

// mark is a file that says whose copy was begun.
func (h *hydration) mark() string { return filepath.Join(h.work, "release") }

func (h *hydration) started() bool {
	id, err := atomicfile.Read(h.mark(), 1024)
	return err == nil && string(id) == h.rel.Manifest.ID
}

// OutError says that the place of the copy holds something else.
type OutError struct{ Dir string }

func (e *OutError) Error() string {
	return fmt.Sprintf("%s holds something other than this release; name another folder with --out", e.Dir)
}

// DigestError says that a file has other bytes than it should.
type DigestError struct {
	Got, Want string
	Bytes     int64
}

func (e *DigestError) Error() string {
	return fmt.Sprintf("has %d bytes of digest %s, want digest %s", e.Bytes, e.Got, e.Want)
}

// put copies a file to a place, whole or not at all. Bytes of another digest than the
// wanted one, unless that is empty, are a *DigestError.
func (h *hydration) put(ctx context.Context, from, to, want string) error {
	in, err := atomicfile.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := atomicfile.MakeFolder(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(h.temp(), "put-*")
	if err != nil {
		return err
	}
	sum, n, err := atomicfile.Copy(ctx, f, in)
	if err == nil && want != "" && sum != want {
		err = &DigestError{sum, want, n}
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return atomicfile.Publish(f, to, 0o644)
}

// lackingMedia returns the media whose files the copy has not, or with other bytes.
func (h *hydration) lackingMedia(ctx context.Context) (lacking []release.HydratedMedium, err error) {
	there := make([]bool, len(h.rel.Media))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(h.Jobs)
	for i, m := range h.rel.Media {
		work.Go(func() (err error) {
			there[i], err = hasDigest(ctx, h.place(m), m.MediaID)
			return err
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for i, m := range h.rel.Media {
		if !there[i] {
			lacking = append(lacking, m)
		}
	}
	return lacking, nil
}

func (h *hydration) place(m release.HydratedMedium) string {
	return filepath.Join(h.out, filepath.FromSlash(m.FileName))
}

// hasDigest reports whether a file is there with these bytes.
func hasDigest(ctx context.Context, name, want string) (bool, error) {
	f, err := atomicfile.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	sum, _, err := atomicfile.Copy(ctx, io.Discard, f)
	return sum == want, errors.Join(err, f.Close())
}

// makeMedia makes the lacking media as far as it can.
func (h *hydration) makeMedia(ctx context.Context, lacking []release.HydratedMedium, mediaDirs []string) error {
	if len(lacking) == 0 {
		return nil
	}
	for i := range h.rel.Steps {
		s := &h.rel.Steps[i]
		for _, out := range outputs(s) {
			h.steps[out] = s
		}
	}
	todo, originals, err := h.plan(ctx, lacking)
	if err != nil {
		return err
	}
	if err := h.findOriginals(ctx, originals, mediaDirs); err != nil {
		return err
	}
	if slices.ContainsFunc(todo, h.hasInputs) {
		is, err := h.tools.Version(ctx)
		if err != nil {
			return err
		}
		if was := h.rel.Manifest.Tools["ffmpeg"]; was != is {
			h.version = is
			h.tell("note: the release was built with %s, here is %s: files may get other bytes, and then do not count", was, is)
		}
	}
	if err := h.makeAll(ctx, todo); err != nil {
		return err
	}
	for _, m := range lacking {
		from, there := h.files[m.MediaID]
		if !there {
			continue
		}
		if err := h.put(ctx, from, h.place(m), m.MediaID); err != nil {
			return fmt.Errorf("medium %s: %w", m.MediaID, err)
		}
	}
	return nil
}

// plan returns the steps that are still to be done, and the digests of the originals that
// they need. Files of an earlier run are taken.
func (h *hydration) plan(ctx context.Context, lacking []release.HydratedMedium) (todo []*schemas.HydrationStep, originals map[string]bool, err error) {
	originals = map[string]bool{}
	planned := map[*schemas.HydrationStep]bool{}
	check := func(file string) error { // it becomes a part of a path
		if _, err := pipeline.ParseDigest(file); err != nil {
			return &release.DamagedError{Dir: h.rel.Dir, Problems: []release.Problem{{Path: "data/hydration", Detail: err.Error()}}}
		}
		return nil
	}
	var need func(file string) error
	need = func(file string) error {
		if err := check(file); err != nil {
			return err
		}
		s := h.steps[file]
		if s == nil {
			originals[file] = true
			return nil
		}
		if planned[s] {
			return nil
		}
		planned[s] = true
		made := true
		for _, out := range outputs(s) {
			if err := check(out); err != nil {
				return err
			}
			there, err := hasDigest(ctx, filepath.Join(h.work, out), out)
			if err != nil {
				return err
			}
			if made = made && there; there {
				h.files[out] = filepath.Join(h.work, out)
			}
		}
		if made {
			return nil
		}
		for _, in := range s.Inputs {
			if err := need(in.File); err != nil {
				return err
			}
			if in.Sound != "" {
				if err := need(in.Sound); err != nil {
					return err
				}
			}
		}
		todo = append(todo, s)
		return nil
	}
	for _, m := range lacking {
		if err := need(m.MediaID); err != nil {
			return nil, nil, err
		}
	}
	return todo, originals, nil
}

func outputs(s *schemas.HydrationStep) []string {
	if s.Second == "" {
		return []string{s.Output}
	}
	return []string{s.Output, s.Second}
}

// explain says once for each cause why media are lacking.
func (h *hydration) explain(lacking []release.HydratedMedium) (out []string) {
	seen := map[string]bool{}
	var visit func(file string)
	visit = func(file string) {
		if _, there := h.files[file]; there || seen[file] {
			return
		}
		seen[file] = true
		if why := h.problems[file]; why != "" {
			out = append(out, why)
		} else if s := h.steps[file]; s != nil {
			for _, in := range s.Inputs {
				visit(in.File)
			}
		}
	}
	for _, m := range lacking {
		visit(m.MediaID)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
