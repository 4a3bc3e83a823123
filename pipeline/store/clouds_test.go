//go:build clouds

package store

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

// clouds are kinds of stores whose buckets need drivers of clouds.
func clouds(folder kind) []kind {
	s3 := folder
	s3.name = "s3"
	s3.place = func(t testing.TB) string { return storetest.SharedURLIn(t, storetest.StartGateway(t).URL(t)) }
	s3.object = func(_ testing.TB, _ anyStore, d pipeline.Digest) string {
		g, err := storetest.Serving()
		if err != nil {
			return ""
		}
		// Names of buckets say when they were made: a test harms the store that it made.
		all, err := filepath.Glob(filepath.Join(g.Dir, "data", "t*"))
		if err != nil || len(all) == 0 {
			return ""
		}
		return filepath.Join(slices.Max(all), "blobs", string(d[:2]), string(d))
	}
	return []kind{s3}
}
