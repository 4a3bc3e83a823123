package forecast

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

type plugin struct {
	accepts []string
	cost    func(pipeline.Volume) pipeline.Forecast
	needs   []pipeline.Need
	asks    []string // roles, in place of the author
}

func (p plugin) Spec() pipeline.Spec {
	s := pipeline.Spec{Accepts: p.accepts}
	if len(p.accepts) > 0 {
		s.Asks = []pipeline.Ask{{Role: "author", Task: "tell"}, {Role: "author", Task: "ask"}}
	}
	if p.asks != nil {
		s.Asks = nil
	}
	for _, role := range p.asks {
		s.Asks = append(s.Asks, pipeline.Ask{Role: role, Task: "judge"})
	}
	return s
}
func (p plugin) Needs() []pipeline.Need                        { return p.needs }
func (p plugin) Forecast(in pipeline.Volume) pipeline.Forecast { return p.cost(in) }
func (plugin) Read(context.Context, *pipeline.Scope, []pipeline.Asset, func(pipeline.Record) error) error {
	return nil
}
func (plugin) Map(context.Context, *pipeline.Scope, pipeline.Record) ([]pipeline.Record, error) {
	return nil, nil
}

// silent is a stage that says nothing.
type silent struct{}

func (silent) Spec() pipeline.Spec { return pipeline.Spec{} }
func (silent) Map(context.Context, *pipeline.Scope, pipeline.Record) ([]pipeline.Record, error) {
	return nil, nil
}

// mute is a gate that says nothing.
type mute struct{}

func (mute) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{"video"}} }
func (mute) Judge(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error) {
	return nil, nil
}

func registry() *pipeline.Registry {
	r := pipeline.NewRegistry()
	source := func(n float64, needs ...pipeline.Need) func(struct{}) (pipeline.Source, error) {
		return func(struct{}) (pipeline.Source, error) {
			return plugin{needs: needs, cost: func(in pipeline.Volume) pipeline.Forecast {
				a := in[pipeline.VolumeFile].Plus(pipeline.Amount{Records: n, Seconds: 10 * n, Megapixels: n, Detail: 0.5})
				return pipeline.Forecast{Out: pipeline.Volume{"video": a, "aside": {Records: 1}}, CPU: 1}
			}}, nil
		}
	}
	pipeline.AddSource(r, "made", "1", "", source(4))
	pipeline.AddSource(r, "found", "1", "", source(0, pipeline.Need{From: "local", Root: "clips"}))
	pipeline.AddStage(r, "double", "1", "", func(struct{}) (pipeline.Stage, error) {
		return plugin{accepts: []string{"video"}, cost: func(in pipeline.Volume) pipeline.Forecast {
			out := in["video"].Times(2)
			out.Bytes = 1000
			if out.Records == 0 {
				return pipeline.Forecast{Out: pipeline.Volume{}}
			}
			return pipeline.Forecast{Out: pipeline.Volume{"media": out}, CPU: 60, Bytes: 1000, Calls: 3, Images: 9, TokensIn: 30, TokensOut: 3}
		}}, nil
	})
	pipeline.AddGate(r, "mute", "1", "", func(struct{}) (pipeline.Gate, error) { return mute{}, nil })
	pipeline.AddStage(r, "silent", "1", "", func(struct{}) (pipeline.Stage, error) { return silent{}, nil })
	return r
}

func plan(nodes ...engine.Step) engine.Plan {
	for i := range nodes {
		nodes[i].Version, nodes[i].Config = "1", json.RawMessage("{}")
	}
	return engine.Plan{Steps: nodes}
}

