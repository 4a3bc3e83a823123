package fetch

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cenkalti/backoff/v5"

	"github.com/memforge/memforge/pipeline"
)

// minProgress is how many bytes a broken attempt must have brought to be worth
// another without counting, so that a host cannot feed single bytes for ever.
const minProgress = 64 << 10

// download fetches one file into TempDir and verifies it. A partial file is
// kept under the digest it should have, so that the next try or run goes on
// where this one stopped.
func (c *client) download(ctx context.Context, r request, f remoteFile) (string, error) {
	if err := os.MkdirAll(c.opts.TempDir, 0o755); err != nil {
		return "", fmt.Errorf("make folder for downloads: %w", err)
	}
	part := filepath.Join(c.opts.TempDir, string(f.sha256)+f.gitSHA+".part")
	wrong := map[string]bool{}
	for {
		err := c.retry(ctx, r.canonical, func() (bool, error) { return c.downloadRest(ctx, r, f, part) })
		if err != nil {
			return "", err
		}
		got, err := digestOf(part, f)
		if err != nil {
			return "", err
		}
		if got == string(f.sha256)+f.gitSHA {
			return part, nil
		}
		if err := os.Remove(part); err != nil {
			return "", fmt.Errorf("remove a wrong download: %w", err)
		}
		// Damage is another each time; a host that gives the same wrong bytes twice
		// has other bytes.
		if wrong[got] || len(wrong)+1 >= c.opts.Tries {
			return "", &ChangedError{URL: r.canonical, Want: string(f.sha256) + f.gitSHA, Got: got, Locked: f.locked}
		}
		wrong[got] = true
	}
}

