package atomicfile

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// URLError says that a URL names something that is kept in no folder, which is the
// one kind of place there is.
type URLError struct{ URL, Scheme string }

func (e *URLError) Error() string {
	return fmt.Sprintf("%q: there is no kind of place for the scheme %q; name a folder, by its path or as file:///path", e.URL, e.Scheme)
}

// FolderFromURL is the folder that a path or a file:// URL names. Any other URL is a
// *URLError.
func FolderFromURL(place string) (string, error) {
	scheme, _, is := strings.Cut(place, "://")
	if !is {
		return place, nil
	}
	if scheme != "file" {
		return "", &URLError{URL: place, Scheme: scheme}
	}
	u, err := url.Parse(place)
	if err != nil {
		return "", fmt.Errorf("folder of a URL: %w", err)
	}
	if u.Host != "" && u.Host != "localhost" || u.Path == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q names no folder of this machine; write file:///path", place)
	}
	return filepath.FromSlash(u.Path), nil
}
