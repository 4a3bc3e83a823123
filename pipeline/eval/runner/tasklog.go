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
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// kindAsked is the file of a task's questions as they are answered, a line each.
const kindAsked = "asked"

// callTimes are the calls of a method.
type callTimes struct {
	Calls   int     `json:"calls"`
	Seconds float64 `json:"seconds"`
}

// methodTimes are calls by method. Durations are kept apart from everything else, for they
// differ from run to run.
type methodTimes map[string]callTimes

func (m methodTimes) timed(method string, call func() error) error {
	begun := time.Now()
	err := call()
	m.add(methodTimes{method: {1, time.Since(begun).Seconds()}})
	return err
}

func (m methodTimes) add(more methodTimes) {
	for method, t := range more {
		s := m[method]
		m[method] = callTimes{s.Calls + t.Calls, s.Seconds + t.Seconds}
	}
}

// questionLog is what came of one question.
type questionLog struct {
	ID        string        `json:"id"`
	Retrieval retrievalLine `json:"retrieval"`
	Answers   []answerLine  `json:"answers,omitempty"`
	Answered  bool          `json:"answered"`
	Usage     []usageLine   `json:"usage,omitempty"`
	Times     methodTimes   `json:"times"`
}

// taskLog collects what a task gave. Where questions are asked apart, each is on disk as
// soon as it was answered, so that a run that was broken off asks it no more.
type taskLog struct {
	task     string
	holdings []memoryLine
	leftOut  []LeftOut
	times    methodTimes
	order    []string // of questions
	end      taskEnd

	mu    sync.Mutex
	asked map[string]questionLog
	open  map[string]int // questions without an answer yet, by reason
	file  *os.File       // nil where questions are not kept one by one
}

// openTask opens the log of a task, with the questions that an earlier run asked.
func (j *runFolder) openTask(n int, task string, keeps bool) (*taskLog, error) {
	l := &taskLog{task: task, asked: map[string]questionLog{}}
	if !keeps {
		return l, nil
	}
	path := j.path(n, kindAsked)
	if err := atomicfile.MakeFolder(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	whole, err := l.readAsked(path)
	if err != nil {
		return nil, err
	}
	if l.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return nil, err
	}
	// A line that a kill cut short is written again.
	if err := l.file.Truncate(whole); err != nil {
		return nil, errors.Join(err, l.file.Close())
	}
	_, err = l.file.Seek(whole, io.SeekStart)
	return l, err
}

// readAsked reads whole lines and returns how many bytes they have.
func (l *taskLog) readAsked(path string) (whole int64, err error) {
	f, err := atomicfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil
		} else if err != nil {
			return 0, err
		}
		var q questionLog
		if err := json.Unmarshal(line, &q); err != nil || q.ID == "" {
			return 0, fmt.Errorf("%s: a line is no question that was asked; remove it and run again", path)
		}
		l.asked[q.ID] = q
		whole += int64(len(line))
	}
}

func (l *taskLog) close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// begin forgets what an attempt left that is made again; questions that are kept stay.
func (l *taskLog) begin() {
	l.holdings, l.times, l.open = nil, methodTimes{}, map[string]int{}
	if l.file == nil {
		l.asked = map[string]questionLog{}
	}
}

// plan notes the questions of a task in order, and reports whether there are any.
func (l *taskLog) plan(t task) bool {
	for _, s := range t.steps {
		for _, q := range s.asked {
			l.order = append(l.order, q.QuestionID)
		}
	}
	return len(l.order) > 0
}

func (l *taskLog) has(question string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, has := l.asked[question]
	return has
}

func (l *taskLog) add(q questionLog) error {
	var line bytes.Buffer
	if err := newEncoder(&line).Encode(q); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[q.ID] = q
	if l.file == nil {
		return nil
	}
	_, err := l.file.Write(line.Bytes())
	return err
}

func (l *taskLog) leaveOpen(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[reason]++
}

// fail says in which task an error happened.
func (l *taskLog) fail(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("task %s: %w", l.task, err)
}

// finish states how the task ended.
func (l *taskLog) finish(t task, restarts int, fault *SystemError) {
	l.end = taskEnd{Task: t.id, Turns: len(t.steps), Questions: len(l.order), LeftOut: len(l.leftOut), Restarts: restarts}
	for _, q := range l.asked {
		if q.Answered {
			l.end.Answered++
		}
	}
	first := ""
	for reason, n := range l.open {
		l.end.Open += n
		if first == "" || reason < first {
			first = reason
		}
	}
	switch {
	case fault != nil:
		l.end.Fault, l.end.Open = fault.Error(), 0
	case l.end.Open > 0:
		l.end.Fault = fmt.Sprintf("%d questions have no answer yet: %s", l.end.Open, first)
	}
}

// files returns what the files of the task hold, by the order of its questions.
func (l *taskLog) files() (taskFile, timesFile) {
	done := taskFile{End: l.end, Holdings: l.holdings, LeftOut: l.leftOut}
	times := timesFile{Methods: methodTimes{}}
	times.Methods.add(l.times)
	for _, id := range l.order {
		q, asked := l.asked[id]
		if !asked {
			continue
		}
		done.Retrievals = append(done.Retrievals, q.Retrieval)
		done.Answers = append(done.Answers, q.Answers...)
		times.Usage = append(times.Usage, q.Usage...)
		times.Methods.add(q.Times)
	}
	return done, times
}
