// Package webvoyager is the source "webvoyager": runs of an agent that browses the web,
// as WebVoyager publishes them: a list of messages and a screenshot for each turn of the
// user. A session ends after an action that brings another page by itself (text typed,
// which is submitted; going back; a new search) and after one of which the browser says
// that it failed.
package webvoyager

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	trajectory.Layout{
		Family: "webvoyager", Version: "1", Doc: "WebVoyager: an agent's runs on web sites, with a screenshot a step", License: "Apache-2.0",
		From: fetch.GitHub, Repo: "MinorJerry/WebVoyager", Held: 15, Runs: []string{"**/interact_messages.json"}, Pictures: []string{"**/screenshot*.png"}, Parse: Parse,
	}.Register(r)
}

// message is one of the list, its text parts joined.
type message struct {
	role, text string
	shown      bool
}

// Parse reads the run of a file of messages.
func Parse(f *trajectory.File) ([]*trajectory.Run, error) {
	list, err := parseMessages(f.Text)
	if err != nil {
		return nil, err
	}
	folder := path.Base(path.Dir(f.Path))
	id := strings.TrimPrefix(folder, "task")
	site, _, _ := strings.Cut(id, "--")
	r := &trajectory.Run{Domain: "web", Scenario: site}
	if r.Name, err = trajectory.RunName(id); err != nil {
		return nil, fmt.Errorf("the folder: %w", err)
	}
	w := messageReader{run: r, folder: folder, pictures: f.Pictures}
	for i, m := range list {
		w.message(i, m)
	}
	w.rejectStrays()
	if w.system > 0 {
		r.RejectFields(trajectory.UnusedFields{"system": w.system})
	}
	return []*trajectory.Run{r}, nil
}

func parseMessages(text []byte) (out []message, err error) {
	list, err := annotation.ParseList(text)
	if err != nil {
		return nil, err
	}
	for i, raw := range list {
		o, err := annotation.ParseObject(raw)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		m := message{}
		if m.role, err = o.Text("role"); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		if m.text, m.shown, err = parseContent(o); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		out = append(out, m)
	}
	return out, nil
}

// parseContent returns a text, or a list of parts of which upstream keeps pictures as a
// placeholder only.
func parseContent(o annotation.Object) (text string, shown bool, err error) {
	if raw := o["content"]; len(raw) == 0 || raw[0] != '[' {
		text, err = o.Text("content")
		return text, false, err
	}
	parts, err := o.Objects("content")
	if err != nil {
		return "", false, err
	}
	var said []string
	for _, p := range parts {
		kind, err := p.Text("type")
		if err != nil {
			return "", false, err
		}
		if kind != "text" {
			shown = true
			continue
		}
		t, err := p.Text("text")
		if err != nil {
			return "", false, err
		}
		said = append(said, t)
	}
	return strings.Join(said, "\n"), shown, nil
}

type messageReader struct {
	run      *trajectory.Run
	folder   string
	pictures []string
	// turn is the number of the user's turn, from 1, and of its screenshot.
	turn, system int
	next         trajectory.Step
	// marks are the numbers that the observation lists; nil where it lists none.
	marks map[string]bool
	open  bool
}

var (
	taskForm = regexp.MustCompile(`(?s)^Now given a task:\s*(.*?)\s*Please interact with\s+(\S+)\s+and get the answer\.`)
	// accountForm is what upstream puts around the list of marks, in front of which it says what went wrong.
	accountForm = regexp.MustCompile(`(?s)^\s*Observation:\s*(.*?)\s*please analyze the attached screenshot.*?textual information\.\s*`)
	omitted     = "(Omitted in context.)"
	mark        = regexp.MustCompile(`\[(\d+)\]:`)
	target      = regexp.MustCompile(`^\s*(?:Click|Type|Scroll)\s*\[?(\d+)\]?`)
	turning     = regexp.MustCompile(`^\s*(?:Type|GoBack|Google)\b`)
)

func (w *messageReader) message(i int, m message) {
	switch m.role {
	case "system":
		w.system++
	case "user":
		w.readUser(m)
	case "assistant":
		w.readAssistant(m)
	default:
		w.run.Reject(fmt.Sprintf("message[%d]", i), trajectory.CodeStep, "the role %q is none of system, user, assistant", annotation.Truncate(m.role))
	}
}

