package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
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
		if err := g.json(ctx, r, &answer); err != nil {
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
	if err := g.json(ctx, g.api("/repos/"+g.need.Repo), &repo); err != nil {
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

func (g *gitHub) json(ctx context.Context, r request, v any) error {
	body, _, err := g.web.text(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return notJSON(r, body, "JSON")
	}
	return nil
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
	if err := g.json(ctx, r, &tree); err != nil {
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
