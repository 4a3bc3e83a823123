package store

import (
	"context"
	"crypto/sha256"
	"io"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

func open(tb testing.TB, dir string) *Disk {
	tb.Helper()
	d, err := OpenDisk(context.Background(), dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := d.Close(); err != nil {
			tb.Error(err)
		}
	})
	return d
}

// outcome is a result of one record, both decided by name.
func outcome(tb testing.TB, name string, blobs ...pipeline.Digest) pipeline.Committed {
	tb.Helper()
	r, err := pipeline.NewRecord("question", name, map[string]string{"text": name, "filler": strings.Repeat("words of a question ", 12)}, blobs...)
	if err != nil {
		tb.Fatal(err)
	}
	ref, err := r.Ref()
	if err != nil {
		tb.Fatal(err)
	}
	return pipeline.Committed{
		Result:  pipeline.Result{Key: keyOf(name), Outputs: []pipeline.Ref{ref}},
		Records: []pipeline.Record{r},
	}
}

func keyOf(name string) pipeline.Key { return pipeline.Key(pipeline.DigestOf([]byte("key " + name))) }

func put(tb testing.TB, d pipeline.Store, text string) pipeline.Digest {
	tb.Helper()
	b, err := d.PutBlob(context.Background(), strings.NewReader(text))
	if err != nil {
		tb.Fatal(err)
	}
	if b.Size != int64(len(text)) || b.Digest != pipeline.DigestOf([]byte(text)) {
		tb.Fatalf("put %d bytes, got %+v", len(text), b)
	}
	return b.Digest
}

func readBlob(d pipeline.Store, digest pipeline.Digest) (string, error) {
	r, err := d.OpenBlob(context.Background(), digest)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

func sumOf(b []byte) sum { return sum(sha256.Sum256(b)) }
