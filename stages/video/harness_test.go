package video

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/testkit"
)

// memory is a store that keeps records in memory and blobs in a folder.
type memory struct {
	dir     string
	mu      sync.Mutex
	records map[pipeline.Digest]pipeline.Record
	results map[pipeline.Key]pipeline.Result
	// frames are those of videos that were decoded: blobs do not change.
	frames map[string][]string
}

func newMemory(t *testing.T) *memory {
	return &memory{
		dir: t.TempDir(), records: map[pipeline.Digest]pipeline.Record{}, results: map[pipeline.Key]pipeline.Result{}, frames: map[string][]string{},
	}
}

func (m *memory) path(d pipeline.Digest) string { return filepath.Join(m.dir, string(d)) }

func (m *memory) PutBlob(_ context.Context, r io.Reader) (pipeline.Blob, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return pipeline.Blob{}, err
	}
	d := pipeline.DigestOf(b)
	return pipeline.Blob{Digest: d, Size: int64(len(b))}, os.WriteFile(m.path(d), b, 0o644)
}

func (m *memory) PutFile(ctx context.Context, path string, _ bool) (pipeline.Blob, error) {
	f, err := os.Open(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	defer f.Close()
	return m.PutBlob(ctx, f)
}

func (m *memory) OpenBlob(_ context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	return os.Open(m.path(d))
}

func (m *memory) BlobPath(_ context.Context, d pipeline.Digest) (string, error) {
	_, err := os.Stat(m.path(d))
	return m.path(d), err
}

func (m *memory) MissingBlobs(_ context.Context, ds []pipeline.Digest) (missing []pipeline.Digest, _ error) {
	for _, d := range ds {
		if _, err := os.Stat(m.path(d)); err != nil {
			missing = append(missing, d)
		}
	}
	return missing, nil
}

func (m *memory) Results(_ context.Context, keys []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := map[pipeline.Key]pipeline.Result{}
	for _, k := range keys {
		if r, ok := m.results[k]; ok {
			out[k] = r
		}
	}
	return out, nil
}

func (m *memory) Commit(_ context.Context, cs []pipeline.Committed) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range cs {
		m.results[c.Result.Key] = c.Result
		for _, r := range c.Records {
			ref, err := r.Ref()
			if err != nil {
				return err
			}
			m.records[ref.Digest] = r
		}
	}
	return nil
}

func (m *memory) Records(_ context.Context, ds []pipeline.Digest) ([]pipeline.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]pipeline.Record, len(ds))
	for i, d := range ds {
		out[i] = m.records[d]
	}
	return out, nil
}

func (m *memory) SaveBuild(context.Context, pipeline.Build) error { return nil }

func (m *memory) Builds(context.Context, int) ([]pipeline.Build, error) { return nil, nil }

// encoder tells the version of ffmpeg for every bench.
var encoder = testkit.CacheVersion(media.Lazy().Version)

// bench runs stages as a build would.
type bench struct {
	t     *testing.T
	rt    engine.Runtime
	store *memory
	seed  uint64
	// roles are given to models other than the built-in one.
	roles map[string]pipeline.ModelIdentity
}

func newBench(t *testing.T) *bench {
	t.Helper()
	r := pipeline.NewRegistry()
	Register(r)
	model.AddEmbedder(r)
	r.AddTool(ffmpeg, encoder)
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	m := newMemory(t)
	return &bench{t: t, store: m, seed: 1, rt: engine.Runtime{Registry: r, Store: m, TempRoot: t.TempDir()}}
}

// run applies a stage, configured by a JSON patch of its defaults, to those of
// the records it accepts.
func (b *bench) run(use, patch string, in ...pipeline.Record) ([]pipeline.Record, []pipeline.Rejection) {
	b.t.Helper()
	p, ok := b.rt.Registry.Plugin(pipeline.KindStage, use)
	if !ok {
		b.t.Fatalf("no stage %s", use)
	}
	cfg := p.NewConfig()
	if patch != "" {
		if err := json.Unmarshal([]byte(patch), cfg); err != nil {
			b.t.Fatal(err)
		}
	}
	raw, err := pipeline.Canonical(cfg)
	if err != nil {
		b.t.Fatal(err)
	}
	stage, err := p.Build(cfg)
	if err != nil {
		b.t.Fatalf("%s: %v", use, err)
	}
	_, each := stage.(pipeline.Map)
	id, err := b.rt.Registry.Identify(b.t.Context(), pipeline.Identity{Kind: pipeline.KindStage, Use: use, Version: p.Version, Config: raw, Seed: b.seed, Models: b.roles})
	if err != nil {
		b.t.Fatalf("%s: %v", use, err)
	}
	task := pipeline.Task{Step: "n", Each: each, Identity: id}
	for _, r := range in {
		if slices.Contains(stage.(pipeline.Stage).Spec().Accepts, r.Schema) {
			task.Inputs = append(task.Inputs, b.hold(r))
		}
	}
	slices.SortFunc(task.Inputs, func(x, y pipeline.Ref) int { return strings.Compare(x.ID, y.ID) })
	results, err := engine.Execute(b.t.Context(), b.rt, task)
	if err != nil {
		b.t.Fatalf("%s: %v", use, err)
	}
	return b.gather(results)
}

func (b *bench) hold(r pipeline.Record) pipeline.Ref {
	b.t.Helper()
	ref, err := r.Ref()
	if err != nil {
		b.t.Fatal(err)
	}
	b.store.records[ref.Digest] = r
	return ref
}

// gather lists outputs once each, and rejections.
func (b *bench) gather(results []pipeline.Result) (out []pipeline.Record, lost []pipeline.Rejection) {
	b.t.Helper()
	seen := map[string]pipeline.Digest{}
	for _, r := range results {
		lost = append(lost, r.Rejections...)
		for _, ref := range r.Outputs {
			if d, known := seen[ref.ID]; known {
				if d != ref.Digest {
					b.t.Fatalf("two different records are called %s", ref.ID)
				}
				continue
			}
			seen[ref.ID] = ref.Digest
			out = append(out, b.store.records[ref.Digest])
		}
	}
	return out, lost
}

// encodeAll returns the bytes of records, to compare runs.
func encodeAll(t *testing.T, rs []pipeline.Record) []byte {
	t.Helper()
	var buf bytes.Buffer
	for _, r := range rs {
		b, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		buf.Write(append(b, '\n'))
	}
	return buf.Bytes()
}
