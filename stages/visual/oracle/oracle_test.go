package oracle_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual"
	"github.com/memforge/memforge/stages/visual/oracle"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// task is a simulated conversation with its questions; no pixels are drawn.
type task struct {
	sessions  []schemas.Session
	pictures  map[string]oracle.Picture
	questions []schemas.Question
}

func simulated(t *testing.T, s simulate.Scenario, seed uint64) task {
	t.Helper()
	l, err := s.Simulate(rand.New(rand.NewPCG(seed, 17)), simulate.Size{Sessions: 6, Rounds: 26, Pictures: 20})
	if err != nil {
		t.Fatal(err)
	}
	out := task{pictures: map[string]oracle.Picture{}}
	album := visual.Album{Simulation: l}
	for i, x := range l.Scenes {
		id := string(pipeline.DigestOf([]byte(fmt.Sprint(s.Name, seed, i))))
		album.Pictures = append(album.Pictures, id)
		p := oracle.Picture{Media: id, Noun: x.Noun, Minimal: x.Minimal, Kind: "screenshot", Absent: x.Absent}
		if x.Photo {
			p.Kind = "photo"
		}
		for _, thing := range x.NamedThings() {
			th := oracle.Thing{Name: thing.Name, Class: thing.Class, Prep: thing.Prep, Plural: thing.Plural}
			if err := th.ParseTells(thing.AspectText()); err != nil {
				t.Fatal(err)
			}
			p.Things = append(p.Things, th)
		}
		out.pictures[id] = p
	}
	in, err := pipeline.NewRecord("visual.album", s.Name+"-001", album)
	if err != nil {
		t.Fatal(err)
	}
	made := func(use string, config any) []pipeline.Record {
		records, lost, err := testkit.Subject{Register: visual.Register, Use: use, Config: config, Inputs: []pipeline.Record{in}}.Run(t)
		if err != nil || len(lost) > 0 {
			t.Fatalf("%s: %v, lost %v", use, err, lost)
		}
		return records
	}
	out.sessions = testkit.DecodeAll[schemas.Session](t, schemas.NameSession, made("visual.converse", nil))
	out.questions = testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, made("visual.ask", visual.QuestionConfig{PerCell: 12}))
	return out
}