func TestAmountsFlowThroughThePlan(t *testing.T) {
	p := plan(
		engine.Step{Name: "a", Kind: pipeline.KindSource, Use: "made"},
		engine.Step{Name: "b", Kind: pipeline.KindSource, Use: "made"},
		engine.Step{Name: "c", Kind: pipeline.KindStage, Use: "double", From: []string{"a", "b"}},
	)
	p.Models = map[string]pipeline.ModelIdentity{"author": {Name: "writer"}}
	got, err := Estimate(t.Context(), p, registry(), 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := got.Steps[2].Forecast.Out["media"]
	if out.Records != 16 || out.Seconds != 160 || out.Detail != 0.5 {
		t.Errorf("%+v", out)
	}
	cpu, bytes := 62+releaseCPU+1000*releaseByteCPU, 1000.0+1000+releaseBytes
	if got.Total.CPU != cpu || got.Total.Bytes != bytes || got.Total.Calls != 3 || got.Total.TokensIn != 30 || got.Total.TokensOut != 3 || got.Total.Images != 9 {
		t.Errorf("%+v", got.Total)
	}
	if math.Abs(got.WallMinutes-cpu/180) > 1e-9 || len(got.Unknown) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestAGateThatSaysNothingHidesNoCounts: what it takes is unknown, what it gives
// is what it read.
func TestAGateThatSaysNothingHidesNoCounts(t *testing.T) {
	got, err := Estimate(t.Context(), plan(
		engine.Step{Name: "a", Kind: pipeline.KindSource, Use: "made"},
		engine.Step{Name: "g", Kind: pipeline.KindGate, Use: "mute", From: []string{"a"}},
		engine.Step{Name: "c", Kind: pipeline.KindStage, Use: "double", From: []string{"g"}},
	), registry(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	gate, after := got.Steps[1], got.Steps[2]
	if !gate.Unpriced || gate.Why == "" || gate.In != 4 || gate.Forecast.Out["video"].Records != 4 || !slices.Equal(got.Unknown, []string{"g"}) {
		t.Errorf("the gate: %+v, unknown %v", gate, got.Unknown)
	}
	if after.Forecast == nil || after.Forecast.Out["media"].Records != 8 {
		t.Errorf("what comes after it: %+v", after)
	}
}

// TestModelsAreChargedByName asks one model of two nodes, another of none, and
// the built-in one.
func TestModelsAreChargedByName(t *testing.T) {
	p := plan(
		engine.Step{Name: "a", Kind: pipeline.KindSource, Use: "made"},
		engine.Step{Name: "b", Kind: pipeline.KindStage, Use: "double", From: []string{"a"}},
		engine.Step{Name: "c", Kind: pipeline.KindStage, Use: "double", From: []string{"a"}},
	)
	p.Models = map[string]pipeline.ModelIdentity{"author": {Name: "writer"}, "judge": {Name: "idle"}}
	got, err := Estimate(t.Context(), p, registry(), 1, nil)
	if err != nil || len(got.Models) != 1 || got.Models[0] != (ModelCalls{Model: "writer", Calls: 6, CallsFull: 6, Images: 18, TokensIn: 60, TokensOut: 6}) {
		t.Fatalf("%+v: %v", got.Models, err)
	}
	got.Charge(map[string]Price{"idle": {Input: 1, Currency: "EUR"}})
	if got.Models[0].Cost != nil {
		t.Errorf("a model without a price costs %g", *got.Models[0].Cost)
	}
	got.Charge(map[string]Price{"writer": {Input: 1e6, Output: 2e6, Currency: "EUR"}})
	if a := got.Models[0]; a.Cost == nil || *a.Cost != 72 || a.Currency != "EUR" {
		t.Errorf("%+v", a)
	}
	p.Models = nil
	if got, err = Estimate(t.Context(), p, registry(), 1, nil); err != nil || len(got.Models) != 0 || got.Total.Calls != 0 || got.Total.TokensIn != 0 {
		t.Errorf("the built-in model takes %+v: %v", got.Total, err)
	}
}

// TestRolesShareTheCalls of a gate that asks two models and the built-in one.
func TestRolesShareTheCalls(t *testing.T) {
	r := registry()
	pipeline.AddStage(r, "panel", "1", "", func(struct{}) (pipeline.Stage, error) {
		return plugin{accepts: []string{"video"}, asks: []string{"panel_a", "panel_b", "judge", "judge"}, cost: func(pipeline.Volume) pipeline.Forecast {
			return pipeline.Forecast{Calls: 30, CallsFull: 90, TokensIn: 300}
		}}, nil
	})
	p := plan(
		engine.Step{Name: "a", Kind: pipeline.KindSource, Use: "made"},
		engine.Step{Name: "b", Kind: pipeline.KindStage, Use: "panel", From: []string{"a"}},
	)
	p.Models = map[string]pipeline.ModelIdentity{"panel_a": {Name: "large"}, "panel_b": {Name: "small"}}
	got, err := Estimate(t.Context(), p, r, 1, nil)
	want := []ModelCalls{{Model: "large", Calls: 10, CallsFull: 30, TokensIn: 100}, {Model: "small", Calls: 10, CallsFull: 30, TokensIn: 100}}
	if err != nil || !slices.Equal(got.Models, want) || got.Total.Calls != 20 || got.Total.CallsFull != 60 {
		t.Errorf("%+v, in all %+v: %v", got.Models, got.Total, err)
	}
}

func TestUnknownIsNotZero(t *testing.T) {
	p := plan(
		engine.Step{Name: "a", Kind: pipeline.KindSource, Use: "made"},
		engine.Step{Name: "b", Kind: pipeline.KindStage, Use: "silent", From: []string{"a"}},
		engine.Step{Name: "c", Kind: pipeline.KindStage, Use: "double", From: []string{"b"}},
		engine.Step{Name: "d", Kind: pipeline.KindStage, Use: "double", From: []string{"a"}},
	)
	got, err := Estimate(t.Context(), p, registry(), 1, nil)
	if err != nil || !slices.Equal(got.Unknown, []string{"b", "c"}) || got.Steps[1].Forecast != nil || got.Steps[2].Forecast != nil {
		t.Errorf("%+v: %v", got, err)
	}
	if got.Total.CPU < 61 || got.Steps[1].Why != "stage silent makes no forecast" || got.Steps[2].Why != "it rests on b" {
		t.Errorf("%+v", got)
	}
	b, err := json.Marshal(got.Steps[1])
	if err != nil || !strings.Contains(string(b), `"forecast":null`) {
		t.Errorf("%s: %v", b, err)
	}
}

func TestFoldersAreLookedInto(t *testing.T) {
	p := plan(engine.Step{Name: "a", Kind: pipeline.KindSource, Use: "found"})
	look := func(amount pipeline.Amount, ok bool, err error) Measure {
		return func(_ context.Context, need pipeline.Need) (pipeline.Amount, bool, error) {
			if need.Root != "clips" {
				t.Errorf("looks into %q", need.Root)
			}
			return amount, ok, err
		}
	}
	got, err := Estimate(t.Context(), p, registry(), 1, look(pipeline.Amount{Records: 7}, true, nil))
	if err != nil || got.Steps[0].Forecast.Out["video"].Records != 7 {
		t.Errorf("%+v: %v", got, err)
	}
	for want, l := range map[string]Measure{
		"nobody looked":         nil,
		"does not tell":         look(pipeline.Amount{}, false, nil),
		"look into clips: gone": look(pipeline.Amount{}, false, errors.New("gone")),
	} {
		got, err := Estimate(t.Context(), p, registry(), 1, l)
		if err != nil || got.Steps[0].Forecast != nil || !strings.Contains(got.Steps[0].Why, want) {
			t.Errorf("%s: %+v, %v", want, got.Steps, err)
		}
	}
}

func TestDetailIsAMean(t *testing.T) {
	a := pipeline.Amount{Megapixels: 1, Detail: 1}.Plus(pipeline.Amount{Megapixels: 3})
	if a.Detail != 0.25 || a.Times(4).Detail != 0.25 || a.Times(4).Megapixels != 16 {
		t.Errorf("%+v", a)
	}
}

// TestWhatGatesHandOnIsForecast follows 100 questions through a gate that has
// them rewritten, a reviser and the gate's copy.
func TestWhatGatesHandOnIsForecast(t *testing.T) {
	r := pipeline.NewRegistry()
	passes := func(in pipeline.Volume) pipeline.Forecast { return pipeline.Forecast{Out: in} }
	pipeline.AddSource(r, "asked", "1", "", func(struct{}) (pipeline.Source, error) {
		return plugin{cost: func(pipeline.Volume) pipeline.Forecast {
			return pipeline.Forecast{Out: pipeline.Volume{"question": {Records: 100}}}
		}}, nil
	})
	pipeline.AddGate(r, "judge", "1", "", func(struct{}) (pipeline.Gate, error) { return judge{plugin{cost: passes}}, nil })
	pipeline.AddStage(r, "rewrite", "1", "", func(struct{}) (pipeline.Stage, error) {
		return plugin{accepts: []string{"flagged"}, cost: func(in pipeline.Volume) pipeline.Forecast {
			return pipeline.Forecast{Out: pipeline.Volume{"question": in["flagged"]}, Calls: in["flagged"].Records}
		}}, nil
	})
	p := plan(
		engine.Step{Name: "ask", Kind: pipeline.KindSource, Use: "asked"},
		engine.Step{Name: "g", Kind: pipeline.KindGate, Use: "judge", From: []string{"ask"}, OnFail: pipeline.OnFailRevise},
		engine.Step{Name: "revise~g~1", Kind: pipeline.KindStage, Use: "rewrite", From: []string{"g"}},
		engine.Step{Name: "g~1", Kind: pipeline.KindGate, Use: "judge", From: []string{"revise~g~1"}, OnFail: pipeline.OnFailRevise},
		engine.Step{Name: "revise~g~2", Kind: pipeline.KindStage, Use: "rewrite", From: []string{"g~1"}},
		engine.Step{Name: "g~2", Kind: pipeline.KindGate, Use: "judge", From: []string{"revise~g~2"}, OnFail: pipeline.OnFailDrop},
	)
	p.Models = map[string]pipeline.ModelIdentity{"author": {Name: "writer"}}
	got, err := Estimate(t.Context(), p, r, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var amounts []float64
	for _, n := range got.Steps {
		amounts = append(amounts, math.Round(n.Forecast.Out["question"].Records*100)/100)
	}
	if want := []float64{100, 80, 20, 16, 4, 4}; !slices.Equal(amounts, want) || math.Round(got.Total.Calls) != 24 || got.FlaggedShare != 0.2 {
		t.Errorf("%v, %g calls, share %g; want %v, 24", amounts, got.Total.Calls, got.FlaggedShare, want)
	}
	p.Steps[1].OnFail, p.Steps = pipeline.OnFailDrop, p.Steps[:2]
	if got, err = Estimate(t.Context(), p, r, 1, nil); err != nil || got.FlaggedShare != 0 || got.Steps[1].Forecast.Out["question"].Records != 100 {
		t.Errorf("%+v, %v", got, err)
	}
}

// judge is a gate that says what it costs.
type judge struct{ plugin }

func (judge) Judge(context.Context, *pipeline.Scope, []pipeline.Record) ([]pipeline.Judgement, error) {
	return nil, nil
}

// TestNobodyKnowsHowMuchIsAsked: what asks a model about records that nobody counted is
// unknown, not free.
func TestNobodyKnowsHowMuchIsAsked(t *testing.T) {
	got, err := Estimate(t.Context(), plan(
		engine.Step{Name: "a", Kind: pipeline.KindSource, Use: "made"},
		engine.Step{Name: "b", Kind: pipeline.KindStage, Use: "double", From: []string{"a"}}, // gives media
		engine.Step{Name: "c", Kind: pipeline.KindStage, Use: "double", From: []string{"b"}}, // reads videos
	), registry(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := got.Steps[2]
	if last.Forecast != nil || last.Why != "its inputs do not say how much video they give" || !slices.Equal(got.Unknown, []string{"c"}) {
		t.Errorf("%+v, unknown %v", last, got.Unknown)
	}
}
