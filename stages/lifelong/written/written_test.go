package written_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/written"
)

// readLife returns the life of testdata.
func readLife(t testing.TB) written.Life {
	t.Helper()
	b, err := os.ReadFile("testdata/life.json")
	if err != nil {
		t.Fatal(err)
	}
	l, err := written.ParseLife(b)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestGoldOfEachType works out the answer of a question of each type from the plan.
func TestGoldOfEachType(t *testing.T) {
	l := readLife(t)
	want := map[string]string{
		question.FR: "Cork", question.DU: "9 March 2026", question.MB: schemas.AnswerNone, question.MC: "Mill Lane", question.TR: "56 days", question.KR: "Ireland",
		question.TTL: "have it done at once", question.VFR: "310 kg", question.VS: "Norte Roofing", question.VU: "700", question.CMR: "5 weeks",
	}
	seen := map[string]bool{}
	for _, q := range l.Questions {
		g, err := l.Plan.Gold(q)
		if err != nil {
			t.Errorf("%s: %v", q.Type, err)
			continue
		}
		seen[q.Type] = true
		if g.Right != want[q.Type] {
			t.Errorf("%s: %q, want %q", q.Type, g.Right, want[q.Type])
		}
		if len(g.Wrong) != 3 || slices.Contains(g.Wrong, g.Right) {
			t.Errorf("%s: wrong options %q", q.Type, g.Wrong)
		}
		if q.Type != question.MB && len(g.Pieces) == 0 {
			t.Errorf("%s rests on nothing", q.Type)
		}
	}
	if len(seen) != len(question.Types()) {
		t.Errorf("%d types; there are %d", len(seen), len(question.Types()))
	}
}

// TestFaultsOfLives changes one thing in the life: each fault is found and named.
func TestFaultsOfLives(t *testing.T) {
	fact := func(l *written.Life, id string) *written.Fact {
		return &l.Plan.Facts[slices.IndexFunc(l.Plan.Facts, func(f written.Fact) bool { return f.ID == id })]
	}
	for _, c := range []struct {
		name, want string
		spoil      func(*written.Life)
	}{
		{"an update without what it replaces", "supersedes []; by then [F0002] hold", func(l *written.Life) { fact(l, "F0201").Supersedes = nil }},
		{"a fact told twice", "is appended, and F0001 hold already", func(l *written.Life) {
			f := *fact(l, "F0001")
			f.ID, f.Session = "F0299", 2
			l.Plan.Facts = slices.Insert(l.Plan.Facts, len(l.Plan.Facts)-2, f)
		}},
		{"a date that is none", `"2 March" is no date`, func(l *written.Life) { fact(l, "F0002").Value = "2 March" }},
		{"a near value that is right", "stands twice among its value and the near ones", func(l *written.Life) { fact(l, "F0001").Near[1] = "mill lane" }},
		{"a picture with another value", "letter by letter", func(l *written.Life) { l.Plan.Pictures[0].Rows[0][1] = "311 kg" }},
		{"letters that no picture shows", "cannot be drawn", func(l *written.Life) { l.Plan.Pictures[0].Title = "Öfen" }},
		{"interference that is true", "is true of", func(l *written.Life) { l.Plan.Interfering[0].Value = "Mill Lane" }},
		{"days out of order", "is not after the one before it", func(l *written.Life) { l.Plan.Sessions[2].Date = "2026-01-29" }},
		{"a key of which nothing is to be said", "nothing may be said of", func(l *written.Life) { l.Plan.Absent[0].Aspect = "street" }},
		{"words that tell what a picture shows", "which only the picture may show", func(l *written.Life) {
			r := &l.Sessions[0].Readings[1]
			r.Found = append(r.Found, written.Found{Number: 5, Status: written.Holds, Value: "310 kg", Turns: []int{3}})
		}},
		{"words that tell what a later day brings", "which only a later day brings", func(l *written.Life) {
			r := &l.Sessions[0].Readings[0]
			r.Found[1].Value = "2026-03-09"
		}},
		{"a value of nobody", "which is not planned", func(l *written.Life) {
			r := &l.Sessions[2].Readings[0]
			r.Found = append(r.Found, written.Found{Number: 2, Status: written.Holds, Value: "Hale Roofs", Turns: []int{1}})
		}},
		{"a statement that contradicts the plan", "which cannot be so", func(l *written.Life) { l.Sessions[2].Readings[0].Beside[0].Answer = "contradicts" }},
		{"a question on what one reader missed", "rests on what readers do not agree about", func(l *written.Life) { l.Sessions[0].Readings[1].Found = l.Sessions[0].Readings[1].Found[:3] }},
		{"a question that a reader takes otherwise", "a reader took it to ask for", func(l *written.Life) { l.Questions[0].Asked.Aspect = "price" }},
		{"a question that says its answer", "it says the right option", func(l *written.Life) { l.Questions[0].Text = "Is it Cork where the flour is from?" }},
		{"a question about what no longer holds", "does not hold then", func(l *written.Life) { l.Questions[1].Facts[0] = "F0002" }},
		{"a reading of a turn that is not there", "names a key or a turn that is not there", func(l *written.Life) { l.Sessions[0].Readings[0].Found[0].Turns[0] = 9 }},
		{"a picture that nobody planned", "which is not planned for it", func(l *written.Life) { l.Sessions[1].Turns[2].Pictures = []string{"nope"} }},
		{"a reading that names no turn", "names no turn", func(l *written.Life) { l.Sessions[0].Readings[0].Found[0].Turns = nil }},
		{"a rule with another limit than it says", "does not say the limit 300", func(l *written.Life) { fact(l, "F0101").Rule.Limit = 300 }},
		{"a near value that is a whole rule", "write three short actions", func(l *written.Life) {
			fact(l, "F0101").Near[0] = "up to 100 euros at once and above that ask Ola and her brother and wait for both"
		}},
		{"a case with another amount than is asked", "does not say the amount, 1400", func(l *written.Life) { l.Questions[6].Amount = 1400 }},
		{"no origin", "does not say who wrote it", func(l *written.Life) { l.Origin.Author = "" }},
		{"a session too few", "3 sessions are written", func(l *written.Life) { l.Sessions = l.Sessions[:3] }},
	} {
		l := readLife(t)
		c.spoil(&l)
		if why := strings.Join(l.Check(), "\n"); !strings.Contains(why, c.want) {
			t.Errorf("%s: found %q, want %q", c.name, why, c.want)
		}
	}
}

// TestUnreadableLives: files that are no life are refused with the reason.
func TestUnreadableLives(t *testing.T) {
	good, err := json.Marshal(readLife(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "it is no life"},
		{"[]", "it is no life"},
		{`{"plan":{}}`, "name it by letters"},
		{string(good) + "{}", "something stands behind the life"},
		{strings.Replace(string(good), `"plan"`, `"plans"`, 1), "unknown field"},
		{strings.Replace(string(good), `"startup-x1"`, `"../x"`, 1), "name it by letters"},
	} {
		if _, err := written.ParseLife([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestOutsizedLives: small files with many of one thing are refused at once.
func TestOutsizedLives(t *testing.T) {
	many := func(one string, n int) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	good, err := os.ReadFile("testdata/life.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"facts and keys": `{"plan":{"id":"a","sessions":[{}],"facts":[` + many("{}", 6000) + `]},"sessions":[{"turns":[{"by":"user"}],"readings":[{"form":[` + many("{}", 6000) + `]}]}]}`,
		"near values":    strings.Replace(string(good), `"Quay Street",`, many(`"Quay Street"`, 20_000)+",", 1),
		"facts":          strings.Replace(string(good), `"facts": [`, `"facts": [`+many(`{"id":"a","op":"append"}`, 40_000)+",", 1),
		"keys of a form": strings.Replace(string(good), `"form": [`, `"form": [`+many(`{}`, 20_000)+",", 1),
	} {
		if _, err := written.ParseLife([]byte(text)); err == nil || len(err.Error()) > 4000 {
			t.Errorf("%s: %.300v", name, err)
		}
	}
}

// FuzzParseLife: no file makes the parser panic, and what it takes is a sound life.
func FuzzParseLife(f *testing.F) {
	b, err := os.ReadFile("testdata/life.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"plan":{"id":"a","sessions":[{},{}],"facts":[{"op":"revise"}]},"sessions":[{}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if l, err := written.ParseLife(b); err == nil && len(l.Check()) > 0 {
			t.Errorf("a life with faults is taken: %v", l.Check())
		}
	})
}
