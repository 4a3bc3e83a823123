package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/memforge/memforge/pipeline/web/catalog"
)

var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// serveMedium answers with the bytes of a medium, or ranges of them.
func serveMedium(c *catalog.Catalog, w http.ResponseWriter, r *http.Request) {
	digest := r.PathValue("digest")
	if !digestPattern.MatchString(digest) {
		http.Error(w, "A medium is named by its SHA-256, 64 digits in lower case.", http.StatusNotFound)
		return
	}
	f, err := c.OpenMedium(digest)
	if err != nil {
		code := http.StatusInternalServerError
		if errors.Is(err, catalog.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			code = http.StatusNotFound
		}
		http.Error(w, "The release has no file of this digest.", code)
		return
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		http.Error(w, "The file cannot be read.", http.StatusInternalServerError)
		return
	}
	kind := mediumType(head[:n])
	if kind == "" {
		kind = "application/octet-stream"
		w.Header().Set("Content-Disposition", "attachment")
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", `"`+digest+`"`)
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	http.ServeContent(w, r, "", time.Time{}, f)
}

// mediumType returns the type that the first bytes of a file show, of those that browsers
// show without running anything, or nothing.
func mediumType(head []byte) string {
	has := func(at int, magic string) bool { return len(head) > at && bytes.HasPrefix(head[at:], []byte(magic)) }
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		return "image/png"
	case has(0, "\xff\xd8\xff"):
		return "image/jpeg"
	case has(0, "GIF87a"), has(0, "GIF89a"):
		return "image/gif"
	case has(0, "RIFF") && has(8, "WEBP"):
		return "image/webp"
	case has(0, "RIFF") && has(8, "WAVE"):
		return "audio/wav"
	case has(4, "ftyp"):
		return "video/mp4"
	case has(0, "\x1aE\xdf\xa3") && bytes.Contains(head, []byte("webm")):
		return "video/webm"
	case has(0, "ID3"), has(0, "\xff\xfb"), has(0, "\xff\xf3"), has(0, "\xff\xf2"):
		return "audio/mpeg"
	}
	return ""
}
