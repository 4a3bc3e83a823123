package fetch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/glob"
)

// upstream is one remote place: a repository at a revision, or a URL.
type upstream interface {
	// canonical is the place's address for lock and errors.
	canonical() string
	// pin finds the commit and the licence now; both empty for URLs.
	pin(ctx context.Context) (commit, license string, err error)
	// list names all files at the commit.
	list(ctx context.Context, commit string) ([]remoteFile, error)
	// fileURL is the canonical address of a file.
	fileURL(commit, path string) string
	// download leaves a verified file in a temporary place. The error holds a
	// *pipeline.Rejection if only this file is lost.
	download(ctx context.Context, commit string, f remoteFile) (path string, err error)
}

// remoteFile is a file as listed or as locked.
type remoteFile struct {
	path string
	size int64 // -1 if unknown
	// sha256 of the bytes or, if only that is known, sha1 of the git blob.
	sha256 pipeline.Digest
	gitSHA string
	// had is what an earlier run stored for the git blob.
	had pipeline.Blob
	// locked: the digest is a pin of the lock file.
	locked  bool
	max     int64
	problem *pipeline.Rejection
}

// remote resolves one need by the lock as far as it reaches, then by the
// network.
func (f *Fetcher) remote(ctx context.Context, source string, need pipeline.Need, up upstream) ([]pipeline.Asset, Entry, error) {
	want := entryOf(need, up.canonical())
	have, found, exact := f.lock.find(source, want)
	if f.opts.Offline {
		if !exact {
			return nil, Entry{}, &OfflineError{}
		}
		return f.offline(ctx, need, up, have)
	}
	if f.opts.Relock {
		have, found, exact = Entry{}, false, false
	}
	want.Commit, want.License = have.Commit, have.License
	if !found {
		var err error
		if want.Commit, want.License, err = up.pin(ctx); err != nil {
			return nil, Entry{}, err
		}
	}
	files, err := f.chooseFiles(ctx, need, up, want.Commit, have, exact)
	if err != nil {
		return nil, Entry{}, err
	}
	assets, err := f.fetchFiles(ctx, need, up, want, files)
	if err != nil {
		return nil, Entry{}, err
	}
	for i, a := range assets {
		want.Files = append(want.Files, lockedFile(a, files[i]))
	}
	sortFiles(want.Files)
	return assets, want, nil
}

// lockedFile keeps the pin of a file that is dead or refused now: the lock
// says what it was.
func lockedFile(a pipeline.Asset, f remoteFile) File {
	if a.Problem == nil {
		return File{Path: a.Path, Size: a.Size, SHA256: a.Blob}
	}
	if f.locked {
		return File{Path: f.path, Size: f.size, SHA256: f.sha256}
	}
	return File{Path: a.Path, Size: a.Size, Problem: a.Problem.Code, Reason: a.Problem.Reason}
}

// chooseFiles returns the files of a need. A complete lock entry is enough; one
// with files that could not be had is listed again, for they may be there now.
func (f *Fetcher) chooseFiles(ctx context.Context, need pipeline.Need, up upstream, commit string, have Entry, exact bool) ([]remoteFile, error) {
	limit := f.maxBytes(need)
	pins := map[string]File{}
	complete := exact
	for _, file := range have.Files {
		if file.Problem != "" {
			complete = false
			continue
		}
		pins[file.Path] = file
	}
	if complete {
		var files []remoteFile
		for _, file := range have.Files {
			files = append(files, fromLock(file, limit))
		}
		return files, nil
	}
	listed, err := up.list(ctx, commit)
	if err != nil {
		return nil, err
	}
	files, err := matchFiles(need, up, listed)
	if err != nil {
		return nil, err
	}
	for i, file := range files {
		if pin, ok := pins[file.path]; ok {
			files[i] = fromLock(pin, limit)
		}
		files[i].max = limit
	}
	return files, nil
}

func fromLock(file File, limit int64) remoteFile {
	return remoteFile{path: file.Path, size: file.Size, sha256: file.SHA256, locked: true, max: limit}
}

