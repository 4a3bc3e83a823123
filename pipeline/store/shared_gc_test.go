package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// What others used before stays until they have ended, what they use from then on
// stays altogether.
func TestGCWhileOthersBuild(t *testing.T) {
	ctx, place := context.Background(), sharedPlace(t)
	before := openSharedAt(t, place)
	build(t, before, "old", "taken up", "put again")
	build(t, before, "kept")
	collector := openSharedAt(t, place)
	var busy *BusyError
	for range 2 {
		if report, err := collector.GC(ctx, 1); !errors.As(err, &busy) || busy.Writers != 1 || report != (GCReport{}) {
			t.Fatalf("while one who began before is at work: %+v, %v", report, err)
		}
	}
	if got := lookUp(t, before, "old"); len(got) != 1 {
		t.Error("what it used is gone")
	}
	during := openSharedAt(t, place)
	if got := lookUp(t, during, "taken up"); len(got) != 1 {
		t.Error("what is about to go cannot be found")
	}
	put(t, during, "blob of put again")
	mustDo(t, before.writer.end())
	before.writer = nil
	report, err := collector.GC(ctx, 1)
	// Of two results old and put again nothing is left but the blob that was put.
	if err != nil || report.Builds != 1 || report.Results != 2 || report.Records != 2 || report.Blobs != 4 {
		t.Errorf("%+v, %v", report, err)
	}
	if got := lookUp(t, during, "old", "taken up", "put again", "kept"); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
	for _, text := range []string{"blob of taken up", "log of taken up", "blob of put again", "blob of kept"} {
		digest := pipeline.DigestOf([]byte(text))
		forgetCopy(t, during, digest)
		if got, err := readBlob(during, digest); got != text || err != nil {
			t.Errorf("%s reads %q, %v", text, got, err)
		}
	}
}

// The memory of a run names results that nobody looked up since: in a later era it is
// none.
func TestMemoryOfAnEarlierEraIsNone(t *testing.T) {
	place := sharedPlace(t)
	s := openSharedAt(t, place)
	build(t, s, "kept")
	memory := outcome(t, "memory")
	memory.Records[0].Schema = engine.SchemaMemory
	ref, err := memory.Records[0].Ref()
	mustDo(t, err)
	memory.Result.Outputs = []pipeline.Ref{ref}
	commitAll(t, s, []pipeline.Committed{memory})
	if got := lookUp(t, s, "memory"); len(got) != 1 {
		t.Fatal("it is not there before")
	}
	var busy *BusyError
	if _, err := openSharedAt(t, place).GC(context.Background(), 1); !errors.As(err, &busy) {
		t.Fatal(err)
	}
	later := openSharedAt(t, place)
	if got := lookUp(t, later, "memory", "kept"); len(got) != 1 {
		t.Errorf("%d results, want the one that is no memory", len(got))
	}
	commitAll(t, later, []pipeline.Committed{memory})
	if got := lookUp(t, later, "memory"); len(got) != 1 {
		t.Error("it is not there after it was made anew")
	}
}

// A process that stood still while its lease ended commits nothing more.
func TestLostLease(t *testing.T) {
	s := openSharedAt(t, sharedPlace(t))
	build(t, s, "kept")
	// It says nothing more, and the time passes.
	s.writer.stop()
	<-s.writer.stopped
	_, err := s.db.Exec(context.Background(), `UPDATE writers SET until = clock_timestamp()`)
	mustDo(t, err)
	commitAll(t, s, []pipeline.Committed{outcome(t, "in time")})
	_, err = s.beginEra(context.Background())
	mustDo(t, err)
	if err := s.Commit(context.Background(), []pipeline.Committed{outcome(t, "late")}); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("a late commit: %v", err)
	}
	if err := s.SaveBuild(context.Background(), pipeline.Build{}); !errors.Is(err, ErrLeaseLost) {
		t.Errorf("a late build: %v", err)
	}
	if got := lookUp(t, s, "late", "in time"); len(got) != 1 {
		t.Errorf("%d results are there", len(got))
	}
}

// A blob that is put while its object is about to be removed has one.
func TestPutOfADyingBlob(t *testing.T) {
	s, k := openSharedAt(t, sharedPlace(t)), kinds()[1]
	digest := put(t, s, "text")
	k.sql(t, s, `WITH gone AS (DELETE FROM blobs WHERE digest = $1 RETURNING digest, size) INSERT INTO dying SELECT * FROM gone`, sumOf([]byte("text")))
	put(t, s, "text")
	build(t, s, "kept")
	if _, err := s.GC(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	put(t, s, "text")
	if _, err := os.Stat(k.object(s, digest)); err != nil {
		t.Error(err)
	}
}

// Builds and collections at random: whoever builds finds what it found or put.
func TestCollectionsAmongBuilds(t *testing.T) {
	place := sharedPlace(t)
	var work sync.WaitGroup
	end := time.Now().Add(4 * time.Second)
	builds, collected := make([]int, 3), GCReport{}
	for w := range builds {
		work.Go(func() {
			for time.Now().Before(end) {
				if err := randomBuild(t, place); err != nil {
					t.Error(err)
					return
				}
				builds[w]++
			}
		})
	}
	work.Go(func() {
		for time.Now().Before(end) {
			report, err := collectOnce(place)
			var busy *BusyError
			if err != nil && !errors.As(err, &busy) {
				t.Error(err)
			}
			collected.Results += report.Results
			collected.Blobs += report.Blobs
			time.Sleep(10 * time.Millisecond)
		}
	})
	work.Wait()
	t.Logf("%v builds, %d results and %d blobs collected", builds, collected.Results, collected.Blobs)
	if collected.Results == 0 || collected.Blobs == 0 || builds[0] == 0 {
		t.Error("it shows nothing")
	}
}

func collectOnce(place string) (report GCReport, err error) {
	s, err := OpenShared(context.Background(), place)
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.GC(context.Background(), 1)
}

// randomBuild looks some results up, makes those that are missing, and reads all.
func randomBuild(t *testing.T, place string) (err error) {
	ctx := context.Background()
	s, err := OpenShared(ctx, place)
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
		if err := s.SaveBuild(ctx, pipeline.Build{Nodes: []pipeline.BuildNode{{Name: "node", Units: list.Digest}}}); err != nil {
			return err
		}
	}
	return nil
}

func randomUnit(ctx context.Context, t *testing.T, s *Shared, name string) (pipeline.Unit, error) {
	got, err := s.Results(ctx, []pipeline.Key{keyOf(name)})
	if err != nil {
		return pipeline.Unit{}, err
	}
	if r, ok := got[keyOf(name)]; ok {
		return pipeline.Unit{Key: r.Key, Out: r.Outputs}, nil
	}
	b, err := s.PutBlob(ctx, strings.NewReader("blob of "+name))
	if err != nil {
		return pipeline.Unit{}, err
	}
	o := outcome(t, name, b.Digest)
	return pipeline.Unit{Key: o.Result.Key, Out: o.Result.Outputs}, s.Commit(ctx, []pipeline.Committed{o})
}

// readUnit reads past the cache what a unit gave.
func readUnit(ctx context.Context, s *Shared, u pipeline.Unit) error {
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
	_, err = copyHashed(ctx, &strings.Builder{}, r)
	return errors.Join(err, r.Close())
}
