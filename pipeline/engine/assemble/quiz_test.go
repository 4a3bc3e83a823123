package assemble_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/revise"
)

// The quiz is a domain whose questions say what is wrong with them: "flaws 2"
// takes two rewrites until the gate blind passes it, "dark 1" one until oracle
// does, and the scripted author mends one flaw at a time.

type quizConfig struct {
	Questions []string `json:"questions"`
}

type quiz struct{ cfg quizConfig }

func (quiz) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{schemas.NameTask, schemas.NameQuestion}, License: "CC0-1.0"}
}
func (quiz) Needs() []pipeline.Need { return nil }
func (s quiz) Read(_ context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	task := "task-" + scope.Name()
	r, err := pipeline.NewRecord(schemas.NameTask, task, schemas.Task{TaskID: task, Family: "quiz", Domain: "quiz", SourceRecords: []string{scope.Name()}})
	if err != nil {
		return err
	}
	if err := emit(r); err != nil {
		return err
	}
	for i, text := range s.cfg.Questions {
		q := quizQuestion(fmt.Sprintf("%s-%d", scope.Name(), i), task, text)
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func quizQuestion(id, task, text string) schemas.Question {
	q := schemas.Question{
		QuestionID: id, CheckpointID: id, Family: "quiz", TaskID: task, Question: text + "?", Type: "quiz", Split: "test", AnswerKey: "C", AnswerText: "text right",
		Labels: map[string]string{schemas.LabelReasoning: schemas.ReasonSingle}, Media: []string{},
		Evidence: []schemas.Evidence{{Kind: "task", Ref: task, Role: schemas.RoleClue, Order: 1, Text: "It was the right one.", Caption: "a caption"}},
	}
	q.QuestionMCQ = q.Question
	for i, text := range []string{"one", "two", "right", "four"} {
		o := schemas.Option{Key: string(rune('A' + i)), Text: "text " + text, Role: schemas.RoleDistractor}
		if text == "right" {
			o.Role = schemas.RoleCorrect
		}
		q.Options = append(q.Options, o)
		q.QuestionMCQ += "\n" + o.Key + ". " + o.Text
	}
	return q
}

// wordGate flags a question for a word in it.
type wordGate struct {
	flag func(q schemas.Question) (code string, relabel map[string]string)
}

func (wordGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{schemas.NameQuestion}} }
func (g wordGate) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	q, err := pipeline.Decode[schemas.Question](items[0])
	if err != nil {
		return nil, err
	}
	if code, relabel := g.flag(q); code != "" {
		return []pipeline.Judgement{{Outcome: pipeline.Fail, Code: code, Reason: code + ": see " + q.Question, Relabel: relabel}}, nil
	}
	return []pipeline.Judgement{{Outcome: pipeline.Pass}}, nil
}

// left is the number after a word of a question, or 0.
func left(word, question string) int {
	m := regexp.MustCompile(word + ` (\d+)`).FindStringSubmatch(question)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

func quizRegistry(t *testing.T) *pipeline.Registry {
	t.Helper()
	r := pipeline.NewRegistry()
	revise.Register(r)
	panel.Register(r)
	r.AddTool("ffmpeg", func(context.Context) (string, error) { return "of the tests", nil })
	pipeline.AddSource(r, "quiz", "1", "asks", func(c quizConfig) (pipeline.Source, error) { return quiz{c}, nil })
	gate := func(name string, flag func(q schemas.Question) (string, map[string]string)) {
		pipeline.AddGate(r, name, "1", "looks at words", func(struct{}) (pipeline.Gate, error) { return wordGate{flag}, nil })
	}
	when := func(word, code string) func(q schemas.Question) (string, map[string]string) {
		return func(q schemas.Question) (string, map[string]string) {
			if left(word, q.Question) > 0 {
				return code, nil
			}
			return "", nil
		}
	}
	gate("form", when("malformed", "bad-form"))
	gate("blind", when("flaws", "guessable"))
	gate("lit", when("dark", "unsolvable"))
	gate("last", when("noted", "noted"))
	gate("kind", func(q schemas.Question) (string, map[string]string) {
		switch {
		case strings.Contains(q.Question, "joined") && q.Labels[schemas.LabelReasoning] != schemas.ReasonJoined:
			return "wrong-kind", map[string]string{schemas.LabelReasoning: schemas.ReasonJoined}
		case strings.Contains(q.Question, "odd"):
			return "no-kind", nil
		}
		return "", nil
	})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return r
}

const quizYAML = `version: 1
release: {name: quiz, from: [last]}
sources:
  asia: {use: quiz, with: {questions: [flaws 0, flaws 1 here, flaws 3 here, flaws 4 here, malformed 1, joined noted 1, odd one]}}
  peru: {use: quiz, with: {questions: [flaws 1 dark 1 here, hopeless flaws 1, garbled flaws 1, dark 2 joined]}}
gates:
  form: {use: form, from: [asia, peru]}
  blind: {use: blind, from: [form], on_fail: revise}
  oracle: {use: lit, from: [blind], on_fail: revise}
  kind: {use: kind, from: [oracle], on_fail: relabel}
  last: {use: last, from: [kind], on_fail: keep}
`

// mend is the scripted author: it mends what the gate found, by one.
func mend(t *testing.T) func(testkit.ChatRequest) testkit.ChatReply {
	return func(a testkit.ChatRequest) testkit.ChatReply {
		var question string
		var finding revise.Finding
		var options []revise.Choice
		if err := errors.Join(a.Data("question", &question), a.Data("finding", &finding), a.Data("options", &options)); err != nil {
			t.Errorf("%v in\n%s", err, a.User)
		}
		if options[0].Role != schemas.RoleCorrect || len(options) != 4 {
			t.Errorf("options %+v", options)
		}
		word := "flaws"
		if finding.Code == "unsolvable" {
			word = "dark"
		}
		n := left(word, question)
		d := revise.Draft{Question: strings.Replace(question, fmt.Sprint(word, " ", n), fmt.Sprint(word, " ", n-1), 1), Explanation: "It is so."}
		for _, o := range options {
			d.Options = append(d.Options, revise.Rewrite{Option: o.Option, Text: strings.TrimSuffix(o.Text, " anew") + " anew"})
		}
		switch {
		case strings.Contains(question, "hopeless"):
			d = revise.Draft{Cannot: "nothing tells it", Options: []revise.Rewrite{}}
		case strings.Contains(question, "garbled"):
			d.Options = d.Options[1:]
		}
		return testkit.ReplyJSON(d)
	}
}

func loadQuiz(t *testing.T, server *testkit.ModelServer, sets ...string) *config.Config {
	t.Helper()
	text := quizYAML
	if server != nil {
		text += server.YAML("", "author", "panel_a", "panel_b")
	}
	path := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(path, quizRegistry(t), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
