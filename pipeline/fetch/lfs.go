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
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

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
		Download struct {
			Href   string            `json:"href"`
			Header map[string]string `json:"header"`
		} `json:"download"`
	} `json:"actions"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
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
	if err := g.json(ctx, r, &answer); err != nil {
		return "", asRejection(err, f.locked)
	}
	if len(answer.Objects) != 1 || answer.Objects[0].OID != string(f.sha256) {
		return "", &ListingError{r.canonical, fmt.Sprintf("no answer for object %s", f.sha256)}
	}
	o := answer.Objects[0]
	if o.Error != nil {
		return "", lostObject(r, o, f.locked)
	}
	if err := checkURL(o.Actions.Download.Href); err != nil {
		return "", &ListingError{r.canonical, fmt.Sprintf("unusable address for object %s", f.sha256)}
	}
	get := request{signed: true, url: o.Actions.Download.Href, canonical: r.canonical + "/" + string(f.sha256), kind: GitHub, class: GitHub + " lfs",
		home: originOf(o.Actions.Download.Href), header: http.Header{}}
	for name, value := range o.Actions.Download.Header {
		if strings.EqualFold(name, "Authorization") {
			get.auth = value // for the host that the batch answer names, and no other
			continue
		}
		get.header.Set(name, value)
	}
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
