package sharedstore

import (
	"net/url"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/internal/postgres"
)

// TestCacheOfAURL: a folder, and whole megabytes from one on.
func TestCacheOfAURL(t *testing.T) {
	for size, ok := range map[string]bool{"": true, "1": true, "512": true, "0": false, "-1": false, "x": false, "1.5": false} {
		dir := filepath.Join(t.TempDir(), "cache")
		own := url.Values{cacheParam: {dir}}
		if size != "" {
			own.Set(sizeParam, size)
		}
		c, err := cacheOf(postgres.Location{Own: own})
		if (err == nil) != ok || (c != nil) != ok {
			t.Errorf("%q megabytes: %v", size, err)
		}
	}
}
