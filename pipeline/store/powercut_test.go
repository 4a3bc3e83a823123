package store_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// cutsAskedFor is at how many moments TestPowerCuts cuts the power.
func cutsAskedFor() int {
	if testing.Short() {
		return 4
	}
	return testsize.Choose(10, 200)
}

// TestPowerCuts cuts the power at moments spread over builds, of which one is left
// alone and one is killed and goes on many times. After each cut the store must be
// sound and hold what it had acknowledged, and the next build must give the release
// that an undisturbed one gives.
func TestPowerCuts(t *testing.T) {
	lab := newPowerLab(t)
	undisturbed := lab.machine(t.TempDir())
	want := undisturbed.mustBuild(t)
	cuts, syncs := cutsAskedFor(), undisturbed.disk.done()
	const never = 1 << 30
	left := lab.cutWhile(t, t.TempDir(), never, spread((cuts+1)/2, syncs)...)
	left = append(left, lab.cutWhile(t, t.TempDir(), max(2, syncs/9), spread(cuts/2, syncs)...)...)
	acknowledged := 0
	for i, l := range left {
		l.check(t)
		if acknowledged += len(l.results); i%4 == 3 {
			again := lab.cutWhile(t, l.dir, never, 1+lab.luck.IntN(syncs))[0]
			again.check(t)
			l.dir = again.dir
		}
		if got := lab.machine(l.dir).mustBuild(t); got != want {
			t.Errorf("%s: the next build gives another release:\n%s\nwant:\n%s", l.when, got, want)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d cuts over %d syncs, %d results acknowledged before them", len(left), syncs, acknowledged)
	if acknowledged == 0 {
		t.Error("nothing was acknowledged before any cut; the test proves nothing")
	}
}

// spread are n moments from 1 to last.
func spread(n, last int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = 1 + (i*last+last/2)/n
	}
	return out
}

// powerLab runs builds on disks that lose power.
type powerLab struct {
	t     *testing.T
	luck  *rand.Rand
	mu    sync.Mutex
	disks []*powerDisk
}

// mercies begin with the two worst: neither names nor bytes that were not synced,
// and names alone.
func (lab *powerLab) mercies() []mercy {
	return []mercy{{0, 0, lab.luck}, {1, 0, lab.luck}, {0.5, 0.5, lab.luck}, {0.8, 0.2, lab.luck}}
}

func newPowerLab(t *testing.T) *powerLab {
	lab := &powerLab{t: t, luck: rand.New(rand.NewPCG(15, 1))}
	watchDatabases(t, lab.diskOf)
	return lab
}

func (lab *powerLab) diskOf(path string) *powerDisk {
	lab.mu.Lock()
	defer lab.mu.Unlock()
	i := slices.IndexFunc(lab.disks, func(d *powerDisk) bool { return strings.HasPrefix(path, d.root+"/") })
	if i < 0 {
		return nil
	}
	return lab.disks[i]
}

// machine is one with the disk dir, all of which is synced, and a store in it.
func (lab *powerLab) machine(dir string) *machine {
	lab.t.Helper()
	disk, err := newPowerDisk(dir)
	mustDo(lab.t, err)
	lab.mu.Lock()
	defer lab.mu.Unlock()
	lab.disks = append(lab.disks, disk)
	lab.t.Cleanup(disk.close)
	return &machine{lab: lab, disk: disk}
}

// cutWhile builds on a disk all of which is synced and cuts the power at moments:
// numbers of syncs, or the end. Every so many syncs the process is killed, and
// the next goes on with what the system still knows.
func (lab *powerLab) cutWhile(t *testing.T, dir string, kill int, at ...int) []leftover {
	t.Helper()
	m := lab.machine(dir)
	var left []leftover
	cut := func(n int) {
		// What is acknowledged before the disk is looked at must be on it.
		l := m.leftover()
		l.when, l.dir = fmt.Sprintf("cut %d, at sync %d", len(left), n), filepath.Join(t.TempDir(), "left")
		mustDo(t, m.disk.cut(l.dir, lab.mercies()[len(left)%4]))
		left = append(left, l)
	}
	m.disk.watch(func(n int) error {
		for ; len(at) > 0 && at[0] <= n; at = at[1:] {
			cut(n)
		}
		if n%kill == 0 {
			return errKilled
		}
		return nil
	})
	for {
		_, err := m.build(t)
		if err == nil {
			break
		}
		if !m.disk.revive() {
			t.Fatal(err)
		}
	}
	for range at {
		cut(m.disk.done())
	}
	return left
}

var errKilled = errors.New("the process is killed")

// machine builds on a disk and notes what its store acknowledges.
type machine struct {
	lab   *powerLab
	disk  *powerDisk
	below string // where on the disk the store is
	mu    sync.Mutex
	has   leftover
}

// leftover is what a cut left, and what had been acknowledged before it.
type leftover struct {
	when, dir string
	results   []pipeline.Key
	blobs     []pipeline.Digest
	builds    int
}

func (m *machine) store() string { return filepath.Join(m.disk.root, m.below) }

func (m *machine) leftover() leftover {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.has
	l.results, l.blobs = slices.Clone(l.results), slices.Clone(l.blobs)
	return l
}

// noting is a store that notes what it acknowledges as durable.
type noting struct {
	pipeline.Store
	m *machine
}

func (n noting) note(err error, add func(l *leftover)) error {
	if err == nil {
		n.m.mu.Lock()
		defer n.m.mu.Unlock()
		add(&n.m.has)
	}
	return err
}

func (n noting) PutBlob(ctx context.Context, r io.Reader) (pipeline.Blob, error) {
	b, err := n.Store.PutBlob(ctx, r)
	return b, n.note(err, func(l *leftover) { l.blobs = append(l.blobs, b.Digest) })
}

func (n noting) PutFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	b, err := n.Store.PutFile(ctx, path, move)
	return b, n.note(err, func(l *leftover) { l.blobs = append(l.blobs, b.Digest) })
}

