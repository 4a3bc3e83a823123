package pipeline

import "fmt"

// Task is one unit of work as data: it carries digests, never payloads, so it
// can cross a process boundary as JSON.
type Task struct {
	// Step is the step's name in the plan. It is not part of the key; a
	// plugin that writes its step's name gets it from Identity.Name.
	Step     string   `json:"node"`
	Identity Identity `json:"identity"`
	// Each says that every input is a unit of its own (Map stages and gates
	// that judge one item at a time). Otherwise the task is one unit.
	Each bool `json:"each,omitempty"`
	// Instant is that of Step; it changes no result.
	Instant bool `json:"instant,omitempty"`
	// Inputs of stages and gates; sorted by id when Each is false.
	Inputs []Ref `json:"inputs,omitempty"`
	// Lists stand for many Inputs of a task that is one unit: the lists of units of
	// the steps that it reads. Its executor reads the inputs from there.
	Lists []Digest `json:"lists,omitempty"`
	// LastKey is the key of the result that a task which is one unit had when it ran last
	// with other inputs: most of what it gives is in the store already. It is no part
	// of the key and changes no result.
	LastKey Key `json:"last,omitempty"`
	// Assets of a source.
	Assets []Asset `json:"assets,omitempty"`
}

// Identity is the part of a key that all units of a step share.
type Identity struct {
	// Name is the step's name for sources and gates, whose records carry it.
	Name    string            `json:"name,omitempty"`
	Kind    Kind              `json:"kind"`
	Use     string            `json:"use"`
	Version string            `json:"version"`
	Config  RawConfig         `json:"config"`
	OnFail  string            `json:"on_fail,omitempty"`
	Seed    uint64            `json:"seed"`
	Tools   map[string]string `json:"tools,omitempty"`
	// Models are the models behind the roles it asks, by role, Prompts the
	// digests of the prompts by task, Rules the versions of the built-in rules
	// by task.
	Models  map[string]ModelIdentity `json:"models,omitempty"`
	Prompts map[string]Digest        `json:"prompts,omitempty"`
	Rules   map[string]string        `json:"rules,omitempty"`
	// Corrections is the digest of the answers that were taken back of those that
	// the models behind its roles gave to its tasks; empty when none was.
	Corrections Digest `json:"corrections,omitempty"`
	// Checks are the versions of the question checks that it may run, by family.
	Checks map[string]string `json:"checks,omitempty"`
}

// TaskError says which step failed on which item.
type TaskError struct {
	Step string
	Item string // record id, or empty
	Err  error
}

func (e *TaskError) Error() string {
	if e.Item == "" {
		return fmt.Sprintf("step %s: %v", e.Step, e.Err)
	}
	return fmt.Sprintf("step %s, record %s: %v", e.Step, e.Item, e.Err)
}

func (e *TaskError) Unwrap() error { return e.Err }

// PanicError is a plugin's panic, caught at the task's boundary.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("the plugin panicked: %v (a bug in the plugin; stack follows)\n%s", e.Value, e.Stack)
}
