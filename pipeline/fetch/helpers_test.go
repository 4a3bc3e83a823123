package fetch_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
)

const (
	commitA = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	commitB = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// memStore holds blobs in memory. The fetcher calls nothing else of a store.
type memStore struct {
	pipeline.Store
	mu    sync.Mutex
	blobs map[pipeline.Digest][]byte
}

func newStore() *memStore { return &memStore{blobs: map[pipeline.Digest][]byte{}} }

func (s *memStore) PutFile(_ context.Context, path string, move bool) (pipeline.Blob, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	d := pipeline.DigestOf(b)
	s.blobs[d] = b
	if move {
		err = os.Remove(path)
	}
	return pipeline.Blob{Digest: d, Size: int64(len(b))}, err
}

func (s *memStore) MissingBlobs(_ context.Context, ds []pipeline.Digest) ([]pipeline.Digest, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var missing []pipeline.Digest
	for _, d := range ds {
		if _, ok := s.blobs[d]; !ok {
			missing = append(missing, d)
		}
	}
	return missing, nil
}

func (s *memStore) get(d pipeline.Digest) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[d]
	return b, ok
}

// clock is a clock that sleeping moves.
type clock struct {
	mu    sync.Mutex
	now   time.Time
	slept []time.Duration
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.slept = append(c.slept, d)
	return ctx.Err()
}

// world is a hub, a store, a lock file and a clock.
type world struct {
	t     *testing.T
	hub   *testkit.Hub
	store *memStore
	clock *clock
	dir   string
	opts  fetch.Options
}

func newWorld(t *testing.T) *world {
	hub := testkit.NewHub(t)
	c := &clock{now: time.Unix(1_800_000_000, 0)}
	dir := t.TempDir()
	return &world{t: t, hub: hub, store: newStore(), clock: c, dir: dir, opts: fetch.Options{
		TempDir: filepath.Join(dir, "partial"), Sleep: c.Sleep, Now: c.Now,
		Token: func(kind string) string { return "secret-" + kind },
		Endpoints: fetch.Endpoints{Hub: hub.URL, GitHubAPI: hub.URL, GitHubRaw: hub.URL, GitHubLFS: hub.URL,
			HTTP: map[string]string{"https://files.example/": hub.URL + "/plain/"}},
	}}
}

func (w *world) lockPath() string { return filepath.Join(w.dir, fetch.LockName) }

func (w *world) lockText() string {
	b, err := os.ReadFile(w.lockPath())
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// try fetches for the source "s" with the lock as it is on disk.
func (w *world) try(change func(*fetch.Options), needs ...pipeline.Need) ([]pipeline.Asset, error) {
	w.t.Helper()
	lock, err := fetch.LoadLock(w.lockPath())
	if err != nil {
		w.t.Fatal(err)
	}
	opts := w.opts
	if change != nil {
		change(&opts)
	}
	return fetch.New(w.store, lock, opts).Fetch(w.t.Context(), "s", needs)
}

func (w *world) fetch(needs ...pipeline.Need) []pipeline.Asset {
	w.t.Helper()
	assets, err := w.try(nil, needs...)
	if err != nil {
		w.t.Fatal(err)
	}
	return assets
}

// fail fetches, wants an error with every part, and no secret in it.
func (w *world) fail(change func(*fetch.Options), need pipeline.Need, parts ...string) error {
	w.t.Helper()
	_, err := w.try(change, need)
	if err == nil {
		w.t.Fatalf("no error; want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			w.t.Errorf("error %q lacks %q", err, p)
		}
	}
	for _, s := range []string{"secret", "Signature"} {
		if strings.Contains(err.Error(), s) {
			w.t.Errorf("error %q tells a secret", err)
		}
	}
	return err
}

// stored checks that an asset's blob holds the bytes.
func (w *world) stored(a pipeline.Asset, want []byte) {
	w.t.Helper()
	got, ok := w.store.get(a.Blob)
	if a.Problem != nil || !ok || !bytes.Equal(got, want) || a.Size != int64(len(want)) {
		w.t.Errorf("asset %+v (problem %v) does not hold the %d bytes wanted", a, a.Problem, len(want))
	}
}

// asked counts requests whose host and path contain part.
func (w *world) asked(part string) int {
	n := 0
	for _, r := range w.hub.Requests() {
		if strings.Contains(r.Host+r.Path, part) {
			n++
		}
	}
	return n
}

func offline(o *fetch.Options) { o.Offline = true }
func relock(o *fetch.Options)  { o.Relock = true }

func video(seed byte, n int) []byte {
	b := bytes.Repeat([]byte{0, 0, 0, 24, 'f', 't', 'y', 'p', seed}, n/9+1)
	return b[:n]
}

// summary prints assets as a line each.
func summary(assets []pipeline.Asset) string {
	var b strings.Builder
	for _, a := range assets {
		state := "ok"
		if a.Problem != nil {
			state = a.Problem.Code
		}
		fmt.Fprintf(&b, "%d %s %d %s\n", a.Need, a.Path, a.Size, state)
	}
	return b.String()
}
