package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/cenkalti/backoff/v5"

	"github.com/memforge/memforge/pipeline"
)

// Dataset is one dataset of the Hugging Face hub, to be read and written as a whole.
type Dataset struct{ hub *hub }

// HubFile is a file of a dataset at a commit.
type HubFile struct {
	Path string
	Size int64
	// SHA256 is known of files kept by LFS; of others GitSHA is, the id of the git blob.
	SHA256 pipeline.Digest
	GitSHA string
}

// Head is the newest commit of a dataset's branch main.
type Head struct {
	Commit  string
	Private bool
}

// NewDataset returns the dataset owner/name.
func NewDataset(repo string, opts Options) (*Dataset, error) {
	opts.setDefaults()
	if err := errors.Join(opts.Endpoints.Check(), CheckHub(repo, "main")); err != nil {
		return nil, err
	}
	if !strings.Contains(repo, "/") {
		return nil, fmt.Errorf("repo %q: want owner/name", repo)
	}
	return &Dataset{&hub{newClient(opts), pipeline.Need{From: Hub, Repo: repo}}}, nil
}

// URL is where people find the dataset.
func (d *Dataset) URL() string { return d.hub.canonical() }

// api forms a request that writes, or that serves writing.
func (d *Dataset) api(method, path string, body any) (request, error) {
	r := d.hub.get("api", "/api/datasets/"+d.hub.need.Repo+path)
	r.method, r.write = method, true
	if body == nil {
		return r, nil
	}
	text, err := json.Marshal(body)
	if err != nil {
		return r, fmt.Errorf("encode a request to the hub: %w", err)
	}
	r.body, r.header = string(text), http.Header{"Content-Type": {"application/json"}}
	return r, nil
}

// Head returns the newest commit of main, for those who will write.
func (d *Dataset) Head(ctx context.Context) (Head, error) {
	r, err := d.api(http.MethodGet, "/revision/main", nil)
	if err != nil {
		return Head{}, err
	}
	var info struct {
		SHA     string `json:"sha"`
		Private bool   `json:"private"`
	}
	if err := d.hub.web.json(ctx, r, &info); err != nil {
		return Head{}, err
	}
	if !isCommit(info.SHA) {
		return Head{}, &ContentError{URL: r.canonical, Want: "a revision with a commit id", Got: "none"}
	}
	return Head{info.SHA, info.Private}, nil
}

// Resolve returns the commit of a branch, tag or commit. One that is not there is a
// *StatusError with the code RevisionNotFound.
func (d *Dataset) Resolve(ctx context.Context, revision string) (commit string, err error) {
	if err := checkRevision(revision); err != nil {
		return "", err
	}
	at := hub{d.hub.web, d.hub.need}
	at.need.Revision = revision
	commit, _, err = at.pin(ctx)
	return commit, err
}

// List returns the files of a commit.
func (d *Dataset) List(ctx context.Context, commit string) ([]HubFile, error) {
	listed, err := d.hub.list(ctx, commit)
	if err != nil {
		return nil, err
	}
	files := make([]HubFile, 0, len(listed))
	for _, f := range listed {
		if f.problem != nil {
			return nil, &ListingError{d.URL(), fmt.Sprintf("%s: %s", f.path, f.problem.Reason)}
		}
		files = append(files, HubFile{f.path, f.size, f.sha256, f.gitSHA})
	}
	return files, nil
}

// Download leaves a file of a commit, with the digest that it must have, in the folder
// for downloads, and returns its place. What an earlier run brought is not fetched again.
func (d *Dataset) Download(ctx context.Context, commit string, f HubFile) (string, error) {
	r := d.hub.get("resolvers", "/datasets/"+d.hub.need.Repo+"/resolve/"+commit+"/"+escapePath(f.Path))
	r.header = http.Header{"Accept": {"*/*"}}
	want := remoteFile{path: f.Path, size: f.Size, sha256: f.SHA256, gitSHA: f.GitSHA}
	if f.SHA256 != "" {
		want.gitSHA = ""
	}
	return d.hub.web.download(ctx, r, want)
}

