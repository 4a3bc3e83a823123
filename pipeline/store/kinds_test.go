package store

import (
	"context"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/store/sharedstore"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// anyStore is what stores of all kinds do.
type anyStore interface {
	Store
	CachedFile(ctx context.Context, path string) (pipeline.Blob, error)
	GC(ctx context.Context, keepBuilds int) (encoding.GCReport, error)
}

// kind is a kind of store as tests use it that hold for all kinds.
type kind struct {
	name string
	// place is that of a new store, for one that is not open yet.
	place func(testing.TB) string
	// object is the file that holds a blob, for tests that harm it.
	object func(testing.TB, anyStore, pipeline.Digest) string
	// sql runs a statement behind the store's back, its first argument the digest of a
	// record or the key of a result.
	sql    func(t testing.TB, st anyStore, statement string, of encoding.Sum)
	shared bool
	// places are the URLs of shared stores that were opened.
	places map[Store]string
}

func kinds() []kind {
	all := []kind{{
		name:   "disk",
		place:  func(t testing.TB) string { return t.TempDir() },
		object: func(_ testing.TB, st anyStore, d pipeline.Digest) string { return st.(*Disk).blobFile(d) },
		sql: func(t testing.TB, st anyStore, statement string, of encoding.Sum) {
			t.Helper()
			storetest.MustDo(t, st.(*Disk).write.exec(statement, of.ID()))
		},
	}}
	// A server is started for tests of everything only.
	if !testsize.Full() {
		return all
	}
	places := map[Store]string{}
	folder := kind{
		name:   "postgres",
		shared: true,
		places: places,
		place:  storetest.SharedURL,
		object: func(t testing.TB, st anyStore, d pipeline.Digest) string {
			return storetest.Object(t, places[st], d)
		},
		sql: func(t testing.TB, st anyStore, statement string, of encoding.Sum) {
			t.Helper()
			storetest.Execute(t, places[st], statement, of[:])
		},
	}
	return append(append(all, folder), clouds(folder)...)
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
	st, err := openPlace(context.Background(), place)
	storetest.MustDo(t, err)
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	if k.shared {
		k.places[st] = place
	}
	return st
}

// openPlace opens the store of any kind that a URL names.
func openPlace(ctx context.Context, place string) (anyStore, error) {
	if postgres.IsURL(place) {
		return sharedstore.Open(ctx, place)
	}
	return OpenDisk(ctx, place)
}

// damage rewrites a blob behind the store's back, and no copy of it is left.
func (k kind) damage(t testing.TB, st anyStore, digest pipeline.Digest, how func([]byte) []byte) {
	t.Helper()
	path := k.object(t, st, digest)
	storetest.Damage(t, path, how)
	k.forgetCopy(t, st, digest)
}

// lose deletes a blob behind the store's back, and what says that it is there.
func (k kind) lose(t testing.TB, st anyStore, digest pipeline.Digest) {
	t.Helper()
	storetest.MustDo(t, os.Remove(k.object(t, st, digest)))
	if !k.shared {
		return
	}
	k.forgetCopy(t, st, digest)
	s, err := encoding.ParseSum(digest)
	storetest.MustDo(t, err)
	k.sql(t, st, `DELETE FROM blobs WHERE digest = $1`, s)
}

// forgetCopy empties a cache of a blob.
func (k kind) forgetCopy(t testing.TB, st anyStore, digest pipeline.Digest) {
	t.Helper()
	if k.shared {
		storetest.ForgetCopy(t, k.places[st], digest)
	}
}
