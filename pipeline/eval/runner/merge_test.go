package runner_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/runner"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestMergedHistories: the turns of all tasks are told once, by date, in one history, each
// question is asked at its end, and what a system finds may be of either task.
func TestMergedHistories(t *testing.T) {
	c := contents(t)
	var ids []string
	for _, q := range c.Questions {
		if !slices.Contains(ids, q.TaskID) {
			ids = append(ids, q.TaskID)
		}
	}
	dates := map[string]string{}
	sessions, err := release.DecodeTable[schemas.Session](c, "sessions")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		dates[s.SessionID] = s.Date
	}
	dir := t.TempDir()
	s, _ := program(t, "sound", time.Minute)
	o := options()
	o.Merged = [][]string{ids}
	sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(ids) < 2 || sum.Tasks != 1 || sum.Answered != len(c.Questions) || sum.Latency["ingest_turn"].Calls != rows(t, c) || sum.Latency["reset"].Calls != 1 {
		t.Errorf("%d tasks in one: %+v, of %d turns", len(ids), sum, rows(t, c))
	}
	var order, tasks []string
	for dec := json.NewDecoder(strings.NewReader(read(t, dir, runner.FileMemories))); dec.More(); {
		var l struct {
			Session string `json:"session_id"`
		}
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		order, tasks = append(order, dates[l.Session]), append(tasks, strings.Split(l.Session, "/S")[0])
	}
	if !slices.IsSorted(order) || len(slices.Compact(tasks)) <= len(ids) {
		t.Errorf("sessions end in the order %v of %v", order, tasks)
	}
	last := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(read(t, dir, runner.FileRetrieved))); dec.More(); {
		var l struct{ Items []runner.Item }
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		last[l.Items[0].TurnIDs[0]] = true
	}
	if len(last) != 1 {
		t.Errorf("questions are asked after the turns %v", last)
	}
	notes, err := runner.Notes(dir + "/answers.jsonl")
	if err != nil || !strings.Contains(notes[0], "of histories of 2 tasks in one") {
		t.Errorf("%q, %v", notes, err)
	}
	marks, err := runner.Marks(dir + "/answers.jsonl")
	if err != nil || !slices.Contains(marks, "2 histories in one") {
		t.Errorf("%q, %v", marks, err)
	}
}

// TestTasksOfNoGroup are not asked, and a group without one of its tasks is an error.
func TestTasksOfNoGroup(t *testing.T) {
	c := contents(t)
	s, _ := program(t, "sound", time.Minute)
	o := options()
	o.Merged = [][]string{{c.Questions[0].TaskID}}
	sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, t.TempDir(), o)
	if err != nil || sum.Questions == 0 || sum.LeftOut["not-merged"] != len(c.Questions)-sum.Questions || sum.LeftOut["not-merged"] == 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	o.Merged = [][]string{{c.Questions[0].TaskID, "gone"}}
	if _, err := runner.Run(t.Context(), plugins.Registry(), c, s, t.TempDir(), o); err == nil || !strings.Contains(err.Error(), "without the others of their group") {
		t.Errorf("a group without a task: %v", err)
	}
}
