package written_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/written"
)

// scripted answers all requests about the life of testdata. A reader finds what the life
// says it finds, in turns whose words are those of the life alone.
type scripted struct {
	life written.Life
	mu   sync.Mutex
	// asked are the tasks of the requests, in order, seen the user messages of each.
	asked []string
	seen  map[string][]string
	// spoil changes the first answer to a task.
	spoil map[string]func(any)
}

func (s *scripted) say(a testkit.ChatRequest) testkit.ChatReply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, a.Task)
	if s.seen == nil {
		s.seen = map[string][]string{}
	}
	s.seen[a.Task] = append(s.seen[a.Task], a.User)
	answer := map[string]func(testkit.ChatRequest) any{
		"lifelong_outline": s.outline, "lifelong_facts": s.facts, "lifelong_dialogue": s.dialogue, "lifelong_reading": s.read,
		"lifelong_compare": s.compare, "lifelong_mend": s.mend, "lifelong_wording": s.word, "lifelong_asked": s.ask,
	}[a.Task](a)
	if change := s.spoil[a.Task]; change != nil {
		delete(s.spoil, a.Task)
		change(answer)
	}
	return testkit.ReplyJSON(answer)
}

func (s *scripted) outline(testkit.ChatRequest) any {
	p := s.life.Plan
	return map[string]any{
		"persona": p.Persona, "assistant": p.Assistant, "cast": p.Cast, "goals": p.Goals, "constraints": p.Constraints, "preferences": p.Preferences,
		"arcs": p.Arcs, "sessions": p.Sessions, "absent": p.Absent,
	}
}

func (s *scripted) facts(a testkit.ChatRequest) any {
	var span struct{ From, Until int }
	if err := a.Data("sessions_to_plan", &span); err != nil {
		return err.Error()
	}
	in := func(n int) bool { return span.From <= n && n <= span.Until }
	facts, interference, pictures, outside := []any{}, []written.Interference{}, []written.Picture{}, []written.Outside{}
	for _, f := range s.life.Plan.Facts {
		if in(f.Session) {
			facts = append(facts, map[string]any{
				"id": f.ID, "session": f.Session, "thing": f.Thing, "aspect": f.Aspect, "value": f.Value, "kind": f.Kind, "when": f.When, "mode": f.Mode, "picture": f.Picture, "row": f.Row,
				"op": f.Op, "supersedes": list(f.Supersedes), "cause": f.Cause, "importance": f.Importance, "near": list(f.Near), "rule": f.Rule,
			})
		}
	}
	for _, i := range s.life.Plan.Interfering {
		if in(i.Session) {
			interference = append(interference, i)
		}
	}
	for _, x := range s.life.Plan.Pictures {
		if in(x.Session) {
			pictures = append(pictures, x)
		}
	}
	if in(0) {
		outside = s.life.Plan.Outside
	}
	out := map[string]any{"facts": facts, "interference": interference, "outside": outside}
	var drawn []any
	for _, x := range pictures {
		drawn = append(drawn, map[string]any{"id": x.ID, "session": x.Session, "kind": x.Kind, "occasion": x.Occasion, "title": x.Title, "unit": x.Unit, "rows": x.Rows})
	}
	out["pictures"] = list(drawn)
	return out
}

// session returns the number of the session that a request is about.
func (s *scripted) session(a testkit.ChatRequest) int {
	var of struct{ Date string }
	if err := a.Data("session", &of); err != nil {
		return -1
	}
	return slices.IndexFunc(s.life.Plan.Sessions, func(at written.PlanSession) bool {
		d, err := time.Parse(time.DateOnly, at.Date)
		return err == nil && of.Date == d.Format("Monday 2 January 2006")
	})
}

type saidTurn struct {
	By       string   `json:"by"`
	Text     string   `json:"text"`
	Pictures []string `json:"pictures"`
}

type said struct {
	Turns []saidTurn `json:"turns"`
}

