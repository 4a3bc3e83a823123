package runner

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// The files of a run, besides those of its tasks.
const (
	FileRun       = "run.json"
	FileAnswers   = "answers.jsonl"
	FileRetrieved = "retrieved.jsonl"
	FileMemories  = "memories.jsonl"
	FileTasks     = "tasks.jsonl"
	FileLatency   = "latency.json"
)

// runSettings are what all of a run must share.
type runSettings struct {
	Protocol int    `json:"protocol"`
	Release  string `json:"release"`
	Version  string `json:"version"`
	// Sums is the SHA-256 of the release's SHA256SUMS, which names every file of it.
	Sums     pipeline.Digest `json:"sums_sha256"`
	System   Capabilities    `json:"system"`
	TopK     int             `json:"top_k"`
	Captions string          `json:"captions"`
	Forms    bool            `json:"forms"`
}

// The lines of a task.
type (
	memoryLine struct {
		Session  string   `json:"session_id"`
		Changes  []Change `json:"changes,omitempty"`
		Memories []Memory `json:"memories,omitempty"`
	}
	retrievalLine struct {
		ID      string `json:"id"`
		Items   []Item `json:"items"`
		Refused string `json:"refused,omitempty"`
	}
	answerLine struct {
		ID         string `json:"id"`
		Prediction string `json:"prediction"`
	}
	taskEnd struct {
		Task      string `json:"task_id"`
		Turns     int    `json:"turns"`
		Questions int    `json:"questions"`
		Answered  int    `json:"answered"`
		Restarts  int    `json:"restarts"`
		Fault     string `json:"fault,omitempty"`
	}
	callTimes struct {
		Calls   int     `json:"calls"`
		Seconds float64 `json:"seconds"`
	}
)

func (e taskEnd) outcome() Outcome {
	o := Outcome{Task: e.Task, Turns: e.Turns, Questions: e.Questions, Answered: e.Answered, Restarts: e.Restarts}
	if e.Fault != "" {
		o.Err = errors.New(e.Fault)
	}
	return o
}

// taskLog collects what a task gave.
type taskLog struct {
	task                string
	questions, answered int
	holdings            []memoryLine
	retrievals          []retrievalLine
	answers             []answerLine
	end                 taskEnd
	times               map[string]callTimes
}

// taskFile is the file of a finished task.
type taskFile struct {
	End        taskEnd         `json:"end"`
	Holdings   []memoryLine    `json:"holdings,omitempty"`
	Retrievals []retrievalLine `json:"retrievals,omitempty"`
	Answers    []answerLine    `json:"answers,omitempty"`
}

// runFolder is the folder of a run. One process writes it at a time.
type runFolder struct {
	dir  string
	lock *atomicfile.Lock
}

// OtherRunError says that a folder holds another run.
type OtherRunError struct{ Dir string }

func (e *OtherRunError) Error() string {
	return fmt.Sprintf("%s holds a run of another system or release, or with other settings (see its %s); name another folder, or remove it", e.Dir, FileRun)
}

func openRunFolder(dir string, of runSettings) (*runFolder, error) {
	if err := atomicfile.MakeFolder(dir, 0o755); err != nil {
		return nil, err
	}
	lock, err := atomicfile.TakeLock(filepath.Join(dir, ".lock"))
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	text = append(text, '\n')
	path := filepath.Join(dir, FileRun)
	was, err := atomicfile.Read(path, 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = atomicfile.Create(path, 0o644, text)
	case err == nil && !bytes.Equal(was, text):
		err = &OtherRunError{dir}
	}
	if err != nil {
		return nil, errors.Join(err, lock.Release())
	}
	return &runFolder{dir, lock}, nil
}

func (j *runFolder) close() error { return j.lock.Release() }

// path returns the path of a task's file of a kind; a folder holds a thousand tasks.
func (j *runFolder) path(n int, kind string) string {
	return filepath.Join(j.dir, "tasks", fmt.Sprintf("%04d", n/1000), fmt.Sprintf("%07d.%s.json", n, kind))
}

