// Package benchmark holds what the adapters of published video benchmarks
// share: finding the file of each video that the annotations name, saying of
// every other one why it is lost, choosing a part, and giving the records.
// The annotations come from a repository; the videos come from there as well
// or, where they may not be fetched, from the folder that run.media_dirs names.
package benchmark

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/archive"
	"github.com/memforge/memforge/sources/internal/filevideo"
)

// Codes of the rejections that this package reports. A video with a record is
// in state ok; the others are in the state that the code names. A file that is
// there and refused (too-large, symlink-outside) keeps the fetcher's code.
const (
	CodeMissing   = "media-missing"
	CodeGated     = "media-gated"
	CodeDead      = "media-dead"
	CodeDuplicate = "duplicate-content"
	CodeTooLarge  = "record-too-large"
	// CodeBadRow marks a part of the annotations that cannot be used.
	CodeBadRow = "bad-annotation"
)

// Problem is a part of an annotation file that cannot be used. Where follows
// the file's name: ":12" for a line, "#3" for the entry 3 of a list.
type Problem struct{ Where, Why string }

// RejectProblems rejects the parts of an annotation file that cannot be used.
func RejectProblems(scope *pipeline.Scope, file string, bad []Problem) {
	for _, b := range bad {
		scope.Reject(file+b.Where, pipeline.Reject(CodeBadRow, "%s", b.Why))
	}
}

// file is one video file among the assets.
type file struct {
	path    string
	blob    pipeline.Digest
	problem *pipeline.Rejection
	// inside is the archive that holds it under the name member; the blob is
	// empty until it is taken out.
	inside *archiveParts
	member string
}

// Files finds videos by name.
type Files struct {
	// byStem maps the end of a path without extension, of any number of
	// folders, to the files that end so, the best first.
	byStem map[string][]*file
	limits archive.Limits
	kind   kind
}

// kind says of which names files are.
type kind struct {
	noun string
	is   func(name string) bool
}

// Index makes files out of those assets that are videos and lie in one of the needs.
func Index(assets []pipeline.Asset, needs ...int) *Files {
	return index(kind{"video", isVideo}, assets, needs)
}

// IndexPictures is Index for pictures.
func IndexPictures(assets []pipeline.Asset, needs ...int) *Files {
	return index(kind{"picture", isPicture}, assets, needs)
}

func index(k kind, assets []pipeline.Asset, needs []int) *Files {
	f := &Files{byStem: map[string][]*file{}, kind: k}
	for _, a := range assets {
		if slices.Contains(needs, a.Need) && k.is(a.Path) {
			f.add(&file{path: a.Path, blob: a.Blob, problem: a.Problem})
		}
	}
	return f
}

func isVideo(name string) bool {
	return slices.Contains(filevideo.Extensions(false), strings.ToLower(path.Ext(name)))
}

// pictureExtensions are those of the files that may be pictures, in lower case.
var pictureExtensions = [...]string{".png", ".jpg", ".jpeg", ".webp"}

func isPicture(name string) bool {
	return slices.Contains(pictureExtensions[:], strings.ToLower(path.Ext(name)))
}

// PicturePatterns match the files that may be pictures.
func PicturePatterns() (out []string) {
	for _, ext := range pictureExtensions {
		out = append(out, "**/*"+ext, "**/*"+strings.ToUpper(ext))
	}
	return out
}

// Stem returns a path without its extension, if that is a video's, and without
// leading slashes: what Files are found by. Anything else behind a dot belongs
// to the name.
func Stem(name string) string { return kind{is: isVideo}.stem(name) }

