// Package visualagentbench is the source "visualagentbench": logs of runs in the five
// environments of VisualAgentBench, as its own program writes them
// (<agent>/<task>/runs.jsonl). A session ends after an action that changes the state of
// things (a rule edited, a thing taken, put, opened or crafted, text typed), as moving
// and looking do not, and after an answer of the environment that says what failed.
package visualagentbench

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// Register adds the source to a registry. The logs lie where the user's runs left them:
// the repository, THUDM/VisualAgentBench (Apache-2.0), has tasks and no runs.
func Register(r *pipeline.Registry) {
	trajectory.Layout{
		Family: "visualagentbench", Version: "1", Doc: "VisualAgentBench: logs of agents' runs in five environments", License: "Apache-2.0", Runs: []string{"**/runs.jsonl"}, Parse: Parse,
	}.Register(r)
}

// Parse reads the runs of a log; a line that cannot be read is lost alone.
func Parse(f *trajectory.File) (out []*trajectory.Run, err error) {
	task, agent := path.Base(path.Dir(f.Path)), path.Base(path.Dir(path.Dir(f.Path)))
	for _, line := range annotation.Lines(f.Text) {
		r, err := parseRun(line.Text, task, agent)
		if err != nil {
			f.Reject(fmt.Sprintf(":%d", line.Number), trajectory.CodeRun, "%v", err)
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

func parseRun(text []byte, task, agent string) (*trajectory.Run, error) {
	o, err := annotation.ParseObject(text)
	if err != nil {
		return nil, err
	}
	r := &trajectory.Run{Domain: domain(task), Scenario: task, Agent: strings.Trim(agent, "./")}
	index, err := o.Text("index")
	if err != nil {
		return nil, err
	}
	if r.Name, err = trajectory.RunName(task, index, r.Agent); err != nil {
		return nil, err
	}
	r.Episode = task + "/" + index
	left := trajectory.UnusedFields{}
	left.Count("", o, "index", "error", "output", "time")
	output, err := o.Object("output")
	if err != nil {
		return nil, err
	}
	left.Count("output", output, "index", "status", "result", "history")
	if err := parseOutcome(r, o, output, left); err != nil {
		return nil, err
	}
	history, err := output.Objects("history")
	if err != nil {
		return nil, err
	}
	w := historyReader{run: r}
	for i, m := range history {
		if err := w.message(i, m); err != nil {
			r.Reject(fmt.Sprintf("history[%d]", i), trajectory.CodeStep, "%v", err)
		}
	}
	if err := setEndTime(r, o, left); err != nil {
		return nil, err
	}
	r.RejectFields(left)
	return r, nil
}

func domain(task string) string {
	lower := strings.ToLower(task)
	for _, name := range []string{"omnigibson", "minecraft"} {
		if strings.Contains(lower, name) {
			return "embodied"
		}
	}
	return "gui"
}

func parseOutcome(r *trajectory.Run, o, output annotation.Object, left trajectory.UnusedFields) error {
	var broke, status string
	if err := o.Fill(annotation.Field{Key: "error", Into: &broke}); err != nil {
		return err
	}
	if err := output.Fill(annotation.Field{Key: "status", Into: &status}); err != nil {
		return err
	}
	result, err := output.Object("result")
	if err != nil {
		return err
	}
	left.Count("output.result", result, "success")
	success, given := r.Flag("result", result, "success")
	if success {
		r.Rank = 1
	}
	said := []string{trajectory.OutcomeOf(success, given)}
	if status != "" {
		said = append(said, "The run ended as: "+status+".")
	}
	if broke != "" {
		said = append(said, "Error: "+broke)
	}
	r.Outcome = strings.TrimSpace(strings.Join(said, " "))
	return nil
}

func setEndTime(r *trajectory.Run, o annotation.Object, left trajectory.UnusedFields) error {
	when, err := o.Object("time")
	if err != nil {
		return err
	}
	left.Count("time", when, "timestamp", "str")
	ms, err := when.Number("timestamp")
	if err != nil {
		return err
	}
	if n := len(r.Steps); n > 0 {
		r.Steps[n-1].Time = trajectory.FormatMillis(ms)
	}
	if ms != 0 && trajectory.FormatMillis(ms) == "" {
		r.Reject("time", trajectory.CodeTime, "%v are no milliseconds since 1970", ms)
	}
	return nil
}

type historyReader struct {
	run   *trajectory.Run
	shots []trajectory.Shot
	open  bool
}

var (
	changes = regexp.MustCompile(`(?i)\b(edit_rule|revert_last_edit|craft|smelt|execute|equip|grasp|put_inside|put_on_top|put|place|open|close|toggle_on|toggle_off|cook|burn|heat|slice|fill|type|search|launch|goto|go_back|back|finish|exit)\s*\(`)
	failed  = regexp.MustCompile(`(?i)\b(error|failed|fail|invalid|cannot|can't|not (?:found|possible|allowed|valid))\b`)
)

func (w *historyReader) message(i int, m annotation.Object) error {
	role, err := m.Text("role")
	if err != nil {
		return err
	}
	ref := fmt.Sprintf("history[%d]", i)
	text, shots, err := parseContent(m, ref)
	if err != nil {
		return err
	}
	switch role {
	case "user", "system":
		w.readEnvironment(text)
		w.shots = append(w.shots, shots...)
	case "agent":
		w.readAgent(ref, text)
	default:
		return fmt.Errorf("the role %q is none of user, agent, system", annotation.Truncate(role))
	}
	return nil
}

// readEnvironment takes the goal before the first step, and feedback afterwards.
func (w *historyReader) readEnvironment(text string) {
	n := len(w.run.Steps)
	if n == 0 {
		w.run.Goal = strings.TrimSpace(w.run.Goal + "\n" + text)
		return
	}
	last := &w.run.Steps[n-1]
	last.Feedback = strings.TrimSpace(last.Feedback + "\n" + text)
	w.open = w.open || failed.MatchString(text)
}

func (w *historyReader) readAgent(ref, text string) {
	step := trajectory.Step{Ref: ref, Opens: w.open, Shots: w.shots}
	step.Observation, step.Reasoning, step.Action = trajectory.SplitSections(text)
	if step.Action == "" {
		w.run.Reject(ref+"/action", trajectory.CodeNoAction, "the agent says %q and does nothing", annotation.Truncate(text))
	}
	done := changes.FindStringSubmatch(step.Action)
	if w.open = done != nil; w.open {
		step.Event = strings.ToLower(done[1])
	}
	w.shots = nil
	w.run.Steps = append(w.run.Steps, step)
}

func parseContent(m annotation.Object, ref string) (text string, shots []trajectory.Shot, err error) {
	if raw := m["content"]; len(raw) == 0 || raw[0] != '[' {
		text, err = m.Text("content")
		return text, nil, err
	}
	parts, err := m.Objects("content")
	if err != nil {
		return "", nil, err
	}
	var said []string
	for _, p := range parts {
		t, err := p.Text("text")
		if err != nil {
			return "", nil, err
		}
		if t != "" {
			said = append(said, t)
		}
		link, err := p.Object("image_url")
		if err != nil {
			return "", nil, err
		}
		url, err := link.Text("url")
		if err != nil {
			return "", nil, err
		}
		if url != "" {
			shots = append(shots, picture(url, ref))
		}
	}
	return strings.Join(said, "\n"), shots, nil
}

// picture takes what stands behind a base64 prefix for bytes where it decodes to a
// picture, and for the path that upstream's framework writes there otherwise.
func picture(url, ref string) trajectory.Shot {
	shot := trajectory.Shot{Caption: "The screen at " + ref}
	head, tail, inline := strings.Cut(url, "base64,")
	if !inline || !strings.HasPrefix(head, "data:") {
		tail = strings.TrimPrefix(url, "file://")
	} else if data, err := base64.StdEncoding.DecodeString(tail); err == nil && isPicture(data) {
		shot.Data = data
		return shot
	}
	if len(tail) > maxPath {
		tail = tail[:maxPath]
	}
	shot.Name = strings.ReplaceAll(tail, `\`, "/")
	return shot
}

const maxPath = 512

func isPicture(data []byte) bool {
	return bytes.HasPrefix(data, []byte("\x89PNG")) || bytes.HasPrefix(data, []byte("\xff\xd8\xff")) || bytes.HasPrefix(data, []byte("RIFF"))
}
