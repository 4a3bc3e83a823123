package choices_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/choices"
)

// asks is a question about a task.
func asks(t *testing.T, id, task, question, answer string, wrong ...string) pipeline.Record {
	t.Helper()
	q := schemas.Question{QuestionID: id, Family: "talk", TaskID: task, Type: "talk", Question: question, QuestionMCQ: question, AnswerText: answer, Split: "test"}
	if len(wrong) > 0 {
		for _, w := range wrong {
			q.Options = append(q.Options, schemas.Option{Text: w, Role: schemas.RoleIntrusion})
		}
		q.SetOptions(append(q.Options, schemas.Option{Text: answer, Role: schemas.RoleCorrect})...)
	}
	rec, err := pipeline.NewRecord(schemas.NameQuestion, id, q)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func subject(t *testing.T) testkit.Subject {
	t.Helper()
	s := testkit.Subject{Register: choices.Register, Use: "choices", Golden: "3 5f2226374d881a60d050b7a40d32444f20e05d9306417eba3daa05978430459f"}
	add := func(id, task, question, answer string, wrong ...string) {
		s.Inputs = append(s.Inputs, asks(t, id, task, question, answer, wrong...))
	}
	for i, answer := range []string{"7 May 2023", "9 May 2023", "2 June 2023", "3 July 2023", "2022"} {
		add(fmt.Sprint("when-", i), "a", fmt.Sprintf("When did trip %d start?", i), answer)
	}
	for i, answer := range []string{"Oslo", "in Oslo", "Rome", "rome.", "Lima", "a small harbour by the sea", "Cairo", "Bern", "Kyiv"} {
		add(fmt.Sprint("where-", i), "a", fmt.Sprintf("Which city did trip %d lead to?", i), answer)
	}
	for i, trap := range []string{"Oslo", "Rome", "Lima"} {
		add(fmt.Sprint("trap-", i), "a", fmt.Sprintf("Which city did cruise %d lead to?", i), schemas.AnswerNone, trap)
	}
	add("bare", "a", "Which city did nobody see?", schemas.AnswerNone)
	add("yes", "a", "Did Mia travel?", "Yes")
	add("own", "a", "Did Tom travel?", "Yes", "No")
	add("call", "a", "", "")
	return s
}

func TestConformance(t *testing.T) { testkit.ConformStage(t, subject(t)) }

// TestGoldenSpoiled pins what becomes of the collection with one value of a question wrong.
func TestGoldenSpoiled(t *testing.T) {
	for i, name := range map[int]string{0: "when", 14: "trap", 19: "own"} {
		subject(t).CheckSpoiledInput(t, pipeline.KindStage, "spoiled-"+name, i)
	}
}

// run gives the questions that a subject makes, and the ids of those lost.
func run(t *testing.T, s testkit.Subject) (out map[string]schemas.Question, lost []string) {
	t.Helper()
	given, rejected, err := s.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	out = map[string]schemas.Question{}
	for _, rec := range given {
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			t.Fatal(err)
		}
		out[q.QuestionID] = q
	}
	for _, r := range rejected {
		lost = append(lost, r.ID)
	}
	slices.Sort(lost)
	return out, lost
}

func texts(q schemas.Question) (out []string) {
	for _, o := range q.Options {
		out = append(out, o.Text)
	}
	return out
}

func TestOptions(t *testing.T) {
	given, lost := run(t, subject(t))
	right := 0
	for id, q := range given {
		if len(q.Options) == 0 {
			continue
		}
		at := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
		if at < 0 || q.Options[at].Text != q.AnswerText || q.Options[at].Role != schemas.RoleCorrect || q.QuestionMCQ != schemas.MCQ(q.Question, q.Options) {
			t.Errorf("%s: %+v", id, q)
		}
		if id == "own" {
			continue
		}
		if right++; len(q.Options) != 4 {
			t.Errorf("%s has the options %v", id, texts(q))
		}
		// What says the same, or holds the answer, is no wrong option.
		for _, pair := range [][2]string{{"Oslo", "in Oslo"}, {"Rome", "rome."}} {
			if slices.Contains(texts(q), pair[0]) && slices.Contains(texts(q), pair[1]) {
				t.Errorf("%s: %v", id, texts(q))
			}
		}
		for _, unlike := range []string{"2022", "a small harbour by the sea", "Yes"} {
			if slices.Contains(texts(q), unlike) {
				t.Errorf("%s: %v", id, texts(q))
			}
		}
		for _, date := range []string{"7 May 2023", "9 May 2023", "2 June 2023", "3 July 2023"} {
			if q.QuestionID[:4] != "when" && slices.Contains(texts(q), date) {
				t.Errorf("%s: %v", id, texts(q))
			}
		}
	}
	if right < 8 {
		t.Errorf("%d questions have options: %v are lost", right, lost)
	}
	for _, id := range []string{"when-4", "where-5", "bare", "yes", "own"} {
		if !slices.Contains(lost, id) {
			t.Errorf("%s has no like answers, and is not among the lost: %v", id, lost)
		}
	}
	if slices.Contains(lost, "call") || len(given["own"].Options) != 2 || given["bare"].QuestionMCQ != given["bare"].Question {
		t.Errorf("call, own or bare: %v, %+v, %+v", lost, given["own"], given["bare"])
	}
}

