package fetch

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// gitHub is one GitHub repository.
type gitHub struct {
	web  *client
	need pipeline.Need
}

func newGitHub(web *client, need pipeline.Need) (upstream, error) {
	if err := CheckGitHub(need.Repo, need.Revision); err != nil {
		return nil, err
	}
	return &gitHub{web, need}, nil
}

// CheckGitHub refuses what cannot be a repository or a revision.
func CheckGitHub(repo, revision string) error {
	if ok, _ := regexp.MatchString(`^[A-Za-z0-9][A-Za-z0-9-]*/[\w.-]+$`, repo); !ok || strings.HasSuffix(repo, "/.") || strings.Contains(repo, "..") {
		return fmt.Errorf("repo %q: want owner/name", repo)
	}
	return checkRevision(revision)
}

func (g *gitHub) canonical() string { return canonicalGitHub + "/" + g.need.Repo }

func (g *gitHub) fileURL(commit, path string) string {
	return canonicalRaw + "/" + g.need.Repo + "/" + commit + "/" + escapePath(path)
}

func (g *gitHub) api(path string) request {
	r := request{
		url: g.web.opts.Endpoints.GitHubAPI + path, canonical: redact(canonicalAPI + path),
		kind: GitHub, class: GitHub + " api", home: originOf(g.web.opts.Endpoints.GitHubAPI),
		header: http.Header{"Accept": {"application/vnd.github+json"}, "X-Github-Api-Version": {"2022-11-28"}},
	}
	r.auth = g.bearer()
	return r
}

func (g *gitHub) bearer() string {
	if t := g.web.opts.Token(GitHub); t != "" {
		return "Bearer " + t
	}
	return ""
}

// pin asks for the commit of a branch or tag, and for the licence.
func (g *gitHub) pin(ctx context.Context) (commit, license string, err error) {
	commit = g.need.Revision
	if !isCommit(commit) {
		r := g.api("/repos/" + g.need.Repo + "/commits/" + url.PathEscape(commit) + "?per_page=1")
		var answer struct {
			SHA string `json:"sha"`
		}
		if err := g.web.json(ctx, r, &answer); err != nil {
			return "", "", revisionError(err)
		}
		if commit = answer.SHA; !isCommit(commit) {
			return "", "", &ListingError{r.canonical, "the answer names no commit"}
		}
	}
	var repo struct {
		License struct {
			SPDX string `json:"spdx_id"`
		} `json:"license"`
	}
	if err := g.web.json(ctx, g.api("/repos/"+g.need.Repo), &repo); err != nil {
		return "", "", err
	}
	if repo.License.SPDX == "NOASSERTION" || !printable(repo.License.SPDX) {
		return commit, "", nil
	}
	return commit, repo.License.SPDX, nil
}

// revisionError tells a wrong revision (422) from a wrong repository (404).
func revisionError(err error) error {
	var se *StatusError
	if errors.As(err, &se) && se.Status == http.StatusUnprocessableEntity {
		se.Code, se.Advice = RevisionNotFound, advice(GitHub, RevisionNotFound)
	}
	if errors.As(err, &se) && se.Status == http.StatusNotFound {
		se.Code, se.Advice = RepoNotFound, advice(GitHub, Unauthorized)
	}
	return err
}

func (g *gitHub) list(ctx context.Context, commit string) ([]remoteFile, error) {
	r := g.api("/repos/" + g.need.Repo + "/git/trees/" + commit + "?recursive=1")
	var tree struct {
		Tree []struct {
			Path string `json:"path"`
			Mode string `json:"mode"`
			Type string `json:"type"`
			SHA  string `json:"sha"`
			Size int64  `json:"size"`
		} `json:"tree"`
		Truncated bool `json:"truncated"`
	}
	if err := g.web.json(ctx, r, &tree); err != nil {
		return nil, revisionError(err)
	}
	if tree.Truncated {
		return nil, &ListingError{g.canonical(), "the repository is too large for GitHub to list; clone it and use a dir source"}
	}
	var files []remoteFile
	for _, t := range tree.Tree {
		if t.Type != "blob" { // folders and submodules
			continue
		}
		f := remoteFile{path: t.Path, size: t.Size, gitSHA: t.SHA}
		switch {
		case t.Mode == "120000":
			f.problem = pipeline.Reject(NotRegular, "a symbolic link in the repository; include its target instead")
		case !isCommit(t.SHA) || t.Size < 0:
			f.size, f.problem = 0, pipeline.Reject(Missing, "listed without a usable size or digest, so it cannot be verified")
		}
		files = append(files, f)
	}
	return files, nil
}

