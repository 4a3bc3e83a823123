package testkit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// CheckSpoiled pins what a source reads of an asset that is JSON or lines of JSON, and of the
// asset with one value wrong: each record by its digest, each loss with its reason.
func (s Subject) CheckSpoiled(t *testing.T, name, asset string) {
	t.Helper()
	f := newFixture(t, pipeline.KindSource, s)
	st := f.newStore(t)
	at := slices.IndexFunc(s.Assets, func(a pipeline.Asset) bool { return a.Path == asset })
	if at < 0 {
		t.Fatalf("there is no asset %s", asset)
	}
	plugin, err := f.plugin.BuildRaw(f.task.Identity.Config)
	if err != nil {
		t.Fatal(err)
	}
	doc := json.RawMessage(readBlob(t, st, s.Assets[at].Blob))
	whole := json.Valid(doc)
	if !whole {
		var lines []json.RawMessage
		for line := range bytes.Lines(doc) {
			if json.Valid(line) {
				lines = append(lines, line)
			}
		}
		doc = json.RawMessage(golden.JSON(t, lines))
	}
	temp := t.TempDir()
	golden.CheckSpoiled(t, name, doc, func(doc []byte) string {
		if !whole {
			var lines []json.RawMessage
			if json.Unmarshal(doc, &lines) != nil {
				return ""
			}
			doc = nil
			for _, l := range lines {
				doc = append(append(doc, l...), '\n')
			}
		}
		assets := slices.Clone(s.Assets)
		assets[at].Blob, assets[at].Size = pipeline.DigestOf(doc), int64(len(doc))
		var out []string
		left, err := pipeline.RunInScope(pipeline.ScopeOptions{Identity: f.task.Identity, Step: f.task.Step, Store: blobStore{st, doc}, Registry: f.registry, TempRoot: temp}, func(scope *pipeline.Scope) error {
			return plugin.(pipeline.Source).Read(t.Context(), scope, assets, func(r pipeline.Record) error {
				out = append(out, fmt.Sprintf("%s %s %s", r.Schema, r.ID, golden.Digest(t, string(r.Data))))
				return nil
			})
		})
		for _, l := range left.Rejections {
			out = append(out, fmt.Sprintf("lost %s %s %s", l.ID, l.Code, l.Reason))
		}
		slices.Sort(out)
		return strings.Join(out, "\n") + fmt.Sprintf("\nerror %v\n", err)
	})
}

// blobStore is a store that holds one more blob.
type blobStore struct {
	pipeline.Store
	blob []byte
}

// OpenBlob implements pipeline.Store.
func (s blobStore) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	if d == pipeline.DigestOf(s.blob) {
		return io.NopCloser(bytes.NewReader(s.blob)), nil
	}
	return s.Store.OpenBlob(ctx, d)
}