func (w *messageReader) readUser(m message) {
	w.turn++
	text := m.text
	if found := taskForm.FindStringSubmatch(text); w.turn == 1 && found != nil {
		w.run.Goal, text = found[1], text[len(found[0]):]
		w.run.Facts = []string{"The run begins at " + found[2]}
	} else if w.turn == 1 {
		w.run.Goal = strings.TrimSpace(text)
	}
	w.next.Ref, w.marks = fmt.Sprintf("turn[%d]", w.turn), nil
	switch found := accountForm.FindStringSubmatch(text); {
	case found != nil:
		w.feedback(found[1])
		w.next.Observation = strings.TrimSpace(text[len(found[0]):])
		w.marks = map[string]bool{}
		for _, n := range mark.FindAllStringSubmatch(w.next.Observation, -1) {
			w.marks[n[1]] = true
		}
	case strings.Contains(text, omitted):
		w.run.Reject(w.next.Ref+"/observation", trajectory.CodeOmitted, "upstream left the list of marks out; the screenshot stays")
	case w.turn > 1:
		w.feedback(strings.TrimSpace(text))
		if !m.shown {
			return // what failed leaves no screenshot
		}
	}
	w.screenshot()
}

// feedback belongs to the step before, and ends its session.
func (w *messageReader) feedback(text string) {
	if n := len(w.run.Steps); n > 0 && text != "" {
		w.run.Steps[n-1].Feedback = text
		w.open = true
	}
}

func (w *messageReader) readAssistant(m message) {
	step := w.next
	w.next = trajectory.Step{}
	if step.Ref == "" {
		step.Ref = fmt.Sprintf("turn[%d]+", w.turn)
	}
	said, reasoning, action := trajectory.SplitSections(m.text)
	step.Reasoning, step.Action = reasoning, action
	if said != "" {
		step.Observation = strings.TrimSpace(step.Observation + "\n" + said)
	}
	if action == "" {
		w.run.Reject(step.Ref+"/action", trajectory.CodeNoAction, "the assistant says %q and does nothing", annotation.Truncate(m.text))
	}
	if t := target.FindStringSubmatch(action); t != nil && w.marks != nil && !w.marks[t[1]] {
		w.run.Reject(step.Ref+"/action", trajectory.CodeMark, "the action names mark %s, which the screen does not list", t[1])
	}
	step.Opens, step.Event = w.open, strings.ToLower(strings.Trim(firstWord(action), "[];"))
	w.open = turning.MatchString(action)
	w.run.Steps = append(w.run.Steps, step)
}

func firstWord(action string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(action), " ")
	return word
}

func (w *messageReader) screenshot() {
	name, caption := fmt.Sprintf("screenshot%d.png", w.turn), fmt.Sprintf("The screen at step %d on %s", w.turn, w.run.Scenario)
	bare := fmt.Sprintf("screenshot%d_no_box.png", w.turn)
	if !slices.Contains(w.pictures, name) && slices.Contains(w.pictures, bare) {
		w.run.Reject(w.next.Ref+"/picture", trajectory.CodeBox, "only %s is there: the marks that actions name are not drawn in it", bare)
		name, caption = bare, caption+", without marks"
	}
	w.next.Shots = []trajectory.Shot{{Name: w.folder + "/" + name, Caption: caption}}
}

var numbered = regexp.MustCompile(`^screenshot(\d+)(_no_box)?\.png$`)

// rejectStrays rejects screenshots that no turn has. One with the number 0 says that all
// were renumbered: none is shown then, for each would stand at a wrong step.
func (w *messageReader) rejectStrays() {
	bare := 0
	for _, name := range w.pictures {
		m := numbered.FindStringSubmatch(name)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		switch {
		case err == nil && n == 0:
			w.run.Reject("pictures", trajectory.CodeNumber, "%s: screenshots count from 1; none of the run is taken", name)
			for i := range w.run.Steps {
				w.run.Steps[i].Shots = nil
			}
			return
		case err != nil || n > w.turn:
			w.run.Reject("picture:"+name, trajectory.CodeNumber, "the run has %d turns, so none has this screenshot", w.turn)
		case m[2] != "" && slices.Contains(w.pictures, "screenshot"+m[1]+".png"):
			bare++
		}
	}
	if bare > 0 {
		w.run.RejectFields(trajectory.UnusedFields{"screenshot_no_box": bare})
	}
}
