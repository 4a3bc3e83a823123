package sharedstore

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

func openAt(t testing.TB, place string) *Store {
	t.Helper()
	s, err := Open(context.Background(), place)
	storetest.MustDo(t, err)
	t.Cleanup(func() { storetest.MustDo(t, s.Close()) })
	return s
}

// forgetCopy empties the cache of a blob.
func forgetCopy(t testing.TB, s *Store, digest pipeline.Digest) {
	t.Helper()
	storetest.MustDo(t, missingIsFine(s.cache.drop(digest)))
}

// damage rewrites a blob behind the store's back, and no copy of it is left.
func damage(t testing.TB, s *Store, digest pipeline.Digest, how func([]byte) []byte) {
	t.Helper()
	storetest.Damage(t, s.bucket.File(digest), how)
	forgetCopy(t, s, digest)
}

// execute runs a statement behind the store's back.
func execute(t testing.TB, s *Store, statement string, of encoding.Sum) {
	t.Helper()
	_, err := s.db.Exec(context.Background(), statement, of[:])
	storetest.MustDo(t, err)
}

// Another process sees what one wrote, and reads blobs through a cache of its own.
func TestSharedByTwo(t *testing.T) {
	place := storetest.SharedURL(t)
	one := openAt(t, place)
	two := openAt(t, elsewhere(t, place))
	blob := storetest.Put(t, one, "text of a blob")
	storetest.CommitAll(t, one, []pipeline.Committed{storetest.Outcome(t, "one", blob)})
	if got := storetest.LookUp(t, two, "one"); len(got) != 1 {
		t.Errorf("the other sees %d results, want 1", len(got))
	}
	if got, err := storetest.ReadBlob(two, blob); got != "text of a blob" || err != nil {
		t.Errorf("the other reads %q, %v", got, err)
	}
	if _, err := os.Stat(two.cache.file(blob)); err != nil {
		t.Errorf("what was read is not in the cache: %v", err)
	}
}

// A large blob is read past the cache, and verified at its end.
func TestLargeBlobsStream(t *testing.T) {
	s := openAt(t, storetest.SharedURL(t))
	s.direct = 1
	text := strings.Repeat("a large film ", 50_000)
	digest := storetest.Put(t, s, text)
	forgetCopy(t, s, digest)
	if got, err := storetest.ReadBlob(s, digest); got != text || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := os.Stat(s.cache.file(digest)); err == nil {
		t.Error("it went through the cache")
	}
	damage(t, s, digest, storetest.Flip)
	r, err := s.OpenBlob(context.Background(), digest)
	storetest.MustDo(t, err)
	defer r.Close()
	// Somebody makes it anew before the damage is noticed.
	execute(t, s, `DELETE FROM blobs WHERE digest = $1`, storetest.SumOf([]byte(text)))
	storetest.Put(t, s, text)
	if _, err := io.ReadAll(r); !storetest.IsCorrupt(err, digest) {
		t.Errorf("damaged: %v, want a *CorruptError", err)
	}
	if got, err := storetest.ReadBlob(s, digest); got != text || err != nil {
		t.Errorf("made anew it reads as %d bytes, %v", len(got), err)
	}
}

// A copy that is damaged is fetched anew: the blob is sound.
func TestDamagedCopyIsFetchedAnew(t *testing.T) {
	place := storetest.SharedURL(t)
	s := openAt(t, place)
	digest := storetest.Put(t, s, "text")
	storetest.MustDo(t, s.cache.drop(digest))
	storetest.MustDo(t, os.WriteFile(s.cache.file(digest), []byte("tent"), 0o444))
	for _, s := range []*Store{s, openAt(t, place)} {
		path, err := s.BlobPath(context.Background(), digest)
		storetest.MustDo(t, err)
		if b, err := os.ReadFile(path); string(b) != "text" || err != nil {
			t.Errorf("the file reads %q, %v", b, err)
		}
	}
}

