package fetch

import (
	"context"
	"fmt"
	"net/url"
	"path"

	"github.com/memforge/memforge/pipeline"
)

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

// FileName is the last element of a URL's path, unescaped: an asset's path.
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
