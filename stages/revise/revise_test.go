package revise

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// sample is a question whose right option stands third.
func sample() schemas.Question {
	q := schemas.Question{
		QuestionID: "q1", Family: "demo", TaskID: "t1", Type: "detail", Split: "test", Question: "What is red?",
		Options: []schemas.Option{
			{Key: "A", Text: "a hat", Role: schemas.RoleIntrusion}, {Key: "B", Text: "a shoe", Role: schemas.RoleUnrelated},
			{Key: "C", Text: "a long red scarf", Role: schemas.RoleCorrect}, {Key: "D", Text: "a glove", Role: schemas.RoleIntrusion},
		},
		AnswerKey: "C", AnswerText: "a long red scarf", Labels: map[string]string{"pair": "p1"}, Explanation: "The scarf is red.", Media: []string{},
		Evidence: []schemas.Evidence{
			{Kind: "turn", Ref: "u2", Role: schemas.RoleUpdate, Order: 2, Modality: schemas.ModalityText, Text: "Now it is red."},
			{Kind: "turn", Ref: "u1", Role: schemas.RoleClue, Order: 1, Modality: schemas.ModalityImage, Caption: "A scarf on a chair."},
		},
	}
	q.QuestionMCQ = schemas.MCQ(q.Question, q.Options)
	return q
}

