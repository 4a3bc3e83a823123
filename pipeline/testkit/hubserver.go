package testkit

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Hub is a local server that speaks as much of the protocols of the Hugging
// Face hub, of GitHub and of plain web servers as a fetcher uses. A second
// server on another port is the content host that redirects lead to.
type Hub struct {
	// URL is the endpoint for everything; CDN the content host.
	URL, CDN string

	mu       sync.Mutex
	repos    map[string]*Repo
	plain    map[string][]byte
	faults   []*Fault
	requests []Request
	watch    func(Request)
	objects  map[string][]byte         // of LFS, by SHA-256
	parts    map[string]map[int][]byte // of uploads that are not joined yet, by SHA-256
}

// Repo is one repository, served as a dataset and as a GitHub repository.
type Repo struct {
	// Commit is the head; Branch the only branch ("main" if empty).
	Commit, Branch string
	License        string
	Files          map[string][]byte
	// Large names the files kept by LFS.
	Large map[string]bool
	// Gated answers every download with GatedRepo unless the token is given.
	Gated bool
	Token string
	// PageSize of listings; 0 is 1000.
	PageSize int
	// Next replaces the address of the next page.
	Next string
	// Truncated marks the git tree as cut.
	Truncated bool
	// Links are paths that the git tree lists as symbolic links.
	Links map[string]bool

	// Writer is the token that may write, none if it is empty. Private repositories are
	// hidden from all others.
	Writer  string
	Private bool
	// PartSize has larger files uploaded in parts of so many bytes.
	PartSize int
	// Tags maps tags to commits. Commits counts those that were made.
	Tags    map[string]string
	Commits int
	history map[string]snapshot
}

// snapshot is what a repository holds at a commit.
type snapshot struct {
	files map[string][]byte
	large map[string]bool
}

// Request is what a server was asked.
type Request struct {
	// Host is "hub" or "cdn".
	Host, Method, Path string
	Header             http.Header
}

// NewHub starts the servers; the test's end stops them.
func NewHub(t testing.TB) *Hub {
	h := &Hub{repos: map[string]*Repo{}, plain: map[string][]byte{}, objects: map[string][]byte{}, parts: map[string]map[int][]byte{}}
	main := httptest.NewServer(h.record("hub", h.serve))
	cdn := httptest.NewServer(h.record("cdn", h.serveCDN))
	t.Cleanup(main.Close)
	t.Cleanup(cdn.Close)
	h.URL, h.CDN = main.URL, cdn.URL
	return h
}

// SetRepo adds or replaces a repository.
func (h *Hub) SetRepo(name string, r Repo) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r.Branch == "" {
		r.Branch = "main"
	}
	h.repos[name] = &r
}

// SetFile serves bytes at URL/plain/name.
func (h *Hub) SetFile(name string, b []byte) (url string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.plain[name] = b
	return h.URL + "/plain/" + name
}

// Watch has a function called with every request from now on, before it is answered.
func (h *Hub) Watch(f func(Request)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.watch = f
}

// Requests returns what was asked so far, in order.
func (h *Hub) Requests() []Request {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.requests)
}

func (h *Hub) record(host string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		asked := Request{host, r.Method, r.URL.Path, r.Header.Clone()}
		h.requests = append(h.requests, asked)
		fault, hit := h.dueFault(host + r.URL.Path)
		watch := h.watch
		h.mu.Unlock()
		if watch != nil {
			watch(asked)
		}
		fault.serve(w, r, hit, next)
	})
}

func (h *Hub) serve(w http.ResponseWriter, r *http.Request) {
	p := r.URL.Path
	switch {
	case strings.HasPrefix(p, "/plain/"):
		h.mu.Lock()
		b, ok := h.plain[strings.TrimPrefix(p, "/plain/")]
		h.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		serveBytes(w, r, b)
	case p == "/api/repos/create", r.Method != http.MethodGet && strings.HasPrefix(p, "/api/"), strings.HasPrefix(p, "/datasets/") && r.Method == http.MethodPost:
		h.serveWrite(w, r)
	case strings.HasPrefix(p, "/api/datasets/"):
		h.serveDataset(w, r, strings.TrimPrefix(p, "/api/datasets/"))
	case strings.HasPrefix(p, "/datasets/"):
		h.resolve(w, r, strings.TrimPrefix(p, "/datasets/"))
	case strings.HasPrefix(p, "/repos/"):
		h.serveGitHubAPI(w, r, strings.TrimPrefix(p, "/repos/"))
	case strings.HasSuffix(p, ".git/info/lfs/objects/batch"):
		h.serveBatch(w, r)
	default:
		h.serveRaw(w, r)
	}
}

