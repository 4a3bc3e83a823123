// Package fetch brings the files that sources need into the store: local
// folders, pinned URLs, Hugging Face datasets and GitHub repositories. What
// comes over the network is pinned by commit and digest in a lock file, so
// that a later build reads the same bytes or says that it cannot.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// Kinds of a need.
const (
	Local = "local"
	// Media are files that users obtained themselves, in the folder that
	// Options.MediaDirs names for the source. Without one there are none.
	Media  = "media"
	HTTP   = "http"
	Hub    = "hf"
	GitHub = "github"
)

// Options of a Fetcher. The zero value fetches from the public hosts with
// sensible limits.
type Options struct {
	// BaseDir is the folder of pipeline.yaml; relative local roots start there.
	BaseDir string
	// MediaDirs names the folder of each source with Media needs; a relative
	// one starts at BaseDir. A path here enters neither lock nor asset.
	MediaDirs map[string]string
	// TempDir holds partial downloads between runs; best on the store's file
	// system. Empty: a folder of the system's temporary one.
	TempDir string
	// Offline forbids the network: lock and store must suffice.
	Offline bool
	// Relock pins every need anew.
	Relock bool
	// AllowPartial makes a file that a host does not give for the moment the
	// file's own problem; otherwise it is an error.
	AllowPartial bool
	// Sources names every source of the configuration. Entries of other
	// sources leave the lock when it is written; nil keeps them.
	Sources []string
	// Client's transport makes the requests; nil is a default one. Redirects
	// and credentials are always handled here.
	Client    *http.Client
	Endpoints Endpoints
	// Token returns the credential for Hub or GitHub, or "". It is sent to the
	// kind's endpoints only and appears in no error.
	Token func(kind string) string
	// MaxBytes limits a file of a need that has no limit; 0 is 16 GiB.
	MaxBytes int64
	// Concurrency is how many files are fetched at once; 0 is 4.
	Concurrency int
	// Tries limits attempts at one request; 0 is 6. Waiting for a rate limit
	// is no attempt.
	Tries int
	// MaxWait is the longest wait for a rate limit; 0 is 15 minutes.
	MaxWait time.Duration
	// IdleTimeout ends a connection that gives no bytes; 0 is 1 minute.
	IdleTimeout time.Duration
	// Progress is told of bytes as they arrive; total is -1 if unknown. It is
	// called from several goroutines.
	Progress func(file string, done, total int64)
	// Sleep and Now replace the clock in tests.
	Sleep func(context.Context, time.Duration) error
	Now   func() time.Time
}

// Fetcher implements pipeline.Fetcher. It is safe for concurrent use.
type Fetcher struct {
	store pipeline.Store
	lock  *Lock
	opts  Options
	web   *client
	// busy serialises downloads of the same bytes.
	busy keyedMutex
	done *downloadIndex
}

var _ pipeline.Fetcher = (*Fetcher)(nil)

// New returns a fetcher that keeps its pins in lock.
func New(store pipeline.Store, lock *Lock, opts Options) *Fetcher {
	opts.setDefaults()
	return &Fetcher{store: store, lock: lock, opts: opts, web: newClient(opts), done: &downloadIndex{path: filepath.Join(opts.TempDir, "finished")}}
}

func (o *Options) setDefaults() {
	o.Endpoints.setDefaults()
	if o.TempDir == "" {
		o.TempDir = os.TempDir() + string(os.PathSeparator) + "memforge-partial"
	}
	if o.Token == nil {
		o.Token = func(string) string { return "" }
	}
	if o.MaxBytes == 0 {
		o.MaxBytes = 16 << 30
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 4
	}
	if o.Tries <= 0 {
		o.Tries = 6
	}
	if o.MaxWait == 0 {
		o.MaxWait = 15 * time.Minute
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = time.Minute
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fetch brings every file of the needs into the store and returns the assets
// need by need, sorted by path. Files that could not be had are assets with a
// Problem; an upstream that cannot be read or has changed is an error.
func (f *Fetcher) Fetch(ctx context.Context, source string, needs []pipeline.Need) ([]pipeline.Asset, error) {
	if err := f.opts.Endpoints.Check(); err != nil {
		return nil, err
	}
	if f.opts.Offline && f.opts.Relock {
		return nil, errors.New("offline and relock exclude each other: pinning anew needs the network")
	}
	var assets []pipeline.Asset
	var entries []Entry
	for i, need := range needs {
		got, entry, err := f.fetchNeed(ctx, source, need)
		if err != nil {
			return nil, fmt.Errorf("source %s: fetch %s: %w", source, describe(need), err)
		}
		for _, a := range got {
			a.Need = i
			assets = append(assets, a)
		}
		if entry != nil {
			entries = append(entries, *entry)
		}
	}
	if err := f.lock.update(source, entries, f.opts.Sources); err != nil {
		return nil, fmt.Errorf("source %s: %w", source, err)
	}
	return assets, nil
}

func (f *Fetcher) fetchNeed(ctx context.Context, source string, need pipeline.Need) ([]pipeline.Asset, *Entry, error) {
	if need.From == Media {
		need.Root = f.opts.MediaDirs[source]
	}
	switch {
	case need.From == Media && need.Root == "":
		return nil, nil, nil
	case need.From == Media || need.From == Local:
		assets, err := f.local(ctx, need)
		return assets, nil, err
	}
	up, err := f.upstream(need)
	if err != nil {
		return nil, nil, err
	}
	assets, entry, err := f.remote(ctx, source, need, up)
	return assets, &entry, err
}

func (f *Fetcher) upstream(need pipeline.Need) (upstream, error) {
	switch need.From {
	case HTTP:
		return newHTTPFile(f.web, need)
	case Hub:
		return newHub(f.web, need)
	case GitHub:
		return newGitHub(f.web, need)
	}
	return nil, fmt.Errorf("unknown kind %q: want %s, %s, %s, %s or %s", need.From, Local, Media, HTTP, Hub, GitHub)
}

// describe names a need in errors. Credentials in a URL are not repeated.
func describe(n pipeline.Need) string {
	switch n.From {
	case Local:
		return fmt.Sprintf("folder %q", n.Root)
	case Media:
		return "the folder that run.media_dirs names for it"
	case HTTP:
		return redact(n.URL)
	case Hub:
		return fmt.Sprintf("dataset %s at %q", n.Repo, n.Revision)
	}
	return fmt.Sprintf("%s repository %s at %q", n.From, n.Repo, n.Revision)
}

func (f *Fetcher) maxBytes(n pipeline.Need) int64 {
	if n.MaxBytes > 0 {
		return n.MaxBytes
	}
	return f.opts.MaxBytes
}

// keyedMutex gives one mutex a key.
type keyedMutex struct {
	mu   sync.Mutex
	keys map[string]*sync.Mutex
}

// lock locks key and returns how to unlock it.
func (k *keyedMutex) lock(key string) func() {
	k.mu.Lock()
	if k.keys == nil {
		k.keys = map[string]*sync.Mutex{}
	}
	m, ok := k.keys[key]
	if !ok {
		m = new(sync.Mutex)
		k.keys[key] = m
	}
	k.mu.Unlock()
	m.Lock()
	return m.Unlock
}

// asProblem finds the rejection that stands for a lost file in err's chain.
func asProblem(err error) (*pipeline.Rejection, bool) {
	var r *pipeline.Rejection
	ok := errors.As(err, &r)
	return r, ok
}