func (k kind) stem(name string) string {
	name = strings.TrimLeft(path.Clean("/"+name), "/")
	if k.is(name) {
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return name
}

// Stem returns the function of this name for files of this kind.
func (f *Files) Stem(name string) string { return f.kind.stem(name) }

func (f *Files) add(one *file) {
	for stem := f.Stem(one.path); ; {
		f.byStem[stem] = append(f.byStem[stem], one)
		slices.SortStableFunc(f.byStem[stem], compareFiles)
		_, rest, more := strings.Cut(stem, "/")
		if !more {
			return
		}
		stem = rest
	}
}

// compareFiles prefers readable files, then higher folders, then the order of names.
func compareFiles(a, b *file) int {
	return cmp.Or(rank(a)-rank(b), strings.Count(a.path, "/")-strings.Count(b.path, "/"), strings.Compare(a.path, b.path))
}

// rank returns lower for files as they are than for members of archives.
func rank(f *file) int {
	switch {
	case f.problem != nil:
		return 2
	case f.inside != nil:
		return 1
	}
	return 0
}

// Has reports whether the file of a video can be read.
func (f *Files) Has(stem string) bool { return f.problemOf(stem) == nil }

// find returns the best file whose path ends in stem.
func (f *Files) find(stem string) (*file, bool) {
	found := f.byStem[stem]
	if len(found) == 0 {
		return nil, false
	}
	return found[0], true
}

// Extract brings the named files that lie in archives into the store.
func (f *Files) Extract(ctx context.Context, scope *pipeline.Scope, stems []string) error {
	var inside []*file
	for _, stem := range stems {
		if one, ok := f.find(stem); ok && one.inside != nil && one.blob == "" && one.problem == nil && !slices.Contains(inside, one) {
			inside = append(inside, one)
		}
	}
	return f.extractMembers(ctx, scope, inside)
}

// Blob returns the content of a file that Take has taken, if it lies in an archive, or says
// why it cannot be had.
func (f *Files) Blob(stem string) (pipeline.Digest, *pipeline.Rejection) {
	if why := f.problemOf(stem); why != nil {
		return "", why
	}
	one, _ := f.find(stem)
	return one.blob, nil
}

// problemOf says what is wrong with the file of a video, or nil.
func (f *Files) problemOf(stem string) *pipeline.Rejection {
	one, ok := f.find(stem)
	if !ok {
		return pipeline.Reject(CodeMissing, "state missing: no %s file is called %q; obtain it and put it into the folder that run.media_dirs names for this source", f.kind.noun, stem)
	}
	return one.rejection()
}

func (one *file) rejection() *pipeline.Rejection {
	if one.problem == nil {
		return nil
	}
	state, code := one.problem.Code, one.problem.Code
	switch state {
	case fetch.Missing:
		code = CodeMissing
	case fetch.Gated:
		code = CodeGated
	case fetch.Dead:
		code = CodeDead
	}
	return pipeline.Reject(code, "state %s: %s: %s", state, one.path, one.problem.Reason)
}

// ReadAll returns the bytes of a fetched annotation file. If the file could
// not be had or is too large, a *pipeline.Rejection is in the error's chain:
// where the file is not indispensable, only that is lost.
func ReadAll(ctx context.Context, scope *pipeline.Scope, a pipeline.Asset, limit int64) ([]byte, error) {
	if a.Problem != nil {
		return nil, fmt.Errorf("annotations %s: %w", a.Path, a.Problem)
	}
	if a.Size > limit {
		return nil, fmt.Errorf("annotations %s: %w", a.Path, pipeline.Reject(fetch.TooLarge, "%d bytes, more than %d", a.Size, limit))
	}
	r, err := scope.OpenBlob(ctx, a.Blob)
	if err != nil {
		return nil, fmt.Errorf("annotations %s: %w", a.Path, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("annotations %s: %w", a.Path, err)
	}
	return b, nil
}

// AssetNamed returns the asset of a need that has a name, or says that the upstream
// does not hold it.
func AssetNamed(assets []pipeline.Asset, need int, name string) (pipeline.Asset, error) {
	for _, a := range assets {
		if a.Need == need && a.Path == name {
			return a, nil
		}
	}
	return pipeline.Asset{}, fmt.Errorf("annotations %s: the repository holds no such file; check repo and revision", name)
}

// NoAssertion is SPDX's word for a licence that is not known. A repository's
// videos have it unless the user states one: what the repository states is
// the licence of the annotations.
const NoAssertion = "NOASSERTION"

// DefaultMaxBytes is the size above which a long video is refused.
const DefaultMaxBytes = 8 << 30

// Check refuses what is no repository of the hub, and numbers that make no sense as
// max_videos and max_bytes.
func Check(repo, revision string, maxVideos int, maxBytes int64) error {
	if err := fetch.CheckHub(repo, revision); err != nil {
		return err
	}
	if maxVideos < 0 {
		return fmt.Errorf("max_videos: %d: want a number of videos, or 0 for all", maxVideos)
	}
	if maxBytes <= 0 {
		return fmt.Errorf("max_bytes: %d: must be above 0", maxBytes)
	}
	return nil
}
