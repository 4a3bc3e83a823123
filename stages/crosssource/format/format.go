// Package smmbench lays questions out whose evidence no single source holds, in the
// neutral form of SMMBench: a JSON file for every sample and every source, and their
// pictures. It scores answers and retrieval as the paper does (3.3, C.1, C.4), and says
// why answers failed (C.6). The form of the published annotations was never seen: what a
// sample's fields are called stands in one table (fields).
package format

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// Register adds the export and the scorers.
func Register(r *pipeline.Registry) {
	export.Add(r, Format())
	score.Add(r, Scorer())
	score.Add(r, Retrieval())
	score.Add(r, Diagnosis())
}

// Labels of a question that are read.
const (
	labelTask        = "task"
	labelArrangement = "arrangement"
	labelSources     = "sources"
	labelPreference  = "preference"
	concentrated     = "concentrated"
)

// task is one of the five of the benchmark (SMMBench 3.3).
type task struct{ label, short, capability string }

// tasks are in the order of the paper's tables.
func tasks() []task {
	return []task{
		{schemas.TaskSingleHop, "S.H.", "cross-source multimodal reasoning"},
		{schemas.TaskMultiHop, "M.H.", "cross-source multimodal reasoning"},
		{schemas.TaskConflict, "C.R.", "conflict resolution"},
		{schemas.TaskPreference, "P.R.", "preference reasoning"},
		{schemas.TaskFunctionCall, "F.C.", "memory-grounded action prediction"},
	}
}

func taskOf(label string) (task, bool) {
	for _, t := range tasks() {
		if t.label == label {
			return t, true
		}
	}
	return task{}, false
}

// letters are the keys of options, in order.
const letters = "ABCD"

// questionFile is a question on its way to its file.
type questionFile struct {
	schemas.Question
	task    task
	sources []string
	images  []string
	clues   []clue
}

// clue is a piece of evidence, by the source and the turn where it stands.
type clue struct {
	Source   string `json:"source"`
	Turn     string `json:"turn"`
	Order    int32  `json:"order"`
	Role     string `json:"role"`
	Modality string `json:"modality"`
	Text     string `json:"text,omitempty"`
	Image    string `json:"image,omitempty"`
	Caption  string `json:"caption,omitempty"`
}

// toolRow is a tool with its schema as JSON, not as text.
type toolRow struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// field is a key of a sample's file. From gives its value, nil to leave it out.
type field struct {
	name string
	from func(questionFile) any
}

// fields map a question of a release to a sample, in the order of the file. This is the
// only place where a sample's keys are written: when the published form is known, the
// names change here.
func fields() []field {
	return []field{
		{"id", func(s questionFile) any { return s.QuestionID }},
		{"environment", func(s questionFile) any { return s.TaskID }},
		{"capability", func(s questionFile) any { return s.task.capability }},
		{"task", func(s questionFile) any { return s.task.label }},
		{"arrangement", func(s questionFile) any { return nilIfEmpty(s.Labels[labelArrangement]) }},
		{"required_sources", func(s questionFile) any { return nilIfEmpty(s.Labels[labelSources]) }},
		{"preference", func(s questionFile) any { return nilIfEmpty(s.Labels[labelPreference]) }},
		{"fact", func(s questionFile) any { return nilIfEmpty(s.Labels[schemas.LabelFact]) }},
		{"sources", func(s questionFile) any { return s.sources }},
		{"question", func(s questionFile) any { return s.Question.Question }},
		{"question_images", func(s questionFile) any {
			if len(s.images) == 0 {
				return nil
			}
			return s.images
		}},
		{"options", func(s questionFile) any { return optionsOf(s) }},
		{"tools", func(s questionFile) any { return toolsOf(s) }},
		{"answer", func(s questionFile) any {
			if s.AnswerCall != "" {
				return json.RawMessage(s.AnswerCall)
			}
			return s.AnswerKey
		}},
		{"evidence", func(s questionFile) any { return s.clues }},
	}
}

func nilIfEmpty(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func optionsOf(s questionFile) any {
	if len(s.Options) == 0 {
		return nil
	}
	out := map[string]string{}
	for _, o := range s.Options {
		out[o.Key] = o.Text
	}
	return out
}

func toolsOf(s questionFile) any {
	if len(s.Tools) == 0 {
		return nil
	}
	var out []toolRow
	for _, t := range s.Tools {
		out = append(out, toolRow{t.Name, t.Description, json.RawMessage(t.Parameters)})
	}
	return out
}

// file is the sample as JSON, its keys in the order of the table.
func (s questionFile) file() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{")
	sep := "\n "
	for _, f := range fields() {
		v := f.from(s)
		if v == nil {
			continue
		}
		value, err := marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		key, err := marshal(f.name)
		if err != nil {
			return nil, err
		}
		b.WriteString(sep + string(key) + ": " + string(value))
		sep = ",\n "
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// The shapes of a source's file.
type (
	sourceFile struct {
		ID           string     `json:"id"`
		Environment  string     `json:"environment"`
		Kind         string     `json:"kind"`
		Title        string     `json:"title,omitempty"`
		Participants []string   `json:"participants"`
		Turns        []turnFile `json:"turns"`
	}
	turnFile struct {
		ID string `json:"id"`
		// Position is the turn's place in the stream of all sources of its environment.
		Position int64       `json:"position"`
		Time     string      `json:"time"`
		Speaker  string      `json:"speaker,omitempty"`
		Text     string      `json:"text,omitempty"`
		Images   []imageFile `json:"images,omitempty"`
	}
	imageFile struct {
		Handle  string `json:"handle"`
		Path    string `json:"path"`
		Caption string `json:"caption,omitempty"`
	}
)
