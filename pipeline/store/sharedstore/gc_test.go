package sharedstore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

// What others used before stays until they have ended, what they use from then on
// stays altogether.
func TestGCWhileOthersBuild(t *testing.T) {
	ctx, place := context.Background(), storetest.SharedURL(t)
	before := openAt(t, place)
	storetest.Build(t, before, "old", "taken up", "put again")
	storetest.Build(t, before, "kept")
	collector := openAt(t, place)
	var busy *BusyError
	for range 2 {
		if report, err := collector.GC(ctx, 1); !errors.As(err, &busy) || busy.Writers != 1 || report != (encoding.GCReport{}) {
			t.Fatalf("while one who began before is at work: %+v, %v", report, err)
		}
	}
	if got := storetest.LookUp(t, before, "old"); len(got) != 1 {
		t.Error("what it used is gone")
	}
	during := openAt(t, place)
	if got := storetest.LookUp(t, during, "taken up"); len(got) != 1 {
		t.Error("what is about to go cannot be found")
	}
	storetest.Put(t, during, "blob of put again")
	storetest.MustDo(t, before.writer.end())
	before.writer = nil
	report, err := collector.GC(ctx, 1)
	// Of two results old and put again nothing is left but the blob that was put.
	if err != nil || report.Builds != 1 || report.Results != 2 || report.Records != 2 || report.Blobs != 4 {
		t.Errorf("%+v, %v", report, err)
	}
	if got := storetest.LookUp(t, during, "old", "taken up", "put again", "kept"); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
	for _, text := range []string{"blob of taken up", "log of taken up", "blob of put again", "blob of kept"} {
		digest := pipeline.DigestOf([]byte(text))
		forgetCopy(t, during, digest)
		if got, err := storetest.ReadBlob(during, digest); got != text || err != nil {
			t.Errorf("%s reads %q, %v", text, got, err)
		}
	}
}

// The memory of a run names results that nobody looked up since: in a later era it is
// none.
func TestMemoryOfAnEarlierEraIsNone(t *testing.T) {
	place := storetest.SharedURL(t)
	s := openAt(t, place)
	storetest.Build(t, s, "kept")
	memory := storetest.Outcome(t, "memory")
	memory.Records[0].Schema = engine.SchemaMemory
	ref, err := memory.Records[0].Ref()
	storetest.MustDo(t, err)
	memory.Result.Outputs = []pipeline.Ref{ref}
	storetest.CommitAll(t, s, []pipeline.Committed{memory})
	if got := storetest.LookUp(t, s, "memory"); len(got) != 1 {
		t.Fatal("it is not there before")
	}
	var busy *BusyError
	if _, err := openAt(t, place).GC(context.Background(), 1); !errors.As(err, &busy) {
		t.Fatal(err)
	}
	later := openAt(t, place)
	if got := storetest.LookUp(t, later, "memory", "kept"); len(got) != 1 {
		t.Errorf("%d results, want the one that is no memory", len(got))
	}
	storetest.CommitAll(t, later, []pipeline.Committed{memory})
	if got := storetest.LookUp(t, later, "memory"); len(got) != 1 {
		t.Error("it is not there after it was made anew")
	}
}

// A process that stood still while its lease ended commits nothing more.
func TestLostLease(t *testing.T) {
	s := openAt(t, storetest.SharedURL(t))
	storetest.Build(t, s, "kept")
	// It says nothing more, and the time passes.
	s.writer.stop()
	<-s.writer.stopped
	_, err := s.db.Exec(context.Background(), `UPDATE writers SET until = clock_timestamp()`)
	storetest.MustDo(t, err)
	storetest.CommitAll(t, s, []pipeline.Committed{storetest.Outcome(t, "in time")})
	_, err = s.beginEra(context.Background())
	storetest.MustDo(t, err)
	if err := s.Commit(context.Background(), []pipeline.Committed{storetest.Outcome(t, "late")}); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("a late commit: %v", err)
	}
	if err := s.SaveBuild(context.Background(), pipeline.Build{}); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("a late build: %v", err)
	}
	if got := storetest.LookUp(t, s, "late", "in time"); len(got) != 1 {
		t.Errorf("%d results are there", len(got))
	}
}

