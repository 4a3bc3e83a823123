package cluster

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/storeurl"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

// house is a cluster in one process: each of its workers has a store of its own.
type house struct {
	t      testing.TB
	db     string
	bucket string
	*carrier
}

func newHouse(t testing.TB) *house {
	return &house{t: t, db: testpostgres.URL(t), bucket: t.TempDir(), carrier: newCarrier()}
}

// place is the URL of the shared store with a cache of its own.
func (h *house) place() string {
	return h.db + "&" + url.Values{"bucket": {"file://" + h.bucket}, "cache": {h.t.TempDir()}}.Encode()
}

func (h *house) open() (store.Store, *clusterstate.SharedState) {
	h.t.Helper()
	at := h.place()
	st, err := storeurl.Open(h.t.Context(), at)
	if err != nil {
		h.t.Fatal(err)
	}
	b, err := clusterstate.Open(h.t.Context(), at)
	if err != nil {
		h.t.Fatal(err)
	}
	return st, b
}

// worker starts one, and gives what ends it as an end of the process would, except for
// what it had to write.
func (h *house) worker(change ...func(*WorkerOptions)) (end func() error) {
	h.t.Helper()
	st, b := h.open()
	o := WorkerOptions{
		Registry: plugins.Registry(), Store: st, State: b, Engine: h.carrier, Ledger: h.db, Drives: true,
		Slots:  map[pipeline.Resource]int{pipeline.CPU: 2, pipeline.FFmpeg: 1, pipeline.Model: 8, pipeline.Network: 2},
		Getenv: func(string) string { return "" }, Code: func(error) int { return 1 }, Log: slog.New(slog.DiscardHandler),
	}
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	w, err := NewWorker(ctx, o)
	if err != nil {
		h.t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	end = func() error {
		cancel()
		err := <-done
		done <- nil
		return err
	}
	h.t.Cleanup(func() {
		if err := end(); err != nil {
			h.t.Error(err)
		}
		b.Close()
		if err := st.Close(); err != nil {
			h.t.Error(err)
		}
	})
	return end
}

// small is the small build, quick to make, or a part of it.
func small(t *testing.T, sets ...string) *config.Config {
	t.Helper()
	sets = append([]string{"sources.clips.with.count=4", "stages.plan.with.n=[1]", "stages.plan.with.k=[2, 4]"}, sets...)
	for _, of := range []string{"sources.films.with", "sources.clips.with", "stages.films-normal.with.profile", "stages.clips-normal.with.profile"} {
		sets = append(sets, of+".width=160", of+".height=92", of+".fps=10")
	}
	text, err := os.ReadFile(filepath.Join("..", "assemble", "testdata", "small.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, plugins.Registry(), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// build has the cluster build what a configuration describes.
func (h *house) build(ctx context.Context, cfg *config.Config, opt assemble.Options) (assemble.Result, error) {
	h.t.Helper()
	st, b := h.open()
	defer b.Close()
	defer st.Close()
	program, err := ProgramOf(ctx, plugins.Registry(), b)
	if err != nil {
		h.t.Fatal(err)
	}
	o, err := assemble.PrepareBuild(ctx, plugins.Registry(), cfg, st, opt)
	if err != nil {
		return assemble.Result{}, err
	}
	o.Program = program.Name
	c := Client{State: b, Engine: h.carrier}
	id, err := c.Submit(ctx, "small", o)
	if err != nil {
		return assemble.Result{}, err
	}
	out, err := c.Wait(ctx, id, func(Progress) {})
	if err == nil {
		err = out.Err()
	}
	if err != nil {
		return assemble.Result{}, err
	}
	return assemble.FinishBuild(ctx, plugins.Registry(), cfg, st, out.Runs, opt)
}

func sameTree(t *testing.T, a, b string) {
	t.Helper()
	read := func(root string) map[string][]byte {
		files := map[string][]byte{}
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			files[rel], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return files
	}
	one, two := read(a), read(b)
	if len(one) == 0 || len(one) != len(two) {
		t.Errorf("%d files and %d", len(one), len(two))
	}
	for rel := range one {
		if !bytes.Equal(one[rel], two[rel]) {
			t.Errorf("%s differs", rel)
		}
	}
}

// Three workers give the release that one machine gives, and the second build does nothing.
func TestWorkersGiveTheSameRelease(t *testing.T) {
	h := newHouse(t)
	alone := small(t)
	want, err := assemble.Build(t.Context(), plugins.Registry(), alone, assemble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h.worker()
	}
	cfg := small(t)
	began := time.Now()
	got, err := h.build(t.Context(), cfg, assemble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d batches, %s", h.carried, time.Since(began))
	sameTree(t, want.Release.Dir, got.Release.Dir)
	if got.Built() != want.Built() {
		t.Errorf("the cluster built %d units, one machine %d", got.Built(), want.Built())
	}
	before := h.carried
	again, err := h.build(t.Context(), cfg, assemble.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if h.carried != before || again.Built() != 0 || again.Release.Changed {
		t.Errorf("the second build sent %d batches and built %d units", h.carried-before, again.Built())
	}
}
