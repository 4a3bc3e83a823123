package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// maxEntries bounds a listing.
const maxEntries = 2_000_000

// hub is one dataset of the Hugging Face hub.
type hub struct {
	web  *client
	need pipeline.Need
}

func newHub(web *client, need pipeline.Need) (upstream, error) {
	if err := CheckHub(need.Repo, need.Revision); err != nil {
		return nil, err
	}
	return &hub{web, need}, nil
}

// CheckHub refuses what cannot be a dataset's id or revision. Old datasets
// have no owner in their id.
func CheckHub(repo, revision string) error {
	if ok, _ := regexp.MatchString(`^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$`, repo); !ok || strings.Contains(repo, "..") {
		return fmt.Errorf("repo %q: want owner/name", repo)
	}
	return checkRevision(revision)
}

func checkRevision(rev string) error {
	if ok, _ := regexp.MatchString(`^[A-Za-z0-9][\w./+-]*$`, rev); !ok || strings.Contains(rev, "..") {
		return fmt.Errorf("revision %q: want a branch, tag or commit", rev)
	}
	return nil
}

func (h *hub) canonical() string { return canonicalHub + "/datasets/" + h.need.Repo }

func (h *hub) fileURL(commit, path string) string {
	return h.canonical() + "/resolve/" + commit + "/" + escapePath(path)
}

func escapePath(p string) string { return (&url.URL{Path: "/" + p}).EscapedPath()[1:] }

// get forms a request to the endpoint. path is what follows the host.
func (h *hub) get(class, path string) request {
	r := request{
		url: h.web.opts.Endpoints.Hub + path, canonical: redact(canonicalHub + path),
		kind: Hub, class: Hub + " " + class, home: originOf(h.web.opts.Endpoints.Hub),
	}
	if t := h.web.opts.Token(Hub); t != "" {
		r.auth = "Bearer " + t
	}
	return r
}

func (h *hub) pin(ctx context.Context) (commit, license string, err error) {
	r := h.get("api", "/api/datasets/"+h.need.Repo+"/revision/"+url.PathEscape(h.need.Revision))
	body, _, err := h.web.text(ctx, r)
	if err != nil {
		return "", "", err
	}
	var info struct {
		SHA  string   `json:"sha"`
		Tags []string `json:"tags"`
	}
	if err := json.Unmarshal(body, &info); err != nil || !isCommit(info.SHA) {
		return "", "", notJSON(r, body, "a revision with a commit id")
	}
	for _, t := range info.Tags {
		if l, ok := strings.CutPrefix(t, "license:"); ok && license == "" && printable(l) {
			license = l
		}
	}
	return info.SHA, license, nil
}

func notJSON(r request, body []byte, want string) error {
	return &ContentError{URL: r.canonical, Want: want, Got: fmt.Sprintf("%d other bytes", len(body)), First: body[:min(len(body), 64)]}
}

type hubItem struct {
	Type string `json:"type"`
	OID  string `json:"oid"`
	Size int64  `json:"size"`
	Path string `json:"path"`
	LFS  *struct {
		OID  string `json:"oid"`
		Size int64  `json:"size"`
	} `json:"lfs"`
}

// list follows the pages to the end: stopping early would cut a dataset
// without a sign.
func (h *hub) list(ctx context.Context, commit string) ([]remoteFile, error) {
	r := h.get("api", "/api/datasets/"+h.need.Repo+"/tree/"+commit+"?recursive=true&limit=1000")
	seen, paths := map[string]bool{}, map[string]bool{}
	var files []remoteFile
	for {
		if seen[r.url] {
			return nil, &ListingError{h.canonical(), "a page names an earlier page as the next one; report it to the mirror"}
		}
		seen[r.url] = true
		body, header, err := h.web.text(ctx, r)
		if err != nil {
			return nil, err
		}
		var items []hubItem
		if err := json.Unmarshal(body, &items); err != nil {
			return nil, notJSON(r, body, "a list of files")
		}
		for _, it := range items {
			if paths[it.Path] {
				return nil, &ListingError{h.canonical(), fmt.Sprintf("path %q occurs twice; the listing is not to be trusted", it.Path)}
			}
			paths[it.Path] = true
			if it.Type == "file" {
				files = append(files, it.remote())
			}
		}
		if len(paths) > maxEntries {
			return nil, &ListingError{h.canonical(), fmt.Sprintf("more than %d files and folders", maxEntries)}
		}
		next, err := nextPage(r.url, header.Values("Link"))
		if err != nil {
			return nil, &ListingError{h.canonical(), err.Error()}
		}
		if next == "" {
			return files, nil
		}
		r.url = next
	}
}

