package local_test

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
)

// asked counts the keys that are looked up.
type asked struct {
	pipeline.Store
	keys atomic.Int64
}

func (a *asked) Results(ctx context.Context, keys []pipeline.Key) (map[pipeline.Key]pipeline.Result, error) {
	a.keys.Add(int64(len(keys)))
	return a.Store.Results(ctx, keys)
}

func TestWhatTheLastRunGaveIsNotLookedUp(t *testing.T) {
	st, h := &asked{Store: openStore(t)}, &testkit.NumbersHooks{}
	for i, changed := range []int{-1, 17, 18, -1} {
		st.keys.Store(0)
		c := testkit.NumbersConfig{Count: 1000, Changed: changed, Bad: i}
		nodes, err := execute(t, st, h, c, local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		fresh, err := execute(t, openStore(t), &testkit.NumbersHooks{}, c, local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k, n := range nodes {
			n.Summary.Reused = fresh[k].Summary.Reused
			if n.Units != fresh[k].Units || !reflect.DeepEqual(n.Summary, fresh[k].Summary) {
				t.Errorf("run %d, step %s: %+v, from an empty store %+v", i, n.Step.Name, n.Summary, fresh[k].Summary)
			}
		}
		if asked := st.keys.Load(); i > 0 && asked > 20 {
			t.Errorf("run %d looked up %d keys for two changed records", i, asked)
		}
	}
}

// TestANodeMayEndAsItIsRestored: all it is given is known of another run.
func TestANodeMayEndAsItIsRestored(t *testing.T) {
	st, h := openStore(t), &testkit.NumbersHooks{}
	few := testkit.NumbersConfig{Count: 500, Changed: -1}
	if _, err := execute(t, st, h, testkit.NumbersConfig{Count: 1000, Changed: -1}, local.Options{}); err != nil {
		t.Fatal(err)
	}
	reg := testkit.NumbersRegistry(h)
	only, _ := testkit.NumbersPlan(few).Only("numbers")
	steps, err := only.Resolve(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := local.Execute(t.Context(), engine.Runtime{Registry: reg, Store: st}, steps, testkit.NoFetch{}, local.Options{}); err != nil {
		t.Fatal(err)
	}
	nodes, err := execute(t, st, h, few, local.Options{})
	if err != nil || built(nodes) != "numbers=0 double=0 small=500 sum=1" {
		t.Fatalf("%s, %v", built(nodes), err)
	}
	if h.Maps.Load() != 1000 || nodes[1].Summary.In != 500 {
		t.Errorf("%d maps, %+v", h.Maps.Load(), nodes[1].Summary)
	}
}

// TestARecordThatIsLostIsMadeAgain although whole runs are remembered that gave it.
func TestARecordThatIsLostIsMadeAgain(t *testing.T) {
	dir, h := t.TempDir(), &testkit.NumbersHooks{}
	build := func(c testkit.NumbersConfig, spoil bool) error {
		st, err := store.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		nodes, err := execute(t, st, h, c, local.Options{})
		if spoil {
			units, failed := engine.LoadUnits(t.Context(), st, nodes[1].Units)
			if failed != nil {
				t.Fatal(failed)
			}
			damage(t, dir, units[50].Out[0].Digest)
		}
		return errors.Join(err, st.Close())
	}
	if err := build(testkit.NumbersConfig{Count: 100, Changed: -1}, true); err != nil {
		t.Fatal(err)
	}
	// Others pass the gate now, so that it reads the record anew.
	next := testkit.NumbersConfig{Count: 100, Changed: 1, Bad: 1}
	var corrupt *pipeline.CorruptError
	if err := build(next, false); !errors.As(err, &corrupt) {
		t.Fatalf("err %v, want the damaged record", err)
	}
	if err := build(next, false); err != nil {
		t.Fatal(err)
	}
}

func damage(t *testing.T, dir string, record pipeline.Digest) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := hex.DecodeString(string(record[:16]))
	if err != nil {
		t.Fatal(err)
	}
	res, err := db.ExecContext(t.Context(), `UPDATE records SET body = 'damaged' WHERE id = ?`, int64(binary.BigEndian.Uint64(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := res.RowsAffected(); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
