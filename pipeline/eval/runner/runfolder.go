package runner

import (
	"bufio"
	"bytes"
	"cmp"
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
	FileUsage     = "usage.jsonl"
	FileLeftOut   = "leftout.jsonl"
	FileLatency   = "latency.json"
)

// runSettings are what all of a run must share.
type runSettings struct {
	Protocol int    `json:"protocol"`
	Release  string `json:"release"`
	Version  string `json:"version"`
	// Sums is the SHA-256 of the release's SHA256SUMS, which names every file of it.
	Sums      pipeline.Digest `json:"sums_sha256"`
	System    Capabilities    `json:"system"`
	TopK      int             `json:"top_k"`
	View      View            `json:"view"`
	Isolation string          `json:"isolation"`
	Forms     bool            `json:"forms"`
	// Chosen says which questions of the release were asked, where not all were.
	Chosen string     `json:"chosen,omitempty"`
	Merged [][]string `json:"merged,omitempty"`
}

// Notes says what a reader of figures should know of the run whose folder holds a file of
// answers, first its view. There are none where no run wrote the file.
func Notes(file string) ([]string, error) {
	s, err := readSettings(file)
	if err != nil || s.Protocol == 0 {
		return nil, err
	}
	notes := []string{fmt.Sprintf("%s was shown the view %s", s.System.Name, cmp.Or(s.View.Name, "all"))}
	if len(s.Merged) > 0 {
		notes[0] += fmt.Sprintf(" of histories of %d tasks in one", len(s.Merged[0]))
	}
	if s.shared() {
		notes = append(notes, fmt.Sprintf("%s was asked with isolation none: one process answered all questions of a task and may have known those before", s.System.Name))
	}
	return notes, nil
}

// Marks says in a word or two what sets a run apart: another view than all, questions that
// were not asked apart, or that no run wrote the file.
func Marks(file string) (marks []string, err error) {
	s, err := readSettings(file)
	switch view := cmp.Or(s.View.Name, "all"); {
	case err != nil:
		return nil, err
	case s.Protocol == 0:
		return []string{"isolation unknown"}, nil
	case view != "all":
		marks = append(marks, "view "+view)
	}
	if len(s.Merged) > 0 {
		marks = append(marks, fmt.Sprintf("%d histories in one", len(s.Merged[0])))
	}
	if s.shared() {
		marks = append(marks, "isolation none")
	}
	return marks, nil
}

func (s runSettings) shared() bool { return s.Isolation == IsolationNone || s.Isolation == "" }

// readSettings reads those of the run whose folder holds a file; none where no run wrote it.
func readSettings(file string) (s runSettings, err error) {
	data, err := atomicfile.Read(filepath.Join(filepath.Dir(file), FileRun), 1<<20)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return s, err
	}
	if json.Unmarshal(data, &s) != nil {
		return runSettings{}, nil // another program's run.json
	}
	return s, nil
}

// Used is the time and cost of the answers of a run.
type Used struct {
	Answers int
	Tasks   int // that were asked something
	Seconds float64
	// Writing and Retrieving are all seconds of taking in sessions and of retrieving.
	Writing, Retrieving float64
	Usage
}

// ReadUsage sums up the files of usage and latency beside a file of answers; nothing where
// there are none.
func ReadUsage(file string) (sum Used, err error) {
	times := methodTimes{}
	if err := readJSON(filepath.Join(filepath.Dir(file), FileLatency), &times); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, err
	}
	sum.Writing, sum.Retrieving = times["ingest_turn"].Seconds+times["end_session"].Seconds, times["retrieve"].Seconds
	err = eachLine(filepath.Join(filepath.Dir(file), FileTasks), func(l taskEnd) {
		if l.Questions > 0 {
			sum.Tasks++
		}
	})
	if err != nil {
		return sum, err
	}
	err = eachLine(filepath.Join(filepath.Dir(file), FileUsage), func(l usageLine) {
		sum.Answers, sum.Seconds = sum.Answers+1, sum.Seconds+l.Seconds
		sum.add(l.Usage)
	})
	return sum, err
}

// eachLine reads a file of the run line by line; it does nothing where there is none.
func eachLine[T any](path string, do func(T)) (err error) {
	f, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for lines := json.NewDecoder(bufio.NewReader(f)); ; {
		var l T
		if err := lines.Decode(&l); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
		do(l)
	}
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
	usageLine struct {
		ID      string  `json:"id"`
		Seconds float64 `json:"seconds"`
		Usage
	}
	taskEnd struct {
		Task      string `json:"task_id"`
		Turns     int    `json:"turns"`
		Questions int    `json:"questions"`
		Answered  int    `json:"answered"`
		LeftOut   int    `json:"left_out,omitempty"`
		Open      int    `json:"open,omitempty"`
		Restarts  int    `json:"restarts"`
		Fault     string `json:"fault,omitempty"`
	}
)