// download takes the raw file. A file kept by Git LFS is only a pointer there;
// its bytes are asked for apart. With a locked digest the size alone does not
// tell which of the two comes, so a pointer is looked for first.
func (g *gitHub) download(ctx context.Context, commit string, f remoteFile) (string, error) {
	r := request{
		url:       g.web.opts.Endpoints.GitHubRaw + "/" + g.need.Repo + "/" + commit + "/" + escapePath(f.path),
		canonical: g.fileURL(commit, f.path), kind: GitHub, class: GitHub + " raw",
		home: originOf(g.web.opts.Endpoints.GitHubRaw), auth: g.bearer(),
	}
	if !f.locked {
		return g.unlocked(ctx, r, f)
	}
	head, _, err := g.web.head(ctx, r, maxPointer)
	if err != nil {
		return "", asRejection(err, true)
	}
	if p, ok := parsePointer(head); ok {
		if p.sha256 != f.sha256 {
			return "", &ChangedError{URL: r.canonical, Want: string(f.sha256), Got: string(p.sha256), Locked: true}
		}
		return g.large(ctx, f)
	}
	local, err := g.web.download(ctx, r, f)
	return local, asRejection(err, true)
}

func (g *gitHub) unlocked(ctx context.Context, r request, f remoteFile) (string, error) {
	local, err := g.web.download(ctx, r, f)
	if err != nil || f.size > maxPointer {
		return local, asRejection(err, false)
	}
	text, err := os.ReadFile(local)
	if err != nil {
		return "", err
	}
	p, ok := parsePointer(text)
	if !ok {
		return local, nil
	}
	if err := os.Remove(local); err != nil {
		return "", err
	}
	if p.size > f.max {
		return "", tooLarge(p.size, f.max)
	}
	f.sha256, f.gitSHA, f.size = p.sha256, "", p.size
	return g.large(ctx, f)
}

// maxPointer is the size below which a file may be a Git LFS pointer.
const maxPointer = 1024

type lfsPointer struct {
	sha256 pipeline.Digest
	size   int64
}

// parsePointer recognises the text that stands in git for a file of Git LFS.
func parsePointer(text []byte) (lfsPointer, bool) {
	if len(text) > maxPointer || !bytes.HasPrefix(text, []byte("version https://git-lfs")) {
		return lfsPointer{}, false
	}
	p := lfsPointer{size: -1}
	for l := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(l, "\n"), " ")
		switch key {
		case "oid":
			hash, _ := strings.CutPrefix(value, "sha256:")
			p.sha256, _ = pipeline.ParseDigest(hash)
		case "size":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				p.size = n
			}
		}
	}
	return p, p.sha256 != "" && p.size >= 0
}

