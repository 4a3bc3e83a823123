// Package scriptedlife answers the requests by which a life is planned, written, read and
// asked about, from the file of a life, as a model would that writes exactly that life.
package scriptedlife

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit"
)

// Model answers all requests about a life. A reader finds what the life says it finds, in
// turns whose words are those of the life alone. Safe for concurrent use.
type Model struct {
	Life Life
	mu   sync.Mutex
	// Asked are the tasks of the requests, in order, Seen the user messages of each.
	Asked []string
	Seen  map[string][]string
	// Spoil changes the first answer to a task.
	Spoil map[string]func(any)
}

// Life is what the model reads of the file of a life: what it hands on, it hands on as it
// stands there.
type Life struct {
	Plan struct {
		Persona, Assistant, Cast, Goals, Constraints, Preferences, Arcs, Absent json.RawMessage
		Sessions                                                                []json.RawMessage
		Facts, Interference, Pictures                                           []map[string]any
		Outside                                                                 []json.RawMessage
	}
	Sessions []Session
}

// Session is a session of the file.
type Session struct {
	Turns    []Turn
	Readings []struct {
		Form  []key
		Found []struct {
			Number int
			Status string
			Value  string
			Turns  []int
		}
		Beside []Beside
	}
}

// Turn is what is said.
type Turn struct {
	By       string   `json:"by"`
	Text     string   `json:"text"`
	Pictures []string `json:"pictures"`
}

// Beside is what a reader lists beside the form.
type Beside struct {
	Says  string `json:"says"`
	Turns []int  `json:"turns"`
}

type key struct{ Thing, Aspect string }

// New reads the file of a life.
func New(t testing.TB, file string) *Model {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m := &Model{Seen: map[string][]string{}}
	if err := json.Unmarshal(b, &m.Life); err != nil {
		t.Fatalf("read the life of %s: %v", file, err)
	}
	for i := range m.Life.Sessions {
		for n := range m.Life.Sessions[i].Turns {
			m.Life.Sessions[i].Turns[n].Pictures = list(m.Life.Sessions[i].Turns[n].Pictures)
		}
	}
	return m
}

// list makes a list that JSON writes as one, also where it is empty.
func list[T any](of []T) []T { return append([]T{}, of...) }

// Answer answers a request; see testkit.NewModelServer.
func (m *Model) Answer(a testkit.ChatRequest) testkit.ChatReply {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Asked = append(m.Asked, a.Task)
	m.Seen[a.Task] = append(m.Seen[a.Task], a.User)
	say := map[string]func(testkit.ChatRequest) any{
		"lifelong_outline": m.outline, "lifelong_facts": m.facts, "lifelong_dialogue": m.dialogue, "lifelong_reading": m.read,
		"lifelong_compare": m.compare, "lifelong_mend": m.mend, "lifelong_wording": m.word, "lifelong_asked": m.understand,
	}[a.Task]
	if say == nil {
		return testkit.ChatReply{Text: "no answer is scripted for " + a.Task}
	}
	answer := say(a)
	if change := m.Spoil[a.Task]; change != nil {
		delete(m.Spoil, a.Task)
		change(answer)
	}
	return testkit.ReplyJSON(answer)
}

func (m *Model) outline(testkit.ChatRequest) any {
	p := m.Life.Plan
	return map[string]any{
		"persona": p.Persona, "assistant": p.Assistant, "cast": p.Cast, "goals": p.Goals, "constraints": p.Constraints, "preferences": p.Preferences,
		"arcs": p.Arcs, "sessions": p.Sessions, "absent": p.Absent,
	}
}

// facts returns the plan of the sessions asked for. Outside facts come with the first.
func (m *Model) facts(a testkit.ChatRequest) any {
	var span struct{ From, Until int }
	if err := a.Data("sessions_to_plan", &span); err != nil {
		return err.Error()
	}
	of := func(all []map[string]any, defaults map[string]any) []map[string]any {
		out := []map[string]any{}
		for _, one := range all {
			if n := int(one["session"].(float64)); n < span.From || n > span.Until {
				continue
			}
			filled := maps.Clone(defaults)
			maps.Copy(filled, one)
			out = append(out, filled)
		}
		return out
	}
	outside := []json.RawMessage{}
	if span.From == 0 {
		outside = list(m.Life.Plan.Outside)
	}
	fact := map[string]any{"when": "", "picture": "", "row": "", "supersedes": []string{}, "cause": "", "near": []string{}, "rule": nil}
	return map[string]any{
		"facts": of(m.Life.Plan.Facts, fact), "interference": of(m.Life.Plan.Interference, map[string]any{}),
		"pictures": of(m.Life.Plan.Pictures, map[string]any{"unit": ""}), "outside": outside,
	}
}

