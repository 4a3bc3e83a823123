package testkit

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

// serveWrite speaks the parts of the hub's protocol that change a dataset.
func (h *Hub) serveWrite(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/repos/create" {
		h.createRepo(w, r)
		return
	}
	repo, name, rest := h.repo(strings.TrimPrefix(strings.TrimPrefix(strings.Replace(r.URL.Path, ".git/", "/git/", 1), "/api"), "/datasets/"))
	token := r.Header.Get("Authorization")
	switch {
	case repo == nil && token == "":
		hubError(w, http.StatusUnauthorized, "RepoNotFound")
		return
	case repo == nil:
		hubError(w, http.StatusNotFound, "RepoNotFound")
		return
	case token == "":
		hubError(w, http.StatusUnauthorized, "")
		return
	case token != "Bearer "+repo.Writer:
		refuse(w, http.StatusForbidden, "You don't have the rights to write with "+token)
		return
	}
	verb, rev, _ := strings.Cut(rest, "/")
	switch {
	case verb == "preupload" && rev == repo.Branch:
		preupload(w, r)
	case verb == "commit" && rev == repo.Branch:
		h.commit(w, r, repo)
	case verb == "tag":
		h.tag(w, r, repo, rev)
	case rest == "git/info/lfs/objects/batch":
		h.uploadBatch(w, r, repo, name)
	case rest == "git/info/lfs/verify":
		h.verifyObject(w, r)
	default:
		hubError(w, http.StatusNotFound, "RevisionNotFound")
	}
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	writeJSON(w, map[string]string{"error": why})
}

// createRepo makes a repository that the token may write to, with the one file that the
// hub itself puts there.
func (h *Hub) createRepo(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Type, Organization, Name string
		Private                  bool
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || ask.Type != "dataset" || ask.Name == "" {
		refuse(w, http.StatusBadRequest, "bad request")
		return
	}
	if !ok {
		refuse(w, http.StatusUnauthorized, "Invalid username or password.")
		return
	}
	name := ask.Organization + "/" + ask.Name
	if repo, found, _ := h.repo(name); repo != nil && found == name {
		refuse(w, http.StatusConflict, "You already created this dataset repo")
		return
	}
	h.SetRepo(name, Repo{Commit: GitBlob([]byte(name)), Files: map[string][]byte{".gitattributes": []byte("*.parquet filter=lfs\n")}, Writer: token, Private: ask.Private})
	writeJSON(w, map[string]string{"url": h.URL + "/datasets/" + name})
}

