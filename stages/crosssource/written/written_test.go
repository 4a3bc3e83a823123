package written_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/written"
)

func environment(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/environment.json")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestGoldFollows from the plan: the end of a chain, what took another's place, the thing that
// a bound picks, what choices share, and a call.
func TestGoldFollows(t *testing.T) {
	e, err := written.Parse(environment(t))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"Thursday", "71", "cod", "chilled pea soup", `{"arguments":{"dealer":"Bremner & Daughters","kilos":22},"name":"order_fish"}`} {
		q := e.Questions[i]
		g, err := e.Plan.Gold(q)
		got := g.Call
		if q.Type != schemas.TaskFunctionCall && err == nil {
			got = q.Options[g.Right].Text
		}
		if err != nil || got != want {
			t.Errorf("question %d: %q, %v; want %q", i+1, got, err, want)
		}
	}
	f, _ := e.Plan.FactByID("F2")
	if p, err := e.Place(f); err != nil || p.Source != 0 || p.Turn != 4 || p.Vote.For != 2 || p.Vote.Of != 3 {
		t.Errorf("F2 stands at %+v, %v", p, err)
	}
}

// TestFaultsAreFound: one thing wrong with plan, words, readings or questions.
func TestFaultsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*written.Environment)
		want  string
	}{
		"no author":             {func(e *written.Environment) { e.Origin.Author = "" }, "who wrote it"},
		"a source less":         {func(e *written.Environment) { e.Sources = e.Sources[1:] }, "4 sources are written"},
		"a stranger":            {func(e *written.Environment) { e.Plan.Sources[0].Members[0] = "Nobody" }, "none of the people"},
		"a strange relative":    {func(e *written.Environment) { e.Plan.People[0].Relations[0].With = "Nobody" }, "none of the others"},
		"two facts of one id":   {func(e *written.Environment) { e.Plan.Facts[1].ID = "F1" }, "two have this id"},
		"a revision of nothing": {func(e *written.Environment) { e.Plan.Facts[3].Supersedes = []string{"F9"} }, "of another key"},
		"an undrawn value":      {func(e *written.Environment) { e.Plan.Facts[6].Value = "99" }, "does not show"},
		"an unshared picture":   {func(e *written.Environment) { e.Sources[4].Turns[0].Picture, e.Sources[4].Turns[0].Text = "", "x" }, "does not share picture"},
		"time runs back":        {func(e *written.Environment) { e.Sources[0].Turns[3].At = "2020-01-01T00:00:00Z" }, "after"},
		"a local time":          {func(e *written.Environment) { e.Sources[0].Turns[0].At = "2026-07-13T08:00:00+02:00" }, "want a time"},
		"a guest speaks":        {func(e *written.Environment) { e.Sources[0].Turns[0].By = "Owen Haas" }, "no member"},
		"a reading of nowhere":  {func(e *written.Environment) { e.Sources[0].Readings[0].Found[0].Turns = []int{99} }, "not there"},
		"no majority":           {func(e *written.Environment) { e.Sources[0].Readings[0].Found = nil }, "1 of 3 readers found fact F2"},
		"another speaker":       {func(e *written.Environment) { e.Plan.Facts[1].By = "Ines Varga" }, "the plan wants Ines Varga"},
		"said elsewhere": {func(e *written.Environment) {
			s := &e.Sources[0].Readings[1]
			s.Form = append(s.Form, written.Key{Thing: "fish for club suppers", Aspect: "dealer"})
			s.Found = append(s.Found, written.Found{Number: len(s.Form), Status: written.Holds, Value: "Bremner & Daughters", Turns: []int{4}})
		}, "found fact F1 in kitchen, too"},
		"one source":         {func(e *written.Environment) { e.Questions[0].Facts = []string{"F2", "F3"} }, "stand in 1 sources"},
		"no chain":           {func(e *written.Environment) { e.Questions[0].Facts = []string{"F1", "F4"} }, "leads to"},
		"the old value":      {func(e *written.Environment) { e.Questions[1].Facts = []string{"F4", "F3"} }, "does not take the place"},
		"no right option":    {func(e *written.Environment) { e.Questions[2].Options[3].Text = "eel" }, "the plan has no value"},
		"gold no option":     {func(e *written.Environment) { e.Questions[1].Options[2].Text = "64" }, "there twice"},
		"two preferred":      {func(e *written.Environment) { e.Questions[3].Options[3].Tags[0] = "cold" }, "are both as its facts have it"},
		"a bound too low":    {func(e *written.Environment) { e.Plan.Facts[4].Value = "3" }, "nothing is within 3"},
		"a call of no tool":  {func(e *written.Environment) { e.Questions[4].Plan[0].Calls[0].Name = "fish" }, "fit its tools not"},
		"a word as a number": {func(e *written.Environment) { e.Plan.Facts[11].Value = "many" }, "want a number"},
		"early": {func(e *written.Environment) {
			for i := range e.Sources[2].Turns {
				e.Sources[2].Turns[i].At = "2026-07-12T01:00:00Z"
			}
		}, "stands before F3"},
	} {
		var e written.Environment
		if err := json.Unmarshal(environment(t), &e); err != nil {
			t.Fatal(err)
		}
		c.spoil(&e)
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := written.Parse(b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
	for want, b := range map[string]string{"no environment": "[]", "unknown field": `{"plot":1}`, "is called": `{}`, "stands behind": string(environment(t)) + "{}"} {
		if _, err := written.Parse([]byte(b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(environment(f))
	f.Add([]byte(`{"plan":{"id":"a","facts":[{"id":"F"}]},"questions":[{"type":"multi_hop","facts":["F"]}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := written.Parse(b)
		if err != nil {
			return
		}
		for _, q := range e.Questions {
			if _, err := e.Plan.Gold(q); err != nil {
				t.Fatalf("it was taken, and %v", err)
			}
		}
	})
}
