// Package computeragentarena is the source "computer-agent-arena": runs on desktops, as
// Computer Agent Arena publishes them. A session ends after a step that types, saves or
// confirms by keys, for that changes the document; looking and pointing do not. Of two
// agents that were set the same instruction against each other one run is given: the one
// that people judged right, before the other.
package computeragentarena

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	trajectory.Layout{
		Family: "computer-agent-arena", Version: "1", Doc: "Computer Agent Arena: agents' runs on desktops", License: "CC-BY-4.0", From: fetch.Hub, Repo: "xlangai/computer-agent-arena", Held: 4641,
		Runs: []string{"**/agent_arena_data.jsonl"}, Pictures: []string{"**/images.tar.gz"}, Parse: Parse,
	}.Register(r)
}

// Parse reads the runs of a file; a line that cannot be read is lost alone.
func Parse(f *trajectory.File) (out []*trajectory.Run, err error) {
	for _, line := range annotation.Lines(f.Text) {
		r, err := parseRun(line.Text)
		if err != nil {
			f.Reject(fmt.Sprintf(":%d", line.Number), trajectory.CodeRun, "%v", err)
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

func parseRun(text []byte) (*trajectory.Run, error) {
	o, err := annotation.ParseObject(text)
	if err != nil {
		return nil, err
	}
	r := &trajectory.Run{Domain: "gui"}
	var id string
	if err := o.Fill(annotation.Field{Key: "task_id", Into: &id}, annotation.Field{Key: "instruction", Into: &r.Goal}, annotation.Field{Key: "model", Into: &r.Agent}); err != nil {
		return nil, err
	}
	if r.Name, err = trajectory.RunName(id); err != nil {
		return nil, err
	}
	r.Episode, r.Scenario = strings.Join(strings.Fields(r.Goal), " "), applicationKind(r.Goal)
	right, given := r.Flag("human_eval_correctness", o, "human_eval_correctness")
	if right {
		r.Rank = 1
	}
	r.Outcome = trajectory.OutcomeOf(right, given)
	left := trajectory.UnusedFields{}
	left.Count("", o, "task_id", "instruction", "model", "human_eval_correctness", "traj")
	if err := addSteps(r, o, left); err != nil {
		return nil, err
	}
	r.RejectFields(left)
	return r, nil
}

// addSteps adds the steps of a run, and cuts behind those that change the document.
func addSteps(r *trajectory.Run, o annotation.Object, left trajectory.UnusedFields) error {
	list, err := o.Objects("traj")
	if err != nil {
		return err
	}
	changed := false
	for i, s := range list {
		step, err := parseStep(r, i, s, left)
		if err != nil {
			r.Reject(fmt.Sprintf("traj[%d]", i), trajectory.CodeStep, "%v", err)
			continue
		}
		step.Opens = changed
		if changed = changes.MatchString(step.Action); changed {
			step.Event = "edit"
		}
		r.Steps = append(r.Steps, step)
	}
	return nil
}

var changes = regexp.MustCompile(`(?i)\b(write|typewrite|hotkey|press|key|type|key_down)\s*\(|"(?:type|key)"|^\s*(?:type|key)\b`)

// Keys of a step behind the picture: the card names none, so the usual ones are tried.
var (
	seenKeys    = [...]string{"observation", "description"}
	thoughtKeys = [...]string{"thought", "reasoning", "content", "response", "text"}
	actionKeys  = [...]string{"action", "code", "actions", "command"}
	answerKeys  = [...]string{"feedback", "result", "error"}
)

func parseStep(r *trajectory.Run, i int, o annotation.Object, left trajectory.UnusedFields) (trajectory.Step, error) {
	step := trajectory.Step{Ref: fmt.Sprintf("traj[%d]", i)}
	n, err := o.Number("index")
	if err != nil {
		return step, err
	}
	if int(n) != i+1 {
		r.Reject(step.Ref, trajectory.CodeNumber, "index %v stands at place %d; the order of the list counts", n, i+1)
	}
	kept := []string{"index", "image", "timestamp"}
	for _, part := range []struct {
		keys []string
		into *string
	}{{seenKeys[:], &step.Observation}, {thoughtKeys[:], &step.Reasoning}, {actionKeys[:], &step.Action}, {answerKeys[:], &step.Feedback}} {
		if *part.into, err = joinTexts(o, part.keys); err != nil {
			return step, err
		}
		kept = append(kept, part.keys...)
	}
	left.Count("traj", o, kept...)
	var image string
	if err := o.Fill(annotation.Field{Key: "image", Into: &image}, annotation.Field{Key: "timestamp", Into: &step.Time}); err != nil {
		return step, err
	}
	if image != "" {
		step.Shots = []trajectory.Shot{{Name: image, Caption: fmt.Sprintf("The desktop at step %d", i+1)}}
	}
	if step.Action == "" {
		r.Reject(step.Ref+"/action", trajectory.CodeNoAction, "the step names no action under %s", strings.Join(actionKeys[:], ", "))
	}
	return step, nil
}

func joinTexts(o annotation.Object, keys []string) (string, error) {
	var out []string
	for _, key := range keys {
		texts, err := o.Texts(key)
		if err != nil {
			return "", err
		}
		out = append(out, texts...)
	}
	return strings.Join(out, "\n"), nil
}

// applicationKind returns the kind of application that an instruction is about, by its words: upstream
// names none.
func applicationKind(instruction string) string {
	lower := strings.ToLower(instruction)
	for _, k := range []struct {
		name  string
		words []string
	}{
		{"excel", []string{"excel", "spreadsheet", "cell", "column", "row", "calc", ".xlsx", ".csv"}},
		{"image_edit", []string{"gimp", "image", "photo", "picture", "layer"}},
		{"word_docs", []string{"word", "document", "docx", "paragraph", "writer", "slide"}},
		{"file_mgmt", []string{"file", "folder", "directory", "rename", "zip"}},
	} {
		for _, w := range k.words {
			if strings.Contains(lower, w) {
				return k.name
			}
		}
	}
	return "web"
}
