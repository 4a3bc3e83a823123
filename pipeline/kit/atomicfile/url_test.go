package atomicfile_test

import (
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

func TestFolderOf(t *testing.T) {
	for place, want := range map[string]string{
		"out/store": "out/store", "/a b": "/a b", "file:///a%20b/c": "/a b/c", "file://localhost/x": "/x", "a:b": "a:b",
	} {
		if got, err := atomicfile.FolderFromURL(place); err != nil || got != want {
			t.Errorf("%s: %q, %v", place, got, err)
		}
	}
	for place, scheme := range map[string]string{"s3://bucket/x": "s3", "postgres://u@h/db": "postgres", "://x": "", "file://host/x": "-", "file://": "-", "file:///%zz": "-", "file:///x?y=1": "-"} {
		_, err := atomicfile.FolderFromURL(place)
		var kind *atomicfile.URLError
		if err == nil || errors.As(err, &kind) != (scheme != "-") || kind != nil && kind.Scheme != scheme {
			t.Errorf("%s: %v", place, err)
		}
	}
}
