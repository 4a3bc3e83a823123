package store

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest/database"
)

func openSharedAt(t testing.TB, place string) *Shared {
	t.Helper()
	s, err := OpenShared(context.Background(), place)
	mustDo(t, err)
	t.Cleanup(func() { mustDo(t, s.Close()) })
	return s
}

// Another process sees what one wrote, and reads blobs through a cache of its own.
func TestSharedByTwo(t *testing.T) {
	place := sharedPlace(t)
	one := openSharedAt(t, place)
	two := openSharedAt(t, elsewhere(t, place))
	blob := put(t, one, "text of a blob")
	commitAll(t, one, []pipeline.Committed{outcome(t, "one", blob)})
	if got := lookUp(t, two, "one"); len(got) != 1 {
		t.Errorf("the other sees %d results, want 1", len(got))
	}
	if got, err := readBlob(two, blob); got != "text of a blob" || err != nil {
		t.Errorf("the other reads %q, %v", got, err)
	}
	if _, err := os.Stat(two.cache.file(blob)); err != nil {
		t.Errorf("what was read is not in the cache: %v", err)
	}
}

// A large blob is read past the cache, and verified at its end.
func TestLargeBlobsStream(t *testing.T) {
	s := openSharedAt(t, sharedPlace(t))
	s.direct = 1
	k := kinds()[1]
	text := strings.Repeat("a large film ", 50_000)
	digest := put(t, s, text)
	forgetCopy(t, s, digest)
	if got, err := readBlob(s, digest); got != text || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := os.Stat(s.cache.file(digest)); err == nil {
		t.Error("it went through the cache")
	}
	k.damage(t, s, digest, flip)
	r, err := s.OpenBlob(context.Background(), digest)
	mustDo(t, err)
	defer r.Close()
	// Somebody makes it anew before the damage is noticed.
	k.sql(t, s, `DELETE FROM blobs WHERE digest = $1`, sumOf([]byte(text)))
	put(t, s, text)
	if _, err := io.ReadAll(r); !isCorrupt(err, digest) {
		t.Errorf("damaged: %v, want a *CorruptError", err)
	}
	if got, err := readBlob(s, digest); got != text || err != nil {
		t.Errorf("made anew it reads as %d bytes, %v", len(got), err)
	}
}

// A copy that is damaged is fetched anew: the blob is sound.
func TestDamagedCopyIsFetchedAnew(t *testing.T) {
	place := sharedPlace(t)
	s := openSharedAt(t, place)
	digest := put(t, s, "text")
	mustDo(t, s.cache.drop(digest))
	mustDo(t, os.WriteFile(s.cache.file(digest), []byte("tent"), 0o444))
	for _, s := range []*Shared{s, openSharedAt(t, place)} {
		path, err := s.BlobPath(context.Background(), digest)
		mustDo(t, err)
		if b, err := os.ReadFile(path); string(b) != "text" || err != nil {
			t.Errorf("the file reads %q, %v", b, err)
		}
	}
}

// Damaged and lost blobs are all found at once.
func TestSharedSetAside(t *testing.T) {
	s, k := openSharedAt(t, sharedPlace(t)), kinds()[1]
	sound, bad, gone := put(t, s, "sound"), put(t, s, "damaged"), put(t, s, "gone")
	k.damage(t, s, bad, truncate)
	mustDo(t, os.Remove(k.object(s, gone)))
	found, err := s.SetAsideCorrupt(context.Background())
	if err != nil || len(found) != 2 {
		t.Errorf("found %v, %v", found, err)
	}
	missing, err := s.MissingBlobs(context.Background(), []pipeline.Digest{gone, sound, bad})
	if err != nil || len(missing) != 2 || missing[0] != gone || missing[1] != bad {
		t.Errorf("missing %v, %v", missing, err)
	}
}

func TestSharedReadOnly(t *testing.T) {
	place := sharedPlace(t)
	if _, err := OpenReadOnly(context.Background(), place); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("where there is no store: %v", err)
	}
	blob := put(t, openSharedAt(t, place), "blob")
	r, err := OpenSharedReadOnly(context.Background(), place)
	mustDo(t, err)
	defer r.Close()
	if text, err := readBlob(r, blob); text != "blob" || err != nil {
		t.Errorf("the reader reads %q, %v", text, err)
	}
	for name, err := range map[string]error{
		"Commit":     r.Commit(context.Background(), []pipeline.Committed{outcome(t, "one")}),
		"SaveBuild":  r.SaveBuild(context.Background(), pipeline.Build{}),
		"PutBlob":    second(r.PutBlob(context.Background(), nil)),
		"PutFile":    second(r.PutFile(context.Background(), "x", false)),
		"CachedFile": second(r.CachedFile(context.Background(), "x")),
		"SetAside":   second(r.SetAsideCorrupt(context.Background())),
	} {
		if !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v, want ErrReadOnly", name, err)
		}
	}
}