func (it hubItem) remote() remoteFile {
	f := remoteFile{path: it.Path, size: it.Size}
	if it.LFS != nil {
		f.size = it.LFS.Size
		f.sha256, _ = pipeline.ParseDigest(it.LFS.OID)
	} else if isCommit(it.OID) {
		f.gitSHA = it.OID
	}
	if f.size < 0 || f.sha256 == "" && f.gitSHA == "" {
		f.size = 0
		f.problem = pipeline.Reject(Missing, "the hub lists it without a usable size or digest, so it cannot be verified")
	}
	return f
}

// nextPage finds rel="next" and refuses another origin: a listing does not
// move to another host, and a token must not follow it.
func nextPage(current string, links []string) (string, error) {
	at, err := url.Parse(current)
	if err != nil {
		return "", errors.New("unreadable address")
	}
	for _, header := range links {
		for link := range strings.SplitSeq(header, ",") {
			target, params, ok := strings.Cut(strings.TrimSpace(link), ">")
			if !ok || !strings.HasPrefix(target, "<") || !isNext(params) {
				continue
			}
			next, err := at.Parse(target[1:])
			if err != nil {
				return "", errors.New("the address of the next page cannot be read")
			}
			if origin(next) != origin(at) || next.User != nil {
				return "", fmt.Errorf("the next page is on another host (%s); refused", redact(next.String()))
			}
			return next.String(), nil
		}
	}
	return "", nil
}

func isNext(params string) bool {
	for p := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
		if strings.EqualFold(name, "rel") && strings.Trim(value, `"`) == "next" {
			return true
		}
	}
	return false
}

func (h *hub) download(ctx context.Context, commit string, f remoteFile) (string, error) {
	r := h.get("resolvers", "/datasets/"+h.need.Repo+"/resolve/"+commit+"/"+escapePath(f.path))
	r.header = http.Header{"Accept": {"*/*"}}
	local, err := h.web.download(ctx, r, f)
	return local, asRejection(err, f.locked)
}

// httpFile is one pinned URL.
type httpFile struct {
	web  *client
	need pipeline.Need
}

func newHTTPFile(web *client, need pipeline.Need) (upstream, error) {
	if err := CheckHTTP(need.URL, need.SHA256); err != nil {
		return nil, err
	}
	return &httpFile{web, need}, nil
}

// CheckHTTP refuses a URL that is not http or https, carries credentials or
// names no file, and a digest that is none.
func CheckHTTP(rawURL string, sha256 pipeline.Digest) error {
	if err := checkURL(rawURL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if _, err := FileName(rawURL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if sha256 == "" {
		return fmt.Errorf("sha256 of %s: required; a URL alone does not say which bytes are meant", redact(rawURL))
	}
	if _, err := pipeline.ParseDigest(string(sha256)); err != nil {
		return fmt.Errorf("sha256 of %s: %w", redact(rawURL), err)
	}
	return nil
}

// FileName returns the last element of a URL's path, unescaped: an asset's path.
func FileName(rawURL string) (string, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return "", fmt.Errorf("%s is not a URL", redact(rawURL))
	}
	name := path.Base(u.EscapedPath())
	name, err = url.PathUnescape(name)
	if err != nil || name == "" || name == "." || name == ".." || name == "/" || path.Base(name) != name || !printable(name) {
		return "", fmt.Errorf("%s: the path names no file", redact(rawURL))
	}
	return name, nil
}

func (h *httpFile) canonical() string { return h.need.URL }

func (h *httpFile) pin(context.Context) (commit, license string, err error) { return "", "", nil }

func (h *httpFile) list(context.Context, string) ([]remoteFile, error) {
	name, err := FileName(h.need.URL)
	return []remoteFile{{path: name, size: -1, sha256: h.need.SHA256}}, err
}

func (h *httpFile) fileURL(_, _ string) string { return h.need.URL }

func (h *httpFile) download(ctx context.Context, _ string, f remoteFile) (string, error) {
	local, err := h.web.download(ctx, request{
		url: h.web.opts.Endpoints.mirror(h.need.URL), canonical: redact(h.need.URL),
		kind: HTTP, class: HTTP + " " + originOf(h.need.URL),
	}, f)
	// Somebody pinned its digest, so it was there once.
	return local, asRejection(err, true)
}