// Create makes the dataset; one that is there already is no error.
func (d *Dataset) Create(ctx context.Context, private bool) error {
	owner, name, _ := strings.Cut(d.hub.need.Repo, "/")
	body, err := json.Marshal(map[string]any{"type": "dataset", "organization": owner, "name": name, "private": private})
	if err != nil {
		return fmt.Errorf("encode a request to the hub: %w", err)
	}
	r := d.hub.get("api", "/api/repos/create")
	r.method, r.write, r.body, r.header = http.MethodPost, true, string(body), http.Header{"Content-Type": {"application/json"}}
	_, _, err = d.hub.web.text(ctx, r)
	if hasStatus(err, http.StatusConflict) {
		return nil
	}
	return err
}

// Tag names a commit. A tag that is there already, of whatever commit, is a *StatusError
// with the code Conflict.
func (d *Dataset) Tag(ctx context.Context, commit, tag, message string) error {
	r, err := d.api(http.MethodPost, "/tag/"+url.PathEscape(commit), map[string]string{"tag": tag, "message": message})
	if err == nil {
		_, _, err = d.hub.web.text(ctx, r)
	}
	return err
}

// hasStatus reports whether an error is an answer with a status.
func hasStatus(err error, status int) bool {
	var se *StatusError
	return errors.As(err, &se) && se.Status == status
}

// Change is what one commit on main changes.
type Change struct {
	// Parent is the commit that main must still be at.
	Parent, Summary string
	// Add are files that are written, those of LFS after their bytes were uploaded.
	Add []Upload
	// Remove are paths that are deleted.
	Remove []string
	// Made reports whether another commit, which main is at meanwhile, has made this
	// change: the reply to an earlier attempt may be lost.
	Made func(ctx context.Context, commit string) (bool, error)
}

// MovedError says that somebody else wrote to main meanwhile.
type MovedError struct{ URL, Want, Got string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("%s: somebody else wrote to main meanwhile (expected commit %.12s, found %.12s), so nothing was changed; run again to publish onto it", e.URL, e.Want, e.Got)
}

// Commit makes a change at once, or not at all, and returns the commit. It is made once,
// though a reply may be lost and the request be sent again. Where main is at another
// commit than Parent by then, and that is not this change, it is a *MovedError.
func (d *Dataset) Commit(ctx context.Context, c Change) (commit string, err error) {
	body, err := spoolChange(ctx, c)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, body.file.Close()) }()
	r, err := d.api(http.MethodPost, "/commit/main", nil)
	if err != nil {
		return "", err
	}
	r.open, r.size, r.header = body.open, body.size, http.Header{"Content-Type": {"application/x-ndjson"}}
	err = d.hub.web.retry(ctx, r.canonical, func() (bool, error) {
		var failed error
		if commit, failed = d.commitOnce(ctx, r); failed == nil {
			return true, nil
		}
		head, err := d.Head(ctx)
		if err != nil {
			return false, errors.Join(failed, err)
		}
		if head.Commit == c.Parent {
			return false, failed
		}
		made, err := c.Made(ctx, head.Commit)
		switch {
		case err != nil:
			return false, backoff.Permanent(errors.Join(failed, err))
		case !made:
			return false, backoff.Permanent(&MovedError{d.URL(), c.Parent, head.Commit})
		}
		commit = head.Commit
		return true, nil
	})
	return commit, err
}

func (d *Dataset) commitOnce(ctx context.Context, r request) (string, error) {
	a, err := d.hub.web.attempt(ctx, r)
	if err != nil {
		return "", err
	}
	defer a.Body.Close()
	var reply struct {
		CommitOID string `json:"commitOid"`
	}
	if err := json.NewDecoder(a.Body).Decode(&reply); err != nil || !isCommit(reply.CommitOID) {
		return "", fmt.Errorf("%s: the reply names no commit", r.canonical)
	}
	return reply.CommitOID, nil
}