func flagged(t *testing.T, q schemas.Question) pipeline.Record {
	t.Helper()
	data, err := pipeline.Canonical(q)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline.NewRecord(schemas.NameFlagged, "flagged/blind/"+q.QuestionID, schemas.Flagged{
		Item: q.QuestionID, Schema: schemas.NameQuestion, Record: data,
		Gate: "blind", Use: "option-only", Code: "guessable", Reason: "both models answer it without evidence",
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// good is a rewrite of the sample that can be used.
func good() Draft {
	return Draft{Question: "Which thing was red at last?", Explanation: "It was said so.", Options: []Rewrite{
		{1, "a scarf"}, {4, "one glove"}, {2, "a hat"}, {3, "a shoe"},
	}}
}

// answers is a model that says one draft after the other, the last for ever.
type answers struct {
	drafts []Draft
	err    error
	asked  []pipeline.Request
}

func (a *answers) Ask(_ context.Context, _ *pipeline.Scope, r pipeline.Request) (pipeline.Reply, error) {
	a.asked = append(a.asked, r)
	if a.err != nil {
		return pipeline.Reply{}, a.err
	}
	b, err := json.Marshal(a.drafts[min(len(a.asked), len(a.drafts))-1])
	return pipeline.Reply{Text: string(b), Model: "writer"}, err
}

func (*answers) Embed(context.Context, *pipeline.Scope, string, []string) ([][]float32, error) {
	return nil, errors.New("nothing embeds")
}

// register declares a type whose options are always the same, and one that is
// never rewritten.
func register(r *pipeline.Registry) {
	Register(r)
	r.AddQuestionType(pipeline.QuestionType{Name: "fixed", Fixed: true})
	r.AddQuestionType(pipeline.QuestionType{Name: "frozen", Frozen: true})
}

// run puts a question through the stage.
func run(t *testing.T, m *answers, config string, q schemas.Question) (schemas.Question, []pipeline.Rejection, error) {
	t.Helper()
	reg := pipeline.NewRegistry()
	register(reg)
	plugin, _ := reg.Plugin(pipeline.KindStage, jobRevise)
	cfg := plugin.NewConfig()
	if err := json.Unmarshal([]byte(config), cfg); err != nil {
		t.Fatal(err)
	}
	raw, err := pipeline.Canonical(cfg)
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	in := flagged(t, q)
	ref, err := in.Ref()
	if err != nil {
		t.Fatal(err)
	}
	held := pipeline.Committed{Result: pipeline.Result{Key: pipeline.Key(pipeline.DigestOf([]byte("in"))), Outputs: []pipeline.Ref{ref}}, Records: []pipeline.Record{in}}
	if err := st.Commit(t.Context(), []pipeline.Committed{held}); err != nil {
		t.Fatal(err)
	}
	id, err := reg.Identify(t.Context(), pipeline.Identity{Kind: pipeline.KindStage, Use: jobRevise, Version: plugin.Version, Config: raw, Models: map[string]pipeline.ModelIdentity{roleAuthor: {Model: "writer"}}})
	if err != nil {
		t.Fatal(err)
	}
	results, err := engine.Execute(t.Context(), engine.Runtime{Registry: reg, Store: st, Models: m, TempRoot: t.TempDir()}, pipeline.Task{
		Step: "revise", Each: true, Inputs: []pipeline.Ref{ref},
		Identity: id,
	})
	if err != nil {
		return schemas.Question{}, nil, err
	}
	if len(results[0].Outputs) == 0 {
		return schemas.Question{}, results[0].Rejections, nil
	}
	out, err := st.Records(t.Context(), []pipeline.Digest{results[0].Outputs[0].Digest})
	if err != nil {
		t.Fatal(err)
	}
	next, err := pipeline.Decode[schemas.Question](out[0])
	if err != nil || next.QuestionID != out[0].ID {
		t.Fatal(err, out[0].ID)
	}
	return next, results[0].Rejections, nil
}

func TestARewriteKeepsKeysRolesAndPlaces(t *testing.T) {
	m := &answers{drafts: []Draft{good()}}
	got, lost, err := run(t, m, `{}`, sample())
	if err != nil || len(lost) > 0 {
		t.Fatal(lost, err)
	}
	want := sample()
	want.QuestionID, want.Question, want.AnswerText, want.Explanation = "q1-r1", "Which thing was red at last?", "a scarf", "It was said so."
	for i, text := range []string{"a hat", "a shoe", "a scarf", "one glove"} {
		want.Options[i].Text = text
	}
	want.QuestionMCQ = "Which thing was red at last?\nA. a hat\nB. a shoe\nC. a scarf\nD. one glove"
	want.Labels = map[string]string{"pair": "p1", schemas.LabelRevision: "1", schemas.LabelRevisedFrom: "q1", schemas.LabelAuthor: "writer"}
	want.Revisions = []schemas.Revision{{Item: "q1", Question: "What is red?", Gate: "blind", Code: "guessable", Reason: "both models answer it without evidence", Model: "writer"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	again, _, err := run(t, &answers{drafts: []Draft{{Question: "Which one?", Explanation: "x", Options: good().Options}}}, `{}`, got)
	if err != nil || again.QuestionID != "q1-r2" || again.Labels[schemas.LabelRevision] != "2" || again.Labels[schemas.LabelRevisedFrom] != "q1" || len(again.Revisions) != 2 || again.Revisions[1].Item != "q1-r1" {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestARefusedRewriteIsAskedForAgain(t *testing.T) {
	bad := good()
	bad.Question = "Which thing was red"
	m := &answers{drafts: []Draft{bad, good()}}
	got, lost, err := run(t, m, `{}`, sample())
	if err != nil || got.QuestionID != "q1-r1" || len(m.asked) != 2 {
		t.Fatal(got, lost, err)
	}
	var in Input
	if err := json.Unmarshal(m.asked[1].Input, &in); err != nil || len(in.Refused) != 1 || in.Refused[0].Answer.Question != bad.Question || len(in.Refused[0].Reasons) != 1 {
		t.Errorf("%+v, %v", in.Refused, err)
	}
	_, lost, err = run(t, &answers{drafts: []Draft{bad}}, `{"attempts": 3}`, sample())
	if err != nil || len(lost) != 1 || lost[0].ID != "q1" || lost[0].Code != "bad-revision" || lost[0].Flagged || !strings.Contains(lost[0].Reason, "question mark") {
		t.Errorf("%+v, %v", lost, err)
	}
}

func TestUnusableRewrites(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(*Draft)
		want  string
	}{
		"nothing":         {func(d *Draft) { *d = Draft{} }, "no question"},
		"two lines":       {func(d *Draft) { d.Question = "Which\nE. thing?" }, "one line"},
		"no explanation":  {func(d *Draft) { d.Explanation = " " }, "explanation"},
		"one too few":     {func(d *Draft) { d.Options = d.Options[1:] }, "option 1 is given 0 times"},
		"one twice":       {func(d *Draft) { d.Options[0].Option = 2 }, "option 2 is given 2 times"},
		"one too many":    {func(d *Draft) { d.Options = append(d.Options, Rewrite{5, "a coat"}) }, "there are 5 options"},
		"equal options":   {func(d *Draft) { d.Options[1].Text = "A scarf!" }, "say the same"},
		"no word":         {func(d *Draft) { d.Options[1].Text = "?" }, "plain text"},
		"a line break":    {func(d *Draft) { d.Options[1].Text = "a\nb" }, "plain text"},
		"own letter":      {func(d *Draft) { d.Options[1].Text = "B. glove" }, "begins with a letter"},
		"all of these":    {func(d *Draft) { d.Options[1].Text = "none of the others" }, "other options"},
		"nothing changed": {func(d *Draft) { *d = unchanged() }, "nothing was changed"},
	} {
		d := good()
		tc.spoil(&d)
		in := inputOf(sample(), schemas.Flagged{}, false)
		if why := checkDraft(sample(), in, d); !strings.Contains(strings.Join(why, "; "), tc.want) {
			t.Errorf("%s: %q, want %q", name, why, tc.want)
		}
	}
	if why := checkDraft(sample(), inputOf(sample(), schemas.Flagged{}, false), good()); len(why) > 0 {
		t.Errorf("a good one: %q", why)
	}
}

func unchanged() Draft {
	d := Draft{Question: "what is RED?", Explanation: "x"}
	for _, o := range inputOf(sample(), schemas.Flagged{}, false).Options {
		d.Options = append(d.Options, Rewrite{o.Option, o.Text + "."})
	}
	return d
}

func TestFixedAndMissingOptions(t *testing.T) {
	only := Draft{Question: "Where was it?", Options: []Rewrite{}, Explanation: "There."}
	fixed := sample()
	fixed.Type = "fixed"
	got, lost, err := run(t, &answers{drafts: []Draft{only}}, `{}`, fixed)
	if err != nil || got.AnswerText != fixed.AnswerText || !slices.Equal(got.Options, fixed.Options) || !strings.HasPrefix(got.QuestionMCQ, "Where was it?\nA. a hat\n") {
		t.Errorf("%+v %v %v", got, lost, err)
	}
	if _, lost, err = run(t, &answers{drafts: []Draft{good()}}, `{}`, fixed); err != nil || len(lost) != 1 || !strings.Contains(lost[0].Reason, "empty list") {
		t.Errorf("%v %v", lost, err)
	}
	again := only
	for _, o := range inputOf(sample(), schemas.Flagged{}, true).Options {
		again.Options = append(again.Options, Rewrite{o.Option, o.Text})
	}
	if got, lost, err = run(t, &answers{drafts: []Draft{again}}, `{}`, fixed); err != nil || !slices.Equal(got.Options, fixed.Options) || got.Question != only.Question {
		t.Errorf("fixed options said again as they are: %+v %v %v", got, lost, err)
	}
	open := sample()
	open.Options, open.AnswerKey, open.QuestionMCQ = []schemas.Option{}, "", ""
	if got, lost, err = run(t, &answers{drafts: []Draft{only}}, `{}`, open); err != nil || got.AnswerText != open.AnswerText || got.Question != only.Question || got.QuestionMCQ != "" {
		t.Errorf("%+v %v %v", got, lost, err)
	}
}

func TestWhatIsNotRewritten(t *testing.T) {
	otherForm := sample()
	otherForm.QuestionMCQ = "What is red? A) a hat ..."
	nback := sample()
	nback.Type = "frozen"
	lineage := sample()
	lineage.Labels = map[string]string{schemas.LabelRevisedFrom: "q0", schemas.LabelRevision: "last"}
	for name, tc := range map[string]struct {
		q    schemas.Question
		m    *answers
		code string
	}{
		"another form":       {otherForm, &answers{drafts: []Draft{good()}}, "not-revisable"},
		"a type of no use":   {nback, &answers{drafts: []Draft{good()}}, "not-revisable"},
		"an unknown lineage": {lineage, &answers{drafts: []Draft{good()}}, "bad-lineage"},
		"no way":             {sample(), &answers{drafts: []Draft{{Cannot: "the evidence does not tell", Options: []Rewrite{}}}}, "not-mended"},
		"a refusal":          {sample(), &answers{err: &model.OutcomeError{Outcome: model.Refusal, Model: "writer"}}, "model-refusal"},
	} {
		_, lost, err := run(t, tc.m, `{}`, tc.q)
		if err != nil || len(lost) != 1 || lost[0].Code != tc.code || lost[0].ID != "q1" {
			t.Errorf("%s: %+v, %v", name, lost, err)
		}
	}
	// A failure that another build may not have is transient, and a server that
	// cannot be used ends the build.
	_, lost, err := run(t, &answers{err: &model.OutcomeError{Outcome: model.Failed}}, `{}`, sample())
	if err != nil || len(lost) != 1 || !lost[0].Transient {
		t.Errorf("%+v, %v", lost, err)
	}
	var down *model.ServerError
	if _, _, err = run(t, &answers{err: &model.ServerError{Reason: model.Unavailable}}, `{}`, sample()); !errors.As(err, &down) {
		t.Errorf("%v", err)
	}
	for _, n := range []int{0, 6} {
		if _, err := newRevise(Config{Attempts: n}); err == nil {
			t.Errorf("attempts %d are accepted", n)
		}
	}
}

// TestConformance runs the suite of every stage with a scripted server.
func TestConformance(t *testing.T) {
	server := testkit.NewModelServer(t, func(testkit.ChatRequest) testkit.ChatReply { return testkit.ReplyJSON(good()) })
	roles, live := server.Live(t, roleAuthor)
	second := sample()
	second.QuestionID, second.Type = "q2", "frozen"
	testkit.ConformStage(t, testkit.Subject{
		Register: register, Use: jobRevise, Inputs: []pipeline.Record{flagged(t, sample()), flagged(t, second)},
		Roles: roles, Models: live, Unpinned: "the port of the server is in its keys",
	})
}

func TestForecastCountsWhatIsFlagged(t *testing.T) {
	s, err := newRevise(Config{Attempts: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := s.(pipeline.Forecaster).Forecast(pipeline.Volume{schemas.NameFlagged: {Records: 40}, schemas.NameQuestion: {Records: 7}})
	if f.Out[schemas.NameQuestion].Records != 40 || f.Calls != 50 || f.TokensIn < 50*1000 || f.TokensOut != 50*draftTokens {
		t.Errorf("%+v", f)
	}
}

// TestTwoStemsShareOneGold: a question whose form with options has words of its own is
// rewritten in both, and a draft without one of them is refused.
func TestTwoStemsShareOneGold(t *testing.T) {
	q := sample()
	q.SetOptionsWithStem("Which of these is red?", q.Options...)
	both := good()
	both.Choice = "Which of these was red at last?"
	one := good()
	m := &answers{drafts: []Draft{one, both}}
	got, lost, err := run(t, m, `{}`, q)
	if err != nil || len(lost) > 0 || len(m.asked) != 2 {
		t.Fatal(lost, err, len(m.asked))
	}
	stem, ok := got.Stem()
	if !ok || stem != both.Choice || got.Question != both.Question || got.AnswerText != "a scarf" || got.AnswerKey != "C" {
		t.Errorf("%+v", got)
	}
	var in Input
	if err := json.Unmarshal(m.asked[1].Input, &in); err != nil || in.Choice != "Which of these is red?" || len(in.Refused) != 1 || !strings.Contains(in.Refused[0].Reasons[0], "choice_question") {
		t.Errorf("%+v, %v", in, err)
	}
	if _, lost, err := run(t, &answers{drafts: []Draft{both}}, `{}`, sample()); err != nil || len(lost) != 1 || !strings.Contains(lost[0].Reason, "leave it empty") {
		t.Errorf("words for a form that has none: %v, %v", lost, err)
	}
}

// TestWhatAQuestionWasWrittenFromIsNeeded: without it no words are asked for.
func TestWhatAQuestionWasWrittenFromIsNeeded(t *testing.T) {
	q := sample()
	q.Basis = string(pipeline.DigestOf([]byte("none")))
	m := &answers{drafts: []Draft{good()}}
	if _, _, err := run(t, m, `{}`, q); err == nil || !strings.Contains(err.Error(), "written from") || len(m.asked) != 0 {
		t.Errorf("asked %d times, %v", len(m.asked), err)
	}
}
