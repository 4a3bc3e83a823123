package engine

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// MissingError says that a result is not in the store although its task was done.
type MissingError struct {
	Step string
	Key  pipeline.Key
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("node %s: the task was done elsewhere and its result %s is not in the store; let all machines use one store", e.Step, e.Key)
}

// LookupResult is what a store knows of tasks.
type LookupResult struct {
	tasks []pipeline.Task
	keys  [][]pipeline.Key
	known map[pipeline.Key]pipeline.Result
}

// LookUpResults looks for the results of tasks, which whoever executes them leaves in the store.
func LookUpResults(ctx context.Context, rt Runtime, tasks []pipeline.Task) (LookupResult, error) {
	f := LookupResult{tasks: tasks, keys: make([][]pipeline.Key, len(tasks))}
	var all []pipeline.Key
	for i, t := range tasks {
		t, err := withInputs(ctx, rt, t)
		if err != nil {
			return f, &pipeline.TaskError{Step: t.Step, Err: err}
		}
		if unitCount(t) == 0 {
			continue
		}
		if f.keys[i], err = TaskKeys(t); err != nil {
			return f, err
		}
		all = append(all, f.keys[i]...)
	}
	var err error
	if f.known, err = rt.Store.Results(ctx, all); err != nil {
		return f, fmt.Errorf("look up results: %w", err)
	}
	return f, nil
}

// AllResults returns the results of a task, by its place, if the store has all of them.
func (f LookupResult) AllResults(i int) ([]pipeline.Result, bool) {
	results := make([]pipeline.Result, len(f.keys[i]))
	for j, k := range f.keys[i] {
		r, ok := f.known[k]
		if !ok {
			return nil, false
		}
		r.Reused = true
		results[j] = r
	}
	return results, true
}

// ResultsSince returns the results of a task that was executed since before was looked up, as
// Execute gave them there. passing are, by key, those that no store keeps, because
// another attempt may do better. A result that is in neither is a *MissingError.
func (f LookupResult) ResultsSince(before LookupResult, i int, passing map[pipeline.Key]pipeline.Result) ([]pipeline.Result, error) {
	results := make([]pipeline.Result, len(f.keys[i]))
	for j, k := range f.keys[i] {
		r, ok := f.known[k]
		if !ok {
			r, ok = passing[k]
		}
		if !ok || r.Key != k {
			return nil, &MissingError{f.tasks[i].Step, k}
		}
		_, r.Reused = before.known[k]
		results[j] = r
	}
	return results, nil
}

// TransientResults lists those of results that no store keeps, see Found.Since.
func TransientResults(results []pipeline.Result) (passing []pipeline.Result) {
	for _, r := range results {
		if transient(r) {
			passing = append(passing, r)
		}
	}
	return passing
}
