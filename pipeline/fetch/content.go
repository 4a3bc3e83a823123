package fetch

import (
	"bytes"
	"path"
	"strings"
)

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