// TestClosed: where open questions are not wanted, what is lost goes no further.
func TestClosed(t *testing.T) {
	s := subject(t)
	_, lost := run(t, s)
	s.Config = &choices.Config{Options: 4, None: schemas.AnswerNone}
	given, gone := run(t, s)
	if len(given) != len(s.Inputs)-len(lost) || !slices.Equal(gone, lost) {
		t.Errorf("%d of %d go on, %v are lost; with open questions %v", len(given), len(s.Inputs), gone, lost)
	}
}

// TestNoTextTells asks of many trips, a third of them nowhere: neither that there is
// no answer nor any other text is right more often than one of four options drawn.
func TestNoTextTells(t *testing.T) {
	for _, none := range []int{0, 1, 6, 30} {
		s := subject(t)
		s.Inputs = nil
		for i := range 30 {
			s.Inputs = append(s.Inputs, asks(t, fmt.Sprint("q", i), fmt.Sprint(i%3), fmt.Sprintf("Which city was stop %d?", i), fmt.Sprintf("C%cs", 'a'+i%26)))
		}
		for i := range none {
			s.Inputs = append(s.Inputs, asks(t, fmt.Sprint("n", i), fmt.Sprint(i%3), fmt.Sprintf("Which city was stop 1%d?", i), schemas.AnswerNone, fmt.Sprintf("C%cs", 'a'+i%26)))
		}
		given, _ := run(t, s)
		offered, right, with := map[string]int{}, map[string]int{}, 0
		for _, q := range given {
			if len(q.Options) > 0 {
				with++
				right[q.AnswerText]++
			}
			for _, o := range q.Options {
				offered[o.Text]++
			}
		}
		if want := min(none, 10); right[schemas.AnswerNone] != want || offered[schemas.AnswerNone] != 4*want {
			t.Errorf("of %d without an answer: there is none %d times, and is offered %d times", none, right[schemas.AnswerNone], offered[schemas.AnswerNone])
		}
		for text, n := range offered {
			if 5*right[text] < n || text != schemas.AnswerNone && 2*right[text] > n {
				t.Errorf("of %d without an answer: %s is offered %d times and right %d times", none, text, n, right[text])
			}
		}
		if with < 30 {
			t.Errorf("of %d without an answer: %d questions have options", none, with)
		}
	}
}

// TestOneValueIsOneAnswer: no two options say the same in other words, none differs from the
// others in its final stop or unit, and wrong options are from the session of the question
// as long as there are any.
func TestOneValueIsOneAnswer(t *testing.T) {
	s := subject(t)
	s.Inputs = nil
	add := func(i int, session, question, answer string) {
		rec := asks(t, fmt.Sprintf("q%02d", i), "a", fmt.Sprintf(question, i), answer)
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			t.Fatal(err)
		}
		q.Evidence = []schemas.Evidence{{Kind: schemas.EvidenceTurn, SessionID: session}}
		if rec, err = pipeline.NewRecord(rec.Schema, rec.ID, q); err != nil {
			t.Fatal(err)
		}
		s.Inputs = append(s.Inputs, rec)
	}
	for i, answer := range []string{"3", "three", "4", "5", "6", "07", "7", "8", "nine", "10", "11", "12"} {
		add(i, "s", "How many boats did crew %d have?", answer)
	}
	for i, answer := range []string{"5 km", "five kilometres", "6 km", "7 km", "8 km", "9 kg", "4 km"} {
		add(20+i, "s", "How far did runner %d go?", answer)
	}
	for i, answer := range []string{"Peru", "Chile", "Ghana", "Kenya", "Italy", "Spain", "Connecticut.", "Malta"} {
		add(40+i, fmt.Sprint("s", i/4), "Which country did guest %d leave?", answer)
	}
	given, _ := run(t, s)
	asked := 0
	for id, q := range given {
		values := map[string]bool{}
		for _, o := range q.Options {
			if v := words.Value(o.Text); values[v] {
				t.Errorf("%s offers %q, of which two are %q", id, texts(q), v)
			} else {
				values[v] = true
			}
		}
		if len(q.Options) > 0 {
			asked++
		}
		if id >= "q40" && id <= "q43" && len(q.Options) > 0 {
			own := 0
			for _, text := range texts(q) {
				if slices.Contains([]string{"Peru", "Chile", "Ghana", "Kenya"}, text) {
					own++
				}
			}
			if own < 3 { // one may be used up
				t.Errorf("%s offers %q, and there are three of its own session", id, texts(q))
			}
		}
		if slices.Contains(texts(q), "Connecticut.") || slices.Contains(texts(q), "9 kg") {
			t.Errorf("%s offers %q, of which one has another form", id, texts(q))
		}
	}
	if asked < 15 {
		t.Errorf("%d questions have options, want 15", asked)
	}
}

func TestConfigurations(t *testing.T) {
	r := pipeline.NewRegistry()
	choices.Register(r)
	plugin, _ := r.Plugin(pipeline.KindStage, "choices")
	for _, c := range []choices.Config{{Options: 2}, {Options: 27}} {
		if _, err := plugin.Build(&c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