// preupload has LFS keep what has a suffix of media or tables, or 10 MB.
func preupload(w http.ResponseWriter, r *http.Request) {
	type file struct {
		Path   string `json:"path"`
		Size   int64  `json:"size"`
		Sample string `json:"sample,omitempty"`
		Mode   string `json:"uploadMode"`
		Ignore bool   `json:"shouldIgnore"`
	}
	var ask struct {
		Files []file `json:"files"`
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || len(ask.Files) == 0 || len(ask.Files) > 256 {
		refuse(w, http.StatusBadRequest, "files: want 1 to 256")
		return
	}
	for i, f := range ask.Files {
		ask.Files[i].Mode, ask.Files[i].Sample = "regular", ""
		if slices.Contains([]string{".parquet", ".mp4", ".png", ".jpg", ".webp", ".wav"}, path.Ext(f.Path)) || f.Size > 10_000_000 {
			ask.Files[i].Mode = "lfs"
		}
	}
	writeJSON(w, ask)
}

// uploadBatch gives addresses at the content host, for large files one for each part.
func (h *Hub) uploadBatch(w http.ResponseWriter, r *http.Request, repo *Repo, name string) {
	type object struct {
		OID  string `json:"oid"`
		Size int    `json:"size"`
	}
	var ask struct {
		Operation string
		Objects   []object
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || ask.Operation != "upload" {
		refuse(w, http.StatusUnprocessableEntity, "want an upload")
		return
	}
	var answers []any
	for _, o := range ask.Objects {
		answer := map[string]any{"oid": o.OID, "size": o.Size}
		if !h.HasObject(o.OID) {
			header := map[string]string{}
			href := fmt.Sprintf("%s/lfs/%s?X-Amz-Signature=secret", h.CDN, o.OID)
			if repo.PartSize > 0 && o.Size > repo.PartSize {
				href = fmt.Sprintf("%s/join/%s?uploadId=1", h.CDN, o.OID)
				header["chunk_size"] = strconv.Itoa(repo.PartSize)
				for n := 1; (n-1)*repo.PartSize < o.Size; n++ {
					header[strconv.Itoa(n)] = fmt.Sprintf("%s/lfs/%s?partNumber=%d&X-Amz-Signature=secret", h.CDN, o.OID, n)
				}
			}
			answer["actions"] = map[string]any{
				"upload": map[string]any{"href": href, "header": header},
				"verify": map[string]any{"href": h.URL + "/datasets/" + name + ".git/info/lfs/verify"},
			}
		}
		answers = append(answers, answer)
	}
	writeJSON(w, map[string]any{"transfer": "basic", "objects": answers})
}

// HasObject reports whether LFS keeps the bytes of a digest.
func (h *Hub) HasObject(oid string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.objects[oid]
	return ok
}

// serveUpload is the content host: it takes bytes at addresses that were signed, keeps
// them under their digest, and refuses credentials of the hub.
func (h *Hub) serveUpload(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	verb, oid, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case err != nil, r.ContentLength >= 0 && int64(len(body)) != r.ContentLength:
		w.WriteHeader(http.StatusBadRequest)
	case r.Header.Get("Authorization") != "":
		refuse(w, http.StatusBadRequest, "Only one auth mechanism allowed")
	case verb == "lfs" && r.Method == http.MethodPut:
		h.takeBytes(w, r, oid, body)
	case verb == "join" && r.Method == http.MethodPost:
		h.joinParts(w, oid, body)
	default:
		w.WriteHeader(http.StatusForbidden)
	}
}

func (h *Hub) takeBytes(w http.ResponseWriter, r *http.Request, oid string, body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	w.Header().Set("ETag", `"`+partTag(body)+`"`)
	n, err := strconv.Atoi(r.URL.Query().Get("partNumber"))
	if err == nil {
		if h.parts[oid] == nil {
			h.parts[oid] = map[int][]byte{}
		}
		h.parts[oid][n] = body
		w.WriteHeader(http.StatusOK)
		return
	}
	if SHA256(body) != oid {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	h.objects[oid] = body
}

func partTag(body []byte) string { return SHA256(body)[:32] }

// joinParts wants every part under the tag that it was given.
func (h *Hub) joinParts(w http.ResponseWriter, oid string, body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var ask struct {
		Parts []struct {
			PartNumber int
			ETag       string
		}
	}
	var whole []byte
	err := json.Unmarshal(body, &ask)
	for i, p := range ask.Parts {
		part, ok := h.parts[oid][p.PartNumber]
		if !ok || p.PartNumber != i+1 || strings.Trim(p.ETag, `"`) != partTag(part) {
			err = cmp.Or(err, fmt.Errorf("InvalidPart %d", p.PartNumber))
			break
		}
		whole = append(whole, part...)
	}
	if err != nil || SHA256(whole) != oid {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("the parts are not the object: %v", err))
		return
	}
	delete(h.parts, oid)
	h.objects[oid] = whole
}

func (h *Hub) verifyObject(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		OID  string
		Size int
	}
	err := json.NewDecoder(r.Body).Decode(&ask)
	h.mu.Lock()
	defer h.mu.Unlock()
	if b, ok := h.objects[ask.OID]; err != nil || !ok || len(b) != ask.Size {
		refuse(w, http.StatusNotFound, "no such object")
	}
}

// operation is a line of a commit.
type operation struct {
	Key   string
	Value struct {
		ParentCommit, Path, Content, Encoding, Algo, OID string
		Size                                             int
	}
}