// A blob that is put while its object is about to be removed has one.
func TestPutOfADyingBlob(t *testing.T) {
	s := openAt(t, storetest.SharedURL(t))
	digest := storetest.Put(t, s, "text")
	execute(t, s, `WITH gone AS (DELETE FROM blobs WHERE digest = $1 RETURNING digest, size) INSERT INTO dying SELECT * FROM gone`, storetest.SumOf([]byte("text")))
	storetest.Put(t, s, "text")
	storetest.Build(t, s, "kept")
	if _, err := s.GC(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	storetest.Put(t, s, "text")
	if _, err := os.Stat(s.bucket.File(digest)); err != nil {
		t.Error(err)
	}
}

// A build that is saved while a collection begins keeps what it names.
func TestBuildSavedAsACollectionBegins(t *testing.T) {
	ctx := context.Background()
	place := storetest.SharedURL(t)
	collector, other := openAt(t, place), openAt(t, place)
	storetest.Build(t, collector, "kept")
	builder, err := Open(ctx, place)
	storetest.MustDo(t, err)
	tx, err := other.db.Begin(ctx)
	storetest.MustDo(t, err)
	var holder, waits int
	storetest.MustDo(t, tx.QueryRow(ctx, `SELECT pg_backend_pid() FROM eras FOR UPDATE`).Scan(&holder))
	collected := make(chan error)
	go func() {
		_, err := collector.GC(ctx, 1)
		collected <- err
	}()
	for waits == 0 { // until the collection waits for the row of the era
		storetest.MustDo(t, other.db.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))`, holder).Scan(&waits))
	}
	storetest.Build(t, builder, "newest")
	storetest.MustDo(t, errors.Join(builder.Close(), other.writer.end(), tx.Commit(ctx)))
	storetest.MustDo(t, <-collected)
	storetest.Build(t, collector, "later")
	if _, err := collector.GC(ctx, 2); err != nil {
		t.Error(err)
	}
	if got := storetest.LookUp(t, collector, "newest"); len(got) != 1 {
		t.Errorf("%d results of the newest build are there", len(got))
	}
}

// Builds and collections at random: whoever builds finds what it found or put.
func TestCollectionsAmongBuilds(t *testing.T) {
	place := storetest.SharedURL(t)
	var builders, collector sync.WaitGroup
	const each = 15
	built := make(chan struct{}, 1) // says that something was built since the last collection
	builds, collected := make([]int, 3), encoding.GCReport{}
	for w := range builds {
		builders.Go(func() {
			for ; builds[w] < each; builds[w]++ {
				if err := randomBuild(t, place); err != nil {
					t.Error(err)
					return
				}
				select {
				case built <- struct{}{}:
				default:
				}
			}
		})
	}
	collector.Go(func() {
		for range built {
			report, err := collectOnce(place)
			var busy *BusyError
			if err != nil && !errors.As(err, &busy) {
				t.Error(err)
			}
			collected.Results += report.Results
			collected.Blobs += report.Blobs
		}
	})
	builders.Wait()
	close(built)
	collector.Wait()
	t.Logf("%v builds, %d results and %d blobs collected", builds, collected.Results, collected.Blobs)
	if collected.Results == 0 || collected.Blobs == 0 || builds[0] == 0 {
		t.Error("it shows nothing")
	}
}

func collectOnce(place string) (report encoding.GCReport, err error) {
	s, err := Open(context.Background(), place)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.GC(context.Background(), 1)
}

// randomBuild looks some results up, makes those that are missing, and reads all.
func randomBuild(t *testing.T, place string) (err error) {
	ctx := context.Background()
	s, err := Open(ctx, place)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	for range 3 {
		var units []pipeline.Unit
		for n := range 60 {
			if rand.IntN(8) > 0 {
				continue
			}
			u, err := randomUnit(ctx, t, s, fmt.Sprint("result ", n))
			if err != nil {
				return err
			}
			units = append(units, u)
		}
		b, err := engine.EncodeUnits(units)
		if err != nil {
			return err
		}
		list, err := s.PutBlob(ctx, strings.NewReader(string(b)))
		if err != nil {
			return err
		}
		for _, u := range units {
			if err := readUnit(ctx, s, u); err != nil {
				return err
			}
		}
		if err := s.SaveBuild(ctx, pipeline.Build{Steps: []pipeline.BuildStep{{Name: "node", UnitList: list.Digest}}}); err != nil {
			return err
		}
	}
	return nil
}

func randomUnit(ctx context.Context, t *testing.T, s *Store, name string) (pipeline.Unit, error) {
	got, err := s.Results(ctx, []pipeline.Key{storetest.KeyOf(name)})
	if err != nil {
		return pipeline.Unit{}, err
	}
	if r, ok := got[storetest.KeyOf(name)]; ok {
		return pipeline.Unit{Key: r.Key, Out: r.Outputs}, nil
	}
	b, err := s.PutBlob(ctx, strings.NewReader("blob of "+name))
	if err != nil {
		return pipeline.Unit{}, err
	}
	o := storetest.Outcome(t, name, b.Digest)
	return pipeline.Unit{Key: o.Result.Key, Out: o.Result.Outputs}, s.Commit(ctx, []pipeline.Committed{o})
}

// readUnit reads past the cache what a unit gave.
func readUnit(ctx context.Context, s *Store, u pipeline.Unit) error {
	records, err := s.Records(ctx, []pipeline.Digest{u.Out[0].Digest})
	if err != nil {
		return err
	}
	at, err := s.indexed(ctx, records[0].Blobs[0])
	if err != nil {
		return err
	}
	r, err := s.stream(ctx, at)
	if err != nil {
		return err
	}
	_, err = encoding.CopyHashed(ctx, &strings.Builder{}, r)
	return errors.Join(err, r.Close())
}