// What is done while the database is killed and started again is done, and all that
// was acknowledged is there.
func TestDatabaseRestarts(t *testing.T) {
	s := openSharedAt(t, sharedPlace(t))
	var work sync.WaitGroup
	end := make(chan struct{})
	acknowledged := make([][]string, 3)
	for w := range acknowledged {
		work.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-end:
					return
				default:
				}
				name := string(rune('a'+w)) + time.Now().Format(time.RFC3339Nano)
				o, err := crashOutcome(name, func(text string) (pipeline.Digest, error) {
					b, err := s.PutBlob(context.Background(), strings.NewReader(text))
					return b.Digest, err
				})
				if err == nil {
					err = s.Commit(context.Background(), []pipeline.Committed{o})
				}
				if err != nil {
					t.Error(err)
					return
				}
				acknowledged[w] = append(acknowledged[w], name)
			}
		})
	}
	for range 3 {
		time.Sleep(150 * time.Millisecond)
		database.Restart(t, 100*time.Millisecond)
	}
	time.Sleep(150 * time.Millisecond)
	close(end)
	work.Wait()
	for _, names := range acknowledged {
		if got := lookUp(t, s, names...); len(got) != len(names) || len(names) == 0 {
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
	one, two := sharedPlace(t), sharedPlace(t)
	put(t, openSharedAt(t, one), "text")
	put(t, openSharedAt(t, two), "text")
	db := func(place string) string { before, _, _ := strings.Cut(place, "&"+bucketParam); return before }
	mixed := func(of, with string) string { return db(of) + strings.TrimPrefix(with, db(with)) }
	for name, place := range map[string]string{
		"the bucket of another": mixed(one, two), "a new bucket": mixed(one, sharedPlace(t)), "a new database": mixed(sharedPlace(t), one),
	} {
		if s, err := OpenShared(ctx, place); !errors.Is(err, errOtherBucket) {
			t.Errorf("%s: %v, %v", name, s, err)
		}
	}
	if _, err := OpenSharedReadOnly(ctx, mixed(one, two)); !errors.Is(err, errOtherBucket) {
		t.Errorf("read with the bucket of another: %v", err)
	}
	// Whoever was killed while it began a store leaves what the next one ends.
	s := openSharedAt(t, one)
	_, err := s.db.Exec(ctx, `UPDATE bucket SET borne = false`)
	mustDo(t, err)
	if got, err := readBlob(openSharedAt(t, one), pipeline.DigestOf([]byte("text"))); got != "text" || err != nil {
		t.Errorf("reads %q, %v", got, err)
	}
}

// What is damaged is found, and after a repair nothing is.
func TestSharedCheckAndRepair(t *testing.T) {
	ctx := context.Background()
	s, k := openSharedAt(t, sharedPlace(t)), kinds()[1]
	build(t, s, "a", "b", "c", "d")
	units := build(t, s, "e")
	if report, err := s.Check(ctx); err != nil || !report.OK() || report.Blobs != 12 || report.Results != 5 || report.Records != 5 || report.Builds != 2 || report.BlobBytes == 0 {
		t.Fatalf("a sound store: %+v, %v", report, err)
	}
	k.damage(t, s, pipeline.DigestOf([]byte("blob of a")), flip)
	mustDo(t, os.Remove(k.object(s, pipeline.DigestOf([]byte("log of b")))))
	k.sql(t, s, `UPDATE records SET body = 'x' WHERE digest = $1`, recordSum(t, outcome(t, "c", pipeline.DigestOf([]byte("blob of c")))))
	k.sql(t, s, `UPDATE results SET body = 'x' WHERE key = $1`, keySum(t, outcome(t, "d")))
	mustDo(t, s.forget(ctx, mustIndexed(t, s, units)))
	for range 2 { // the first changes nothing
		report, err := s.Check(ctx)
		if err != nil || len(report.Corrupt) != 2 || len(report.Broken) != 2 || report.Damaged != 2 || len(report.BrokenBuilds) != 1 {
			t.Errorf("check: %+v, %v", report, err)
		}
	}
	if _, err := s.Repair(ctx); err != nil {
		t.Fatal(err)
	}
	if got := lookUp(t, s, "a", "b", "c", "d", "e"); len(got) != 1 {
		t.Errorf("%d results are whole, want that of e", len(got))
	}
	build(t, s, "a", "b", "c", "d")
	if report, err := s.Check(ctx); err != nil || !report.OK() || report.Results != 5 {
		t.Errorf("after a repair and a build: %+v, %v", report, err)
	}
}

func mustIndexed(t testing.TB, s *Shared, d pipeline.Digest) place {
	t.Helper()
	at, err := s.indexed(context.Background(), d)
	mustDo(t, err)
	return at
}
