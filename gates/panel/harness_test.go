package panel

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// bench runs gates on items.
type bench struct {
	t      testing.TB
	store  store.Store
	roles  map[string]pipeline.ModelIdentity
	models pipeline.Models
}

func newBench(t testing.TB) *bench {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return &bench{t: t, store: st}
}

// ask leads all roles to a scripted server.
func (b *bench) ask(answer func(testkit.ChatRequest) testkit.ChatReply) *testkit.ModelServer {
	b.t.Helper()
	srv := testkit.NewModelServer(b.t, answer)
	b.roles, b.models = srv.Live(b.t, roleA, roleB, roleJudge)
	return srv
}

// register declares two types of whose evidence the shape tells the answer, and
// states a version of ffmpeg: to ask for the true one takes longer than a gate.
func register(r *pipeline.Registry) {
	Register(r)
	for _, name := range []string{schemas.TypeFalseMemory, schemas.TypeSourceMemory} {
		r.AddQuestionType(pipeline.QuestionType{Name: name, ShowsAllMedia: true})
	}
	r.AddTool("ffmpeg", func(context.Context) (string, error) { return "of the tests", nil })
}

func record(t testing.TB, q schemas.Question) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// judgedItem is what a gate gave for one item.
type judgedItem struct {
	schemas.Verdict
	probes    []schemas.Probe
	rejection *pipeline.Rejection
}

// build makes the gate that a configuration names.
func build(t testing.TB, use, config string) *gate {
	t.Helper()
	r := pipeline.NewRegistry()
	register(r)
	p, ok := r.Plugin(pipeline.KindGate, use)
	if !ok {
		t.Fatalf("no gate %s", use)
	}
	g, err := p.BuildRaw(pipeline.RawConfig(config))
	if err != nil {
		t.Fatal(err)
	}
	return g.(*gate)
}

// try judges an item and returns the error of the build.
func (b *bench) try(use, config string, q schemas.Question) (judgedItem, error) {
	b.t.Helper()
	r := pipeline.NewRegistry()
	register(r)
	p, _ := r.Plugin(pipeline.KindGate, use)
	if config == "" {
		config = "{}"
	}
	plan := engine.Plan{Seed: 7, Models: b.roles, Steps: []engine.Step{{Name: use, Kind: pipeline.KindGate, Use: use, Version: p.Version, Config: pipeline.RawConfig(config), OnFail: "drop"}}}
	steps, err := plan.Resolve(b.t.Context(), r)
	if err != nil {
		b.t.Fatal(err)
	}
	rec := record(b.t, q)
	ref, err := rec.Ref()
	if err != nil {
		b.t.Fatal(err)
	}
	in := pipeline.Committed{Result: pipeline.Result{Key: pipeline.Key(ref.Digest), Outputs: []pipeline.Ref{ref}}, Records: []pipeline.Record{rec}}
	if err := b.store.Commit(b.t.Context(), []pipeline.Committed{in}); err != nil {
		b.t.Fatal(err)
	}
	results, err := engine.Execute(b.t.Context(), engine.Runtime{Registry: r, Store: b.store, Models: b.models, TempRoot: b.t.TempDir()},
		pipeline.Task{Step: use, Each: true, Identity: steps[0].Identity, Inputs: []pipeline.Ref{ref}})
	if err != nil {
		return judgedItem{}, err
	}
	return b.read(results[0]), nil
}

func (b *bench) read(r pipeline.Result) (out judgedItem) {
	b.t.Helper()
	for _, ref := range r.Outputs {
		recs, err := b.store.Records(b.t.Context(), []pipeline.Digest{ref.Digest})
		if err != nil {
			b.t.Fatal(err)
		}
		switch ref.Schema {
		case schemas.NameVerdict:
			if out.Verdict, err = pipeline.Decode[schemas.Verdict](recs[0]); err != nil {
				b.t.Fatal(err)
			}
		case schemas.NameProbes:
			asked, err := pipeline.Decode[schemas.Probes](recs[0])
			if err != nil {
				b.t.Fatal(err)
			}
			out.probes = asked.Probes
		}
	}
	if len(r.Rejections) > 0 {
		out.rejection = &r.Rejections[0]
	}
	return out
}