// repo splits a path into a known repository and the rest.
func (h *Hub) repo(path string) (*Repo, string, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(h.repos)) {
		if path == name || strings.HasPrefix(path, name+"/") {
			return h.repos[name], name, strings.Trim(strings.TrimPrefix(path, name), "/")
		}
	}
	return nil, "", ""
}

func hubError(w http.ResponseWriter, status int, code string) {
	w.Header().Set("X-Error-Code", code)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q}`, code)
}

func (h *Hub) serveDataset(w http.ResponseWriter, r *http.Request, path string) {
	repo, name, rest := h.repo(path)
	if repo == nil || repo.Private && r.Header.Get("Authorization") != "Bearer "+repo.Writer {
		hubError(w, http.StatusUnauthorized, "RepoNotFound")
		return
	}
	verb, rev, _ := strings.Cut(rest, "/")
	at, commit, ok := h.at(repo, rev)
	if !ok {
		hubError(w, http.StatusNotFound, "RevisionNotFound")
		return
	}
	if verb == "revision" {
		writeJSON(w, map[string]any{"sha": commit, "private": repo.Private, "tags": []string{"license:" + repo.License}})
		return
	}
	h.tree(w, r, repo, at, name, rev)
}

// at returns what a repository holds at a branch, tag or commit.
func (h *Hub) at(repo *Repo, rev string) (at snapshot, commit string, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if commit = repo.Tags[rev]; commit == "" {
		commit = rev
	}
	if rev == repo.Branch || commit == repo.Commit {
		return snapshot{repo.Files, repo.Large}, repo.Commit, true
	}
	at, ok = repo.history[commit]
	return at, commit, ok
}

func (h *Hub) tree(w http.ResponseWriter, r *http.Request, repo *Repo, at snapshot, name, rev string) {
	start, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	size := repo.PageSize
	if size == 0 {
		size = 1000
	}
	var items []map[string]any
	paths := slices.Sorted(maps.Keys(at.files))
	for _, p := range paths[start:min(start+size, len(paths))] {
		item := map[string]any{"type": "file", "path": p, "size": len(at.files[p]), "oid": GitBlob(at.files[p])}
		if at.large[p] {
			item["lfs"] = map[string]any{"oid": SHA256(at.files[p]), "size": len(at.files[p])}
		}
		items = append(items, item)
	}
	if start+size < len(paths) {
		next := fmt.Sprintf("%s/api/datasets/%s/tree/%s?recursive=true&cursor=%d", h.URL, name, rev, start+size)
		if repo.Next != "" {
			next = repo.Next
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s>; rel="next"`, next))
	}
	writeJSON(w, items)
}

func (h *Hub) resolve(w http.ResponseWriter, r *http.Request, path string) {
	repo, name, rest := h.repo(path)
	rest = strings.TrimPrefix(rest, "resolve/")
	if repo == nil {
		hubError(w, http.StatusNotFound, "RepoNotFound")
		return
	}
	rev, file, _ := strings.Cut(rest, "/")
	at, commit, known := h.at(repo, rev)
	w.Header().Set("X-Repo-Commit", commit)
	b, ok := at.files[file]
	switch {
	case !known:
		hubError(w, http.StatusNotFound, "RevisionNotFound")
	case repo.Gated && r.Header.Get("Authorization") != "Bearer "+repo.Token:
		hubError(w, http.StatusForbidden, "GatedRepo")
	case !ok:
		hubError(w, http.StatusNotFound, "EntryNotFound")
	case at.large[file]:
		w.Header().Set("X-Linked-Etag", `"`+SHA256(b)+`"`)
		w.Header().Set("X-Linked-Size", strconv.Itoa(len(b)))
		http.Redirect(w, r, h.CDN+"/"+name+"/"+file+"?Signature=secret&commit="+commit, http.StatusFound)
	default:
		w.Header().Set("ETag", `W/"`+GitBlob(b)+`"`)
		serveBytes(w, r, b)
	}
}

