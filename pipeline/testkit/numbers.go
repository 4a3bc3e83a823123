package testkit

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// The numbers domain is trivial, so that what is measured and tested with it
// is the engine and nothing else: numbers -> double -> small -> sum.

// Number is the data of its records.
type Number struct {
	N     int    `json:"n"`
	Label string `json:"label"`
}

func numberRecord(id string, n Number) (pipeline.Record, error) {
	return pipeline.NewRecord("number", id, n)
}

// NumbersConfig is the configuration of the source of numbers.
type NumbersConfig struct {
	Count int `json:"count"`
	// Changed is the index of the one number whose label differs; -1 for none.
	Changed int `json:"changed"`
	// Bad is how many of the first numbers are rejected.
	Bad int `json:"bad"`
}

// numbers is a source of Count numbers, of which the first Bad are rejected.
type numbers struct{ cfg NumbersConfig }

func (s numbers) Spec() pipeline.Spec    { return pipeline.Spec{Emits: []string{"number"}} }
func (s numbers) Needs() []pipeline.Need { return nil }
func (s numbers) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range s.cfg.Count {
		id := fmt.Sprintf("number-%06d", i)
		if i < s.cfg.Bad {
			scope.Reject(id, pipeline.Reject("bad", "number %d is bad", i))
			continue
		}
		label := "plain"
		if i == s.cfg.Changed {
			label = "changed"
		}
		r, err := numberRecord(id, Number{N: i, Label: label})
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

type noConfig struct{}

// NumbersHooks let a test watch or disturb the domain.
type NumbersHooks struct {
	// Maps counts calls of the map stage.
	Maps atomic.Int64
	// BeforeMap, if set, may block or fail the map stage.
	BeforeMap func(ctx context.Context, n Number) error
	// Besides, if set, is what the map stage rejects beside what it gives.
	Besides func(n Number) *pipeline.Rejection
}

type double struct{ h *NumbersHooks }

func (d double) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"number"}, Emits: []string{"number"}}
}

func (d double) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	n, err := pipeline.Decode[Number](in)
	if err != nil {
		return nil, err
	}
	d.h.Maps.Add(1)
	if d.h.BeforeMap != nil {
		if err := d.h.BeforeMap(ctx, n); err != nil {
			return nil, err
		}
	}
	if d.h.Besides != nil {
		if why := d.h.Besides(n); why != nil {
			scope.Reject(in.ID+"/besides", why)
		}
	}
	n.N *= 2
	r, err := numberRecord(in.ID, n)
	return []pipeline.Record{r}, err
}

type sum struct{}

func (sum) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"number"}, Emits: []string{"number"}}
}

func (sum) Fold(_ context.Context, _ *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	total := 0
	for r, err := range in.All {
		if err != nil {
			return err
		}
		n, err := pipeline.Decode[Number](r)
		if err != nil {
			return err
		}
		total += n.N
	}
	r, err := numberRecord("sum", Number{N: total, Label: fmt.Sprint(in.Len)})
	if err != nil {
		return err
	}
	return emit(r)
}

// small flags numbers that are not below a bound.
type small struct{ below int }

func (g small) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{"number"}} }

func (g small) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	n, err := pipeline.Decode[Number](items[0])
	if err != nil {
		return nil, err
	}
	if n.N < g.below {
		return []pipeline.Judgement{{Outcome: pipeline.Pass}}, nil
	}
	return []pipeline.Judgement{{Outcome: pipeline.Fail, Code: "too-big", Reason: fmt.Sprintf("%d is not below %d", n.N, g.below)}}, nil
}

type smallConfig struct {
	Below int `json:"below"`
}

// NumbersRegistry returns a registry with the domain's plugins.
func NumbersRegistry(h *NumbersHooks) *pipeline.Registry {
	r := pipeline.NewRegistry()
	pipeline.AddSource(r, "numbers", "1", "counts", func(c NumbersConfig) (pipeline.Source, error) { return numbers{c}, nil })
	pipeline.AddStage(r, "double", "1", "doubles", func(noConfig) (pipeline.Stage, error) { return double{h}, nil })
	pipeline.AddStage(r, "sum", "1", "adds up", func(noConfig) (pipeline.Stage, error) { return sum{}, nil })
	pipeline.AddGate(r, "small", "1", "flags big numbers", func(c smallConfig) (pipeline.Gate, error) { return small{c.Below}, nil })
	return r
}

// NumbersPlan is numbers -> double -> small (below 2*count-20) -> sum.
func NumbersPlan(c NumbersConfig) engine.Plan {
	raw, err := pipeline.Canonical(c)
	if err != nil {
		panic(err)
	}
	below := fmt.Appendf(nil, `{"below":%d}`, 2*c.Count-20)
	none := pipeline.RawConfig(`{}`)
	return engine.Plan{Seed: 1, Steps: []engine.Step{
		{Name: "numbers", Kind: pipeline.KindSource, Use: "numbers", Version: "1", Config: raw, MaxLoss: 0.5},
		{Name: "double", Kind: pipeline.KindStage, Use: "double", Version: "1", Config: none, From: []string{"numbers"}},
		{Name: "small", Kind: pipeline.KindGate, Use: "small", Version: "1", Config: below, From: []string{"double"}, OnFail: "drop"},
		{Name: "sum", Kind: pipeline.KindStage, Use: "sum", Version: "1", Config: none, From: []string{"small"}},
	}}
}

// NoFetch is the fetcher of builds without upstream files.
type NoFetch struct{}

// Fetch fails: nothing should ask.
func (NoFetch) Fetch(context.Context, string, []pipeline.Need) ([]pipeline.Asset, error) {
	return nil, errors.New("nothing here needs files")
}
