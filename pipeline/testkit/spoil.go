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

// CheckSpoiledInput pins what a stage or gate gives for its inputs, and for each that an
// input with one value wrong gives: records by their digest, judgements and losses in words.
// A value that the input's schema refuses is left out.
func (s Subject) CheckSpoiledInput(t *testing.T, kind pipeline.Kind, name string, input int) {
	t.Helper()
	f := newFixture(t, kind, s)
	plugin, err := f.plugin.BuildRaw(f.task.Identity.Config)
	if err != nil {
		t.Fatal(err)
	}
	st, temp := f.newStore(t), t.TempDir()
	golden.CheckSpoiled(t, name, s.Inputs[input].Data, func(doc []byte) string {
		inputs := slices.Clone(s.Inputs)
		inputs[input].Data = doc
		if f.check(inputs[input]) != nil {
			return ""
		}
		var out []string
		emit := func(r pipeline.Record) error {
			out = append(out, fmt.Sprintf("%s %s %s", r.Schema, r.ID, golden.Digest(t, string(r.Data))))
			return nil
		}
		left, err := pipeline.RunInScope(pipeline.ScopeOptions{Identity: f.task.Identity, Step: f.task.Step, Item: inputs[input].ID, Store: st, Registry: f.registry, Models: s.Models, TempRoot: temp}, func(scope *pipeline.Scope) error {
			switch p := plugin.(type) {
			case pipeline.Map:
				made, err := p.Map(t.Context(), scope, inputs[input])
				for _, r := range made {
					_ = emit(r)
				}
				return err
			case pipeline.Fold:
				return p.Fold(t.Context(), scope, pipeline.Collection{Len: len(inputs), All: func(yield func(pipeline.Record, error) bool) {
					for _, r := range inputs {
						if !yield(r, nil) {
							return
						}
					}
				}}, emit)
			}
			judged, err := plugin.(pipeline.Gate).Judge(t.Context(), scope, inputs)
			for i, j := range judged {
				out = append(out, fmt.Sprintf("%s %+v", inputs[i].ID, j))
			}
			return err
		})
		for _, l := range left.Rejections {
			out = append(out, fmt.Sprintf("lost %s %s %s", l.ID, l.Code, l.Reason))
		}
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