// downloadRest asks for what is still missing of the file.
func (c *client) downloadRest(ctx context.Context, r request, f remoteFile, part string) (progress bool, err error) {
	out, err := os.OpenFile(part, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return false, backoff.Permanent(fmt.Errorf("open partial download: %w", err))
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	have, err := out.Seek(0, io.SeekEnd)
	if err != nil {
		return false, backoff.Permanent(err)
	}
	if have > limitOf(f) {
		if have, err = 0, restart(out); err != nil {
			return false, err
		}
	}
	if have == f.size {
		return true, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a, err := c.ask(ctx, r, have)
	if err != nil {
		return false, afterRange(err, out, have)
	}
	defer a.Body.Close()
	if have, err = c.checkAnswer(a, r, f, out, have); err != nil {
		return false, err
	}
	n, err := c.copy(out, c.watch(a.Body, cancel), r, f, have)
	return n >= minProgress, err
}

func limitOf(f remoteFile) int64 {
	if f.size >= 0 {
		return f.size
	}
	return f.max
}

func (c *client) ask(ctx context.Context, r request, have int64) (*answer, error) {
	header := http.Header{}
	for name, values := range r.header {
		header[name] = values
	}
	if have > 0 {
		header.Set("Range", "bytes="+strconv.FormatInt(have, 10)+"-")
	}
	r.header = header
	return c.attempt(ctx, r)
}

// afterRange starts over when the host says that there is nothing after the
// partial file.
func afterRange(err error, out *os.File, have int64) error {
	var se *StatusError
	if have == 0 || !errors.As(err, &se) || se.Status != http.StatusRequestedRangeNotSatisfiable {
		return err
	}
	return errors.Join(fmt.Errorf("%s: the partial download does not fit", se.URL), restart(out))
}

func restart(out *os.File) error {
	if err := out.Truncate(0); err != nil {
		return backoff.Permanent(fmt.Errorf("clear partial download: %w", err))
	}
	_, err := out.Seek(0, io.SeekStart)
	return err
}

// checkAnswer checks what an answer announces and returns where its bytes begin.
func (c *client) checkAnswer(a *answer, r request, f remoteFile, out *os.File, have int64) (int64, error) {
	if err := checkAnnounced(a, r, f); err != nil {
		return 0, backoff.Permanent(err)
	}
	if have > 0 && a.StatusCode == http.StatusPartialContent {
		if strings.HasPrefix(a.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", have)) {
			return have, nil
		}
		return 0, errors.Join(fmt.Errorf("%s: the host sent another range than asked for", r.canonical), restart(out))
	}
	if a.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: status %d in place of the file", r.canonical, a.StatusCode)
	}
	if n := a.ContentLength; n > limitOf(f) {
		if f.size < 0 {
			return 0, backoff.Permanent(tooLarge(n, f.max))
		}
	}
	return 0, restart(out)
}

// checkAnnounced compares the digest that the first answer names with the wanted
// one: a changed file is noticed before it is downloaded.
func checkAnnounced(a *answer, r request, f remoteFile) error {
	tag := strings.Trim(strings.TrimPrefix(a.first.Get("X-Linked-Etag"), "W/"), `"`)
	if _, err := pipeline.ParseDigest(tag); err == nil && f.sha256 != "" && tag != string(f.sha256) {
		return &ChangedError{URL: r.canonical, Want: string(f.sha256), Got: tag, Locked: f.locked}
	}
	return nil
}

// copy appends the body and notices a page in place of the file by its first
// bytes. More bytes than announced are an error, fewer a reason to go on.
func (c *client) copy(out io.Writer, body io.Reader, r request, f remoteFile, have int64) (int64, error) {
	limit := limitOf(f)
	w := &meter{out: out, at: have, tell: func(done int64) { c.opts.Progress(f.path, done, f.size) }}
	if have == 0 {
		w.check = func(first []byte) error { return wrongContent(r.canonical, f.path, first) }
	}
	n, err := io.Copy(w, io.LimitReader(body, limit-have+1))
	switch {
	case w.err != nil:
		return n, backoff.Permanent(w.err)
	case have+n > limit && f.size < 0:
		return n, backoff.Permanent(tooLarge(have+n, f.max))
	case have+n > limit:
		return n, backoff.Permanent(&ChangedError{URL: r.canonical, Want: fmt.Sprintf("%d bytes", f.size), Got: "more", Locked: f.locked})
	case err != nil:
		return n, fmt.Errorf("%s: connection broke after %d bytes: %w", r.canonical, have+n, withoutURL(err))
	case f.size >= 0 && have+n < f.size:
		return n, fmt.Errorf("%s: got %d of %d bytes", r.canonical, have+n, f.size)
	}
	return n, nil
}

// meter writes through, reports progress and remembers its own error apart
// from the reader's.
type meter struct {
	out   io.Writer
	at    int64
	tell  func(int64)
	check func(first []byte) error
	err   error
}

func (m *meter) Write(p []byte) (int, error) {
	if m.check != nil {
		if m.err = m.check(p); m.err != nil {
			return 0, m.err
		}
		m.check = nil
	}
	n, err := m.out.Write(p)
	if err != nil {
		m.err = fmt.Errorf("write partial download: %w", err)
	}
	m.at += int64(n)
	m.tell(m.at)
	return n, err
}

// digestOf hashes a file as the wanted digest is: SHA-256, or SHA-1 of a git
// blob, which starts with a header.
func digestOf(path string, f remoteFile) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	var h hash.Hash = sha256.New()
	if f.sha256 == "" {
		info, err := in.Stat()
		if err != nil {
			return "", err
		}
		h = sha1.New()
		fmt.Fprintf(h, "blob %d\x00", info.Size())
	}
	if _, err := io.Copy(h, in); err != nil {
		return "", fmt.Errorf("read partial download: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// wrongContent recognises a web page or an error message under the name of
// something else by its first bytes. The digest decides in the end; this says
// what came instead, and before all of it is downloaded.
func wrongContent(canonical, name string, first []byte) error {
	ext := strings.ToLower(path.Ext(name))
	text := bytes.ToLower(bytes.TrimLeft(bytes.TrimPrefix(first[:min(len(first), 512)], []byte("\xef\xbb\xbf")), " \t\r\n"))
	got := ""
	switch {
	case bytes.HasPrefix(text, []byte("<!doctype html")), bytes.HasPrefix(text, []byte("<html")):
		got = "an HTML page"
	case bytes.HasPrefix(text, []byte("{")) && binaryName(ext):
		got = "JSON text"
	case bytes.HasPrefix(text, []byte("<?xml")) && binaryName(ext):
		got = "XML text"
	}
	if got == "" || got == "an HTML page" && mayBePage(ext) {
		return nil
	}
	return &ContentError{URL: canonical, Want: "a " + strings.TrimPrefix(ext, ".") + " file", Got: got, First: bytes.Clone(first[:min(len(first), 64)])}
}

// binaryName lists what is never JSON or XML.
func binaryName(ext string) bool {
	switch ext {
	case ".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v", ".ts", ".mp3", ".wav", ".flac", ".ogg", ".m4a",
		".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tiff", ".pdf", ".zip", ".gz", ".tgz", ".tar", ".7z", ".parquet", ".arrow":
		return true
	}
	return false
}

func mayBePage(ext string) bool {
	switch ext {
	case ".html", ".htm", ".xhtml", ".md", ".txt", "":
		return true
	}
	return false
}
