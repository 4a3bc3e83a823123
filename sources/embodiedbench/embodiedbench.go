// Package embodiedbench is the source "embodiedbench": runs of models in EmbodiedBench's
// households and on its routes. Each plan of a model is a sub-goal and opens a session;
// it ends where the model looks again, as it must after an action that failed. Of the
// models that tried an episode one run is given: one that succeeded, before others.
package embodiedbench

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	trajectory.Layout{
		Family: "embodiedbench", Version: "1", Doc: "EmbodiedBench: models' runs in households and on routes", From: fetch.Hub, Repo: "EmbodiedBench/EB-Alfred_trajectory_dataset",
		Runs: []string{"**/*_multi_step.json"}, Pictures: []string{"**/images.zip"}, Parse: Parse,
	}.Register(r)
}

// Parse reads the runs of a file; one that cannot be read is lost alone.
func Parse(f *trajectory.File) (out []*trajectory.Run, err error) {
	list, err := annotation.ParseList(f.Text)
	if err != nil {
		return nil, err
	}
	for i, raw := range list {
		r, err := parseEpisode(raw)
		if err != nil {
			f.Reject(fmt.Sprintf("#%d", i), trajectory.CodeRun, "%v", err)
			continue
		}
		out = append(out, r)
	}
	return out, nil
}

func parseEpisode(raw json.RawMessage) (*trajectory.Run, error) {
	o, err := annotation.ParseObject(raw)
	if err != nil {
		return nil, err
	}
	r := &trajectory.Run{Domain: "embodied"}
	var id string
	if err := o.Fill(annotation.Field{Key: "model_name", Into: &r.Agent}, annotation.Field{Key: "eval_set", Into: &r.Scenario}, annotation.Field{Key: "episode_id", Into: &id}, annotation.Field{Key: "instruction", Into: &r.Goal}); err != nil {
		return nil, err
	}
	if r.Name, err = trajectory.RunName(r.Scenario, id, r.Agent); err != nil {
		return nil, err
	}
	r.Episode = r.Scenario + "/" + id
	r.Facts = []string{"split: " + r.Scenario, "episode: " + id}
	success, given := r.Flag("success", o, "success")
	if success {
		r.Rank = 1
	}
	r.Outcome = trajectory.OutcomeOf(success, given)
	left := trajectory.UnusedFields{}
	left.Count("", o, "model_name", "eval_set", "episode_id", "instruction", "success", "trajectory")
	plans, err := o.Objects("trajectory")
	if err != nil {
		return nil, err
	}
	for i, p := range plans {
		if err := addPlan(r, i, p, left); err != nil {
			r.Reject(fmt.Sprintf("trajectory[%d]", i), trajectory.CodeStep, "%v", err)
		}
	}
	r.RejectFields(left)
	return r, nil
}

// addPlan adds the steps of one plan: what was seen and thought stands at the first.
func addPlan(r *trajectory.Run, n int, p annotation.Object, left trajectory.UnusedFields) error {
	left.Count("trajectory", p, "visual_description", "visual_state_description", "reasoning_and_reflection", "language_plan", "executable_plan", "input_image_path")
	seen, err := p.SpellingOf("visual_description", "visual_state_description")
	if err != nil {
		return err
	}
	var thought, words, before string
	if err := p.Fill(annotation.Field{Key: "reasoning_and_reflection", Into: &thought}, annotation.Field{Key: "language_plan", Into: &words}, annotation.Field{Key: "input_image_path", Into: &before}); err != nil {
		return err
	}
	steps, err := p.Objects("executable_plan")
	if err != nil {
		return err
	}
	first := trajectory.Step{Ref: fmt.Sprintf("trajectory[%d]", n), Opens: true, Event: "plan", Observation: seen, Reasoning: strings.TrimSpace(thought + "\n" + words)}
	if before != "" {
		first.Shots = []trajectory.Shot{{Name: before, Caption: fmt.Sprintf("What the agent sees before plan %d", n+1)}}
	}
	if len(steps) == 0 {
		r.Reject(first.Ref, trajectory.CodeNoAction, "the plan has no action")
		r.Steps = append(r.Steps, first)
	}
	for i, s := range steps {
		step := trajectory.Step{}
		if i == 0 {
			step = first
		}
		step.Ref = fmt.Sprintf("trajectory[%d].executable_plan[%d]", n, i)
		if err := addAction(r, &step, s, left); err != nil {
			r.Reject(step.Ref, trajectory.CodeStep, "%v", err)
			step.Shots = first.Shots[:min(len(first.Shots), 1-min(i, 1))]
		}
		r.Steps = append(r.Steps, step)
	}
	return nil
}

// addAction reads one action and what came of it. The picture is of the state behind it.
func addAction(r *trajectory.Run, step *trajectory.Step, o annotation.Object, left trajectory.UnusedFields) error {
	left.Count("trajectory.executable_plan", o, "step_id", "img_path", "action", "action_success", "env_feedback")
	var after, feedback, id string
	if err := o.Fill(annotation.Field{Key: "img_path", Into: &after}, annotation.Field{Key: "env_feedback", Into: &feedback}, annotation.Field{Key: "step_id", Into: &id}); err != nil {
		return err
	}
	step.Feedback = feedback
	if done, given := r.Flag(step.Ref+"/action_success", o, "action_success"); given && !done {
		step.Feedback = strings.TrimSpace("The action failed. " + feedback)
	}
	if after != "" {
		step.Shots = append(step.Shots, trajectory.Shot{Name: after, Caption: fmt.Sprintf("What the agent sees after step %s", id)})
	}
	words, err := o.Texts("action")
	if err != nil {
		return err
	}
	if step.Action = formatAction(words); step.Action == "" {
		r.Reject(step.Ref+"/action", trajectory.CodeNoAction, "the step names no action")
	}
	return nil
}

// formatAction puts [id, description] or the numbers of an arm into words.
func formatAction(words []string) string {
	if len(words) == 2 {
		return fmt.Sprintf("%s (action %s)", words[1], words[0])
	}
	return strings.Join(words, " ")
}
