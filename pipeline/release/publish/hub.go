package publish

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// hubOwn is the file that the hub itself puts into every dataset.
const hubOwn = ".gitattributes"

// hubTarget is a dataset of the hub: a release is one commit of main, with a tag for its
// version.
type hubTarget struct {
	dataset *fetch.Dataset
	opts    Options
	head    fetch.Head
}

// TokenError says that there is no token to write to the hub with.
type TokenError struct{ Repo string }

func (e *TokenError) Error() string {
	return fmt.Sprintf("HF_TOKEN is not set; set it to a token that may write to %s (its owner makes one in the settings of the hub, under access tokens)", e.Repo)
}

func openHub(to Place, opts Options) (*hubTarget, error) {
	if !opts.DryRun && (opts.Fetch.Token == nil || opts.Fetch.Token(fetch.Hub) == "") {
		return nil, &TokenError{to.Repo}
	}
	var err error
	if opts.Fetch.TempDir, err = os.MkdirTemp("", "memforge-publish-"); err != nil {
		return nil, fmt.Errorf("make a folder for downloads: %w", err)
	}
	dataset, err := fetch.NewDataset(to.Repo, opts.Fetch)
	return &hubTarget{dataset: dataset, opts: opts}, err
}

func (t *hubTarget) close() error { return os.RemoveAll(t.opts.Fetch.TempDir) }

func (t *hubTarget) compare(ctx context.Context, rel *local) (Plan, error) {
	plan := Plan{Place: t.dataset.URL(), Name: rel.tag(), Send: rel.files}
	if err := t.findHead(ctx, &plan); err != nil || t.head.Commit == "" {
		return plan, err
	}
	switch {
	case t.opts.Private && !t.head.Private:
		return plan, &TakenError{plan.Place, "the dataset is public; make it private in its settings, or publish without --private"}
	case t.head.Private && !t.opts.Private:
		plan.Notes = append(plan.Notes, "the dataset is private")
	}
	if done, err := t.isTagged(ctx, rel); err != nil || done {
		plan.Done, plan.Send, plan.Kept = done, nil, len(rel.files)
		return plan, err
	}
	there, err := t.dataset.List(ctx, t.head.Commit)
	if err != nil {
		return plan, err
	}
	if err := t.checkHead(ctx, rel, there); err != nil {
		return plan, err
	}
	d, err := rel.compareWith(there)
	plan.Send, plan.Remove, plan.Kept = d.lacks, d.others, len(rel.files)-len(d.lacks)
	return plan, err
}

// findHead finds the newest commit of the dataset, which it makes if it may. In a dry run
// of that there is none.
func (t *hubTarget) findHead(ctx context.Context, plan *Plan) (err error) {
	t.head, err = t.dataset.Head(ctx)
	var answer *fetch.StatusError
	if err == nil || !t.opts.Create || !errors.As(err, &answer) || answer.Status != 401 && answer.Status != 404 {
		return err
	}
	if plan.Create = true; t.opts.DryRun {
		return nil
	}
	if err := t.dataset.Create(ctx, t.opts.Private); err != nil {
		return err
	}
	t.head, err = t.dataset.Head(ctx)
	return err
}

// isTagged reports whether the version was published already. One with other bytes is an
// error.
func (t *hubTarget) isTagged(ctx context.Context, rel *local) (bool, error) {
	commit, err := t.dataset.Resolve(ctx, rel.tag())
	var answer *fetch.StatusError
	if errors.As(err, &answer) && answer.Code == fetch.RevisionNotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	same, detail, err := t.holds(ctx, rel, commit)
	if err == nil && !same {
		err = otherBytes(t.dataset.URL(), rel.manifest.Version, detail)
	}
	return same, err
}

// holds reports whether a commit is the release, and else where it is another.
func (t *hubTarget) holds(ctx context.Context, rel *local, commit string) (bool, string, error) {
	there, err := t.dataset.List(ctx, commit)
	if err != nil {
		return false, "", err
	}
	d, err := rel.compareWith(there)
	return d.empty(), d.String(), err
}

// checkHead refuses to write over a release of another name or a newer version, and over
// files that are of no release.
func (t *hubTarget) checkHead(ctx context.Context, rel *local, there []fetch.HubFile) error {
	if t.opts.Replace {
		return nil
	}
	listed, err := t.checkRelease(ctx, rel, there)
	if err != nil {
		return err
	}
	var foreign []string
	for _, f := range there {
		if _, own := rel.file(f.Path); own || f.Path == hubOwn || listed.Digest(f.Path) != "" ||
			listed.Len() > 0 && (f.Path == manifest.SumsName || f.Path == release.SignatureName) {
			continue
		}
		foreign = append(foreign, f.Path)
	}
	if len(foreign) > 0 {
		return &TakenError{t.dataset.URL(), fmt.Sprintf("it holds %d files that no release brought (%s); move them elsewhere, or give --replace to remove them", len(foreign), firstOf(foreign))}
	}
	return nil
}

// checkRelease reads which release main holds, and returns the list of its files; an
// empty one where it holds none.
func (t *hubTarget) checkRelease(ctx context.Context, rel *local, there []fetch.HubFile) (listed manifest.Sums, err error) {
	sums, found, err := t.read(ctx, there, manifest.SumsName)
	if err != nil || !found {
		return listed, err
	}
	if listed, err = manifest.ParseSums(string(sums)); err != nil {
		return listed, nil // of something else
	}
	text, found, err := t.read(ctx, there, manifest.FileName)
	if err != nil || !found {
		return listed, err
	}
	name, version := headOf(text)
	if name == "" {
		return listed, nil
	}
	return listed, checkOrder(t.dataset.URL(), rel.manifest, name, version, string(sums) == rel.sums)
}

