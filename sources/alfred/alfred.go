// Package alfred is the source "alfred": expert runs in ALFRED's households, as
// EmbodiedBench ships them. The steps are the low actions; a session is one sub-goal of
// the plan (high_idx), and begins with the instruction that a person wrote for it. The
// pictures that the files name are not published.
package alfred

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/trajectory"
)

// Register adds the source to a registry.
func Register(r *pipeline.Registry) {
	trajectory.Layout{
		Family: "alfred", Version: "1", Doc: "ALFRED: expert runs in households, by sub-goals", License: "MIT", From: fetch.GitHub, Repo: "EmbodiedBench/EmbodiedBench", Held: 1267,
		Runs: []string{"**/ann_*.json", "**/*__trial_*.json"}, Parse: Parse,
	}.Register(r)
}

// goal is a sub-goal of the plan.
type goal struct {
	action string
	says   string
}

// Parse reads the run of a file.
func Parse(f *trajectory.File) ([]*trajectory.Run, error) {
	o, err := annotation.ParseObject(f.Text)
	if err != nil {
		return nil, err
	}
	var id, kind, split, repeat, root string
	if err := o.Fill(annotation.Field{Key: "task_id", Into: &id}, annotation.Field{Key: "task_type", Into: &kind}, annotation.Field{Key: "split", Into: &split}, annotation.Field{Key: "repeat_idx", Into: &repeat}, annotation.Field{Key: "root", Into: &root}); err != nil {
		return nil, err
	}
	r := &trajectory.Run{Domain: "embodied", Scenario: kind}
	if r.Name, err = trajectory.RunName(id, "ann"+repeat); err != nil {
		return nil, err
	}
	left := trajectory.UnusedFields{}
	left.Count("", o, "task_id", "task_type", "split", "repeat_idx", "pddl_params", "plan", "scene", "turk_annotations")
	said, err := readAnnotations(r, o, left)
	if err != nil {
		return nil, err
	}
	if err := addFacts(r, o, split, left); err != nil {
		return nil, err
	}
	if err := readPlan(r, o, said, left); err != nil {
		return nil, err
	}
	r.RejectFields(left)
	return []*trajectory.Run{r}, nil
}

// readAnnotations reads what the annotator of this file wrote, and sets the goal. The others'
// words stand in files of their own.
func readAnnotations(r *trajectory.Run, o annotation.Object, left trajectory.UnusedFields) ([]string, error) {
	turk, err := o.Object("turk_annotations")
	if err != nil {
		return nil, err
	}
	anns, err := turk.Objects("anns")
	if err != nil {
		return nil, err
	}
	at, err := o.Number("repeat_idx")
	if err != nil {
		return nil, err
	}
	if at < 0 || int(at) >= len(anns) {
		return nil, fmt.Errorf("repeat_idx %v: there are %d annotations", at, len(anns))
	}
	if len(anns) > 1 {
		left["turk_annotations.anns (of others)"] = len(anns) - 1
	}
	one := anns[int(at)]
	left.Count("turk_annotations.anns", one, "task_desc", "high_descs")
	if r.Goal, err = one.Text("task_desc"); err != nil {
		return nil, err
	}
	return one.Texts("high_descs")
}

func addFacts(r *trajectory.Run, o annotation.Object, split string, left trajectory.UnusedFields) error {
	scene, err := o.Object("scene")
	if err != nil {
		return err
	}
	left.Count("scene", scene, "floor_plan", "object_poses", "object_toggles")
	plan, err := scene.Text("floor_plan")
	if err != nil {
		return err
	}
	r.Facts = append(r.Facts, "scene: "+plan, "kind of task: "+r.Scenario)
	if split != "" {
		r.Facts = append(r.Facts, "split: "+split)
	}
	if err := addObjects(r, scene, left); err != nil {
		return err
	}
	toggles, err := scene.Objects("object_toggles")
	if err != nil {
		return err
	}
	for _, t := range toggles {
		name, err := t.Text("objectType")
		if err != nil {
			return err
		}
		if on, given := r.Flag("object_toggles", t, "isOn"); given {
			r.Facts = append(r.Facts, fmt.Sprintf("switched on: %s: %t", name, on))
		}
		left.Count("scene.object_toggles", t, "objectType", "isOn")
	}
	return addParameters(r, o)
}

// addObjects states which things there are; where each lies is left out.
func addObjects(r *trajectory.Run, scene annotation.Object, left trajectory.UnusedFields) error {
	poses, err := scene.Objects("object_poses")
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, p := range poses {
		name, err := p.Text("objectName")
		if err != nil {
			return err
		}
		left.Count("scene.object_poses", p, "objectName")
		name, _, _ = strings.Cut(name, "_")
		counts[name]++
	}
	r.Facts = append(r.Facts, "objects: "+formatCounts(counts))
	return nil
}