// session returns the session that a request is about, by its date.
func (m *Model) session(a testkit.ChatRequest) Session {
	var of struct{ Date string }
	if err := a.Data("session", &of); err != nil {
		return Session{}
	}
	at := slices.IndexFunc(m.Life.Plan.Sessions, func(raw json.RawMessage) bool {
		var s struct{ Date string }
		_ = json.Unmarshal(raw, &s) // no date is on no day
		d, err := time.Parse(time.DateOnly, s.Date)
		return err == nil && of.Date == d.Format("Monday 2 January 2006")
	})
	if at < 0 {
		return Session{}
	}
	return m.Life.Sessions[at]
}

// Said is what an author answers.
type Said struct {
	Turns []Turn `json:"turns"`
}

func (m *Model) dialogue(a testkit.ChatRequest) any { return &Said{slices.Clone(m.session(a).Turns)} }

func (m *Model) read(a testkit.ChatRequest) any {
	var text struct{ Turns []struct{ Text string } }
	var form []struct {
		Number int
		key
	}
	if a.Data("session", &text) != nil || a.Data("form", &form) != nil {
		return "the request has no session or no form"
	}
	of := m.session(a)
	r := of.Readings[0]
	found := []any{}
	for _, f := range r.Found {
		changed := slices.ContainsFunc(f.Turns, func(t int) bool { return text.Turns[t-1].Text != of.Turns[t-1].Text })
		for _, k := range form {
			if k.key == r.Form[f.Number-1] && !changed {
				found = append(found, map[string]any{"number": k.Number, "status": f.Status, "value": f.Value, "turns": f.Turns})
			}
		}
	}
	return map[string]any{"found": found, "beside": list(r.Beside)}
}

// compare takes values as the same whose plan says "at once", and all else as incidental.
func (m *Model) compare(a testkit.ChatRequest) any {
	var pairs []struct {
		Number  int
		Planned string
	}
	var beside []struct{ Number int }
	if a.Data("pairs", &pairs) != nil || a.Data("beside", &beside) != nil {
		return "the request has no pairs"
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
	return out
}

func (m *Model) mend(a testkit.ChatRequest) any {
	var turns []map[string]any
	for i, t := range m.session(a).Turns {
		turns = append(turns, map[string]any{"number": i + 1, "text": t.Text})
	}
	return map[string]any{"turns": turns}
}

// wordingAsked is a question that waits for words.
type wordingAsked struct {
	Number int
	Asks   string `json:"asks_for"`
}

// word asks by what is asked for, as a form would: readers of the script understand it.
func (m *Model) word(a testkit.ChatRequest) any {
	var asked []wordingAsked
	if a.Data("questions", &asked) != nil {
		return "the request has no questions"
	}
	out := []map[string]any{}
	for _, q := range asked {
		what, _, _ := strings.Cut(q.Asks, ", without naming it")
		what, _, _ = strings.Cut(what, ", as it")
		out = append(out, map[string]any{"number": q.Number, "text": "Which is it, for her: " + what + "?"})
	}
	return map[string]any{"questions": out}
}

// understand takes a question to ask for the key that its words name last.
func (m *Model) understand(a testkit.ChatRequest) any {
	var keys []struct {
		Number int
		key
	}
	var questions []struct {
		Number int
		Text   string
	}
	if a.Data("keys", &keys) != nil || a.Data("questions", &questions) != nil {
		return "the request has no keys"
	}
	out := []map[string]any{}
	for _, q := range questions {
		best, last := 1, -1
		for _, k := range keys {
			at := strings.LastIndex(q.Text, k.Aspect+" of "+k.Thing)
			if strings.Contains(q.Text, "that its "+k.Aspect+" is") || strings.Contains(q.Text, k.Aspect+" of what is") || strings.Contains(q.Text, "rule ("+k.Aspect) {
				at = len(q.Text)
			}
			if at > last {
				best, last = k.Number, at
			}
		}
		out = append(out, map[string]any{"number": q.Number, "key": best, "clear": true, "why": ""})
	}
	return map[string]any{"questions": out}
}