func (e taskEnd) outcome() Outcome {
	o := Outcome{Task: e.Task, Turns: e.Turns, Questions: e.Questions, Answered: e.Answered, LeftOut: e.LeftOut, Open: e.Open, Restarts: e.Restarts}
	if e.Fault != "" {
		o.Err = errors.New(e.Fault)
	}
	return o
}

// taskFile is the file of a finished task.
type taskFile struct {
	End        taskEnd         `json:"end"`
	Holdings   []memoryLine    `json:"holdings,omitempty"`
	Retrievals []retrievalLine `json:"retrievals,omitempty"`
	Answers    []answerLine    `json:"answers,omitempty"`
	LeftOut    []LeftOut       `json:"left_out,omitempty"`
}

// timesFile has what differs from run to run.
type timesFile struct {
	Methods methodTimes `json:"methods"`
	Usage   []usageLine `json:"usage,omitempty"`
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
// failed, or questions have no answer yet, is tried again.
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
// is finished. Then the answers one by one are needed no more.
func (j *runFolder) writeTask(n int, l *taskLog) error {
	if err := atomicfile.MakeFolder(filepath.Dir(j.path(n, "done")), 0o755); err != nil {
		return err
	}
	done, times := l.files()
	if err := writeJSON(j.path(n, "times"), times); err != nil {
		return err
	}
	if err := writeJSON(j.path(n, "done"), done); err != nil || l.end.Fault != "" {
		return err
	}
	if err := os.Remove(j.path(n, kindAsked)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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
	// LeftOut counts questions that the view cannot show, by code; Open those that wait
	// for an answer.
	LeftOut map[string]int
	Open    int
	// Usage is what all answers took.
	Usage Usage
	// Latency has calls and seconds by method: writing and retrieving apart (WorldMemArena E).
	Latency map[string]callTimes
}

// writeTotals writes the files that scorers read.
func (j *runFolder) writeTotals(n int) (Totals, error) {
	sum := Totals{Tasks: n, LeftOut: map[string]int{}, Latency: methodTimes{}}
	for _, part := range []struct {
		file string
		of   func(taskFile) []any
	}{
		{FileTasks, func(w taskFile) []any { return []any{w.End} }},
		{FileAnswers, func(w taskFile) []any { return toAny(w.Answers) }},
		{FileRetrieved, func(w taskFile) []any { return toAny(w.Retrievals) }},
		{FileMemories, func(w taskFile) []any { return toAny(w.Holdings) }},
		{FileLeftOut, func(w taskFile) []any { return toAny(w.LeftOut) }},
	} {
		if err := writeLines(j, n, part.file, "done", part.of); err != nil {
			return sum, err
		}
	}
	if err := writeLines(j, n, FileUsage, "times", func(w timesFile) []any { return toAny(w.Usage) }); err != nil {
		return sum, err
	}
	for i := 1; i <= n; i++ {
		if err := j.addTask(i, &sum); err != nil {
			return sum, err
		}
	}
	return sum, writeJSON(filepath.Join(j.dir, FileLatency), sum.Latency)
}

// addTask adds a task to the totals.
func (j *runFolder) addTask(n int, sum *Totals) error {
	w, err := j.readTask(n)
	if err != nil {
		return err
	}
	var times timesFile
	if err := readJSON(j.path(n, "times"), &times); err != nil {
		return err
	}
	sum.Questions, sum.Answered, sum.Open = sum.Questions+w.End.Questions, sum.Answered+w.End.Answered, sum.Open+w.End.Open
	if w.End.Fault != "" && w.End.Open == 0 {
		sum.Failed++
	}
	for _, q := range w.LeftOut {
		sum.LeftOut[q.Code]++
	}
	methodTimes(sum.Latency).add(times.Methods)
	for _, u := range times.Usage {
		sum.Usage.add(u.Usage)
	}
	return nil
}

func (u *Usage) add(more Usage) {
	u.InputTokens, u.OutputTokens, u.Cost = u.InputTokens+more.InputTokens, u.OutputTokens+more.OutputTokens, u.Cost+more.Cost
	u.Model, u.Currency = cmp.Or(u.Model, more.Model), cmp.Or(u.Currency, more.Currency)
	u.TurnsLeftOut += more.TurnsLeftOut
	u.Pictures, u.PicturesLeftOut = u.Pictures+more.Pictures, u.PicturesLeftOut+more.PicturesLeftOut
}

// writeLines writes a file of the run from the files of all tasks of a kind.
func writeLines[T any](j *runFolder, n int, file, kind string, of func(T) []any) error {
	err := atomicfile.Write(filepath.Join(j.dir, file), 0o644, func(to io.Writer) error {
		out := bufio.NewWriter(to)
		enc := newEncoder(out)
		for i := 1; i <= n; i++ {
			var w T
			if err := readJSON(j.path(i, kind), &w); err != nil {
				return err
			}
			for _, v := range of(w) {
				if err := enc.Encode(v); err != nil {
					return err
				}
			}
		}
		return out.Flush()
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func toAny[T any](all []T) []any {
	out := make([]any, len(all))
	for i, v := range all {
		out[i] = v
	}
	return out
}
