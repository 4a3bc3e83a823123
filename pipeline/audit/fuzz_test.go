package audit_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// little is what a release with two questions and one gate holds. Its texts are
// of another program, so they are not looked at.
func little(f *testing.F, reg *pipeline.Registry) release.Contents {
	f.Helper()
	info := release.GateInfo{Name: "blind", Use: "option-only", Version: "1", OnFail: "keep", Config: pipeline.RawConfig(
		`{"types":[],"roles":[],"rotations":0,"runs":0,"full_protocol":true,"frames":8,"max_pictures":32}`)}
	id := pipeline.Identity{Name: info.Name, Kind: pipeline.KindGate, Use: info.Use, Version: info.Version, Config: info.Config}
	gate, err := reg.Gate(id)
	if err != nil {
		f.Fatal(err)
	}
	c := release.Contents{Questions: quizQuestions()[100:102]}
	for _, q := range c.Questions {
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			f.Fatal(err)
		}
		js, err := pipeline.Rejudge(f.Context(), pipeline.Runtime{Registry: reg}, id, gate, []pipeline.Record{r})
		if err != nil {
			f.Fatal(err)
		}
		c.Verdicts = append(c.Verdicts, schemas.Verdict{
			Item: q.QuestionID, Gate: info.Name, Outcome: string(js[0].Outcome), Reason: js[0].Reason,
			CallsMade: int32(len(js[0].Probes)), CallsFull: int32(js[0].CallsFull),
		})
		for _, p := range js[0].Probes {
			p.Item, p.Gate = q.QuestionID, info.Name
			c.Probes = append(c.Probes, p)
		}
	}
	totals, err := release.TotalsOf(c.Verdicts, c.Probes)
	if err != nil {
		f.Fatal(err)
	}
	info.GateTotals = totals[info.Name]
	c.Manifest.Gates = []release.GateInfo{info}
	if r, err := audit.Run(f.Context(), reg, c); err != nil || r.Gates[0].State != audit.Same || len(c.Probes) != 16 {
		f.Fatalf("%d probes, %+v, %v", len(c.Probes), r.Gates, err)
	}
	return c
}

// FuzzRun puts anything into the manifest's gates, a verdict, a probe and an
// item: the audit neither panics nor gives up, and finds the change.
func FuzzRun(f *testing.F) {
	reg := registry(f)
	clean := little(f, reg)
	f.Add([]byte(`{"types":[],"roles":[],"rotations":4,"runs":1,"full_protocol":true,"frames":8,"max_pictures":32}`), "none", "panel_a", `{"answer":"A"}`, "A", "right", int32(0), int32(8))
	f.Add([]byte(`{"rotations":26,"runs":99}`), "only:999999999999", "", `{"answer":"Ω"}`, "", "failed", int32(-1<<31), int32(1<<31-1))
	f.Fuzz(func(t *testing.T, config []byte, view, role, response, answer, mark string, rotation, full int32) {
		c := clean
		c.Manifest.Gates = slices.Clone(clean.Manifest.Gates)
		c.Probes, c.Verdicts, c.Questions = slices.Clone(clean.Probes), slices.Clone(clean.Verdicts), slices.Clone(clean.Questions)
		c.Manifest.Gates[0].Config = pipeline.RawConfig(config)
		p := &c.Probes[0]
		p.View, p.Role, p.Response, p.Answer, p.Mark, p.Rotation, p.Run = view, role, response, answer, mark, rotation, full
		c.Verdicts[0].CallsFull, c.Verdicts[0].Outcome = full, mark
		q := &c.Questions[0]
		q.AnswerKey, q.Type, q.Options = answer, view, slices.Clone(q.Options)
		q.Evidence = append(slices.Clone(q.Evidence), schemas.Evidence{Kind: view, Ref: role, Role: mark, Media: response, Text: answer, Order: rotation})
		for i := range q.Options {
			q.Options[i].Key = answer
		}
		r, err := audit.Run(t.Context(), reg, c)
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Gates[0]; *p != clean.Probes[0] && g.State == audit.Same {
			t.Errorf("the gate comes out the same: %+v", *p)
		}
	})
}