// serveCDN gives any file of any repository, and refuses credentials as a
// signed address does.
func (h *Hub) serveCDN(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		h.serveUpload(w, r)
		return
	}
	repo, _, file := h.repo(strings.TrimPrefix(r.URL.Path, "/"))
	if repo == nil {
		http.NotFound(w, r)
		return
	}
	at, _, ok := h.at(repo, r.URL.Query().Get("commit"))
	if !ok {
		at, _, _ = h.at(repo, repo.Branch)
	}
	if at.files[file] == nil {
		http.NotFound(w, r)
		return
	}
	serveBytes(w, r, at.files[file])
}

func (h *Hub) serveGitHubAPI(w http.ResponseWriter, r *http.Request, path string) {
	repo, _, rest := h.repo(path)
	switch {
	case repo == nil:
		http.NotFound(w, r)
	case rest == "":
		writeJSON(w, map[string]any{"license": map[string]any{"spdx_id": repo.License}})
	case rest == "commits/"+repo.Branch:
		writeJSON(w, map[string]any{"sha": repo.Commit})
	case rest == "git/trees/"+repo.Commit:
		writeJSON(w, map[string]any{"sha": repo.Commit, "tree": gitTree(repo), "truncated": repo.Truncated})
	default:
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
}

func gitTree(repo *Repo) []map[string]any {
	tree := []map[string]any{{"path": "folder", "mode": "040000", "type": "tree", "sha": GitBlob(nil)}}
	for _, p := range slices.Sorted(maps.Keys(repo.Files)) {
		b, mode := inGit(repo, p), "100644"
		if repo.Links[p] {
			mode = "120000"
		}
		tree = append(tree, map[string]any{"path": p, "mode": mode, "type": "blob", "sha": GitBlob(b), "size": len(b)})
	}
	return tree
}

// inGit is what git holds of a file: the bytes or an LFS pointer.
func inGit(repo *Repo, path string) []byte {
	b := repo.Files[path]
	if !repo.Large[path] {
		return b
	}
	return fmt.Appendf(nil, "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", SHA256(b), len(b))
}

func (h *Hub) serveRaw(w http.ResponseWriter, r *http.Request) {
	repo, _, rest := h.repo(strings.TrimPrefix(r.URL.Path, "/"))
	if repo == nil {
		http.NotFound(w, r)
		return
	}
	rev, file, _ := strings.Cut(rest, "/")
	if rev != repo.Commit || repo.Files[file] == nil {
		http.NotFound(w, r)
		return
	}
	serveBytes(w, r, inGit(repo, file))
}

func (h *Hub) serveBatch(w http.ResponseWriter, r *http.Request) {
	repo, name, _ := h.repo(strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/"), ".git/info/lfs/objects/batch"))
	var ask struct {
		Objects []struct {
			OID string `json:"oid"`
		} `json:"objects"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || repo == nil || len(ask.Objects) != 1 {
		http.NotFound(w, r)
		return
	}
	oid := ask.Objects[0].OID
	object := map[string]any{"oid": oid, "error": map[string]any{"code": 404, "message": "not found"}}
	for p, b := range repo.Files {
		if repo.Large[p] && SHA256(b) == oid {
			object = map[string]any{"oid": oid, "actions": map[string]any{"download": map[string]any{
				"href": h.CDN + "/" + name + "/" + p, "header": map[string]string{"X-Signed": "yes"}}}}
		}
	}
	writeJSON(w, map[string]any{"objects": []any{object}})
}

// serveBytes honours a Range that is open at its end.
func serveBytes(w http.ResponseWriter, r *http.Request, b []byte) {
	from, status := 0, http.StatusOK
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil {
		if from >= len(b) {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		status = http.StatusPartialContent
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(b)-1, len(b)))
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(b)-from))
	w.WriteHeader(status)
	_, _ = w.Write(b[from:])
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		_, _ = io.WriteString(w, err.Error())
	}
}

// SHA256 is the digest of b in hex.
func SHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// GitBlob is the id git gives to a file with the bytes b.
func GitBlob(b []byte) string {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(b), b))
	return hex.EncodeToString(sum[:])
}