// Damaged and lost blobs are all found at once.
func TestSharedSetAside(t *testing.T) {
	s := openAt(t, storetest.SharedURL(t))
	sound, bad, gone := storetest.Put(t, s, "sound"), storetest.Put(t, s, "damaged"), storetest.Put(t, s, "gone")
	damage(t, s, bad, storetest.Truncate)
	storetest.MustDo(t, os.Remove(s.bucket.File(gone)))
	found, err := s.QuarantineCorrupt(context.Background())
	if err != nil || len(found) != 2 {
		t.Errorf("found %v, %v", found, err)
	}
	missing, err := s.MissingBlobs(context.Background(), []pipeline.Digest{gone, sound, bad})
	if err != nil || len(missing) != 2 || missing[0] != gone || missing[1] != bad {
		t.Errorf("missing %v, %v", missing, err)
	}
}

func TestSharedReadOnly(t *testing.T) {
	place := storetest.SharedURL(t)
	if _, err := OpenReadOnly(context.Background(), place); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("where there is no store: %v", err)
	}
	blob := storetest.Put(t, openAt(t, place), "blob")
	r, err := OpenReadOnly(context.Background(), place)
	storetest.MustDo(t, err)
	defer r.Close()
	if text, err := storetest.ReadBlob(r, blob); text != "blob" || err != nil {
		t.Errorf("the reader reads %q, %v", text, err)
	}
	for name, err := range map[string]error{
		"Commit":     r.Commit(context.Background(), []pipeline.Committed{storetest.Outcome(t, "one")}),
		"SaveBuild":  r.SaveBuild(context.Background(), pipeline.Build{}),
		"PutBlob":    storetest.Second(r.PutBlob(context.Background(), nil)),
		"PutFile":    storetest.Second(r.PutFile(context.Background(), "x", false)),
		"CachedFile": storetest.Second(r.CachedFile(context.Background(), "x")),
		"SetAside":   storetest.Second(r.QuarantineCorrupt(context.Background())),
	} {
		if !errors.Is(err, encoding.ErrReadOnly) {
			t.Errorf("%s: %v, want ErrReadOnly", name, err)
		}
	}
}

// What is done while the database is killed and started again is done, and all that
// was acknowledged is there.
func TestDatabaseRestarts(t *testing.T) {
	s := openAt(t, storetest.SharedURL(t))
	var work sync.WaitGroup
	end := make(chan struct{})
	acknowledged := make([][]string, 3)
	var done [3]atomic.Int64
	var failed atomic.Bool
	more := func() {
		t.Helper()
		var before [3]int64
		for w := range done {
			before[w] = done[w].Load()
		}
		testwait.Until(t, "commits of all", func() bool {
			for w := range done {
				if done[w].Load() < before[w]+2 && !failed.Load() {
					return false
				}
			}
			return true
		})
	}
	for w := range acknowledged {
		work.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-end:
					return
				default:
				}
				name := string(rune('a'+w)) + time.Now().Format(time.RFC3339Nano)
				o, err := storetest.CrashOutcome(name, func(text string) (pipeline.Digest, error) {
					b, err := s.PutBlob(context.Background(), strings.NewReader(text))
					return b.Digest, err
				})
				if err == nil {
					err = s.Commit(context.Background(), []pipeline.Committed{o})
				}
				if err != nil {
					t.Error(err)
					failed.Store(true)
					return
				}
				acknowledged[w] = append(acknowledged[w], name)
				done[w].Add(1)
			}
		})
	}
	for range 3 {
		more()
		testpostgres.Restart(t, 100*time.Millisecond)
	}
	more()
	close(end)
	work.Wait()
	for _, names := range acknowledged {
		if got := storetest.LookUp(t, s, names...); len(got) != len(names) || len(names) == 0 {
			t.Errorf("%d of %d acknowledged results are there", len(got), len(names))
		}
	}
}

