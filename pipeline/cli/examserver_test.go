package cli_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/reviews"
	"github.com/memforge/memforge/stages/applyreviews"
)

// A domain whose questions rest on two texts, so that gates can ask models about
// them, and models whose competence is declared.

type exam struct{ cfg thingsConfig }

func (exam) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameTask, schemas.NameQuestion}, Types: []string{"recall"}, License: "CC0-1.0"}
}
func (exam) Needs() []pipeline.Need { return nil }

// Forecast implements pipeline.Forecaster.
func (s exam) Forecast(pipeline.Volume) pipeline.Forecast {
	n := pipeline.Amount{Records: float64(s.cfg.Count)}
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameTask: n, schemas.NameQuestion: n}}
}

// colours that a thing can have.
var colours = []string{"red", "blue", "green", "amber"}

// Read gives questions that take two texts to answer: whose thing it is, and
// which colour it has.
func (s exam) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range s.cfg.Count {
		id := fmt.Sprintf("exam-%06d", i)
		task, err := pipeline.NewRecord(schemas.NameTask, id, schemas.Task{TaskID: id, Family: "exam", Domain: "exam", Scenario: "Owners and their things.", SourceRecords: []string{id}})
		if err != nil {
			return err
		}
		q, err := pipeline.NewRecord(schemas.NameQuestion, id+"-q", examQuestion(id, i))
		if err != nil {
			return err
		}
		for _, r := range []pipeline.Record{task, q} {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

func examQuestion(id string, i int) schemas.Question {
	gold := i % len(colours)
	q := schemas.Question{
		QuestionID: id + "-q", Family: "exam", TaskID: id, Type: "recall", Split: "test",
		Question:  fmt.Sprintf("Which colour has the thing of owner %d?", i),
		AnswerKey: letter(gold), AnswerText: colours[gold],
		Evidence: []schemas.Evidence{
			{Kind: "text", Ref: id, Role: schemas.RoleClue, SessionID: "s1", Order: 1, Text: fmt.Sprintf("Owner %d bought a kettle at the market, carried it home, and kept it.", i)},
			{Kind: "text", Ref: id, Role: schemas.RoleClue, SessionID: "s2", Order: 2, Text: fmt.Sprintf("The kettle that stands on shelf %d is %s. It was painted years ago.", i, colours[gold])},
		},
	}
	for j, c := range colours {
		o := schemas.Option{Key: letter(j), Text: c, Role: schemas.RoleDistractor}
		if j == gold {
			o.Role = schemas.RoleCorrect
		}
		q.Options = append(q.Options, o)
		q.QuestionMCQ += "\n" + o.Key + ". " + c
	}
	q.QuestionMCQ = q.Question + q.QuestionMCQ
	return q
}

func letter(i int) string { return string(rune('A' + i)) }

// put is what a model is asked by a gate, as far as its answer depends on it.
type put struct {
	Question string                          `json:"question"`
	Options  []struct{ Letter, Text string } `json:"options"`
	Proposed string                          `json:"proposed"`
	Passages []struct{ Text string }         `json:"passages"`
}

// Whoever is asked knows the answer from both texts. Of some questions it knows
// it from no text or one, or not at all, and some it declines to answer.
const (
	plain = iota
	leaks
	unsolvable
	redundant
	declined
	kinds = 12
)

// kind of the question: most are plain.
func (p put) kind() (kind, gold int) {
	var owner int
	if _, err := fmt.Sscanf(p.Question, "Which colour has the thing of owner %d?", &owner); err != nil {
		return unsolvable, 0
	}
	return owner % kinds, owner % len(colours)
}

// answer is the answer's value and whether it is given.
func (p put) answer(model string) (map[string]string, bool) {
	kind, gold := p.kind()
	need := map[int]int{plain: 2, leaks: 0, unsolvable: 3, redundant: 1}[kind]
	if kind >= declined {
		need = 2
	}
	knows := len(p.Passages) >= need
	if kind == declined && model == "panel-1" && !knows {
		return nil, false
	}
	if p.Proposed != "" {
		return map[string]string{"why": "So it reads.", "supported": map[bool]string{true: "yes", false: "no"}[knows && p.Proposed == colours[gold]]}, true
	}
	lot := fnv.New32()
	fmt.Fprint(lot, model, p)
	chosen := append([]string{"unknown"}, p.letters()...)[lot.Sum32()%uint32(1+len(p.Options))]
	for _, o := range p.Options {
		if knows && o.Text == colours[gold] {
			chosen = o.Letter
		}
	}
	return map[string]string{"why": "So it reads.", "answer": chosen}, true
}

func (p put) letters() (all []string) {
	for _, o := range p.Options {
		all = append(all, o.Letter)
	}
	return all
}

// examServer answers what gates ask about the exam, and what the domain of
// things asks.
func examServer(t testing.TB) *testkit.ModelServer {
	return testkit.NewModelServer(t, func(a testkit.ChatRequest) testkit.ChatReply {
		if !strings.HasPrefix(a.Task, "gate_") {
			return tellAnswer(a)
		}
		var p put
		if err := a.Data("question", &p.Question); err != nil {
			return testkit.ChatReply{Text: err.Error()}
		}
		_ = a.Data("options", &p.Options) // one of these is there
		_ = a.Data("proposed_answer", &p.Proposed)
		_ = a.Data("passages", &p.Passages)
		said, given := p.answer(a.Model)
		if !given {
			return testkit.ChatReply{Refusal: "I would rather not say."}
		}
		return testkit.ReplyJSON(said)
	})
}

// examGates ask a panel of two and a judge.
const examGates = `gates:
  blind: {use: option-only, from: [exam], with: {full_protocol: %[1]t}}
  solved: {use: oracle, from: [blind], with: {full_protocol: %[1]t}}
  firm: {use: correctness, from: [solved], with: {full_protocol: %[1]t}}
  needed: {use: evidence-necessity, from: [firm], with: {full_protocol: %[1]t}}
  alone: {use: answerable-alone, from: [needed], max_loss: 0.2, with: {full_protocol: %[1]t}}
`

// examPlan has nothing but gates to ask, with everything or no more than need
// be.
func examPlan(full bool) string {
	return `version: 1
release: {name: exam, license: CC0-1.0, from: [alone]}
sources:
  exam: {use: exam, with: {count: 60}}
` + fmt.Sprintf(examGates, full)
}

// mixedPlan asks models in a map, in a fold and in gates.
func mixedPlan(things, exams int) string {
	return fmt.Sprintf(`version: 1
release: {name: mixed, license: CC0-1.0, from: [tell, sum, alone]}
sources:
  things: {use: things, with: {count: %d}}
  exam: {use: exam, with: {count: %d}}
stages:
  tell: {use: tell, from: [things]}
  sum: {use: sum, from: [tell]}
`, things, exams) + fmt.Sprintf(examGates, false)
}

// examModels leads the panel to three models of one server.
func examModels(url, add string) string {
	var b strings.Builder
	b.WriteString("models:\n")
	for _, name := range []string{"panel-1", "panel-2", "judge-1"} {
		fmt.Fprintf(&b, "  %s:\n    base_url: %s\n    model: %s\n%s", name, url, name, add)
	}
	b.WriteString("roles: {panel_a: panel-1, panel_b: panel-2, judge: judge-1, captioner: panel-1, author: judge-1}\n")
	return b.String()
}

func newExam(t testing.TB, plan, models string) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir(), env: map[string]string{}}
	p.file = filepath.Join(p.dir, "pipeline.yaml")
	if err := os.WriteFile(p.file, []byte(plan+models), 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func addExam(r *pipeline.Registry) {
	gates.Register(r)
	reviews.Register(r)
	applyreviews.Register(r)
	r.AddQuestionType(pipeline.QuestionType{Name: "nback"}) // which no exam asks
	pipeline.AddSource(r, "exam", "1", "Exam", func(c thingsConfig) (pipeline.Source, error) { return exam{c}, nil })
	r.AddTool("ffmpeg", func(context.Context) (string, error) { return "not asked for", nil })
}
