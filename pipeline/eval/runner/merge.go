package runner

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// codeNotMerged is the code of questions that a run on merged histories leaves out.
const codeNotMerged = "not-merged"

// tasks yields the tasks that are run: those of the release, or groups of them with one
// history each. Tasks of no group follow where they stand, and are not asked.
func (b *taskSource) tasks() iter.Seq2[task, error] {
	if b.merged == nil {
		return b.singleTasks()
	}
	return func(yield func(task, error) bool) {
		held := map[string]task{}
		for t, err := range b.singleTasks() {
			at := slices.IndexFunc(b.merged, func(group []string) bool { return slices.Contains(group, t.id) })
			if err != nil || at < 0 {
				t.unmerged = true
				if !yield(t, err) {
					return
				}
				continue
			}
			held[t.id] = t
			var members []task
			for _, id := range b.merged[at] {
				if m, has := held[id]; has {
					members = append(members, m)
				}
			}
			if len(members) < len(b.merged[at]) {
				continue
			}
			for _, id := range b.merged[at] {
				delete(held, id)
			}
			if !yield(mergeTasks(members), nil) {
				return
			}
		}
		if len(held) > 0 {
			yield(task{}, fmt.Errorf("%d tasks of merged histories are without the others of their group", len(held)))
		}
	}
}

// mergeTasks merges the histories of tasks by the dates of their sessions (MemEye D.6); of
// equal dates the first task's come first. Questions of a checkpoint are asked after its
// sessions, others at the end of all.
func mergeTasks(tasks []task) task {
	var out task
	var ids []string
	left, dates := make([][]step, len(tasks)), make([]string, len(tasks))
	for i, t := range tasks {
		ids, left[i] = append(ids, t.id), t.steps
	}
	out.id = strings.Join(ids, "+")
	next := -1 // the task whose turn comes next
	for {
		for i := range left {
			if len(left[i]) == 0 {
				continue
			}
			dates[i] = max(dates[i], left[i][0].session.Date)
			if next < 0 || len(left[next]) == 0 || dates[i] < dates[next] {
				next = i
			}
		}
		if next < 0 || len(left[next]) == 0 {
			break
		}
		out.steps = append(out.steps, left[next][0])
		left[next] = left[next][1:]
	}
	last := len(out.steps) - 1
	for at := range out.steps {
		for _, q := range out.steps[at].asked {
			if q.CheckpointID == "" && at < last {
				out.steps[last].asked = append(slices.Clip(out.steps[last].asked), q)
			}
		}
		if at < last {
			out.steps[at].asked = slices.DeleteFunc(slices.Clone(out.steps[at].asked), func(q schemas.Question) bool { return q.CheckpointID == "" })
		}
	}
	return out
}