// commit makes all changes of a request, or none.
func (h *Hub) commit(w http.ResponseWriter, r *http.Request, repo *Repo) {
	var operations []operation
	dec := json.NewDecoder(r.Body)
	for {
		var o operation
		err := dec.Decode(&o)
		if err == io.EOF {
			break
		}
		if err != nil {
			refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		operations = append(operations, o)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(operations) == 0 || operations[0].Key != "header" {
		refuse(w, http.StatusBadRequest, "no header")
		return
	}
	if p := operations[0].Value.ParentCommit; p != "" && p != repo.Commit {
		refuse(w, http.StatusPreconditionFailed, "A commit has happened since. Please refresh and try again.")
		return
	}
	next := snapshot{maps.Clone(repo.Files), maps.Clone(repo.Large)}
	if next.large == nil {
		next.large = map[string]bool{}
	}
	for _, o := range operations[1:] {
		if why := h.apply(next, o); why != "" {
			refuse(w, http.StatusUnprocessableEntity, why)
			return
		}
	}
	repo.moveTo(next)
	writeJSON(w, map[string]any{"success": true, "commitOid": repo.Commit, "commitUrl": h.URL + "/commit/" + repo.Commit})
}

func (h *Hub) apply(to snapshot, o operation) (why string) {
	v := o.Value
	switch o.Key {
	case "file":
		b, err := base64.StdEncoding.DecodeString(v.Content)
		if err != nil || v.Encoding != "base64" {
			return "bad content"
		}
		to.files[v.Path] = b
		delete(to.large, v.Path)
	case "lfsFile":
		b, ok := h.objects[v.OID]
		if !ok || v.Algo != "sha256" || len(b) != v.Size {
			return "Your push was rejected because an LFS pointer pointed to a file that does not exist: " + v.Path
		}
		to.files[v.Path], to.large[v.Path] = b, true
	case "deletedFile":
		if _, ok := to.files[v.Path]; !ok {
			return "A file with this name doesn't exist: " + v.Path
		}
		delete(to.files, v.Path)
		delete(to.large, v.Path)
	default:
		return "unknown operation " + o.Key
	}
	return ""
}

// moveTo makes a commit.
func (r *Repo) moveTo(next snapshot) {
	if r.history == nil {
		r.history = map[string]snapshot{}
	}
	r.history[r.Commit] = snapshot{r.Files, r.Large}
	r.Commits++
	r.Commit = GitBlob(fmt.Appendf(nil, "%s %d", r.Commit, r.Commits))
	r.Files, r.Large = next.files, next.large
}

// Edit makes a commit as somebody else would.
func (h *Hub) Edit(name, path, text string) {
	repo, _, _ := h.repo(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	next := snapshot{maps.Clone(repo.Files), maps.Clone(repo.Large)}
	next.files[path] = []byte(text)
	repo.moveTo(next)
}

// RemoveTag takes a tag away.
func (h *Hub) RemoveTag(name, tag string) {
	repo, _, _ := h.repo(name)
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(repo.Tags, tag)
}

func (h *Hub) tag(w http.ResponseWriter, r *http.Request, repo *Repo, rev string) {
	var ask struct{ Tag string }
	err := json.NewDecoder(r.Body).Decode(&ask)
	_, commit, ok := h.at(repo, rev)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil || ask.Tag == "":
		refuse(w, http.StatusBadRequest, "no tag")
	case !ok:
		hubError(w, http.StatusNotFound, "RevisionNotFound")
	case repo.Tags[ask.Tag] != "":
		refuse(w, http.StatusConflict, "Tag already exists")
	default:
		if repo.Tags == nil {
			repo.Tags = map[string]string{}
		}
		repo.Tags[ask.Tag] = commit
	}
}

// At returns the files of a repository at a branch, tag or commit, and how many commits
// were made; nil where there is no such revision.
func (h *Hub) At(name, rev string) (files map[string][]byte, commits int) {
	repo, _, _ := h.repo(name)
	if repo == nil {
		return nil, 0
	}
	at, _, ok := h.at(repo, rev)
	if !ok {
		return nil, repo.Commits
	}
	return maps.Clone(at.files), repo.Commits
}