// judge judges an item and checks that the verdict recomputes from its probes,
// with the item and without it.
func (b *bench) judge(use, config string, q schemas.Question) judgedItem {
	b.t.Helper()
	got, err := b.try(use, config, q)
	if err != nil {
		b.t.Fatalf("%s: %v", use, err)
	}
	if config == "" {
		config = `{"frames": 8, "whole": 32, "max_pictures": 32}`
	}
	g := build(b.t, use, config)
	for _, item := range []*pipeline.Item{itemOf(&q), nil} {
		if item == nil && len(got.probes) == 0 {
			continue
		}
		again, err := g.Recompute(item, slices.Clone(got.probes), int(got.CallsFull))
		if err != nil || string(again.Outcome) != got.Outcome || again.Reason != got.Reason {
			b.t.Errorf("%s recomputes to %s %q, %v; it was %s %q", use, again.Outcome, again.Reason, err, got.Outcome, got.Reason)
		}
	}
	for _, p := range got.probes {
		got, err := g.Show(itemOf(&q), p, got.probes)
		if said := (pipeline.ShownView{Digest: pipeline.Digest(p.ViewDigest), Pictures: int(p.Pictures), FullPictures: int(p.PicturesFull)}); err != nil || got != said {
			b.t.Errorf("%s: the view %s shows %+v, %v; the probe says %+v", use, p.View, got, err, said)
		}
	}
	return got
}

// code is the first word of a reason.
func (j judgedItem) code() string {
	code, _, _ := strings.Cut(j.Reason, ":")
	return code
}

// item has four options and two texts in two sources, both needed: which thing
// is Ann's, and what colour it has.
func item(id string) schemas.Question {
	q := schemas.Question{
		QuestionID: id, Family: "test", TaskID: "t", Type: "recall", Split: "test",
		Question: "Which colour has Ann's thing?", AnswerKey: "c", AnswerText: "green",
		Labels: map[string]string{schemas.LabelReasoning: schemas.ReasonJoined},
		Evidence: []schemas.Evidence{
			{Kind: "text", Ref: "t", Role: schemas.RoleClue, SessionID: "s1", Order: 1, Text: "Ann owns the kettle."},
			{Kind: "text", Ref: "t", Role: schemas.RoleClue, SessionID: "s2", Order: 2, Text: "The kettle is green."},
		},
	}
	for i, text := range []string{"red", "blue", "green", "amber"} {
		o := schemas.Option{Key: string(rune('a' + i)), Text: text, Role: schemas.RoleDistractor}
		if text == q.AnswerText {
			o.Role = schemas.RoleCorrect
		}
		q.Options = append(q.Options, o)
	}
	return q
}

// shownTo is what a scripted model was shown.
type shownTo struct {
	question string
	options  []struct{ Letter, Text string }
	setting  string
	proposed string
	passages []passage
	images   int
}

func read(a testkit.ChatRequest) (s shownTo, err error) {
	if err = a.Data("question", &s.question); err != nil {
		return s, err
	}
	if strings.Contains(a.User, "<passages>") {
		if err = a.Data("passages", &s.passages); err != nil {
			return s, err
		}
	}
	if strings.Contains(a.User, "<setting>") {
		if err = a.Data("setting", &s.setting); err != nil {
			return s, err
		}
	}
	s.images = len(a.Images)
	if strings.Contains(a.User, "<proposed_answer>") {
		return s, a.Data("proposed_answer", &s.proposed)
	}
	return s, a.Data("options", &s.options)
}

// reader is a competent model: it knows the answer of a question when all of
// its needles stand in what it is shown, and says so when it does not know.
func reader(t testing.TB, answer string, needles ...string) func(testkit.ChatRequest) testkit.ChatReply {
	return func(a testkit.ChatRequest) testkit.ChatReply {
		s, err := read(a)
		if err != nil {
			t.Error(err)
		}
		told := fmt.Sprintf("%s %v images:%d", s.question, s.passages, s.images)
		knows := !slices.ContainsFunc(needles, func(n string) bool { return !strings.Contains(told, n) })
		if s.proposed != "" {
			return testkit.ReplyJSON(supportResponse{Why: "So it reads.", Supported: map[bool]string{true: answerYes, false: answerNo}[knows && s.proposed == answer]})
		}
		for _, o := range s.options {
			if knows && o.Text == answer {
				return testkit.ReplyJSON(answerResponse{Why: "So it reads.", Answer: o.Letter})
			}
		}
		return testkit.ReplyJSON(answerResponse{Why: "Nothing tells.", Answer: answerUnknown})
	}
}

func itemOf(q *schemas.Question) *pipeline.Item {
	return pipeline.NewItem(schemas.NameQuestion, q.QuestionID, q)
}
