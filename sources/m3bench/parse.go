package m3bench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Codes and notes of this data set alone.
const (
	codeCalls = "not-one-call"
	noteWords = "question-not-reworded"
	noteTools = "tools-not-known"
)

// entry is one value of a file whose root is a list, or an object of ids.
type entry struct {
	where  string
	object annotation.Object
	err    error
}

// entries reads either root. In an object the key is the id of a task that states none.
func entries(text []byte) ([]entry, error) {
	if list, err := annotation.ParseList(text); err == nil {
		out := make([]entry, len(list))
		for i, raw := range list {
			o, err := annotation.ParseObject(raw)
			out[i] = entry{fmt.Sprint(i), o, err}
		}
		return out, nil
	}
	pairs, err := annotation.ParsePairs(text)
	if err != nil {
		return nil, fmt.Errorf("want a list of tasks, or an object of them by id: %w", err)
	}
	out := make([]entry, len(pairs))
	for i, p := range pairs {
		o, err := annotation.ParseObject(p.Value)
		if err == nil {
			err = checkID(o, p.Key)
		}
		out[i] = entry{annotation.Truncate(p.Key), o, err}
	}
	return out, nil
}

// checkID gives a task the id that it is filed under.
func checkID(o annotation.Object, key string) error {
	id, err := o.Text("id")
	switch {
	case err != nil:
		return err
	case id != "" && id != key:
		return fmt.Errorf("it is filed under %q and calls itself %q", annotation.Truncate(key), annotation.Truncate(id))
	}
	o["id"], err = json.Marshal(key)
	return err
}

// task is one with the calls that solve it.
type task struct {
	id, image, kind, text string
	steps                 int
	calls                 []call
	notes                 []schemas.Note
}

type call struct {
	name      string
	arguments json.RawMessage
}

// parse reads a task of any of the files; calls are only in that of gold.
func parse(o annotation.Object) (t task, why *pipeline.Rejection) {
	words, err := o.SpellingOf("question", "prompt")
	if err != nil {
		return t, pipeline.Reject(evidence.CodeSpellings, "%v", err)
	}
	err = o.Fill(annotation.Field{Key: "id", Into: &t.id}, annotation.Field{Key: "image", Into: &t.image}, annotation.Field{Key: "type", Into: &t.kind}, annotation.Field{Key: words, Into: &t.text})
	steps, err2 := o.Objects("steps")
	switch {
	case err != nil:
		return t, pipeline.Reject(benchmark.CodeBadRow, "%v", err)
	case err2 != nil:
		return t, pipeline.Reject(benchmark.CodeBadRow, "%v", err2)
	case t.id == "":
		return t, pipeline.Reject(benchmark.CodeBadRow, "it has no id")
	}
	t.steps = len(steps)
	for _, step := range steps {
		calls, err := step.Objects("calls")
		if err != nil {
			return t, pipeline.Reject(benchmark.CodeBadRow, "steps: %v", err)
		}
		for _, c := range calls {
			one := call{arguments: c["arguments"]}
			if one.name, err = c.Text("name"); err != nil {
				return t, pipeline.Reject(benchmark.CodeBadRow, "steps: %v", err)
			}
			t.calls = append(t.calls, one)
		}
	}
	return t, nil
}

// checkSingleCall says why the task is not solved by one call.
func (t task) checkSingleCall() *pipeline.Rejection {
	if len(t.calls) == 1 {
		return nil
	}
	return pipeline.Reject(codeCalls, "%d calls in %d steps solve it; only tasks that one call solves are kept", len(t.calls), t.steps)
}

// gold is the call as text.
func (t task) gold() string {
	arguments := t.calls[0].arguments
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	name, err := json.Marshal(t.calls[0].name)
	if err != nil {
		return ""
	}
	return fmt.Sprintf(`{"name":%s,"arguments":%s}`, name, arguments)
}

// item is the task without its tools, and without the content of its picture. Gold that
// is no call stays as it is: the checks of items say so.
func (t task) item() schemas.EvidenceItem {
	gold := t.gold()
	if canonical, err := schemas.CanonicalCall(gold); err == nil {
		gold = canonical
	}
	out := schemas.EvidenceItem{UpstreamID: t.id, Task: schemas.TaskFunctionCall, Notes: t.notes}
	out.Question = schemas.Question{Question: t.text, AnswerCall: gold, Type: strings.ToLower(t.kind)}
	if t.image != "" {
		out.Units = []schemas.EvidenceUnit{{UpstreamID: t.image, Modality: schemas.ModalityImage, Role: schemas.RoleClue}}
	}
	return out
}
