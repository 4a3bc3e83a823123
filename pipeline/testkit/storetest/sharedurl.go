package storetest

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

// SharedURL is the URL of a new store with a folder as its bucket.
func SharedURL(t testing.TB) string {
	t.Helper()
	return SharedURLIn(t, "file://"+filepath.ToSlash(t.TempDir()))
}

// SharedURLIn is the URL of a new store with a bucket.
func SharedURLIn(t testing.TB, bucket string) string {
	t.Helper()
	return testpostgres.URL(t) + "&" + url.Values{"bucket": {bucket}, "cache": {t.TempDir()}}.Encode()
}

// blobIn is where caches and buckets that are folders have a blob.
func blobIn(dir string, d pipeline.Digest) string {
	return filepath.Join(dir, "blobs", string(d[:2]), string(d))
}

func parsed(t testing.TB, place string) (*url.URL, url.Values) {
	t.Helper()
	u, err := url.Parse(place)
	MustDo(t, err)
	return u, u.Query()
}

// Object is the file of a blob in the bucket of a place that is a folder.
func Object(t testing.TB, place string, d pipeline.Digest) string {
	t.Helper()
	_, q := parsed(t, place)
	bucket, err := url.Parse(q.Get("bucket"))
	MustDo(t, err)
	return blobIn(bucket.Path, d)
}

// ForgetCopy empties the cache of a place of a blob.
func ForgetCopy(t testing.TB, place string, d pipeline.Digest) {
	t.Helper()
	_, q := parsed(t, place)
	if err := os.Remove(blobIn(q.Get("cache"), d)); !errors.Is(err, fs.ErrNotExist) {
		MustDo(t, err)
	}
}

// Execute runs a statement in the database of a place.
func Execute(t testing.TB, place, statement string, args ...any) {
	t.Helper()
	u, q := parsed(t, place)
	u.RawQuery = url.Values{"host": q["host"], "user": q["user"], "search_path": q["schema"]}.Encode()
	conn, err := pgx.Connect(context.Background(), u.String())
	MustDo(t, err)
	_, err = conn.Exec(context.Background(), statement, args...)
	MustDo(t, errors.Join(err, conn.Close(context.Background())))
}
