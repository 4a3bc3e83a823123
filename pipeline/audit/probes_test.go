package audit

import (
	"context"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// FuzzProbes puts anything into a probe, its verdict and its item: working the
// verdict out neither panics nor gives up, and finds the change of a probe.
func FuzzProbes(f *testing.F) {
	reg := pipeline.NewRegistry()
	gates.Register(reg)
	reg.AddTool("ffmpeg", func(context.Context) (string, error) { return "none", nil })
	info := manifest.GateInfo{Name: "alone", Use: "answerable-alone", Version: "13", OnFail: "keep", Config: pipeline.RawConfig(
		`{"types":[],"roles":[],"rotations":1,"runs":1,"full_protocol":true,"frames":8,"whole":32,"entire_types":[],"max_pictures":32}`)}
	id := pipeline.Identity{Name: info.Name, Kind: pipeline.KindGate, Use: info.Use, Version: info.Version, Config: info.Config}
	gate, err := reg.Gate(id)
	if err != nil {
		f.Fatal(err)
	}
	item := schemas.Question{
		QuestionID: "q", Question: "What?", Options: []schemas.Option{{Key: "A", Text: "cup"}, {Key: "B", Text: "hat"}, {Key: "C", Text: "map"}}, AnswerKey: "B", AnswerText: "hat",
		Evidence: []schemas.Evidence{{Ref: "t", Role: schemas.RoleClue, Order: 1, Text: "A cup."}, {Ref: "t", Role: schemas.RoleClue, Order: 2, Text: "No map."}},
	}
	rec, err := pipeline.NewRecord(schemas.NameQuestion, "q", item)
	if err != nil {
		f.Fatal(err)
	}
	js, err := engine.Rejudge(f.Context(), engine.Runtime{Registry: reg}, id, gate, []pipeline.Record{rec})
	if err != nil || len(js[0].Probes) != 2 {
		f.Fatalf("%+v, %v", js, err)
	}
	verdict := schemas.Verdict{Item: "q", Gate: "alone", Outcome: string(js[0].Outcome), Reason: js[0].Reason, CallsMade: 2, CallsFull: 2}
	first := js[0].Probes[0]
	f.Add(first.View, first.Role, first.Model, first.Response, first.Answer, first.Mark, first.Reason, first.Rotation, first.Sample, int32(2), false)
	f.Add("only:999999999999", "", "", `{"answer":"Ω"}`, "", "failed", "x", int32(-1<<31), int32(1<<31-1), int32(1<<31-1), true)
	f.Fuzz(func(t *testing.T, view, role, model, response, answer, mark, reason string, rotation, run, full int32, spoil bool) {
		q, v, p := item, verdict, first
		p.View, p.Role, p.Model, p.Response, p.Answer, p.Mark, p.Reason, p.Rotation, p.Sample = view, role, model, response, answer, mark, reason, rotation, run
		v.CallsFull = full
		if spoil {
			q.AnswerKey, q.Options = answer, append([]schemas.Option{{Key: answer, Text: response}}, q.Options...)
			q.Evidence = append([]schemas.Evidence{{Kind: view, Ref: role, Role: mark, Media: response, Text: answer, Order: rotation}}, q.Evidence...)
		}
		p.Item, p.Gate = "q", "alone"
		c := release.Contents{Questions: []schemas.Question{q}, Verdicts: []schemas.Verdict{v}, Probes: append([]schemas.Probe{p}, js[0].Probes[1:]...)}
		c.Probes[1].Item, c.Probes[1].Gate = "q", "alone"
		found, err := newRecomputer(reg, indexBuiltin(c), c).recomputeGate(t.Context(), info)
		if err != nil || found.State == NotRecomputable {
			t.Fatalf("%+v, %v", found, err)
		}
		same := p
		same.Item, same.Gate, same.Response = "", "", first.Response
		if found.State == Same && same != first {
			t.Errorf("nothing is found wrong with %+v, which was %+v", p, first)
		}
	})
}
