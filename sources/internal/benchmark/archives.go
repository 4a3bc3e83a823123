package benchmark

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/archive"
)

// CodeArchive marks an archive that cannot be read, or not to its end.
const CodeArchive = "bad-archive"

// maxInflated bounds what comes out of one archive of videos.
const maxInflated = 1 << 40

// archiveParts is an archive among the assets, in one or several parts.
type archiveParts struct {
	name  string
	parts []pipeline.Asset
}

// part splits a name like archive.tar.gz.ab into the archive's and the part's.
var part = regexp.MustCompile(`(?i)^(.+\.(?:zip|tar|tar\.gz|tgz))(?:\.([a-z]{2}))?$`)

// ArchivePatterns match the archives that Bundled reads, parts included.
func ArchivePatterns() []string {
	var out []string
	for _, ext := range []string{"zip", "tar", "tar.gz", "tgz"} {
		out = append(out, "**/*."+ext, "**/*."+ext+".[a-z][a-z]")
	}
	return out
}

// groupArchives groups the parts of archives, in order of names.
func groupArchives(assets []pipeline.Asset) []*archiveParts {
	at := map[string]int{}
	var out []*archiveParts
	sorted := slices.Clone(assets)
	slices.SortStableFunc(sorted, func(a, b pipeline.Asset) int { return strings.Compare(a.Path, b.Path) })
	for _, a := range sorted {
		m := part.FindStringSubmatch(a.Path)
		if m == nil {
			continue
		}
		key := fmt.Sprintf("%d %s", a.Need, m[1])
		i, known := at[key]
		if !known || m[2] == "" {
			i = len(out)
			at[key] = i
			out = append(out, &archiveParts{name: m[1]})
		}
		out[i].parts = append(out[i].parts, a)
	}
	return out
}

// checkParts says why the archive cannot be put together, or nil. Parts count aa,
// ab, and so on; a gap would turn everything behind it to noise.
func (b *archiveParts) checkParts() *pipeline.Rejection {
	for i, p := range b.parts {
		if p.Problem != nil {
			return pipeline.Reject(CodeArchive, "%s: %s: %s", p.Path, p.Problem.Code, p.Problem.Reason)
		}
		if len(b.parts) == 1 && p.Path == b.name {
			continue
		}
		if want := string([]byte{byte('a' + i/26), byte('a' + i%26)}); !strings.HasSuffix(p.Path, "."+want) {
			return pipeline.Reject(CodeArchive, "part %s.%s is missing; obtain all parts", b.name, want)
		}
	}
	if len(b.parts) > 1 && strings.HasSuffix(strings.ToLower(b.name), ".zip") {
		return pipeline.Reject(CodeArchive, "a zip file in parts is not read; join the parts")
	}
	return nil
}

func (b *archiveParts) visitMembers(ctx context.Context, scope *pipeline.Scope, lim archive.Limits, visit archive.Visit) error {
	if strings.HasSuffix(strings.ToLower(b.name), ".zip") {
		name, err := scope.BlobPath(ctx, b.parts[0].Blob)
		if err != nil {
			return &storeError{err}
		}
		f, err := os.Open(name)
		if err != nil {
			return &storeError{err}
		}
		defer f.Close()
		return archive.Zip(storedAt{f}, b.parts[0].Size, lim, visit)
	}
	r := &sequence{ctx: ctx, scope: scope, left: b.parts}
	return errors.Join(archive.Tar(r, lim, visit), r.Close())
}

type sequence struct {
	ctx   context.Context
	scope *pipeline.Scope
	left  []pipeline.Asset
	now   io.ReadCloser
}

func (s *sequence) Read(p []byte) (int, error) {
	for {
		if err := s.ctx.Err(); err != nil {
			return 0, err
		}
		if s.now == nil {
			if len(s.left) == 0 {
				return 0, io.EOF
			}
			r, err := s.scope.OpenBlob(s.ctx, s.left[0].Blob)
			if err != nil {
				return 0, &storeError{err}
			}
			s.now, s.left = r, s.left[1:]
		}
		n, err := s.now.Read(p)
		if errors.Is(err, io.EOF) {
			if err := s.Close(); err != nil {
				return n, err
			}
			if n == 0 {
				continue
			}
			return n, nil
		}
		if err != nil {
			err = &storeError{err}
		}
		return n, err
	}
}

