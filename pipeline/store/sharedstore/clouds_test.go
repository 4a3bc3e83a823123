//go:build clouds

package sharedstore

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

// Blobs are put and read while the server of the bucket is killed and started again.
func TestBucketServerRestarts(t *testing.T) {
	g := storetest.StartGateway(t)
	s := openAt(t, storetest.SharedURLIn(t, g.URL(t)))
	end := time.Now().Add(3 * time.Second)
	blobs := make([][]pipeline.Digest, 3)
	var work sync.WaitGroup
	for w := range blobs {
		work.Go(func() {
			for time.Now().Before(end) {
				text := strings.Repeat(time.Now().String(), 2000+w)
				b, err := s.PutBlob(context.Background(), strings.NewReader(text))
				if err != nil {
					t.Error(err)
					return
				}
				blobs[w] = append(blobs[w], b.Digest)
				forgetCopy(t, s, b.Digest)
				if got, err := storetest.ReadBlob(s, b.Digest); got != text || err != nil {
					t.Errorf("%d bytes read as %d, %v", len(text), len(got), err)
				}
			}
		})
	}
	for range 3 {
		time.Sleep(500 * time.Millisecond)
		storetest.MustDo(t, g.Kill())
		time.Sleep(200 * time.Millisecond)
		storetest.MustDo(t, g.Start())
	}
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
