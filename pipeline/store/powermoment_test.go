package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store"
)

// process opens a machine's store, works in it and ends, killed or not.
func (m *machine) process(t *testing.T, work func(st pipeline.Store) error) error {
	t.Helper()
	m.disk.revive()
	d, err := store.OpenFlushing(t.Context(), m.store(), m.disk.flush, m.lab.luck.IntN(2) == 0)
	if err != nil {
		return err
	}
	return errors.Join(work(noting{d, m}), d.Close())
}

// cutNow looks at the worst that a cut can leave.
func (m *machine) cutNow(t *testing.T, when string) {
	t.Helper()
	for i, worst := range m.lab.mercies()[:2] {
		l := m.leftover()
		l.when, l.dir = fmt.Sprintf("%s (%d)", when, i), filepath.Join(t.TempDir(), "left")
		mustDo(t, m.disk.cut(l.dir, worst))
		l.dir = filepath.Join(l.dir, m.below)
		l.check(t)
	}
}

func putText(t *testing.T, st pipeline.Store, text string) error {
	t.Helper()
	_, err := st.PutBlob(t.Context(), strings.NewReader(text))
	return err
}

// TestAPowerCutAfterAKilledPut kills a process at each sync of a put. What the next
// puts there must last although it finds folders and files that were never synced.
func TestAPowerCutAfterAKilledPut(t *testing.T) {
	lab := newPowerLab(t)
	neighbour := "" // goes into the same folder as "first"
	for n := 0; neighbour == ""; n++ {
		if text := fmt.Sprint("neighbour ", n); pipeline.DigestOf([]byte(text))[:2] == pipeline.DigestOf([]byte("first"))[:2] {
			neighbour = text
		}
	}
	for kill := 1; ; kill++ {
		survived := false
		for _, next := range []string{"first", neighbour} {
			m := lab.machine(t.TempDir())
			mustDo(t, m.process(t, func(pipeline.Store) error { return nil }))
			killed := m.process(t, func(st pipeline.Store) error {
				began := m.disk.done()
				m.disk.watch(func(n int) error {
					if n == began+kill {
						return errKilled
					}
					return nil
				})
				err := putText(t, st, "first")
				survived = err == nil
				m.disk.watch(nil)
				return err
			})
			if !survived && !errors.Is(killed, errKilled) {
				t.Fatal(killed)
			}
			mustDo(t, m.process(t, func(st pipeline.Store) error { return putText(t, st, next) }))
			m.cutNow(t, fmt.Sprintf("killed at sync %d of a put, then %q is put", kill, next))
		}
		if survived {
			if kill < 4 {
				t.Errorf("a put has %d syncs; want one of the file, of its folder and of the folder of folders", kill-1)
			}
			return
		}
	}
}

func commit(t *testing.T, st pipeline.Store, name string, instant bool) error {
	t.Helper()
	b, err := st.PutBlob(t.Context(), strings.NewReader("film of "+name))
	if err != nil {
		return err
	}
	r, err := pipeline.NewRecord("film", name, name, b.Digest)
	if err != nil {
		return err
	}
	ref, err := r.Ref()
	if err != nil {
		return err
	}
	result := pipeline.Result{Key: pipeline.Key(pipeline.DigestOf([]byte("key of " + name))), Outputs: []pipeline.Ref{ref}}
	return st.Commit(t.Context(), []pipeline.Committed{{Result: result, Records: []pipeline.Record{r}, Instant: instant}})
}

// TestAPowerCutAfterAnAcknowledgement cuts the power the moment a store says that
// something is durable.
func TestAPowerCutAfterAnAcknowledgement(t *testing.T) {
	lab := newPowerLab(t)
	for name, work := range map[string]func(st pipeline.Store) error{
		"results": func(st pipeline.Store) error { return commit(t, st, "one", false) },
		"a build": func(st pipeline.Store) error { return st.SaveBuild(t.Context(), pipeline.Build{}) },
		"results behind some that come again at once": func(st pipeline.Store) error {
			return errors.Join(commit(t, st, "one", true), commit(t, st, "two", false))
		},
		"results before some that come again at once": func(st pipeline.Store) error {
			return errors.Join(commit(t, st, "one", false), commit(t, st, "two", true))
		},
	} {
		m := lab.machine(t.TempDir())
		mustDo(t, m.process(t, func(st pipeline.Store) error {
			err := work(st)
			m.cutNow(t, name)
			return err
		}))
		m.cutNow(t, name+", and the store is closed")
	}
}

// foldersAboveLast says whether a store makes the folders that lead to it durable.
// Known gap: it does not, and a cut after a first build can take the whole store.
const foldersAboveLast = false

func TestAPowerCutAfterAFirstBuild(t *testing.T) {
	lab := newPowerLab(t)
	m := lab.machine(t.TempDir())
	m.below = filepath.Join("out", "store")
	mustDo(t, m.process(t, func(st pipeline.Store) error { return commit(t, st, "one", false) }))
	if foldersAboveLast {
		m.cutNow(t, "a store in new folders")
		return
	}
	left := filepath.Join(t.TempDir(), "left")
	mustDo(t, m.disk.cut(left, lab.mercies()[0]))
	if _, err := os.Stat(filepath.Join(left, m.below)); err == nil {
		t.Error("the folders above a store last now: say so in foldersAboveLast")
	}
}
