//go:build clouds

package sharedstore

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// Blobs are put and read while the server of the bucket is killed and started again.
func TestBucketServerRestarts(t *testing.T) {
	g := storetest.StartGateway(t)
	s := openAt(t, storetest.SharedURLIn(t, g.URL(t)))
	var end, failed atomic.Bool
	blobs := make([][]pipeline.Digest, 3)
	var stored atomic.Int64
	var work sync.WaitGroup
	for w := range blobs {
		work.Go(func() {
			for !end.Load() {
				text := strings.Repeat(time.Now().String(), 2000+w)
				b, err := s.PutBlob(context.Background(), strings.NewReader(text))
				if err != nil {
					t.Error(err)
					failed.Store(true)
					return
				}
				blobs[w] = append(blobs[w], b.Digest)
				forgetCopy(t, s, b.Digest)
				if got, err := storetest.ReadBlob(s, b.Digest); got != text || err != nil {
					t.Errorf("%d bytes read as %d, %v", len(text), len(got), err)
				}
				stored.Add(1)
			}
		})
	}
	more := func() {
		t.Helper()
		before := stored.Load()
		testwait.Until(t, "blobs", func() bool { return stored.Load() >= before+20 || failed.Load() })
	}
	for range 3 {
		more()
		storetest.MustDo(t, g.Kill())
		time.Sleep(200 * time.Millisecond) // it is away for so long
		storetest.MustDo(t, g.Start())
	}
	more()
	end.Store(true)
	work.Wait()
	bad, err := s.QuarantineCorrupt(context.Background())
	if err != nil || len(bad) > 0 || len(blobs[0]) == 0 {
		t.Errorf("of %d, %d and %d blobs %d are damaged or gone, %v", len(blobs[0]), len(blobs[1]), len(blobs[2]), len(bad), err)
	}
}

// A blob of several parts is put and read past the cache.
func TestBlobOfManyParts(t *testing.T) {
	s := openAt(t, storetest.SharedURLIn(t, storetest.StartGateway(t).URL(t)))
	text := strings.Repeat("0123456789abcdef", 5<<20) // 80 MB
	digest := storetest.Put(t, s, text)
	forgetCopy(t, s, digest)
	if got, err := storetest.ReadBlob(s, digest); got != text || err != nil {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