// elsewhere is the same store with another cache.
func elsewhere(t testing.TB, place string) string {
	t.Helper()
	before, _, ok := strings.Cut(place, "&"+cacheParam+"=")
	if !ok {
		t.Fatalf("%s names no cache", place)
	}
	return before + "&" + cacheParam + "=" + filepath.ToSlash(t.TempDir())
}

// A database and the bucket of another store are refused, whichever of them is new: else
// all blobs would seem lost, or be garbage.
func TestOtherBucketIsRefused(t *testing.T) {
	ctx := context.Background()
	one, two := storetest.SharedURL(t), storetest.SharedURL(t)
	storetest.Put(t, openAt(t, one), "text")
	storetest.Put(t, openAt(t, two), "text")
	db := func(place string) string { before, _, _ := strings.Cut(place, "&"+bucketParam); return before }
	mixed := func(of, with string) string { return db(of) + strings.TrimPrefix(with, db(with)) }
	for name, place := range map[string]string{
		"the bucket of another": mixed(one, two), "a new bucket": mixed(one, storetest.SharedURL(t)), "a new database": mixed(storetest.SharedURL(t), one),
	} {
		if s, err := Open(ctx, place); !errors.Is(err, errOtherBucket) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if _, err := OpenReadOnly(ctx, mixed(one, two)); !errors.Is(err, errOtherBucket) {
		t.Errorf("read with the bucket of another: %v", err)
	}
	// Whoever was killed while it began a store leaves what the next one ends.
	s := openAt(t, one)
	_, err := s.db.Exec(ctx, `UPDATE bucket SET borne = false`)
	storetest.MustDo(t, err)
	if got, err := storetest.ReadBlob(openAt(t, one), pipeline.DigestOf([]byte("text"))); got != "text" || err != nil {
		t.Errorf("reads %q, %v", got, err)
	}
}

// What is damaged is found, and after a repair nothing is.
func TestSharedCheckAndRepair(t *testing.T) {
	ctx := context.Background()
	s := openAt(t, storetest.SharedURL(t))
	storetest.Build(t, s, "a", "b", "c", "d")
	units := storetest.Build(t, s, "e")
	if report, err := s.Check(ctx); err != nil || !report.OK() || report.Blobs != 12 || report.Results != 5 || report.Records != 5 || report.Builds != 2 || report.BlobBytes == 0 {
		t.Fatalf("a sound store: %+v, %v", report, err)
	}
	damage(t, s, pipeline.DigestOf([]byte("blob of a")), storetest.Flip)
	storetest.MustDo(t, os.Remove(s.bucket.File(pipeline.DigestOf([]byte("log of b")))))
	execute(t, s, `UPDATE records SET body = 'x' WHERE digest = $1`, storetest.RecordSum(t, storetest.Outcome(t, "c", pipeline.DigestOf([]byte("blob of c")))))
	execute(t, s, `UPDATE results SET body = 'x' WHERE key = $1`, storetest.KeySum(t, storetest.Outcome(t, "d")))
	storetest.MustDo(t, s.forget(ctx, mustIndexed(t, s, units)))
	for range 2 { // the first changes nothing
		report, err := s.Check(ctx)
		if err != nil || len(report.Corrupt) != 2 || len(report.Broken) != 2 || report.Damaged != 2 || len(report.BrokenBuilds) != 1 {
			t.Errorf("check: %+v, %v", report, err)
		}
	}
	if _, err := s.Repair(ctx); err != nil {
		t.Fatal(err)
	}
	if got := storetest.LookUp(t, s, "a", "b", "c", "d", "e"); len(got) != 1 {
		t.Errorf("%d results are whole, want that of e", len(got))
	}
	storetest.Build(t, s, "a", "b", "c", "d")
	if report, err := s.Check(ctx); err != nil || !report.OK() || report.Results != 5 {
		t.Errorf("after a repair and a build: %+v, %v", report, err)
	}
}

func mustIndexed(t testing.TB, s *Store, d pipeline.Digest) place {
	t.Helper()
	at, err := s.indexed(context.Background(), d)
	storetest.MustDo(t, err)
	return at
}