func (k task) read(t *testing.T) *oracle.Conversation {
	t.Helper()
	c, err := oracle.NewConversation(k.sessions, k.pictures)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAnswersAreThoseOfTheSimulation: of every question the oracle gives the answer, labels
// and evidence that the simulation gave it, and a golden file shows one of each kind.
func TestAnswersAreThoseOfTheSimulation(t *testing.T) {
	shown := map[string]string{}
	for i, s := range simulate.Scenarios() {
		k := simulated(t, s, uint64(i))
		c := k.read(t)
		if err := c.CheckCaptions(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		for _, q := range k.questions {
			var options, wrong []string
			for _, o := range q.Options {
				options = append(options, o.Text)
				if o.Role != schemas.RoleCorrect {
					wrong = append(wrong, o.Text)
				}
			}
			r, err := c.Answer(q.Question, options)
			if err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
				continue
			}
			if err := c.CheckCitations(q.Question, options, r); err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
			}
			unshown, err := c.CheckWrongOptions(r, wrong)
			if err != nil {
				t.Errorf("%s: %v", q.QuestionID, err)
			}
			grain, depth := r.Cell()
			stem, _ := q.Stem()
			got := []any{r.Right, stem == r.Stem, grain, depth, r.Aspect, r.Pattern, r.ErrorType(), "visual_" + r.Form, r.Evidence}
			want := []any{q.AnswerText, true, q.Labels[schemas.LabelGranularity], q.Labels[schemas.LabelReasoning], q.Labels["aspect"], q.Labels["pattern"], q.Labels["error_type"], q.Type, q.Evidence}
			for label, n := range map[string]int{"alike": r.Difficulty.Alike, "distance": r.Difficulty.Distance, "distractors": r.Difficulty.Distractors, "updates": r.Difficulty.Updates} {
				got, want = append(got, label+strconv.Itoa(n)), append(want, label+q.Labels[label])
				slices.SortFunc(got[9:], func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
				slices.SortFunc(want[9:], func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
			}
			if got, want := golden.JSON(t, got), golden.JSON(t, want); got != want {
				t.Errorf("%s: %q:\n%s\nwant\n%s", q.QuestionID, q.Question, got, want)
			}
			if !strings.HasSuffix(q.Labels[schemas.LabelFact], "/"+r.Fact) {
				t.Errorf("%s: fact %q, want %q", q.QuestionID, r.Fact, q.Labels[schemas.LabelFact])
			}
			for _, o := range q.Options {
				if r.Holds(o.Text) != (o.Role == schemas.RoleCorrect) {
					t.Errorf("%s: %q holds: %t", q.QuestionID, o.Text, r.Holds(o.Text))
				}
			}
			if kind := r.Form + " " + r.Aspect + " " + r.Pattern; shown[kind] == "" {
				shown[kind] = fmt.Sprintf("# %s\n%s\n%s\n%s beside %q, of which one is shown nowhere: %t\n%+v\n", kind, q.Question, r.Stem, r.Right, wrong, unshown, r.Difficulty)
				for _, e := range r.Evidence {
					shown[kind] += fmt.Sprintf("%s %s %d %.12s\n", e.Ref, e.Role, e.Order, e.Media)
				}
			}
		}
	}
	var out strings.Builder
	for _, kind := range slices.Sorted(maps.Keys(shown)) {
		out.WriteString(shown[kind])
	}
	golden.Check(t, "answers", out.String())
}

// TestGoldenRefusals shows what the oracle says of questions and options that lead nowhere.
func TestGoldenRefusals(t *testing.T) {
	k := handmade()
	c := k.read(t)
	var out strings.Builder
	for _, q := range []struct {
		question string
		options  []string
	}{
		{"What colour is the sofa in the photo from just after the bell rang?", nil},
		{"What colour is the sofa in the photo where the number of books on the shelf is 4?", nil},
		{"What colour is the sofa in the photo where the number of books on the shelf is 4 and the colour of the sofa is green?", nil},
		{"What colour is the sofa in the photo where the number of books on the shelf is 5?", nil},
		{"How many books are on the shelf in the photo where the colour of the sofa is green?", nil},
		{"How many books are on the shelf in the page where the colour of the sofa is grey?", nil},
		{"What colour is the lamp in the photo from just after the bell rang?", nil},
		{"Where is the sofa in the photo from just after the bell rang?", nil},
		{"What colour was the sofa in the photo of 3 May 2025?", nil},
		{"What is the sofa worth?", nil},
		{"What colour is the sofa, as last shown?", nil},
		{"What colour was the sofa before that last changed?", nil},
		{"How many books are on the shelf in the photo from just after the bell rang?", nil},
		{"How many mugs are on the shelf in the photo from just after the bell rang?", nil},
		{"How many books are at the shelf in the photo from just after the bell rang?", nil},
		{"In all, how many books are on the shelf in the photo from just after the bell rang and on the shelf in the photo where the colour of the sofa is grey?", nil},
	} {
		r, err := c.Answer(q.question, q.options)
		fmt.Fprintf(&out, "%s\n%s %s %s %s %+v %v\n", q.question, r.Form, r.Aspect, r.Right, r.Fact, r.Difficulty, err)
		if err == nil {
			for _, wrong := range [][]string{{"red", "blue"}, {"red", "blue", "green"}, {"2", "4", "5"}, {"2", "5", "6"}, {"1", "2", "4"}, {"-1", "2", "4"}, {"no", "2", "4"}, {"grey", "GREEN", "white"}} {
				unshown, err := c.CheckWrongOptions(r, wrong)
				fmt.Fprintf(&out, " %q: %t %v\n", wrong, unshown, err)
			}
		}
	}
	for _, tells := range []string{"colour=red", "colour=red; count=3", "", "colour", "colour=", "tint=red", "colour=red; colour=red"} {
		var th oracle.Thing
		err := th.ParseTells(tells)
		fmt.Fprintf(&out, "%q: %v %v\n", tells, th.Tells, err)
	}
	golden.Check(t, "refusals", out.String())
}

// handmade is a conversation of two days with three photos of a room.
func handmade() task {
	k := task{pictures: map[string]oracle.Picture{}}
	photo := func(id, colour, books string) schemas.Attachment {
		sofa := oracle.Thing{Name: "the sofa", Tells: map[string]string{"colour": colour}}
		shelf := oracle.Thing{Name: "the shelf", Class: "books", Prep: "on", Tells: map[string]string{"count": books}}
		k.pictures[id] = oracle.Picture{Media: id, Noun: "photo", Minimal: "a photo of a room", Kind: "photo", Things: []oracle.Thing{sofa, shelf}, Absent: []string{"the lamp"}}
		return schemas.Attachment{
			MediaID: id, Type: "photo", MinimalCaption: "a photo of a room", Caption: "A photo of a room. The sofa can be seen. The shelf can be seen. The lamp cannot be seen.",
			TaskAwareCaption: "A photo of a room. The sofa is " + colour + ". There are " + books + " books on the shelf. The lamp cannot be seen.",
		}
	}
	session := func(n int, date string, pictures ...schemas.Attachment) {
		s := schemas.Session{SessionID: fmt.Sprintf("t/S%02d", n), TaskID: "t", Order: int32(n), Date: date}
		for _, a := range pictures {
			id, occasion := len(s.Turns)+1, "Look."
			if a.MediaID == "a" {
				occasion = "Look. This was right after the bell rang."
			}
			s.Turns = append(s.Turns, schemas.Turn{TurnID: fmt.Sprintf("%s/T%d", s.SessionID, id), Role: "user", Order: int32(id), Text: occasion, Attachments: []schemas.Attachment{a}},
				schemas.Turn{TurnID: fmt.Sprintf("%s/T%d", s.SessionID, id+1), Role: "assistant", Order: int32(id + 1), Text: "I see."})
		}
		k.sessions = append(k.sessions, s)
	}
	session(0, "")
	session(1, "2025-05-03", photo("a", "green", "3"))
	session(2, "2025-05-04", photo("b", "grey", "0"), photo("c", "green", "4"))
	return k
}

// TestGoldenFaults shows what the oracle says of conversations that contradict themselves.
func TestGoldenFaults(t *testing.T) {
	var out strings.Builder
	for _, f := range []struct {
		name   string
		change func(k *task)
	}{
		{"nothing", func(k *task) {}},
		{"sessions in another order", func(k *task) { slices.Reverse(k.sessions) }},
		{"a session twice", func(k *task) { k.sessions[2].Order = 1 }},
		{"an earlier day", func(k *task) { k.sessions[2].Date = "2025-05-02" }},
		{"the same day", func(k *task) {
			k.sessions[2].Date = "2025-05-03"
		}},
		{"no day", func(k *task) { k.sessions[1].Date = "soon" }},
		{"an unknown picture", func(k *task) { delete(k.pictures, "b") }},
		{"a picture nobody answers", func(k *task) { k.sessions[1].Turns = k.sessions[1].Turns[:1] }},
		{"a turn nobody answers", func(k *task) {
			k.sessions[1].Turns = append(k.sessions[1].Turns, schemas.Turn{TurnID: "more", Role: "user", Order: 3})
		}},
		{"two turns of the user", func(k *task) { k.sessions[2].Turns[1].Role = "user" }},
		{"a number twice", func(k *task) { k.sessions[2].Turns[3].Order = 3 }},
		{"another minimal caption", func(k *task) { k.sessions[1].Turns[0].Attachments[0].MinimalCaption = "a room" }},
		{"another kind", func(k *task) { k.sessions[1].Turns[0].Attachments[0].Type = "screenshot" }},
		{"a caption with a colour", func(k *task) {
			a := &k.sessions[1].Turns[0].Attachments[0]
			a.Caption = a.TaskAwareCaption
		}},
		{"a caption without an absent thing", func(k *task) {
			a := &k.sessions[1].Turns[0].Attachments[0]
			a.Caption = strings.TrimSuffix(a.Caption, " The lamp cannot be seen.")
		}},
		{"a caption with a sentence more", func(k *task) { k.sessions[1].Turns[0].Attachments[0].Caption += " It is late." }},
		{"a false colour", func(k *task) {
			a := &k.sessions[1].Turns[0].Attachments[0]
			a.TaskAwareCaption = strings.Replace(a.TaskAwareCaption, "green", "red", 1)
		}},
		{"things in another order", func(k *task) {
			a := &k.sessions[1].Turns[0].Attachments[0]
			a.TaskAwareCaption = "A photo of a room. There are 3 books on the shelf. The sofa is green. The lamp cannot be seen."
		}},
	} {
		k := handmade()
		f.change(&k)
		c, err := oracle.NewConversation(k.sessions, k.pictures)
		if err == nil {
			err = c.CheckCaptions()
		}
		fmt.Fprintf(&out, "%s: %v\n", f.name, err)
	}
	golden.Check(t, "faults", out.String())
}

// TestGoldenSpoiled shows what the oracle says of a conversation with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	type conversation struct {
		Sessions []schemas.Session
		Pictures map[string]oracle.Picture
	}
	k := handmade()
	golden.CheckSpoiled(t, "spoiled", conversation{k.sessions, k.pictures}, func(doc []byte) string {
		var k conversation
		if json.Unmarshal(doc, &k) != nil {
			return ""
		}
		c, err := oracle.NewConversation(k.Sessions, k.Pictures)
		if err != nil {
			return err.Error()
		}
		out := fmt.Sprintf("captions: %v\n", c.CheckCaptions())
		for _, q := range []string{"What colour is the sofa in the photo from just after the bell rang?", "What colour is the sofa, as last shown?", "How many books are on the shelf in the photo where the number of books on the shelf is 4?"} {
			r, err := c.Answer(q, nil)
			out += fmt.Sprintf("%s %s %+v %v\n", r.Right, r.Fact, r.Difficulty, err)
			for _, e := range r.Evidence {
				out += golden.JSON(t, e) + "\n"
			}
		}
		return out
	})
}