type lfsObject struct {
	OID     string `json:"oid"`
	Size    int64  `json:"size"`
	Actions struct {
		Download lfsAction  `json:"download"`
		Upload   *lfsAction `json:"upload"`
		Verify   *lfsAction `json:"verify"`
	} `json:"actions"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// lfsAction is a request that an LFS server asks for.
type lfsAction struct {
	Href   string    `json:"href"`
	Header lfsHeader `json:"header"`
}

// lfsHeader holds texts, and what servers write as numbers.
type lfsHeader map[string]string

// UnmarshalJSON reads texts and numbers.
func (h *lfsHeader) UnmarshalJSON(b []byte) error {
	var values map[string]any
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(&values); err != nil {
		return err
	}
	*h = lfsHeader{}
	for name, v := range values {
		(*h)[name] = fmt.Sprint(v)
	}
	return nil
}

// request forms the request that an action asks for, to the host that the action names
// and no other.
func (a lfsAction) request(method string, of request) (request, error) {
	if err := checkURL(a.Href); err != nil {
		return request{}, &ListingError{of.canonical, "unusable address for an LFS object"}
	}
	r := request{method: method, url: a.Href, canonical: of.canonical, kind: of.kind, class: of.class, home: originOf(a.Href), header: http.Header{}, signed: true}
	for name, value := range a.Header {
		switch {
		case strings.EqualFold(name, "Authorization"):
			r.auth = value
		case name == "chunk_size" || isNumber(name): // the address of a part
		default:
			r.header.Set(name, value)
		}
	}
	return r, nil
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 31)
	return err == nil
}

// large resolves an LFS object by the batch protocol and downloads it. An address
// that is refused meanwhile has expired, so it is asked for again.
func (g *gitHub) large(ctx context.Context, f remoteFile) (string, error) {
	for try := 1; ; try++ {
		local, err := g.object(ctx, f)
		var se *StatusError
		if try < g.web.opts.Tries && errors.As(err, &se) && se.Moved {
			continue
		}
		return local, err
	}
}

// object asks for the address of an LFS object and downloads it from there.
func (g *gitHub) object(ctx context.Context, f remoteFile) (string, error) {
	r, err := g.batch(f)
	if err != nil {
		return "", err
	}
	var answer struct {
		Objects []lfsObject `json:"objects"`
	}
	if err := g.web.json(ctx, r, &answer); err != nil {
		return "", asRejection(err, f.locked)
	}
	if len(answer.Objects) != 1 || answer.Objects[0].OID != string(f.sha256) {
		return "", &ListingError{r.canonical, fmt.Sprintf("no answer for object %s", f.sha256)}
	}
	o := answer.Objects[0]
	if o.Error != nil {
		return "", lostObject(r, o, f.locked)
	}
	get, err := o.Actions.Download.request("", r)
	if err != nil {
		return "", err
	}
	get.canonical += "/" + string(f.sha256)
	local, err := g.web.download(ctx, get, f)
	return local, asRejection(err, f.locked)
}

func (g *gitHub) batch(f remoteFile) (request, error) {
	const path = ".git/info/lfs/objects/batch"
	body, err := json.Marshal(map[string]any{
		"operation": "download", "transfers": []string{"basic"}, "hash_algo": "sha256",
		"objects": []any{map[string]any{"oid": f.sha256, "size": f.size}},
	})
	if err != nil {
		return request{}, fmt.Errorf("encode LFS request: %w", err)
	}
	r := request{
		method: http.MethodPost, body: string(body),
		url:       g.web.opts.Endpoints.GitHubLFS + "/" + g.need.Repo + path,
		canonical: g.canonical() + path, kind: GitHub, class: GitHub + " lfs",
		home:   originOf(g.web.opts.Endpoints.GitHubLFS),
		header: http.Header{"Accept": {"application/vnd.git-lfs+json"}, "Content-Type": {"application/vnd.git-lfs+json"}},
	}
	if t := g.web.opts.Token(GitHub); t != "" {
		r.auth = "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+t))
	}
	return r, nil
}

func lostObject(r request, o lfsObject, pinned bool) error {
	se := &StatusError{URL: r.canonical, Status: o.Error.Code, Code: codeOf(o.Error.Code)}
	se.Advice = "the repository has a pointer to an LFS object that its LFS server does not give: " + advice(GitHub, se.Code)
	return asRejection(se, pinned)
}

// head reads the first n bytes of an answer and one more, with retries.
func (c *client) head(ctx context.Context, r request, n int64) (first []byte, header http.Header, err error) {
	err = c.retry(ctx, r.canonical, func() (bool, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		a, err := c.attempt(ctx, r)
		if err != nil {
			return false, err
		}
		defer a.Body.Close()
		first, err = io.ReadAll(io.LimitReader(c.watch(a.Body, cancel), n+1))
		if err != nil {
			return false, fmt.Errorf("%s: connection broke: %w", r.canonical, withoutURL(err))
		}
		header = a.Header
		return false, nil
	})
	return first, header, err
}
