// Package storetest is what the tests of all kinds of stores share: results to commit,
// and ways to look at them and to harm them behind a store's back.
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

// Outcome is a result of one record, both decided by name.
func Outcome(tb testing.TB, name string, blobs ...pipeline.Digest) pipeline.Committed {
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
		Result:  pipeline.Result{Key: KeyOf(name), Outputs: []pipeline.Ref{ref}},
		Records: []pipeline.Record{r},
	}
}

// KeyOf is the key of an Outcome.
func KeyOf(name string) pipeline.Key { return pipeline.Key(pipeline.DigestOf([]byte("key " + name))) }

// Put stores a text.
func Put(tb testing.TB, d pipeline.Store, text string) pipeline.Digest {
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

// ReadBlob reads one whole.
func ReadBlob(d pipeline.Store, digest pipeline.Digest) (string, error) {
	r, err := d.OpenBlob(context.Background(), digest)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

// SumOf is the digest of bytes.
func SumOf(b []byte) encoding.Sum { return encoding.Sum(sha256.Sum256(b)) }

// CrashOutcome is decided by n: a result with a record, a blob of the record
// and a blob of its own.
func CrashOutcome(n string, putText func(string) (pipeline.Digest, error)) (pipeline.Committed, error) {
	blob, err := putText(strings.Repeat("blob of "+n+" ", 4000))
	if err != nil {
		return pipeline.Committed{}, err
	}
	own, err := putText("log of " + n)
	if err != nil {
		return pipeline.Committed{}, err
	}
	r, err := pipeline.NewRecord("question", n, map[string]string{"text": n}, blob)
	if err != nil {
		return pipeline.Committed{}, err
	}
	ref, err := r.Ref()
	if err != nil {
		return pipeline.Committed{}, err
	}
	return pipeline.Committed{
		Result:  pipeline.Result{Key: KeyOf(n), Outputs: []pipeline.Ref{ref}, Blobs: []pipeline.Digest{own}},
		Records: []pipeline.Record{r},
	}, nil
}

// CommitAll commits some results at a time.
func CommitAll(tb testing.TB, s pipeline.Store, all []pipeline.Committed) {
	tb.Helper()
	for from := 0; from < len(all); from += 256 {
		if err := s.Commit(context.Background(), all[from:min(from+256, len(all))]); err != nil {
			tb.Fatal(err)
		}
	}
}

// Build commits one result per name, each with a blob of its own, and saves
// the build that made them.
func Build(tb testing.TB, d pipeline.Store, names ...string) pipeline.Digest {
	tb.Helper()
	var units []pipeline.Unit
	var all []pipeline.Committed
	for _, n := range names {
		o := Outcome(tb, n, Put(tb, d, "blob of "+n))
		o.Result.Blobs = []pipeline.Digest{Put(tb, d, "log of "+n)}
		all = append(all, o)
		units = append(units, pipeline.Unit{Key: o.Result.Key, Out: o.Result.Outputs})
	}
	CommitAll(tb, d, all)
	b, err := engine.EncodeUnits(units)
	MustDo(tb, err)
	blob, err := d.PutBlob(context.Background(), bytes.NewReader(b))
	MustDo(tb, err)
	MustDo(tb, d.SaveBuild(context.Background(), pipeline.Build{Steps: []pipeline.BuildStep{{Name: "node", UnitList: blob.Digest}}}))
	return blob.Digest
}

// LookUp asks for the results of names.
func LookUp(tb testing.TB, d pipeline.Store, names ...string) map[pipeline.Key]pipeline.Result {
	tb.Helper()
	keys := make([]pipeline.Key, len(names))
	for i, n := range names {
		keys[i] = KeyOf(n)
	}
	got, err := d.Results(context.Background(), keys)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}

// MustDo ends a test that cannot go on.
func MustDo(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

// RecordSum is the digest of an outcome's record.
func RecordSum(tb testing.TB, o pipeline.Committed) encoding.Sum {
	tb.Helper()
	s, err := encoding.ParseSum(o.Result.Outputs[0].Digest)
	MustDo(tb, err)
	return s
}

// KeySum is the key of an outcome.
func KeySum(tb testing.TB, o pipeline.Committed) encoding.Sum {
	tb.Helper()
	s, err := encoding.ParseSum(o.Result.Key)
	MustDo(tb, err)
	return s
}

// Second is the error of a call.
func Second[T any](_ T, err error) error { return err }