// TestAspectsInAnyOrder: a caption may state the aspects of a thing in any order.
func TestAspectsInAnyOrder(t *testing.T) {
	for caption, right := range map[string]bool{
		"A photo of a room. The shelves are red, and the shelves have the pattern dots, and there are 2 books on the shelves.": true,
		"A photo of a room. There are 2 books on the shelves, and the shelves have the pattern dots, and the shelves are red.": true,
		"A photo of a room. The shelves are red, and the shelves have the pattern dots.":                                       false,
		"A photo of a room. The shelves are red, and the shelves are red, and there are 2 books on the shelves.":               false,
	} {
		shelves := oracle.Thing{Name: "the shelves", Class: "books", Prep: "on", Plural: true, Tells: map[string]string{"colour": "red", "pattern": "dots", "count": "2"}}
		k := handmade()
		k.sessions = k.sessions[:2]
		k.pictures["a"] = oracle.Picture{Noun: "photo", Minimal: "a photo of a room", Kind: "photo", Things: []oracle.Thing{shelves}}
		a := &k.sessions[1].Turns[0].Attachments[0]
		a.Caption, a.TaskAwareCaption = "A photo of a room. The shelves can be seen.", caption
		if err := k.read(t).CheckCaptions(); (err == nil) != right {
			t.Errorf("%q: %v", caption, err)
		}
	}
}

// TestCitations: evidence that lacks the picture which decides is found, and so is a picture
// that is said to be needed and is not.
func TestCitations(t *testing.T) {
	c := handmade().read(t)
	for _, question := range []string{
		"What colour is the sofa in the photo from just after the bell rang?", "What colour is the sofa, as last shown?", "What colour was the sofa before that last changed?",
		"In all, how many books are on the shelf in the photo from just after the bell rang and on the shelf in the photo where the colour of the sofa is grey?",
	} {
		r, err := c.Answer(question, nil)
		if err == nil {
			err = c.CheckCitations(question, nil, r)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		omitted := r
		omitted.Evidence = slices.Clone(r.Evidence)[:len(r.Evidence)-1]
		if err := c.CheckCitations(question, nil, omitted); err == nil {
			t.Errorf("%q: nothing is said of evidence without its last picture", question)
		}
	}
	r, err := c.Answer("What colour is the sofa, as last shown?", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Needed = r.Evidence[:1]; c.CheckCitations("What colour is the sofa, as last shown?", nil, r) == nil {
		t.Error("nothing is said of an outdated picture that is called needed")
	}
}
