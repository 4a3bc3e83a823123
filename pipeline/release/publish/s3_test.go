//go:build clouds

package publish_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/publish"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

func runTests(m *testing.M) int { return testpostgres.RunTests(m) }

// s3Place is a prefix of a new bucket of a server of S3.
func s3Place(t *testing.T) publish.Place {
	t.Helper()
	at, err := url.Parse(storetest.StartGateway(t).URL(t))
	if err != nil {
		t.Fatal(err)
	}
	at.Path = "/data/films"
	place, err := publish.ParseTarget(at.String())
	if err != nil {
		t.Fatal(err)
	}
	return place
}

// TestBucketServerTakesReleases publishes to a server of S3, as TestPublishToFoldersAndBuckets.
func TestBucketServerTakesReleases(t *testing.T) {
	first, second := twoReleases(t)
	testPlace(t, s3Place(t), first, second)
}

// A publication to a server of S3 that ends anywhere shows no version, and goes on.
func TestBucketServerShowsNoHalves(t *testing.T) {
	first, _ := twoReleases(t)
	for _, n := range []int{60, 120, 180} {
		to := s3Place(t)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := publish.Publish(&reads{ctx, cancel, n}, first, to, publish.Options{})
		if err != nil && !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "canceled") {
			t.Errorf("moment %d: %v", n, err)
		}
		if shown := versionFiles(t, to); shown != nil && !sameFiles(shown, filesIn(t, first)) {
			t.Errorf("moment %d: the version is there by half", n)
		}
		if _, err := publish.Publish(t.Context(), first, to, publish.Options{}); err != nil {
			t.Fatal(err)
		}
		if shown := versionFiles(t, to); !sameFiles(shown, filesIn(t, first)) {
			t.Errorf("moment %d: %d files at last", n, len(shown))
		}
	}
}

// TestBucketServerTakesARealRelease publishes the release that MEMFORGE_RELEASE names.
func TestBucketServerTakesARealRelease(t *testing.T) {
	dir := os.Getenv(realVariable)
	if dir == "" {
		t.Skip(realVariable + " names no release")
	}
	to, dest := s3Place(t), filepath.Join(t.TempDir(), "got")
	for range 2 {
		plan, err := publish.Publish(t.Context(), dir, to, publish.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("done %t, %d sent, %d bytes", plan.Done, len(plan.Send), plan.Bytes())
	}
	got, err := publish.Pull(t.Context(), to, dest, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d bytes", got.Report.Files, got.Report.Bytes)
}
