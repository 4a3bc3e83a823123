package schemas

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestQuotes holds how turns and dates are quoted as evidence.
func TestQuotes(t *testing.T) {
	step := Turn{Role: TurnAgent, Observation: "a page", Reasoning: "click it", Action: "CLICK", Feedback: "done"}
	for _, c := range []struct{ got, want string }{
		{QuoteDate(""), ""}, {QuoteDate("2025-05-03"), "[2025-05-03]"}, {QuoteDate("2025-05-03T10:20:00Z"), "[2025-05-03 10:20]"}, {QuoteDate("2025-05-03T10:20:07Z"), "[2025-05-03 10:20:07Z]"},
		{Turn{Role: TurnUser, Text: "Hello."}.Line(), "user: Hello."}, {Turn{Role: TurnUser, Speaker: "Ana", Text: "Hello."}.Line(), "Ana: Hello."},
		{step.Line(), "agent: observation: a page; reasoning: click it; action: CLICK; feedback: done"}, {Turn{Role: TurnAgent, Text: "Hm.", Action: "CLICK"}.Line(), "agent: Hm.; action: CLICK"},
		{QuoteTurns("", Turn{Role: TurnUser, Text: "Hello."}), "user: Hello."}, {QuoteTurns("2025-05-03", Turn{Role: TurnUser, Text: "Hello."}, Turn{Role: TurnAssistant, Text: "Hi."}), "[2025-05-03]\nuser: Hello.\nassistant: Hi."},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// TestStems: the choice form of a question is its stem and exactly its options.
func TestStems(t *testing.T) {
	q := Question{Question: "Which one?", Type: "a", Family: "b", Split: "c", Labels: map[string]string{"d": "e"}}
	q.SetOptionsWithStem("Which of these?", Option{Text: "one"}, Option{Text: "two", Role: RoleCorrect})
	if stem, ok := q.Stem(); !ok || stem != "Which of these?" || q.AnswerKey != "B" || q.AnswerText != "two" || q.QuestionMCQ != "Which of these?\nA. one\nB. two" {
		t.Errorf("%q %t, %+v", stem, ok, q)
	}
	one := q
	one.SetOptions(Option{Text: "one", Role: RoleCorrect})
	if stem, ok := one.Stem(); !ok || stem != "Which one?" || one.AnswerKey != "A" {
		t.Errorf("one option: %q %t", stem, ok)
	}
	for name, change := range map[string]func(q *Question){
		"another option": func(q *Question) { q.Options = []Option{{Key: "A", Text: "three"}, q.Options[1]} }, "an option less": func(q *Question) { q.Options = q.Options[:1] },
		"no option": func(q *Question) { q.Options = nil }, "no stem": func(q *Question) { q.QuestionMCQ = strings.TrimPrefix(q.QuestionMCQ, "Which of these?") }, "more behind": func(q *Question) { q.QuestionMCQ += "\n" },
	} {
		changed := q
		change(&changed)
		if stem, ok := changed.Stem(); ok {
			t.Errorf("%s: the stem is %q", name, stem)
		}
	}
	for key, want := range map[string]string{"type": "a", "family": "b", "split": "c", "source": "s", "d": "e", "x": ""} {
		if got := q.GroupValue(key, "s"); got != want {
			t.Errorf("grouped by %s: %q, want %q", key, got, want)
		}
	}
	q.Evidence = []Evidence{{Ref: "1", Role: RoleClue}, {Ref: "2", Role: RoleDistractor}, {Ref: "3", Role: RoleUpdate}}
	if got := q.Needed(); len(got) != 2 || got[0].Ref != "1" || got[1].Ref != "3" {
		t.Errorf("needed: %+v", got)
	}
}

// TestPlacesAreBalanced: each place occurs as often, give or take one.
func TestPlacesAreBalanced(t *testing.T) {
	orders := map[string]bool{}
	for seed := range uint64(30) {
		places := BalancedPlaces(rand.New(rand.NewPCG(1, seed)), 10, 4)
		count := map[int]int{}
		for _, p := range places {
			count[p]++
		}
		for p := range 4 {
			if count[p] < 2 || count[p] > 3 {
				t.Errorf("%v: place %d occurs %d times", places, p, count[p])
			}
		}
		orders[fmt.Sprint(places)] = true
	}
	if len(orders) != 30 {
		t.Errorf("%d orders of 30", len(orders))
	}
}

// TestSmallFacts holds what small functions say.
func TestSmallFacts(t *testing.T) {
	shown := ShownMedia([]Session{{Turns: []Turn{{Attachments: []Attachment{{MediaID: "b"}, {MediaID: "a"}}}, {}}}, {Turns: []Turn{{Attachments: []Attachment{{MediaID: "b"}}}}}})
	if fmt.Sprint(shown) != "[a b]" || ShownMedia(nil) == nil {
		t.Errorf("shown: %v", shown)
	}
	if d := (Film{Frames: 50, FPS: 25}).Duration(); d != 2 {
		t.Errorf("50 frames at 25 a second last %v s", d)
	}
	judged := ""
	for _, o := range Outcomes() {
		if Judged(o) {
			judged += o + " "
		}
	}
	if judged != "pass fail " || len(Outcomes()) != 5 {
		t.Errorf("judged: %q", judged)
	}
	probes := []Probe{{Item: "b"}, {Item: "a", View: "v", Role: "r", Rotation: 1}, {Item: "a", View: "v", Role: "r", Sample: 1}, {Item: "a", View: "v", Role: "q", Rotation: 2}, {Item: "a", View: "u", Role: "z"}, {Item: "a", View: "v", Role: "r"}}
	slices.SortFunc(probes, CompareProbes)
	if got := fmt.Sprint(probes[0].View, probes[1].Role, probes[2].Rotation, probes[3].Sample, probes[4].Rotation, probes[5].Item); got != "u q 0 1 1 b" && got != "uq0 1 1b" {
		t.Errorf("in order: %s", got)
	}
	if len(AnswerSchemaNames()) < 10 {
		t.Errorf("answer schemas: %v", AnswerSchemaNames())
	}
	for _, name := range AnswerSchemaNames() {
		if b, err := AnswerSchema(name); err != nil || !strings.Contains(string(b), "json-schema.org") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := AnswerSchema("none"); err == nil || !strings.Contains(err.Error(), AnswerSchemaNames()[0]+", ") {
		t.Errorf("no such schema: %v", err)
	}
	var schemas []string
	for _, name := range []string{NameQuestion, NameTask, NameMedia, NameSession, NameVerdict, NameProbes, NameFilm, NamePair, NameTrial, NameComposition, NameFlagged, NameStatements, NameEvidenceItem, NameProfile, NameSampled, NameReview, NameCheckpoint, NameVideo, "x.own"} {
		schemas = append(schemas, fmt.Sprintf("%s:%t:%t", name, ReleasedSchema(name), IntermediateSchema(name)))
	}
	if got := strings.Join(schemas, " "); got != releasedAndIntermediate {
		t.Errorf("released and intermediate schemas:\n%s", got)
	}
}

const releasedAndIntermediate = "question:true:false task:true:false media:true:false session:false:false verdict:true:false probes:true:false film:false:true pair:false:true trial:false:true " +
	"composition:false:true flagged:false:true statements:true:false evidence_item:false:true profile:false:true drawn:false:false review:false:false checkpoint:false:false video:false:true x.own:false:false"

// TestGoldStates: of two points of one subject the later holds; what ends a fact holds
// nothing, and interference is no fact.
func TestGoldStates(t *testing.T) {
	task := []Session{
		{SessionID: "s1", TaskID: "t", Order: 1, Points: []MemoryPoint{{MemoryID: "b", Subject: "x"}, {MemoryID: "a", Subject: "y"}, {MemoryID: "j", IsInterference: true}}},
		{SessionID: "s0", TaskID: "t", Order: 0, Points: []MemoryPoint{{MemoryID: "p", Subject: "z"}}},
		{SessionID: "s2", TaskID: "t", Order: 2, Points: []MemoryPoint{{MemoryID: "c", Subject: "x", Supersedes: []string{"b"}}, {MemoryID: "d", Subject: "y", Supersedes: []string{"a"}, UpdateType: UpdateDelete}}},
	}
	write := func(list []GoldPoint) string {
		var out []string
		for _, p := range list {
			out = append(out, fmt.Sprintf("%s/%s by %v holds %t", p.SessionID, p.MemoryID, p.SupersededBy, p.Holds()))
		}
		return strings.Join(out, "; ")
	}
	for order, want := range map[int32]string{
		0: "", 1: "s0/p by [] holds true", 2: "s0/p by [] holds true; s1/a by [] holds true; s1/b by [] holds true",
		3: "s0/p by [] holds true; s1/a by [d] holds false; s1/b by [c] holds false; s2/c by [] holds true; s2/d by [] holds false",
	} {
		if got := write(GoldBefore(task, order)); got != want {
			t.Errorf("before %d: %s\nwant %s", order, got, want)
		}
	}
	earlier := func(points ...MemoryPoint) string {
		var ids []string
		for _, e := range (Session{TaskID: "t", Order: 3, Points: points}).DeriveFields(task).Earlier {
			ids = append(ids, e.MemoryID)
		}
		return strings.Join(ids, " ")
	}
	for want, points := range map[string][]MemoryPoint{
		"": {{Subject: "w"}, {Subject: ""}}, "c": {{Subject: "x"}}, "b c": {{Subject: "x", Supersedes: []string{"b"}}}, "a": {{Resembles: "a"}}, "d": {{Supersedes: []string{"d"}}}, "p c": {{Subject: "z"}, {Subject: "x"}},
	} {
		if got := earlier(points...); got != want {
			t.Errorf("%+v: earlier %q, want %q", points, got, want)
		}
	}
	if (Session{TaskID: "t"}).Group() != "t" {
		t.Error("sessions are not grouped by task")
	}
}