// storedAt tells errors of the disk from those of an archive.
type storedAt struct{ r io.ReaderAt }

func (s storedAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := s.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		err = &storeError{err}
	}
	return n, err
}

// Close closes the blob that is being read.
func (s *sequence) Close() error {
	if s.now == nil {
		return nil
	}
	err := s.now.Close()
	s.now = nil
	return err
}

// AddArchives adds the files inside the archives of the needs; maxBytes is
// the size above which one is refused. Only the lists of members are read
// here, which for tar means the whole archive; what is needed is taken out
// when a record is given. An archive that cannot be read is rejected.
func (f *Files) AddArchives(ctx context.Context, scope *pipeline.Scope, maxBytes int64, assets []pipeline.Asset, needs ...int) error {
	f.limits = archive.Limits{MemberBytes: maxBytes, TotalBytes: maxInflated}
	for _, b := range groupArchives(inNeeds(assets, needs)) {
		if why := b.checkParts(); why != nil {
			scope.Reject(b.name, why)
			continue
		}
		err := b.visitMembers(ctx, scope, f.limits, func(m archive.Member, _ io.Reader) error {
			if f.kind.is(m.Name) {
				f.add(memberFile(b, m))
			}
			return ctx.Err()
		})
		if err := rejectArchive(ctx, scope, b, err); err != nil {
			return err
		}
	}
	return nil
}

func inNeeds(assets []pipeline.Asset, needs []int) []pipeline.Asset {
	var out []pipeline.Asset
	for _, a := range assets {
		if slices.Contains(needs, a.Need) {
			out = append(out, a)
		}
	}
	return out
}

func memberFile(b *archiveParts, m archive.Member) *file {
	one := &file{path: path.Join(b.name, path.Clean("/"+m.Name)), inside: b, member: m.Name}
	if m.Code != "" {
		one.problem = pipeline.Reject(m.Code, "%s", m.Reason)
	}
	return one
}

// rejectArchive rejects an archive whose bytes are bad. Errors of the store or the caller
// end the build.
func rejectArchive(ctx context.Context, scope *pipeline.Scope, b *archiveParts, err error) error {
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var stored *storeError
	if errors.As(err, &stored) {
		return fmt.Errorf("archive %s: %w", b.name, err)
	}
	scope.Reject(b.name, pipeline.Reject(CodeArchive, "%v; what lies behind the damage is lost", err))
	return nil
}

// storeError marks an error of the store among those of an archive.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// extractMembers stores the members that items need and sets their blobs. One that
// cannot be read is left without a blob and with a problem.
func (f *Files) extractMembers(ctx context.Context, scope *pipeline.Scope, wanted []*file) error {
	for len(wanted) > 0 {
		b := wanted[0].inside
		rest := wanted[:0:0]
		byName := map[string]*file{}
		for _, w := range wanted {
			if w.inside == b {
				byName[w.member] = w
			} else {
				rest = append(rest, w)
			}
		}
		err := b.visitMembers(ctx, scope, f.limits, func(m archive.Member, content io.Reader) error {
			if w := byName[m.Name]; w != nil {
				delete(byName, m.Name)
				if err := storeMember(ctx, scope, w, content); err != nil {
					return err
				}
			}
			if len(byName) == 0 {
				return fs.SkipAll
			}
			return ctx.Err()
		})
		if err := rejectArchive(ctx, scope, b, err); err != nil {
			return err
		}
		wanted = rest
	}
	return nil
}

// storeMember tells a damaged archive, which costs one video, from a failing store.
func storeMember(ctx context.Context, scope *pipeline.Scope, w *file, content io.Reader) error {
	remembered := &firstError{r: content}
	blob, err := scope.PutBlob(ctx, remembered)
	var stored *storeError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		w.blob = blob.Digest
	case remembered.err != nil && !errors.As(remembered.err, &stored):
		w.problem = pipeline.Reject(fetch.Unreadable, "%v", remembered.err)
	default:
		return &storeError{err}
	}
	return nil
}

// firstError remembers what its reader failed with.
type firstError struct {
	r   io.Reader
	err error
}

func (f *firstError) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && f.err == nil {
		f.err = err
	}
	return n, err
}
