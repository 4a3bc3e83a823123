package written_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/scriptedlife"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/written"
)

func types() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		written.NameBrief: testkit.DecodesTo[written.Brief], written.NamePlan: testkit.DecodesTo[written.Plan], written.NameLife: testkit.DecodesTo[written.Life],
	}
}

// run runs a stage whose requests the script answers.
func run(t *testing.T, s *scriptedlife.Model, use string, config any, in pipeline.Record) ([]pipeline.Record, []pipeline.Rejection) {
	t.Helper()
	roles, models := testkit.NewModelServer(t, s.Answer).Live(t, "author", "reader_a", "reader_b", "judge")
	out, lost, err := testkit.Subject{Register: lifelong.Register, Use: use, Config: config, Inputs: []pipeline.Record{in}, Types: types(), Roles: roles, Models: models}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return out, lost
}

func record(t *testing.T, schema, id string, v any) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord(schema, id, v)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func decode[T any](t *testing.T, r pipeline.Record) T {
	t.Helper()
	v, err := pipeline.Decode[T](r)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func planned(t *testing.T, s *scriptedlife.Model) ([]pipeline.Record, []pipeline.Rejection) {
	c := written.BlueprintConfig{Densities: written.Densities{Facts: 2, Pictures: 1}, Each: 2, Attempts: 2}
	b := written.Brief{ID: "startup-x1", Domain: "startup", Who: "a baker", Sessions: 4, From: "2026-01-01", Until: "2026-04-01"}
	return run(t, s, "lifelong.blueprint", c, record(t, written.NameBrief, b.ID, b))
}

// TestPlanIsPutTogether: outline and facts become the plan, and a refused part is asked for
// again with its reasons.
func TestPlanIsPutTogether(t *testing.T) {
	s := scriptedlife.New(t, "testdata/life.json")
	s.Spoil = map[string]func(any){"lifelong_facts": func(v any) {
		v.(map[string]any)["facts"].([]map[string]any)[0]["value"] = "Mill Lane."
	}}
	out, lost := planned(t, s)
	if len(out) != 1 || len(lost) != 0 {
		t.Fatalf("%d plans, lost %v", len(out), lost)
	}
	p := decode[written.Plan](t, out[0])
	if why := p.Check(); len(why) > 0 || len(p.Facts) != len(readLife(t).Plan.Facts) {
		t.Errorf("%d facts, %v", len(p.Facts), why)
	}
	if got := strings.Join(s.Asked, " "); got != "lifelong_outline lifelong_facts lifelong_facts lifelong_facts" {
		t.Errorf("asked: %s", got)
	}
	if again := s.Seen["lifelong_facts"][1]; !strings.Contains(again, "is no place") {
		t.Errorf("the second request gives no reason: %s", again[len(again)-300:])
	}
}

func tell(t *testing.T, s *scriptedlife.Model) ([]pipeline.Record, []pipeline.Rejection) {
	var c written.DialogueConfig
	c.SetDefaults()
	c.Turns, c.Words, c.Month = 4, 88, "2026-11"
	return run(t, s, "lifelong.dialogue", c, record(t, written.NamePlan, readLife(t).Plan.ID, readLife(t).Plan))
}

// TestSessionsAreToldAndRead: what readers find becomes the evidence, and nothing that an
// author or a reader must not know is in a request.
func TestSessionsAreToldAndRead(t *testing.T) {
	s := scriptedlife.New(t, "testdata/life.json")
	out, lost := tell(t, s)
	if len(out) != 1 || len(lost) != 0 {
		t.Fatalf("%d lives, lost %v", len(out), lost)
	}
	l := decode[written.Life](t, out[0])
	if why := l.Check(); len(why) > 0 {
		t.Error(why)
	}
	a := l.Plan.Agreements(2, l.Sessions[2])
	if got := a["F0201"]; !got.Agreed() || !slices.Equal(got.Turns, []int{3}) || got.Readers != 2 {
		t.Errorf("agreement on the opening day: %+v", got)
	}
	if got := a["I0201"]; !got.Agreed() || !slices.Equal(got.Turns, []int{1, 3}) {
		t.Errorf("agreement on the slip: %+v", got)
	}
	for i, request := range s.Seen["lifelong_dialogue"] {
		for _, value := range []string{"310 kg", "12 weeks", "8 weeks"} {
			if strings.Contains(request, value) {
				t.Errorf("the author of session %d sees %q", i, value)
			}
		}
		if i < 3 && strings.Contains(request, `"value": "Teles Sons"`) {
			t.Errorf("the author of session %d sees what comes later", i)
		}
	}
	for _, request := range s.Seen["lifelong_reading"] {
		if strings.Contains(request, "tells what there is") || strings.Contains(request, "310 kg") {
			t.Errorf("a reader sees the plan: %s", request)
		}
	}
	if l.Origin.Author == "" || l.Origin.Month != "2026-11" || len(l.Origin.Prompts) != 4 {
		t.Errorf("origin %+v", l.Origin)
	}
}

// TestSpoiltSessionIsMended: a fact that does not come through goes back to the author, and
// the session is read again.
func TestSpoiltSessionIsMended(t *testing.T) {
	s := scriptedlife.New(t, "testdata/life.json")
	n := 0
	s.Spoil = map[string]func(any){"lifelong_dialogue": func(v any) {
		n++
		v.(*scriptedlife.Said).Turns[0].Text = strings.Replace(v.(*scriptedlife.Said).Turns[0].Text, "Second of March I want people in it.", "I want people in it as soon as there is a floor.", 1)
	}}
	out, _ := tell(t, s)
	l := decode[written.Life](t, out[0])
	if n != 1 || l.Sessions[0].Mended != 1 || l.Sessions[0].Turns[0].Text != readLife(t).Sessions[0].Turns[0].Text {
		t.Errorf("mended %d times: %q", l.Sessions[0].Mended, l.Sessions[0].Turns[0].Text)
	}
	if r := s.Seen["lifelong_mend"]; len(r) != 1 || !strings.Contains(r[0], `it does not come through that the opening day of the shop is \"2026-03-02\"`) {
		t.Errorf("mending was asked for with %v", r)
	}
}

// TestHopelessSessionEndsTheLife: a session that keeps contradicting the plan is left out
// with those after it, and counted.
func TestHopelessSessionEndsTheLife(t *testing.T) {
	s := scriptedlife.New(t, "testdata/life.json")
	plan := readLife(t).Plan
	s.Life.Sessions[3].Readings[0].Beside = []scriptedlife.Beside{{Says: "The rent is 700 euros", Turns: []int{1}}}
	var c written.DialogueConfig
	c.SetDefaults()
	c.Turns, c.Words, c.Mends, c.Least = 4, 88, 0, 3
	all := func(a testkit.ChatRequest) testkit.ChatReply {
		if a.Task == "lifelong_compare" && strings.Contains(a.User, "The rent is 700 euros") {
			return testkit.ReplyJSON(map[string]any{"pairs": []any{}, "beside": []any{map[string]any{"number": 1, "answer": "reveals", "why": "a picture shows it"}}})
		}
		return s.Answer(a)
	}
	roles, models := testkit.NewModelServer(t, all).Live(t, "author", "reader_a", "reader_b", "judge")
	out, lost, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.dialogue", Config: c, Inputs: []pipeline.Record{record(t, written.NamePlan, plan.ID, plan)}, Types: types(), Roles: roles, Models: models}.Run(t)
	if err != nil || len(out) != 1 || len(lost) != 1 || lost[0].ID != "startup-x1/S03" || !lost[0].Flagged {
		t.Fatalf("%v, %d lives, lost %+v", err, len(out), lost)
	}
	l := decode[written.Life](t, out[0])
	if why := l.Check(); len(why) > 0 || len(l.Sessions) != 3 || slices.ContainsFunc(l.Plan.Facts, func(f written.Fact) bool { return f.Session == 3 }) {
		t.Errorf("%d sessions, %v", len(l.Sessions), why)
	}
}

// TestPictureThatCannotBeReadIsMended: what the reader of pixels would misread goes back to
// the author before anything rests on it.
func TestPictureThatCannotBeReadIsMended(t *testing.T) {
	s := scriptedlife.New(t, "testdata/life.json")
	s.Spoil = map[string]func(any){"lifelong_facts": func(v any) {
		v.(map[string]any)["pictures"].([]map[string]any)[0]["rows"] = [][]string{{"Weight", "310 kg"}, {"Ring after", "six"}}
	}}
	if out, lost := planned(t, s); len(out) != 1 || len(lost) != 0 {
		t.Fatalf("%d plans, lost %v", len(out), lost)
	}
	if again := s.Seen["lifelong_facts"][1]; !strings.Contains(again, "picture P0001 cannot be read back") {
		t.Errorf("the second request gives no reason: %s", again[len(again)-300:])
	}
}

// TestQuestionsAreWordedAndUnderstood: each type and each key is asked for at most once at a
// checkpoint, and all are understood.
func TestQuestionsAreWordedAndUnderstood(t *testing.T) {
	s := scriptedlife.New(t, "testdata/life.json")
	c := written.WordingConfig{Checkpoints: 1, PerType: 1, Reader: "reader_a", Attempts: 1}
	life := readLife(t)
	life.Questions = nil
	out, lost := run(t, s, "lifelong.wording", c, record(t, written.NameLife, life.Plan.ID, life))
	l := decode[written.Life](t, out[0])
	if len(l.Questions) != 8 || len(lost) > 0 {
		t.Errorf("%d questions, lost %v", len(l.Questions), lost)
	}
	seen, keys := map[string]bool{}, map[written.Key]bool{}
	for _, q := range l.Questions {
		g, err := l.Plan.Gold(q)
		if err != nil {
			t.Fatal(err)
		}
		if seen[q.Type] || q.End != 3 || keys[g.Key] {
			t.Errorf("a second %s, or one after session %d, or %s is asked for twice", q.Type, q.End, g.Key)
		}
		seen[q.Type], keys[g.Key] = true, true
	}
	if why := l.Check(); len(why) > 0 {
		t.Error(why)
	}
}