// finished reports whether an earlier run finished a task. A task in which the system
// failed is tried again.
func (j *runFolder) finished(n int, task string) (Outcome, bool, error) {
	w, err := j.readTask(n)
	if errors.Is(err, fs.ErrNotExist) {
		return Outcome{}, false, nil
	}
	if err == nil && w.End.Task != task {
		err = fmt.Errorf("%s is of task %s, not of %s: remove the folder and run again", j.path(n, "done"), w.End.Task, task)
	}
	out := w.End.outcome()
	out.Resumed = true
	return out, err == nil && w.End.Fault == "", err
}

func (j *runFolder) readTask(n int) (taskFile, error) {
	var w taskFile
	return w, readJSON(j.path(n, "done"), &w)
}

func readJSON(path string, to any) (err error) {
	f, err := atomicfile.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := json.NewDecoder(bufio.NewReader(f)).Decode(to); err != nil {
		return fmt.Errorf("%s: %w; remove it and run again", path, err)
	}
	return nil
}

// writeTask writes the files of a task: times first, since the other file says that it
// is finished.
func (j *runFolder) writeTask(n int, l *taskLog) error {
	if err := atomicfile.MakeFolder(filepath.Dir(j.path(n, "done")), 0o755); err != nil {
		return err
	}
	if err := writeJSON(j.path(n, "times"), l.times); err != nil {
		return err
	}
	return writeJSON(j.path(n, "done"), taskFile{l.end, l.holdings, l.retrievals, l.answers})
}

func writeJSON(path string, v any) error {
	return atomicfile.Write(path, 0o644, func(w io.Writer) error { return newEncoder(w).Encode(v) })
}

func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// Totals are those of a run.
type Totals struct {
	Tasks, Failed, Questions, Answered int
	// Calls and seconds by method: writing and retrieving apart (WorldMemArena E).
	Latency map[string]callTimes
}

// writeTotals writes the files that scorers read.
func (j *runFolder) writeTotals(n int) (Totals, error) {
	sum := Totals{Tasks: n, Latency: map[string]callTimes{}}
	for _, part := range []struct {
		file string
		of   func(taskFile) []any
	}{
		{FileTasks, func(w taskFile) []any { return []any{w.End} }},
		{FileAnswers, func(w taskFile) []any { return toAny(w.Answers) }},
		{FileRetrieved, func(w taskFile) []any { return toAny(w.Retrievals) }},
		{FileMemories, func(w taskFile) []any { return toAny(w.Holdings) }},
	} {
		err := atomicfile.Write(filepath.Join(j.dir, part.file), 0o644, func(to io.Writer) error { return j.writeLines(n, to, part.of) })
		if err != nil {
			return sum, fmt.Errorf("%s: %w", part.file, err)
		}
	}
	for i := 1; i <= n; i++ {
		w, err := j.readTask(i)
		if err != nil {
			return sum, err
		}
		sum.Questions, sum.Answered = sum.Questions+w.End.Questions, sum.Answered+w.End.Answered
		if w.End.Fault != "" {
			sum.Failed++
		}
		if err := j.addTimes(i, sum.Latency); err != nil {
			return sum, err
		}
	}
	return sum, writeJSON(filepath.Join(j.dir, FileLatency), sum.Latency)
}

func (j *runFolder) writeLines(n int, to io.Writer, of func(taskFile) []any) error {
	out := bufio.NewWriter(to)
	enc := newEncoder(out)
	for i := 1; i <= n; i++ {
		w, err := j.readTask(i)
		if err != nil {
			return err
		}
		for _, v := range of(w) {
			if err := enc.Encode(v); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func toAny[T any](all []T) []any {
	out := make([]any, len(all))
	for i, v := range all {
		out[i] = v
	}
	return out
}

func (j *runFolder) addTimes(n int, sum map[string]callTimes) error {
	var times map[string]callTimes
	if err := readJSON(j.path(n, "times"), &times); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for method, t := range times {
		s := sum[method]
		sum[method] = callTimes{s.Calls + t.Calls, s.Seconds + t.Seconds}
	}
	return nil
}