func (n noting) Commit(ctx context.Context, outcomes []pipeline.Committed) error {
	return n.note(n.Store.Commit(ctx, outcomes), func(l *leftover) {
		for _, o := range outcomes {
			if !o.Instant {
				l.results = append(l.results, o.Result.Key)
			}
		}
	})
}

func (n noting) SaveBuild(ctx context.Context, b pipeline.Build) error {
	return n.note(n.Store.SaveBuild(ctx, b), func(l *leftover) { l.builds++ })
}

// check opens what a cut left.
func (l leftover) check(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	d, err := store.OpenDisk(ctx, l.dir)
	if err != nil {
		t.Fatalf("%s: %v", l.when, err)
	}
	defer func() { mustDo(t, d.Close()) }()
	// Broken are results that name a missing blob.
	if report, err := d.Check(ctx); err != nil || !report.OK() {
		t.Errorf("%s: the store is not sound: %+v, %v", l.when, report, err)
	}
	got, err := d.Results(ctx, l.results)
	if missing := len(l.results) - len(got); missing > 0 || err != nil {
		t.Errorf("%s: %d of %d acknowledged results are lost: %v", l.when, missing, len(l.results), err)
	}
	if missing, err := d.MissingBlobs(ctx, l.blobs); len(missing) > 0 || err != nil {
		t.Errorf("%s: %d of %d acknowledged blobs are lost: %v", l.when, len(missing), len(l.blobs), err)
	}
	if builds, err := d.Builds(ctx, 0); len(builds) < l.builds || err != nil {
		t.Errorf("%s: %d of %d builds are listed: %v", l.when, len(builds), l.builds, err)
	}
}

func (m *machine) mustBuild(t *testing.T) string {
	t.Helper()
	sums, err := m.build(t)
	mustDo(t, err)
	return sums
}

// build is one process: it builds, releases, and says what the release is.
func (m *machine) build(t *testing.T) (sums string, err error) {
	t.Helper()
	d, err := store.OpenFlushing(t.Context(), m.store(), m.disk.flush, m.lab.luck.IntN(2) == 0)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return buildFilms(t, noting{d, m}, d.ScratchRoot())
}

func mustDo(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
