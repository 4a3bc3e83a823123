package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// drawer judges by lot, or does what else a test wants.
type drawer struct {
	whole bool
	do    func(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error)
}

func (g drawer) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Whole: g.whole}
}
func (g drawer) Judge(ctx context.Context, s *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	if g.do != nil {
		return g.do(ctx, s, items)
	}
	out := make([]pipeline.Judgement, len(items))
	for i := range out {
		out[i] = pipeline.Judgement{Outcome: pipeline.Pass, Reason: fmt.Sprint(len(items), s.Name(), s.Rand().Uint64(), s.Rand("x").Uint64())}
	}
	return out, nil
}

func drawRegistry(g drawer) *pipeline.Registry {
	r := pipeline.NewRegistry()
	pipeline.AddGate(r, "draw", "3", "draws", func(struct{}) (pipeline.Gate, error) { return g, nil })
	return r
}

// TestRejudgeIsTheBuildsJudgement compares it with what a task's scope draws.
func TestRejudgeIsTheBuildsJudgement(t *testing.T) {
	for _, whole := range []bool{false, true} {
		g := drawer{whole: whole}
		reg := drawRegistry(g)
		id := pipeline.Identity{Name: "lots", Kind: pipeline.KindGate, Use: "draw", Version: "3", Config: pipeline.RawConfig("{}"), OnFail: "drop", Seed: 9}
		var items []pipeline.Record
		for i := range 3 {
			r, err := pipeline.NewRecord(schemas.NameQuestion, fmt.Sprint("q", i), schemas.Question{QuestionID: fmt.Sprint("q", i)})
			if err != nil {
				t.Fatal(err)
			}
			items = append(items, r)
		}
		gate, err := reg.Gate(id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rejudge(t.Context(), Runtime{Registry: reg}, id, gate, items)
		if err != nil || len(got) != 3 {
			t.Fatalf("%v, %v", got, err)
		}
		for i, r := range items {
			in, input := items, ""
			if !whole {
				in, input = items[i:i+1], r.ID
			}
			var want []pipeline.Judgement
			grant := pipeline.ScopeOptions{Identity: id, Step: "elsewhere", Item: input}
			_, err := pipeline.RunInScope(grant, func(s *pipeline.Scope) (err error) { want, err = g.Judge(t.Context(), s, in); return err })
			if err != nil {
				t.Fatal(err)
			}
			if k := min(i, len(want)-1); got[i].Reason != want[k].Reason {
				t.Errorf("whole %t, item %d: %s, want %s", whole, i, got[i].Reason, want[k].Reason)
			}
		}
	}
}

func TestRejudgeTellsErrors(t *testing.T) {
	item := pipeline.Record{ID: "q", Schema: schemas.NameQuestion, Data: []byte("{}")}
	for name, tc := range map[string]struct {
		do   func(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error)
		want func(error) bool
	}{
		"a panic": {func(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error) { panic("oh") }, func(err error) bool { var p *pipeline.PanicError; return errors.As(err, &p) }},
		"too few": {func(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error) {
			return nil, nil
		}, func(err error) bool { return err != nil }},
		"a blob": {func(ctx context.Context, s *pipeline.Scope, _ []pipeline.Record) ([]pipeline.Judgement, error) {
			_, err := s.BlobPath(ctx, "x")
			return nil, err
		}, func(err error) bool { return errors.Is(err, pipeline.ErrNoStore) }},
		"opening one": {func(ctx context.Context, s *pipeline.Scope, _ []pipeline.Record) ([]pipeline.Judgement, error) {
			_, err := s.OpenBlob(ctx, "x")
			return nil, err
		}, func(err error) bool { return errors.Is(err, pipeline.ErrNoStore) }},
	} {
		reg := drawRegistry(drawer{do: tc.do})
		id := pipeline.Identity{Name: "lots", Use: "draw", Version: "3", Config: pipeline.RawConfig("{}")}
		gate, err := reg.Gate(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Rejudge(t.Context(), Runtime{Registry: reg}, id, gate, []pipeline.Record{item}); !tc.want(err) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	reg := drawRegistry(drawer{})
	gate, _ := reg.Gate(pipeline.Identity{Use: "draw", Version: "3", Config: pipeline.RawConfig("{}")})
	if _, err := Rejudge(ctx, Runtime{Registry: reg}, pipeline.Identity{}, gate, []pipeline.Record{item}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestRejudgeUsesAllCores: as many items at once as there are cores and no more, in their
// order; of several errors the first item's is told, whichever comes first.
func TestRejudgeUsesAllCores(t *testing.T) {
	cores := runtime.GOMAXPROCS(0)
	var items []pipeline.Record
	for i := range 8 * cores {
		items = append(items, pipeline.Record{ID: fmt.Sprintf("q%03d", i), Schema: schemas.NameQuestion, Data: []byte("{}")})
	}
	var at, most atomic.Int64
	var once sync.Once
	together := make(chan struct{}) // closed when all cores have an item
	count := func(items []pipeline.Record) []pipeline.Judgement {
		n := at.Add(1)
		defer at.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == int64(cores) {
			once.Do(func() { close(together) })
		}
		select {
		case <-together:
		case <-time.After(time.Minute):
		}
		return []pipeline.Judgement{{Outcome: pipeline.Pass, Reason: items[0].ID}}
	}
	judge := func(do func(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error)) ([]pipeline.Judgement, error) {
		gate, err := drawRegistry(drawer{do: do}).Gate(pipeline.Identity{Use: "draw", Version: "3", Config: pipeline.RawConfig("{}")})
		if err != nil {
			t.Fatal(err)
		}
		return Rejudge(t.Context(), Runtime{}, pipeline.Identity{Name: "lots"}, gate, items)
	}
	got, err := judge(func(_ context.Context, _ *pipeline.Scope, in []pipeline.Record) ([]pipeline.Judgement, error) {
		return count(in), nil
	})
	if err != nil || most.Load() != int64(cores) {
		t.Errorf("%d items at once, want %d; %v", most.Load(), cores, err)
	}
	for i, j := range got {
		if j.Reason != items[i].ID {
			t.Errorf("place %d has the judgement of %s", i, j.Reason)
		}
	}
	later := make(chan struct{})
	_, err = judge(func(_ context.Context, _ *pipeline.Scope, in []pipeline.Record) ([]pipeline.Judgement, error) {
		switch in[0].ID {
		case items[0].ID:
			if cores > 1 {
				<-later
			}
			return nil, errors.New("early")
		case items[1].ID:
			defer close(later)
			return nil, errors.New("late")
		}
		return []pipeline.Judgement{{Outcome: pipeline.Pass}}, nil
	})
	var failed *pipeline.TaskError
	if !errors.As(err, &failed) || failed.Item != items[0].ID {
		t.Errorf("the error is %v, want that of %s", err, items[0].ID)
	}
}
