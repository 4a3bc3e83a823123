package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Format is the layout under its name on the command line.
func Format() export.Format {
	return export.Format{
		Name: "memeye", Root: "memeye", Beside: "memeye-memforge", Layout: Layout,
		Help: "OUT/memeye then holds dialog/ and image/, as register_external_data.py of MemEye's repository wants them.",
	}
}

// Layout builds the layout. It is pure, and equal releases give equal bytes.
func Layout(c release.Contents) (export.Tree, error) {
	tasks, err := layoutTasks(c)
	if err != nil {
		return export.Tree{}, err
	}
	if len(tasks) == 0 {
		return export.Tree{}, fmt.Errorf("release %s has no task with a conversation of dated sessions; MemEye's layout holds nothing else", c.Manifest.ID)
	}
	var tree export.Tree
	slugs := map[string]string{}
	for _, t := range append(tasks, mergeHistories(tasks)...) {
		if other, taken := slugs[slug(t.name)]; taken {
			return export.Tree{}, fmt.Errorf("tasks %s and %s would have one name, %s", other, t.name, slug(t.name))
		}
		slugs[slug(t.name)] = t.name
		for _, open := range []bool{false, true} {
			f, err := t.encodeFile(open)
			if err != nil {
				return export.Tree{}, err
			}
			tree.Files = append(tree.Files, f)
		}
		tree.Media = append(tree.Media, t.media...)
	}
	tree.Folders = []string{"dialog", "image"}
	return tree, nil
}

// slug is how MemEye calls a file.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			r = '_'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// layoutTask is a task on its way to its files.
type layoutTask struct {
	name, scenario string
	profile        map[string]string
	sessions       []session
	questions      []layoutQuestion
	media          []export.MediaFile
}

// layoutQuestion is a question with the rounds it rests on.
type layoutQuestion struct {
	schemas.Question
	clues  []string
	images []string
}

func (t layoutTask) encodeFile(open bool) (export.File, error) {
	d := dialogue{Profile: t.profile, Task: t.name, Sessions: t.sessions, QAs: []qa{}}
	name := t.name
	if open {
		name += openSuffix
	}
	for _, q := range t.questions {
		d.QAs = append(d.QAs, q.fileQuestion(open))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(d); err != nil {
		return export.File{}, fmt.Errorf("task %s: %w", t.name, err)
	}
	return export.File{Path: path.Join("dialog", name+".json"), Data: b.Bytes()}, nil
}

// fileQuestion is a question in one of its forms. The answer of a choice form is that of its
// last rotation, which is what MemEye compares it with.
func (q layoutQuestion) fileQuestion(open bool) qa {
	out := qa{
		ID: q.QuestionID, Point: [][]string{{q.Labels[schemas.LabelGranularity]}, {q.Labels[schemas.LabelReasoning]}},
		Question: q.Question.Question, Answer: q.AnswerText, Clues: q.clues, Images: q.images, Sessions: roundSessions(q.clues),
	}
	if open {
		return out
	}
	out.Question, _ = q.Stem()
	for at := range letters {
		options := map[string]string{"answer": letters[at : at+1]}
		for _, o := range rotateOptions(q.Question, at) {
			options[o.Key] = o.Text
		}
		out.Options = append(out.Options, options)
	}
	out.Answer = letters[len(letters)-1:]
	return out
}

// rotateOptions is the options of a question turned round so that the right one stands at a
// place.
func rotateOptions(q schemas.Question, at int) []schemas.Option {
	right := slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
	out := make([]schemas.Option, len(letters))
	for i := range letters {
		place := (at + i) % len(letters)
		out[place] = schemas.Option{Key: letters[place : place+1], Text: q.Options[(right+i)%len(letters)].Text}
	}
	return out
}

// roundSessions are those of some rounds, each once, in their order.
func roundSessions(rounds []string) []string {
	out := []string{}
	for _, r := range rounds {
		if s, _, _ := strings.Cut(r, ":"); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// layoutTasks are the tasks that are conversations, with their questions.
func layoutTasks(c release.Contents) ([]layoutTask, error) {
	sessions, err := release.DecodeTable[schemas.Session](c, "sessions")
	if err != nil {
		return nil, err
	}
	byTask := map[string][]schemas.Session{}
	for _, s := range sessions {
		byTask[s.TaskID] = append(byTask[s.TaskID], s)
	}
	questions := map[string][]schemas.Question{}
	for _, q := range c.Questions {
		questions[q.TaskID] = append(questions[q.TaskID], q)
	}
	var out []layoutTask
	for _, t := range c.Tasks {
		if !slices.ContainsFunc(questions[t.TaskID], onGrid) {
			continue // of another family
		}
		mine := byTask[t.TaskID]
		slices.SortFunc(mine, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
		b := taskBuilder{files: c.Files, turns: map[string]string{}, captions: map[string]string{}, paths: map[string]string{}}
		b.layoutTask = layoutTask{name: taskName(t), scenario: t.Scenario, profile: map[string]string{}}
		for _, s := range mine {
			if err := b.addSession(s); err != nil {
				return nil, fmt.Errorf("session %s: %w", s.SessionID, err)
			}
		}
		for _, q := range questions[t.TaskID] {
			if err := b.addQuestion(q); err != nil {
				return nil, err
			}
		}
		out = append(out, b.layoutTask)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("release %s asks nothing that has a place on MemEye's grid: its questions have no labels %s and %s", c.Manifest.ID, schemas.LabelGranularity, schemas.LabelReasoning)
	}
	return out, nil
}

// onGrid reports whether a question has a place on the grid.
func onGrid(q schemas.Question) bool {
	return q.Labels[schemas.LabelGranularity] != "" && q.Labels[schemas.LabelReasoning] != ""
}

// taskName is what the files of a task are called: its scenario's words, and the
// number with which its id ends.
func taskName(t schemas.Task) string {
	var words []string
	for _, w := range strings.FieldsFunc(strings.TrimPrefix(t.TaskID, t.Family+"/"), func(r rune) bool { return !strings.ContainsRune(alphanumeric, r) }) {
		words = append(words, strings.ToUpper(w[:1])+w[1:])
	}
	return strings.Join(words, "_")
}

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