// checkOrder refuses to put a release behind one of another name, or before a newer one.
func checkOrder(place string, m manifest.Manifest, name, version string, same bool) error {
	is, err := manifest.ParseVersion(version)
	own, ownErr := manifest.ParseVersion(m.Version)
	switch {
	case name != m.Name:
		return &TakenError{place, fmt.Sprintf("it holds release %s %s, and this is %s; publish to another place, or give --replace", name, version, m.Name)}
	case err == nil && ownErr == nil && is.Compare(own) > 0:
		return &TakenError{place, fmt.Sprintf("it holds version %s, which is newer than %s; give --replace to put the older one in its place", version, m.Version)}
	case version == m.Version && !same:
		return &TakenError{place, fmt.Sprintf("main holds version %s with other bytes, without a tag; build the release as a new version, or give --replace", version)}
	}
	return nil
}

// read reads a text of the head, which it bounds.
func (t *hubTarget) read(ctx context.Context, there []fetch.HubFile, name string) (_ []byte, found bool, err error) {
	i := slices.IndexFunc(there, func(f fetch.HubFile) bool { return f.Path == name })
	if i < 0 || there[i].Size > manifest.MaxBytes {
		return nil, false, nil
	}
	place, err := t.dataset.Download(ctx, t.head.Commit, there[i])
	if err != nil {
		return nil, false, err
	}
	text, err := atomicfile.Read(place, manifest.MaxBytes)
	return text, true, errors.Join(err, os.Remove(place))
}

// difference is what a place has otherwise than a release.
type difference struct {
	lacks  []manifest.FileInfo
	others []string
}

func (d difference) empty() bool { return len(d.lacks) == 0 && len(d.others) == 0 }

func (d difference) String() string {
	var paths []string
	for _, f := range d.lacks {
		paths = append(paths, f.Path)
	}
	return firstOf(append(paths, d.others...))
}

func firstOf(paths []string) string {
	const shown = 3
	text := strings.Join(paths[:min(shown, len(paths))], ", ")
	if more := len(paths) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// compareWith compares the release with the files of a commit by their digests.
func (l *local) compareWith(there []fetch.HubFile) (d difference, err error) {
	at := map[string]fetch.HubFile{}
	for _, f := range there {
		at[f.Path] = f
		if _, own := l.file(f.Path); !own && f.Path != hubOwn {
			d.others = append(d.others, f.Path)
		}
	}
	for _, f := range l.files {
		is, found := at[f.Path]
		same := found && is.Size == f.Size && is.SHA256 == f.SHA256
		if found && is.SHA256 == "" && is.Size == f.Size {
			blob, err := l.gitBlob(f)
			if err != nil {
				return d, err
			}
			same = blob == is.GitSHA
		}
		if !same {
			d.lacks = append(d.lacks, f)
		}
	}
	return d, nil
}

// gitBlob returns the id that git gives to a file.
func (l *local) gitBlob(of manifest.FileInfo) (id string, err error) {
	f, err := l.root.Open(of.Path)
	if err != nil {
		return "", fmt.Errorf("read release: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", of.Size)
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read release: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// send uploads what the hub lacks, makes one commit, looks whether that is the release,
// and names it.
func (t *hubTarget) send(ctx context.Context, rel *local, plan Plan) error {
	commit := t.head.Commit
	if len(plan.Send)+len(plan.Remove) > 0 {
		var err error
		if commit, err = t.commit(ctx, rel, plan); err != nil {
			return err
		}
	}
	same, detail, err := t.holds(ctx, rel, commit)
	if err != nil {
		return err
	}
	if !same {
		return &TakenError{plan.Place, fmt.Sprintf("the hub made commit %.12s and it is not the release (%s); it has no tag, so nobody takes it for the version; run again", commit, detail)}
	}
	t.opts.tell("commit %.12s is the release", commit)
	err = t.dataset.Tag(ctx, commit, rel.tag(), rel.manifest.ID)
	var answer *fetch.StatusError
	if errors.As(err, &answer) && answer.Code == fetch.Conflict {
		_, err = t.isTagged(ctx, rel) // by another process, or by a request whose reply was lost
	}
	return err
}

func (t *hubTarget) commit(ctx context.Context, rel *local, plan Plan) (string, error) {
	var uploads []fetch.Upload
	for _, f := range plan.Send {
		uploads = append(uploads, fetch.Upload{Path: f.Path, Size: f.Size, SHA256: f.SHA256, Open: func() (*os.File, error) { return rel.root.Open(f.Path) }})
	}
	if err := t.dataset.ChooseLarge(ctx, uploads); err != nil {
		return "", err
	}
	var large []fetch.Upload
	sent := &counter{opts: t.opts, verb: "uploaded"}
	for _, u := range uploads {
		if u.Large {
			large = append(large, u)
			sent.all, sent.want = sent.all+1, sent.want+u.Size
		}
	}
	if err := t.dataset.UploadLarge(ctx, large, func(u fetch.Upload) { sent.add(u.Size) }); err != nil {
		return "", err
	}
	return t.dataset.Commit(ctx, fetch.Change{
		Parent: t.head.Commit, Summary: "Release " + rel.manifest.ID, Add: uploads, Remove: plan.Remove,
		Made: func(ctx context.Context, commit string) (bool, error) {
			same, _, err := t.holds(ctx, rel, commit)
			return same, err
		},
	})
}
