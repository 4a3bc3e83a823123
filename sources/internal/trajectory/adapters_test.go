package trajectory_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/alfred"
	"github.com/memforge/memforge/sources/computeragentarena"
	"github.com/memforge/memforge/sources/embodiedbench"
	"github.com/memforge/memforge/sources/internal/annotation"
	"github.com/memforge/memforge/sources/internal/trajectory"
	"github.com/memforge/memforge/sources/visualagentbench"
	"github.com/memforge/memforge/sources/webvoyager"
)

type object = map[string]any

// folder makes the subject of a source that reads a folder of files.
func folder(use string, register func(*pipeline.Registry), files map[string][]byte) testkit.Subject {
	cfg := trajectory.Config{Path: "runs", License: "CC0-1.0"}
	cfg.SetDefaults()
	s := testkit.Subject{Register: register, Use: use, Config: &cfg}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		need := 0
		if strings.HasSuffix(name, ".png") || strings.HasSuffix(name, ".zip") {
			need = 1
		}
		s.Assets = append(s.Assets, pipeline.Asset{Need: need, Path: name, Blob: pipeline.DigestOf(files[name]), Size: int64(len(files[name]))})
		s.Blobs = append(s.Blobs, files[name])
	}
	return s
}

// text is a value as JSON.
func text(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func lines(t *testing.T, all ...any) (out []byte) {
	for _, v := range all {
		out = append(append(out, text(t, v)...), '\n')
	}
	return out
}

func user(words string) object { return object{"role": "user", "content": words} }
func said(words string) object { return object{"role": "assistant", "content": words} }

const seen = "Observation:%s please analyze the attached screenshot and give the Thought and Action. I've provided the tag name. Please refer to the textual information.\n[1]: \"Search\";\t[2]: \"Go\";"

func browsing(t *testing.T) testkit.Subject {
	run := []any{
		object{"role": "system", "content": "You are a robot."},
		user("Now given a task: Find the opening hours.  Please interact with https://museum.example/ and get the answer. Observation: A screenshot and some texts. (Omitted in context.)"),
		said("Thought: I search.\n\nAction: Type [2]; hours"),
		user(fmt.Sprintf(seen, "")), said("Thought: I open it.\n\nAction: Click [9]"),
		user("The action you have chosen cannot be executed."), said("Thought: I look about."),
		object{"role": "user", "content": []any{object{"type": "text", "text": fmt.Sprintf(seen, " A file was downloaded.")}, object{"type": "image_url", "url": "data:image/png;base64,{b64_img}"}}},
		said("Thought: Found.\n\nAction: ANSWER; Nine to five."),
	}
	return folder("webvoyager", webvoyager.Register, map[string][]byte{
		"taskMuseum--3/interact_messages.json": text(t, run),
		"taskMuseum--3/screenshot1.png":        testkit.PNG(t, 1), "taskMuseum--3/screenshot1_no_box.png": testkit.PNG(t, 2),
		"taskMuseum--3/screenshot2_no_box.png": testkit.PNG(t, 3), "taskMuseum--3/screenshot10.png": testkit.PNG(t, 4),
		"taskZero--1/interact_messages.json": text(t, run[:3]), "taskZero--1/screenshot0.png": testkit.PNG(t, 1), "taskZero--1/screenshot1.png": testkit.PNG(t, 5),
		"taskBroken--1/interact_messages.json": []byte(`[{"role": `),
		"taskEmpty--1/interact_messages.json":  text(t, run[:1]),
	})
}

func household(t *testing.T) testkit.Subject {
	low := func(goal any, action string) object {
		return object{"high_idx": goal, "api_action": object{"action": action, "objectId": "Mug|1", "forceAction": true}, "discrete_action": object{"action": action}}
	}
	sub := func(goal int, action string) object {
		return object{"high_idx": goal, "discrete_action": object{"action": action, "args": []any{"mug"}}, "planner_action": object{}}
	}
	run := object{
		"task_id": "trial_T1", "task_type": "pick_and_place_simple", "repeat_idx": 0, "split": "train", "root": "r", "num": object{}, "images": []any{},
		"pddl_params": object{"object_target": "Mug", "object_sliced": 0.0, "parent_target": "Desk"},
		"scene":       object{"floor_plan": "FloorPlan1", "object_poses": []any{object{"objectName": "Mug_a1"}, object{"objectName": "Mug_b2"}}, "object_toggles": []any{object{"objectType": "Lamp", "isOn": 0.5}}},
		"plan": object{
			"high_pddl":   []any{sub(0, "GotoLocation"), sub(1, "PickupObject"), sub(2, "PutObject"), sub(3, "NoOp")},
			"low_actions": []any{low(0, "MoveAhead"), low(0, "RotateLeft"), low(1, "PickupObject"), low(0, "MoveAhead"), low(7, "MoveAhead")},
		},
		"turk_annotations": object{"anns": []any{object{"task_desc": "Put the mug on the desk.", "high_descs": []any{"Walk to the shelf."}, "votes": []any{1}}, object{"task_desc": "Other"}}},
	}
	return folder("alfred", alfred.Register, map[string][]byte{
		"a/trial_T1/pp/ann_0.json": text(t, run), "b/trial_T1/pp/ann_0.json": text(t, run), "c/pp/ann_1.json": text(t, object{"task_id": "trial_T2", "repeat_idx": 4}), "d/ann_0.json": []byte("[]"),
	})
}

func kitchen(t *testing.T) testkit.Subject {
	run := func(model string, success any) object {
		act := func(n int, done any) object {
			return object{"step_id": n, "img_path": fmt.Sprintf("images/%s/base/3_%d.png", model, n), "action": []any{4, "find a Mug"}, "action_success": done, "env_feedback": "Said."}
		}
		return object{
			"model_name": model, "eval_set": "base", "episode_id": 3, "instruction": "Bring a mug.", "input": "prompt", "success": success,
			"trajectory": []any{
				object{"visual_description": "A shelf.", "reasoning_and_reflection": "It is there.", "language_plan": "1. find", "input_image_path": "images/" + model + "/base/3_0.png", "executable_plan": []any{act(1, 1.0), act(2, 0.0)}},
				object{"reasoning_and_reflection": "Nothing left.", "executable_plan": []any{}}, object{"executable_plan": []any{object{"action": []any{0.1, 2, 3}, "action_success": 0.5}}},
			},
		}
	}
	return folder("embodiedbench", embodiedbench.Register, map[string][]byte{
		"eb-alfred_dataset_multi_step.json": text(t, []any{run("alpha", 0.0), run("beta", 1.0), run("beta", 1.0), "no run"}),
		"images.zip": testkit.Zip(t, map[string][]byte{
			"images/beta/base/3_0.png": testkit.PNG(t, 1), "images/beta/base/3_1.png": testkit.PNG(t, 2), "__MACOSX/images/beta/base/._3_2.png": []byte("junk"), "images/beta/base/3_2.png": []byte("no picture"),
		}),
	})
}

func sheets(t *testing.T) testkit.Subject {
	part := func(url string) object {
		return object{"type": "image_url", "image_url": object{"url": url}}
	}
	inline := "data:image/png;base64," + base64.StdEncoding.EncodeToString(testkit.PNG(t, 2))
	run := func(index int, ms float64) object {
		return object{"index": index, "error": nil, "info": nil, "time": object{"timestamp": ms, "str": "then"}, "output": object{
			"index": index, "status": "completed", "result": object{"success": true, "score": 1}, "history": []any{
				object{"role": "user", "content": []any{object{"type": "text", "text": "Mend the page."}, part("data:image/png;base64,outputs/x/4_0.png")}},
				object{"role": "agent", "content": "Thought: A rule is off.\n Action: edit_rule(\".a\", \"color\", \"red\")"},
				object{"role": "user", "content": []any{object{"type": "text", "text": "Edited."}, part(inline)}},
				object{"role": "agent", "content": "Fine."}, object{"role": "assistant", "content": "?"},
			}}}
	}
	return folder("visualagentbench", visualagentbench.Register, map[string][]byte{
		"outputs/gpt/css-std/runs.jsonl": append(lines(t, run(4, 1720000000000), run(5, -1)), []byte("{broken\n")...), "outputs/x/4_0.png": testkit.PNG(t, 1),
	})
}

func desktop(t *testing.T) testkit.Subject {
	step := func(n int, at string, action string) object {
		return object{"index": n, "image": fmt.Sprintf("images/ab12_step_%d.png", n), "thought": "So.", "action": action, "timestamp": at, "value": object{}}
	}
	run := func(id, model string, right any, steps ...any) object {
		return object{"task_id": id, "instruction": "Bold row 1", "human_eval_correctness": right, "model": model, "traj": steps}
	}
	return folder("computer-agent-arena", computeragentarena.Register, map[string][]byte{
		"agent_arena_data.jsonl": lines(t, run("zz9", "A (m)", 0, step(1, "", "x")), run("ab12", "B (m)", 1,
			step(1, "2025-01-01T10:00:00Z", "pyautogui.click(1, 2)"), step(2, "2025-01-01T09:00:00Z", "pyautogui.hotkey('ctrl', 'b')"), step(4, "soon", "DONE"), step(4, "", "")), 7),
		"images/ab12_step_1.png": testkit.PNG(t, 1), "images/ab12_step_2.png": testkit.PNG(t, 2),
	})
}

// adapters are the five sources with an example each.
func adapters(t *testing.T) []testkit.Subject {
	return []testkit.Subject{browsing(t), household(t), kitchen(t), sheets(t), desktop(t)}
}

// goldens are the digests of what the examples give, by source.
func goldens() map[string]string {
	return map[string]string{
		"webvoyager":           "1 b00a2c37334fffcea2f85334ebc00281190a69e8d7aa4251d63ded0a3bf98a48",
		"alfred":               "1 af47f90319f61adb89dcd2db2bf2b42ddbf7aa34bc5dd55acb9925a2e172cca0",
		"visualagentbench":     "1 10a5f461e382e6b083c210454c4e735ccab7e1f9f88502087e14ecc70212e720",
		"computer-agent-arena": "1 c6135abdd177d891d0bcf509de158432634428ff62358ca5c44f852fe7e83150",
	}
}

func TestConformance(t *testing.T) {
	for _, s := range adapters(t) {
		t.Run(s.Use, func(t *testing.T) {
			if s.Golden = goldens()[s.Use]; s.Golden == "" {
				s.Unpinned = "the archive's bytes are those of Go's compressor"
			}
			testkit.ConformSource(t, s)
		})
	}
}

// brief is a session in a line: its turns, by what they have.
func brief(s schemas.Session) string {
	var out []string
	for _, t := range s.Turns {
		what := t.Role[:1]
		for _, p := range []struct{ mark, text string }{{"t", t.Text}, {"o", t.Observation}, {"r", t.Reasoning}, {"a", t.Action}, {"f", t.Feedback}, {"@", t.Timestamp}} {
			if p.text != "" {
				what += p.mark
			}
		}
		out = append(out, what+strings.Repeat("#", len(t.Attachments)))
	}
	return s.SessionID + " " + strings.Join(out, " ")
}

// TestAdapters holds how each example is cut into sessions, and every loss by its code.
func TestAdapters(t *testing.T) {
	var got bytes.Buffer
	for _, s := range adapters(t) {
		records, lost, err := s.Read(t)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range testkit.DecodeAll[schemas.Task](t, schemas.NameTask, records) {
			fmt.Fprintf(&got, "%s: %s, %s: %s\n", task.TaskID, task.Domain, task.Scenario, task.Summary)
		}
		for _, one := range testkit.DecodeAll[schemas.Session](t, schemas.NameSession, records) {
			fmt.Fprintln(&got, brief(one))
		}
		fmt.Fprintf(&got, "lost:\n%s\n\n", testkit.Codes(lost))
	}
	golden.Check(t, "adapters", got.String())
}

// TestFetched reads a run from a hub, its pictures from an archive there, or from the
// user's folder.
func TestFetched(t *testing.T) {
	example := kitchen(t)
	files := map[string][]byte{}
	for i, a := range example.Assets {
		files[a.Path] = example.Blobs[i]
	}
	runs := map[string][]byte{"eb-alfred_dataset_multi_step.json": files["eb-alfred_dataset_multi_step.json"]}
	for _, images := range []bool{true, false} {
		cfg := trajectory.Config{}
		cfg.SetDefaults()
		cfg.Images = images
		example.Config, example.Assets, example.Blobs = &cfg, nil, nil
		up := testkit.Upstream{Repos: map[string]testkit.Repo{"EmbodiedBench/EB-Alfred_trajectory_dataset": {Commit: strings.Repeat("7", 40), Files: files}}, Media: map[string][]byte{}}
		if !images {
			up.Repos["EmbodiedBench/EB-Alfred_trajectory_dataset"] = testkit.Repo{Commit: strings.Repeat("7", 40), Files: runs}
			up.Media["images.zip"] = files["images.zip"]
		}
		s := example.Fetch(t, up)
		records, lost, err := s.Read(t)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(testkit.DecodeAll[schemas.Media](t, schemas.NameMedia, records)); got != 2 {
			t.Errorf("images %t: %d pictures, want 2; lost\n%s", images, got, testkit.Codes(lost))
		}
	}
}

// TestConfigIsChecked refuses what makes no sense.
func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*trajectory.Config){
		"owner/name": func(c *trajectory.Config) { c.Repo = "x" }, "session_steps": func(c *trajectory.Config) { c.SessionSteps = 0 },
		"max_bytes": func(c *trajectory.Config) { c.MaxBytes = 0 }, "max_items": func(c *trajectory.Config) { c.MaxItems = -1 },
	} {
		cfg := trajectory.Config{}
		cfg.SetDefaults()
		change(&cfg)
		if _, err := (trajectory.Layout{From: fetch.GitHub, Repo: "a/b"}).Open(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	cfg := trajectory.Config{}
	cfg.SetDefaults()
	if _, err := (trajectory.Layout{}).Open(cfg); err == nil || !strings.Contains(err.Error(), "path") {
		t.Errorf("error %v where there is no repository and no path", err)
	}
}

// TestFlag reads what stands for true and false.
func TestFlag(t *testing.T) {
	for raw, want := range map[string]string{"true": "true", "1.0": "true", "0": "false", `"False"`: "false", "null": "absent", "0.5": "error", "{}": "error", `"maybe"`: "error"} {
		value, given, err := trajectory.ParseFlag(annotation.Object{"f": json.RawMessage(raw)}, "f")
		got := fmt.Sprint(value)
		if !given {
			got = "absent"
		}
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// TestLengths: runs of one step, of ten thousand and of too many.
func TestLengths(t *testing.T) {
	for n, want := range map[int]int{1: 1, 10_000: 250, 20_001: 500} {
		steps := make([]any, n)
		for i := range steps {
			steps[i] = object{"index": i + 1, "action": "click(1, 2)"}
		}
		data := lines(t, object{"task_id": "long", "instruction": "Go on", "model": "m", "traj": steps})
		records, lost, err := folder("computer-agent-arena", computeragentarena.Register, map[string][]byte{"agent_arena_data.jsonl": data}).Read(t)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(testkit.DecodeAll[schemas.Session](t, schemas.NameSession, records)); got != want {
			t.Errorf("%d steps: %d sessions, want %d", n, got, want)
		}
		if cut := len(lost) == 1 && lost[0].Code == trajectory.CodeLong; cut != (n > 20_000) {
			t.Errorf("%d steps: lost %v", n, lost)
		}
	}
}