func addParameters(r *trajectory.Run, o annotation.Object) error {
	p, err := o.Object("pddl_params")
	if err != nil {
		return err
	}
	for _, key := range []string{"object_target", "parent_target", "mrecep_target", "toggle_target"} {
		v, err := p.Text(key)
		if err != nil {
			return err
		}
		if v != "" {
			r.Facts = append(r.Facts, strings.ReplaceAll(key, "_", " ")+": "+v)
		}
	}
	if sliced, given := r.Flag("pddl_params", p, "object_sliced"); given {
		r.Facts = append(r.Facts, fmt.Sprintf("object sliced: %t", sliced))
	}
	return nil
}

func formatCounts(counts map[string]int) string {
	var out []string
	for name, n := range counts {
		out = append(out, fmt.Sprintf("%d %s", n, name))
	}
	slices.SortFunc(out, func(a, b string) int {
		_, x, _ := strings.Cut(a, " ")
		_, y, _ := strings.Cut(b, " ")
		return strings.Compare(x, y)
	})
	return strings.Join(out, ", ")
}

func readPlan(r *trajectory.Run, o annotation.Object, said []string, left trajectory.UnusedFields) error {
	p, err := o.Object("plan")
	if err != nil {
		return err
	}
	goals, err := subgoals(p, said, left)
	if err != nil {
		return err
	}
	low, err := p.Objects("low_actions")
	if err != nil {
		return err
	}
	last, reached := -1, map[int]bool{}
	for i, a := range low {
		step, at, err := parseAction(a, left)
		step.Ref = fmt.Sprintf("low_actions[%d]", i)
		switch g, known := goals[at]; {
		case err != nil || !known:
			r.Reject(step.Ref, trajectory.CodeStep, "high_idx %d is no sub-goal of the plan, or: %v", at, err)
			continue
		case at < last:
			r.Reject(step.Ref, trajectory.CodeNumber, "high_idx %d comes after %d: the step is left out", at, last)
			continue
		case at != last:
			step.Opens, step.Event, step.Says = true, g.action, g.says
			if g.says == "" {
				r.Reject(fmt.Sprintf("high_pddl[%d]", at), trajectory.CodeStep, "nobody wrote an instruction for this sub-goal")
			}
		}
		last, reached[at] = at, true
		r.Steps = append(r.Steps, step)
	}
	for _, at := range slices.Sorted(maps.Keys(goals)) {
		if g := goals[at]; !reached[at] && g.action != "NoOp" {
			r.Reject(fmt.Sprintf("high_pddl[%d]", at), trajectory.CodeStep, "the sub-goal %s has no steps", g.action)
		}
	}
	return nil
}

func subgoals(p annotation.Object, said []string, left trajectory.UnusedFields) (map[int]goal, error) {
	list, err := p.Objects("high_pddl")
	if err != nil {
		return nil, err
	}
	out := map[int]goal{}
	for i, h := range list {
		at, err := h.Number("high_idx")
		if err != nil {
			return nil, fmt.Errorf("high_pddl %d: %w", i, err)
		}
		left.Count("plan.high_pddl", h, "high_idx", "discrete_action")
		d, err := h.Object("discrete_action")
		if err != nil {
			return nil, fmt.Errorf("high_pddl %d: %w", i, err)
		}
		g := goal{}
		if g.action, err = d.Text("action"); err != nil {
			return nil, fmt.Errorf("high_pddl %d: %w", i, err)
		}
		if n := int(at); n >= 0 && n < len(said) {
			g.says = said[n]
		}
		out[int(at)] = g
	}
	return out, nil
}

// parseAction reads one action and the sub-goal that it serves.
func parseAction(a annotation.Object, left trajectory.UnusedFields) (trajectory.Step, int, error) {
	at, err := a.Number("high_idx")
	if err != nil {
		return trajectory.Step{}, -1, err
	}
	left.Count("plan.low_actions", a, "high_idx", "api_action")
	api, err := a.Object("api_action")
	if err != nil {
		return trajectory.Step{}, int(at), err
	}
	left.Count("plan.low_actions.api_action", api, "action", "objectId", "receptacleObjectId")
	var action, object, into string
	if err := api.Fill(annotation.Field{Key: "action", Into: &action}, annotation.Field{Key: "objectId", Into: &object}, annotation.Field{Key: "receptacleObjectId", Into: &into}); err != nil {
		return trajectory.Step{}, int(at), err
	}
	if action == "" {
		return trajectory.Step{}, int(at), fmt.Errorf("api_action names no action")
	}
	return trajectory.Step{Action: strings.Join(slices.DeleteFunc([]string{action, object, into}, func(s string) bool { return s == "" }), " ")}, int(at), nil
}
