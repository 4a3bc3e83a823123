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
	"github.com/memforge/memforge/pipeline/release"
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

// run is what all of a run is bound to.
type run struct {
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

func runOf(c release.Contents, caps Capabilities, o Options) run {
	return run{Protocol, c.Manifest.Name, c.Manifest.Version, pipeline.DigestOf([]byte(c.Sums)), caps, o.TopK, o.Captions, o.Forms != nil}
}

// The lines of a task.
type (
	holding struct {
		Session  string   `json:"session_id"`
		Changes  []Change `json:"changes,omitempty"`
		Memories []Memory `json:"memories,omitempty"`
	}
	retrieval struct {
		ID      string `json:"id"`
		Items   []Item `json:"items"`
		Refused string `json:"refused,omitempty"`
	}
	answer struct {
		ID         string `json:"id"`
		Prediction string `json:"prediction"`
	}
	end struct {
		Task      string `json:"task_id"`
		Turns     int    `json:"turns"`
		Questions int    `json:"questions"`
		Answered  int    `json:"answered"`
		Restarts  int    `json:"restarts"`
		Fault     string `json:"fault,omitempty"`
	}
	span struct {
		Calls   int     `json:"calls"`
		Seconds float64 `json:"seconds"`
	}
)

func (e end) outcome() Outcome {
	o := Outcome{Task: e.Task, Turns: e.Turns, Questions: e.Questions, Answered: e.Answered, Restarts: e.Restarts}
	if e.Fault != "" {
		o.Err = errors.New(e.Fault)
	}
	return o
}

// lines are what a task gave.
type lines struct {
	task                string
	questions, answered int
	holdings            []holding
	retrievals          []retrieval
	answers             []answer
	end                 end
	times               map[string]span
}

// written is a task's file: all of it, or it is not there.
type written struct {
	End        end         `json:"end"`
	Holdings   []holding   `json:"holdings,omitempty"`
	Retrievals []retrieval `json:"retrievals,omitempty"`
	Answers    []answer    `json:"answers,omitempty"`
}

// journal is the folder of a run. One process writes it at a time.
type journal struct {
	dir  string
	lock *atomicfile.Lock
}

// OtherRunError says that a folder holds another run.
type OtherRunError struct{ Dir string }

func (e *OtherRunError) Error() string {
	return fmt.Sprintf("%s holds a run of another system or release, or with other settings (see its %s); name another folder, or remove it", e.Dir, FileRun)
}

func openJournal(dir string, of run) (*journal, error) {
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
	return &journal{dir, lock}, nil
}

func (j *journal) close() error { return j.lock.Release() }

// path of a task's file of a kind; a folder holds a thousand tasks.
func (j *journal) path(n int, kind string) string {
	return filepath.Join(j.dir, "tasks", fmt.Sprintf("%04d", n/1000), fmt.Sprintf("%07d.%s.json", n, kind))
}

// done reports whether an earlier run went through a task whole. One in which the
// system gave out is tried again.
func (j *journal) done(n int, task string) (Outcome, bool, error) {
	w, err := j.read(n)
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

func (j *journal) read(n int) (written, error) {
	var w written
	return w, decode(j.path(n, "done"), &w)
}

func decode(path string, to any) (err error) {
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

// write keeps a task: its times first, since the other file says that it is done.
func (j *journal) write(n int, l *lines) error {
	if err := atomicfile.MakeFolder(filepath.Dir(j.path(n, "done")), 0o755); err != nil {
		return err
	}
	if err := store(j.path(n, "times"), l.times); err != nil {
		return err
	}
	return store(j.path(n, "done"), written{l.end, l.holdings, l.retrievals, l.answers})
}

func store(path string, v any) error {
	return atomicfile.Write(path, 0o644, func(w io.Writer) error { return encoder(w).Encode(v) })
}

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// Totals are those of a run.
type Totals struct {
	Tasks, Failed, Questions, Answered int
	// Calls and seconds by method: writing and retrieving apart (WorldMemArena E).
	Latency map[string]span
}

// conclude writes the files that scorers read.
func (j *journal) conclude(n int) (Totals, error) {
	sum := Totals{Tasks: n, Latency: map[string]span{}}
	for _, part := range []struct {
		file string
		of   func(written) []any
	}{
		{FileTasks, func(w written) []any { return []any{w.End} }},
		{FileAnswers, func(w written) []any { return listed(w.Answers) }},
		{FileRetrieved, func(w written) []any { return listed(w.Retrievals) }},
		{FileMemories, func(w written) []any { return listed(w.Holdings) }},
	} {
		err := atomicfile.Write(filepath.Join(j.dir, part.file), 0o644, func(to io.Writer) error { return j.each(n, to, part.of) })
		if err != nil {
			return sum, fmt.Errorf("%s: %w", part.file, err)
		}
	}
	for i := 1; i <= n; i++ {
		w, err := j.read(i)
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
	return sum, store(filepath.Join(j.dir, FileLatency), sum.Latency)
}

// each writes a line for each thing that the tasks have of a kind.
func (j *journal) each(n int, to io.Writer, of func(written) []any) error {
	out := bufio.NewWriter(to)
	enc := encoder(out)
	for i := 1; i <= n; i++ {
		w, err := j.read(i)
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

func listed[T any](all []T) []any {
	out := make([]any, len(all))
	for i, v := range all {
		out[i] = v
	}
	return out
}

func (j *journal) addTimes(n int, sum map[string]span) error {
	var times map[string]span
	if err := decode(j.path(n, "times"), &times); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for method, t := range times {
		s := sum[method]
		sum[method] = span{s.Calls + t.Calls, s.Seconds + t.Seconds}
	}
	return nil
}