func (s *scripted) dialogue(a testkit.ChatRequest) any {
	out := &said{}
	for _, t := range s.life.Sessions[s.session(a)].Turns {
		out.Turns = append(out.Turns, saidTurn{t.By, t.Text, list(t.Pictures)})
	}
	return out
}

func (s *scripted) read(a testkit.ChatRequest) any {
	var text struct {
		Turns []struct{ Text string }
	}
	var form []struct {
		Number        int
		Thing, Aspect string
	}
	if a.Data("session", &text) != nil || a.Data("form", &form) != nil {
		return nil
	}
	of := s.life.Sessions[s.session(a)]
	r := of.Readings[0]
	found := []any{}
	for _, f := range r.Found {
		key := r.Form[f.Number-1]
		changed := slices.ContainsFunc(f.Turns, func(t int) bool { return text.Turns[t-1].Text != of.Turns[t-1].Text })
		at := slices.IndexFunc(form, func(k struct {
			Number        int
			Thing, Aspect string
		}) bool {
			return k.Thing == key.Thing && k.Aspect == key.Aspect
		})
		if at >= 0 && !changed {
			found = append(found, map[string]any{"number": form[at].Number, "status": f.Status, "value": f.Value, "turns": f.Turns})
		}
	}
	beside := []any{}
	for _, b := range r.Beside {
		beside = append(beside, map[string]any{"says": b.Says, "turns": b.Turns})
	}
	return map[string]any{"found": found, "beside": beside}
}

func (s *scripted) compare(a testkit.ChatRequest) any {
	var pairs []struct {
		Number  int
		Planned string
	}
	var beside []struct{ Number int }
	if a.Data("pairs", &pairs) != nil || a.Data("beside", &beside) != nil {
		return nil
	}
	out := map[string][]map[string]any{"pairs": {}, "beside": {}}
	for _, p := range pairs {
		answer := "other"
		if strings.Contains(p.Planned, "at once") {
			answer = "same"
		}
		out["pairs"] = append(out["pairs"], map[string]any{"number": p.Number, "answer": answer, "why": ""})
	}
	for _, b := range beside {
		out["beside"] = append(out["beside"], map[string]any{"number": b.Number, "answer": "incidental", "why": ""})
	}
	return &out
}

func (s *scripted) mend(a testkit.ChatRequest) any {
	var turns []map[string]any
	for i, t := range s.life.Sessions[s.session(a)].Turns {
		turns = append(turns, map[string]any{"number": i + 1, "text": t.Text})
	}
	return map[string]any{"turns": turns}
}

func (s *scripted) word(a testkit.ChatRequest) any {
	var asked []struct {
		Number int
		Asks   string `json:"asks_for"`
	}
	if a.Data("questions", &asked) != nil {
		return nil
	}
	out := []map[string]any{}
	for _, q := range asked {
		out = append(out, map[string]any{"number": q.Number, "text": "What would Ola say, asked for number " + strings.Repeat("x", q.Number) + "?"})
	}
	return map[string]any{"questions": out}
}

// ask understands a question as it was meant: by the place of its words in the list of
// those that were to be worded.
func (s *scripted) ask(a testkit.ChatRequest) any {
	var keys []struct {
		Number        int
		Thing, Aspect string
	}
	var questions []struct {
		Number  int
		Options []string
	}
	if a.Data("keys", &keys) != nil || a.Data("questions", &questions) != nil {
		return nil
	}
	worded := s.seen["lifelong_wording"]
	out := []map[string]any{}
	var asked []struct {
		Number int
		Asks   string `json:"asks_for"`
	}
	if (testkit.ChatRequest{User: worded[len(worded)-1]}).Data("questions", &asked) != nil {
		return nil
	}
	for _, q := range questions {
		best, length := 1, 0
		for _, k := range keys {
			// of a join and of what goes on from a fact the last key that is named
			if at := strings.LastIndex(asked[q.Number-1].Asks, k.Aspect+" of "+k.Thing); at >= 0 && at+1 > length {
				best, length = k.Number, at+1
			}
		}
		out = append(out, map[string]any{"number": q.Number, "key": best, "clear": true, "why": ""})
	}
	return map[string]any{"questions": out}
}

