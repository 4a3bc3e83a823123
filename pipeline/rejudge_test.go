package pipeline

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// drawer judges by lot, or does what else a test wants.
type drawer struct {
	whole bool
	do    func(context.Context, *Scope, []Record) ([]Judgement, error)
}

func (g drawer) Spec() Spec { return Spec{Accepts: []string{schemas.NameQuestion}, Whole: g.whole} }
func (g drawer) Judge(ctx context.Context, s *Scope, items []Record) ([]Judgement, error) {
	if g.do != nil {
		return g.do(ctx, s, items)
	}
	out := make([]Judgement, len(items))
	for i := range out {
		out[i] = Judgement{Outcome: Pass, Reason: fmt.Sprint(len(items), s.Name(), s.Rand().Uint64(), s.Rand("x").Uint64())}
	}
	return out, nil
}

func drawRegistry(g drawer) *Registry {
	r := NewRegistry()
	AddGate(r, "draw", "3", "draws", func(struct{}) (Gate, error) { return g, nil })
	return r
}

// TestRejudgeIsTheBuildsJudgement compares it with what a task's scope draws.
func TestRejudgeIsTheBuildsJudgement(t *testing.T) {
	for _, whole := range []bool{false, true} {
		g := drawer{whole: whole}
		reg := drawRegistry(g)
		id := Identity{Name: "lots", Kind: KindGate, Use: "draw", Version: "3", Config: RawConfig("{}"), OnFail: "drop", Seed: 9}
		var items []Record
		for i := range 3 {
			r, err := NewRecord(schemas.NameQuestion, fmt.Sprint("q", i), schemas.Question{QuestionID: fmt.Sprint("q", i)})
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
			scope := &Scope{seed: id.Seed, use: id.Use, name: id.Name, node: "elsewhere", input: input}
			want, err := g.Judge(t.Context(), scope, in)
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
	item := Record{ID: "q", Schema: schemas.NameQuestion, Data: []byte("{}")}
	for name, tc := range map[string]struct {
		do   func(context.Context, *Scope, []Record) ([]Judgement, error)
		want func(error) bool
	}{
		"a panic": {func(context.Context, *Scope, []Record) ([]Judgement, error) { panic("oh") }, func(err error) bool { var p *PanicError; return errors.As(err, &p) }},
		"too few": {func(context.Context, *Scope, []Record) ([]Judgement, error) { return nil, nil }, func(err error) bool { return err != nil }},
		"a blob": {func(ctx context.Context, s *Scope, _ []Record) ([]Judgement, error) {
			_, err := s.BlobPath(ctx, "x")
			return nil, err
		}, func(err error) bool { return errors.Is(err, ErrNoStore) }},
		"opening one": {func(ctx context.Context, s *Scope, _ []Record) ([]Judgement, error) {
			_, err := s.OpenBlob(ctx, "x")
			return nil, err
		}, func(err error) bool { return errors.Is(err, ErrNoStore) }},
	} {
		reg := drawRegistry(drawer{do: tc.do})
		id := Identity{Name: "lots", Use: "draw", Version: "3", Config: RawConfig("{}")}
		gate, err := reg.Gate(id)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Rejudge(t.Context(), Runtime{Registry: reg}, id, gate, []Record{item}); !tc.want(err) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	reg := drawRegistry(drawer{})
	gate, _ := reg.Gate(Identity{Use: "draw", Version: "3", Config: RawConfig("{}")})
	if _, err := Rejudge(ctx, Runtime{Registry: reg}, Identity{}, gate, []Record{item}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestGateOfAnIdentity(t *testing.T) {
	reg := drawRegistry(drawer{})
	for _, tc := range []struct {
		id    Identity
		other bool
	}{
		{Identity{Use: "draw", Version: "2", Config: RawConfig("{}")}, true},
		{Identity{Use: "drew", Version: "3", Config: RawConfig("{}")}, true},
		{Identity{Use: "draw", Version: "3", Config: RawConfig(`{"a":1}`)}, false},
	} {
		if _, err := reg.Gate(tc.id); err == nil || errors.Is(err, ErrOtherPlugin) != tc.other {
			t.Errorf("%+v: error %v", tc.id, err)
		}
	}
}