// matchFiles checks a listing and applies the need's patterns.
func matchFiles(need pipeline.Need, up upstream, listed []remoteFile) ([]remoteFile, error) {
	set, err := glob.Compile(need.Include, need.Exclude)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	var files []remoteFile
	for _, file := range listed {
		if printable(file.path) && (!fs.ValidPath(file.path) || strings.Contains(file.path, `\`)) {
			return nil, &ListingError{up.canonical(), fmt.Sprintf("path %q leaves the repository; the listing is not to be trusted", file.path)}
		}
		if seen[file.path] {
			return nil, &ListingError{up.canonical(), fmt.Sprintf("path %q occurs twice; the listing is not to be trusted", file.path)}
		}
		seen[file.path] = true
		if need.From != HTTP && (inJunk(file.path) || !set.Match(file.path)) {
			continue
		}
		if !printable(file.path) {
			file.path = strings.Trim(fmt.Sprintf("%+q", file.path), `"`)
			file.problem = pipeline.Reject(BadName, "the name is not printable UTF-8; it must be renamed upstream")
		}
		files = append(files, file)
	}
	return files, nil
}

func inJunk(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if isJunk(part) {
			return true
		}
	}
	return false
}

// fetchFiles downloads what the store lacks, several files at once.
func (f *Fetcher) fetchFiles(ctx context.Context, need pipeline.Need, up upstream, e Entry, files []remoteFile) ([]pipeline.Asset, error) {
	if err := f.useDownloads(files); err != nil {
		return nil, err
	}
	missing, err := f.absent(ctx, files)
	if err != nil {
		return nil, err
	}
	assets := make([]pipeline.Asset, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(f.opts.Concurrency)
	for i, file := range files {
		assets[i] = pipeline.Asset{Path: file.path, Size: max(0, file.size), Revision: e.Commit, License: e.License, Problem: file.problem}
		a := &assets[i]
		if file.problem == nil {
			a.URL = up.fileURL(e.Commit, file.path)
		}
		switch {
		case file.problem != nil:
		case file.size > file.max:
			a.Problem = tooLarge(file.size, file.max)
		case file.sha256 != "" && file.size >= 0 && !missing[file.sha256]:
			a.Blob = file.sha256
		case file.had.Digest != "" && !missing[file.had.Digest] && file.had.Size <= file.max:
			a.Blob, a.Size = file.had.Digest, file.had.Size
		default:
			group.Go(func() error { return f.fetchFile(ctx, up, e.Commit, file, a) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return assets, nil
}

func (f *Fetcher) fetchFile(ctx context.Context, up upstream, commit string, file remoteFile, a *pipeline.Asset) error {
	defer f.busy.lock(string(file.sha256) + file.gitSHA)()
	if file.sha256 != "" && file.size >= 0 { // another path may have had the same bytes
		if missing, err := f.absent(ctx, []remoteFile{file}); err != nil || !missing[file.sha256] {
			a.Blob = file.sha256
			return err
		}
	}
	path, err := up.download(ctx, commit, file)
	if why, lost := asProblem(err); lost {
		a.Problem = why
		return nil
	}
	if why := transientRejection(err); why != nil && f.opts.AllowPartial {
		a.Problem = why
		return nil
	}
	if err != nil {
		return err
	}
	blob, err := f.store.PutFile(ctx, path, true)
	if err != nil {
		return fmt.Errorf("store %q: %w", file.path, err)
	}
	if file.sha256 != "" && blob.Digest != file.sha256 {
		return &ChangedError{URL: a.URL, Want: string(file.sha256), Got: string(blob.Digest), Locked: file.locked}
	}
	a.Blob, a.Size = blob.Digest, blob.Size
	if file.gitSHA != "" {
		return f.done.note(file.gitSHA, blob)
	}
	return nil
}

// useDownloads fills in the SHA-256 of files that an earlier run finished, of which the
// listing has the git SHA-1 only.
func (f *Fetcher) useDownloads(files []remoteFile) error {
	for i, file := range files {
		if file.sha256 != "" || file.gitSHA == "" || file.problem != nil {
			continue
		}
		var err error
		if files[i].had, err = f.done.find(file.gitSHA); err != nil {
			return err
		}
	}
	return nil
}

func (f *Fetcher) absent(ctx context.Context, files []remoteFile) (map[pipeline.Digest]bool, error) {
	var known []pipeline.Digest
	for _, file := range files {
		for _, d := range []pipeline.Digest{file.sha256, file.had.Digest} {
			if d != "" {
				known = append(known, d)
			}
		}
	}
	gone, err := f.store.MissingBlobs(ctx, known)
	if err != nil {
		return nil, err
	}
	out := map[pipeline.Digest]bool{}
	for _, d := range gone {
		out[d] = true
	}
	return out, nil
}

// offline answers from lock and store alone.
func (f *Fetcher) offline(ctx context.Context, need pipeline.Need, up upstream, e Entry) ([]pipeline.Asset, Entry, error) {
	limit := f.maxBytes(need)
	var files []remoteFile
	for _, file := range e.Files {
		rf := fromLock(file, limit)
		if file.Problem != "" {
			rf.problem = pipeline.Reject(file.Problem, "%s", file.Reason)
		}
		files = append(files, rf)
	}
	missing, err := f.absent(ctx, files)
	if err != nil {
		return nil, Entry{}, err
	}
	var lacking []string
	for _, file := range files {
		if file.size <= file.max && missing[file.sha256] {
			lacking = append(lacking, file.path)
		}
	}
	if len(lacking) > 0 {
		return nil, Entry{}, &OfflineError{Files: lacking}
	}
	assets, err := f.fetchFiles(ctx, need, up, e, files)
	return assets, e, err
}

// asRejection turns an error about one file into its problem where it is one.
func asRejection(err error, pinned bool) error {
	var se *StatusError
	if errors.As(err, &se) {
		if why := se.rejection(pinned); why != nil {
			return why
		}
	}
	return err
}

// downloadIndex remembers, between runs, under which SHA-256 the store has a file of
// which only the git SHA-1 is known before it is there. Without it a fetch that
// was killed before the lock was written would download such files once more.
// Each line of the file is "git-sha1 sha256 bytes end", for behind a pointer of Git LFS
// stands a larger file; a line that was cut off by a kill counts for nothing.
type downloadIndex struct {
	path string
	mu   sync.Mutex
	// known is nil until the file was read.
	known map[string]pipeline.Blob
}

// find returns what stands for a git blob in the store; without a digest if that
// is not known.
func (f *downloadIndex) find(gitSHA string) (pipeline.Blob, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.load(); err != nil {
		return pipeline.Blob{}, err
	}
	return f.known[gitSHA], nil
}

// note remembers a file that is in the store now.
func (f *downloadIndex) note(gitSHA string, b pipeline.Blob) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.load(); err != nil {
		return err
	}
	if f.known[gitSHA] == b {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return fmt.Errorf("make folder for downloads: %w", err)
	}
	out, err := os.OpenFile(f.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("note a finished download: %w", err)
	}
	// The line break in front ends a line that a kill cut off.
	_, err = fmt.Fprintf(out, "\n%s %s %d end", gitSHA, b.Digest, b.Size)
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("note a finished download: %w", err)
	}
	f.known[gitSHA] = b
	return nil
}

func (f *downloadIndex) load() error {
	if f.known != nil {
		return nil
	}
	known := map[string]pipeline.Blob{}
	in, err := os.Open(f.path)
	if os.IsNotExist(err) {
		f.known = known
		return nil
	}
	if err != nil {
		return fmt.Errorf("read finished downloads: %w", err)
	}
	defer in.Close()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 4 {
			continue
		}
		d, err := pipeline.ParseDigest(fields[1])
		size, bad := strconv.ParseInt(fields[2], 10, 64)
		if err == nil && bad == nil && isCommit(fields[0]) {
			known[fields[0]] = pipeline.Blob{Digest: d, Size: size}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read finished downloads: %w", err)
	}
	f.known = known
	return nil
}