func types() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		written.NameBrief: testkit.DecodesTo[written.Brief], written.NamePlan: testkit.DecodesTo[written.Plan], written.NameLife: testkit.DecodesTo[written.Life],
	}
}

// run runs a stage whose requests the script answers.
func run(t *testing.T, s *scripted, use string, config any, in pipeline.Record) ([]pipeline.Record, []pipeline.Rejection) {
	t.Helper()
	roles, models := testkit.NewModelServer(t, s.say).Live(t, "author", "reader_a", "reader_b", "judge")
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

func planned(t *testing.T, s *scripted) ([]pipeline.Record, []pipeline.Rejection) {
	c := written.BlueprintConfig{Densities: written.Densities{Facts: 2, Pictures: 1}, Each: 2, Attempts: 2}
	b := written.Brief{ID: "startup-x1", Domain: "startup", Who: "a baker", Sessions: 4, From: "2026-01-01", Until: "2026-04-01"}
	return run(t, s, "lifelong.blueprint", c, record(t, written.NameBrief, b.ID, b))
}

// TestPlanIsPutTogether: outline and facts become the plan, and a refused part is asked for
// again with its reasons.
func TestPlanIsPutTogether(t *testing.T) {
	s := &scripted{life: readLife(t)}
	s.spoil = map[string]func(any){"lifelong_facts": func(v any) {
		v.(map[string]any)["facts"].([]any)[0].(map[string]any)["value"] = "Mill Lane."
	}}
	out, lost := planned(t, s)
	if len(out) != 1 || len(lost) != 0 {
		t.Fatalf("%d plans, lost %v", len(out), lost)
	}
	p := decode[written.Plan](t, out[0])
	if why := p.Check(); len(why) > 0 || len(p.Facts) != len(s.life.Plan.Facts) {
		t.Errorf("%d facts, %v", len(p.Facts), why)
	}
	if got := strings.Join(s.asked, " "); got != "lifelong_outline lifelong_facts lifelong_facts lifelong_facts" {
		t.Errorf("asked: %s", got)
	}
	if again := s.seen["lifelong_facts"][1]; !strings.Contains(again, "is no place") {
		t.Errorf("the second request gives no reason: %s", again[len(again)-300:])
	}
}

func tell(t *testing.T, s *scripted) ([]pipeline.Record, []pipeline.Rejection) {
	var c written.DialogueConfig
	c.SetDefaults()
	c.Turns, c.Words, c.Month = 4, 88, "2026-11"
	return run(t, s, "lifelong.dialogue", c, record(t, written.NamePlan, s.life.Plan.ID, s.life.Plan))
}

// TestSessionsAreToldAndRead: what readers find becomes the evidence, and nothing that an
// author or a reader must not know is in a request.
func TestSessionsAreToldAndRead(t *testing.T) {
	s := &scripted{life: readLife(t)}
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
	for i, request := range s.seen["lifelong_dialogue"] {
		for _, value := range []string{"310 kg", "12 weeks", "8 weeks"} {
			if strings.Contains(request, value) {
				t.Errorf("the author of session %d sees %q", i, value)
			}
		}
		if i < 3 && strings.Contains(request, `"value": "Teles Sons"`) {
			t.Errorf("the author of session %d sees what comes later", i)
		}
	}
	for _, request := range s.seen["lifelong_reading"] {
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
	s := &scripted{life: readLife(t)}
	n := 0
	s.spoil = map[string]func(any){"lifelong_dialogue": func(v any) {
		n++
		v.(*said).Turns[0].Text = strings.Replace(v.(*said).Turns[0].Text, "Second of March I want people in it.", "I want people in it as soon as there is a floor.", 1)
	}}
	out, _ := tell(t, s)
	l := decode[written.Life](t, out[0])
	if n != 1 || l.Sessions[0].Mended != 1 || l.Sessions[0].Turns[0].Text != s.life.Sessions[0].Turns[0].Text {
		t.Errorf("mended %d times: %q", l.Sessions[0].Mended, l.Sessions[0].Turns[0].Text)
	}
	if r := s.seen["lifelong_mend"]; len(r) != 1 || !strings.Contains(r[0], `it does not come through that the opening day of the shop is \"2026-03-02\"`) {
		t.Errorf("mending was asked for with %v", r)
	}
}

// TestHopelessSessionEndsTheLife: a session that keeps contradicting the plan is left out
// with those after it, and counted.
func TestHopelessSessionEndsTheLife(t *testing.T) {
	s := &scripted{life: readLife(t)}
	s.life.Sessions[3].Readings[0].Beside = []written.Beside{{Says: "The rent is 700 euros", Turns: []int{1}}}
	judge := func(v any) {
		(*v.(*map[string][]map[string]any))["beside"][0]["answer"] = "reveals"
	}
	var c written.DialogueConfig
	c.SetDefaults()
	c.Turns, c.Words, c.Mends, c.Least = 4, 88, 0, 3
	all := func(a testkit.ChatRequest) testkit.ChatReply {
		if a.Task == "lifelong_compare" && strings.Contains(a.User, "The rent is 700 euros") {
			s.mu.Lock()
			s.spoil = map[string]func(any){"lifelong_compare": judge}
			s.mu.Unlock()
		}
		return s.say(a)
	}
	roles, models := testkit.NewModelServer(t, all).Live(t, "author", "reader_a", "reader_b", "judge")
	out, lost, err := testkit.Subject{Register: lifelong.Register, Use: "lifelong.dialogue", Config: c, Inputs: []pipeline.Record{record(t, written.NamePlan, s.life.Plan.ID, s.life.Plan)}, Types: types(), Roles: roles, Models: models}.Run(t)
	if err != nil || len(out) != 1 || len(lost) != 1 || lost[0].ID != "startup-x1/S03" || !lost[0].Flagged {
		t.Fatalf("%v, %d lives, lost %+v", err, len(out), lost)
	}
	l := decode[written.Life](t, out[0])
	if why := l.Check(); len(why) > 0 || len(l.Sessions) != 3 || slices.ContainsFunc(l.Plan.Facts, func(f written.Fact) bool { return f.Session == 3 }) {
		t.Errorf("%d sessions, %v", len(l.Sessions), why)
	}
}

// TestQuestionsAreWordedAndUnderstood: each type is asked at most once at a checkpoint, and
// a question that a reader takes otherwise gets other words or is left out.
func TestQuestionsAreWordedAndUnderstood(t *testing.T) {
	s := &scripted{life: readLife(t)}
	c := written.WordingConfig{Checkpoints: 1, PerType: 1, Reader: "reader_a", Attempts: 1}
	life := s.life
	life.Questions = nil
	out, lost := run(t, s, "lifelong.wording", c, record(t, written.NameLife, life.Plan.ID, life))
	l := decode[written.Life](t, out[0])
	if len(l.Questions)+len(lost) != 11 || len(l.Questions) < 9 {
		t.Errorf("%d questions, lost %v", len(l.Questions), lost)
	}
	seen := map[string]bool{}
	for _, q := range l.Questions {
		if seen[q.Type] || q.End != 3 {
			t.Errorf("a second %s, or after session %d", q.Type, q.End)
		}
		seen[q.Type] = true
	}
	if why := l.Check(); len(why) > 0 {
		t.Error(why)
	}
}

// list makes a list that JSON writes as one, also where it is empty.
func list[T any](of []T) []T { return append([]T{}, of...) }
