package store

import (
	"context"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest/database"
	"github.com/memforge/memforge/pipeline/pipelinetest/size"
)

// anyStore is what stores of all kinds do.
type anyStore interface {
	Store
	CachedFile(ctx context.Context, path string) (pipeline.Blob, error)
	GC(ctx context.Context, keepBuilds int) (GCReport, error)
}

// kind is a kind of store as tests use it that hold for all kinds.
type kind struct {
	name string
	// place is that of a new store, for one that is not open yet.
	place func(testing.TB) string
	// object is the file that holds a blob, for tests that harm it.
	object func(anyStore, pipeline.Digest) string
	// sql runs a statement behind the store's back, its first argument the digest of a
	// record or the key of a result.
	sql    func(t testing.TB, st anyStore, statement string, of sum)
	shared bool
}

func kinds() []kind {
	all := []kind{{
		name:   "disk",
		place:  func(t testing.TB) string { return t.TempDir() },
		object: func(st anyStore, d pipeline.Digest) string { return st.(*Disk).blobFile(d) },
		sql: func(t testing.TB, st anyStore, statement string, of sum) {
			t.Helper()
			mustDo(t, st.(*Disk).write.exec(statement, of.id()))
		},
	}}
	// A server is started for tests of everything only.
	if !size.Full() {
		return all
	}
	folder := kind{
		name:   "postgres",
		shared: true,
		place:  sharedPlace,
		object: func(st anyStore, d pipeline.Digest) string { return st.(*Shared).bucket.File(d) },
		sql: func(t testing.TB, st anyStore, statement string, of sum) {
			t.Helper()
			_, err := st.(*Shared).db.Exec(context.Background(), statement, of[:])
			mustDo(t, err)
		},
	}
	return append(append(all, folder), clouds(folder)...)
}

// sharedPlace is the URL of a new store with a folder as its bucket.
func sharedPlace(t testing.TB) string {
	t.Helper()
	return placeIn(t, "file://"+filepath.ToSlash(t.TempDir()))
}

// placeIn is the URL of a new store with a bucket.
func placeIn(t testing.TB, bucket string) string {
	t.Helper()
	return database.URL(t) + "&" + url.Values{bucketParam: {bucket}, cacheParam: {t.TempDir()}}.Encode()
}

// or is the statement that means the same for this kind.
func (k kind) or(disk, postgres string) string {
	if k.shared {
		return postgres
	}
	return disk
}

// eachKind runs a test for every kind of store.
func eachKind(t *testing.T, test func(*testing.T, kind)) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) { test(t, k) })
	}
}

func (k kind) open(t testing.TB) anyStore {
	t.Helper()
	return k.openAt(t, k.place(t))
}

func (k kind) openAt(t testing.TB, place string) anyStore {
	t.Helper()
	st, err := Open(context.Background(), place)
	mustDo(t, err)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st.(anyStore)
}

// damage rewrites a blob behind the store's back, and no copy of it is left.
func (k kind) damage(t testing.TB, st anyStore, digest pipeline.Digest, how func([]byte) []byte) {
	t.Helper()
	path := k.object(st, digest)
	b, err := os.ReadFile(path)
	mustDo(t, err)
	mustDo(t, errors.Join(os.Remove(path), os.WriteFile(path, how(b), 0o444)))
	forgetCopy(t, st, digest)
}

// lose deletes a blob behind the store's back, and what says that it is there.
func (k kind) lose(t testing.TB, st anyStore, digest pipeline.Digest) {
	t.Helper()
	mustDo(t, os.Remove(k.object(st, digest)))
	if !k.shared {
		return
	}
	forgetCopy(t, st, digest)
	s, err := parseSum(digest)
	mustDo(t, err)
	k.sql(t, st, `DELETE FROM blobs WHERE digest = $1`, s)
}

// forgetCopy empties a cache of a blob.
func forgetCopy(t testing.TB, st anyStore, digest pipeline.Digest) {
	t.Helper()
	if s, ok := st.(*Shared); ok {
		mustDo(t, missingIsFine(s.cache.drop(digest)))
	}
}
