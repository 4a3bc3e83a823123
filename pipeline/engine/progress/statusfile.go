package progress

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// StatusName is the file in the output folder that says how its build is getting on.
const StatusName = "progress.json"

// Status is how a build is getting on.
type Status struct {
	Steps []StepStatus `json:"steps"`
	// Ended says that the build has ended, Error with what. A build that was killed says neither.
	Ended bool   `json:"ended"`
	Error string `json:"error,omitempty"`
}

// StepStatus counts what a step has done.
type StepStatus struct {
	Name     string         `json:"name"`
	From     []string       `json:"from,omitempty"`
	Known    int            `json:"known"` // units, as far as they are known
	Done     int            `json:"done"`
	Reused   int            `json:"reused"`
	Running  int            `json:"running"`
	Out      int            `json:"out"` // records
	Lost     int            `json:"lost"`
	Flagged  int            `json:"flagged"`
	Reasons  map[string]int `json:"reasons,omitempty"` // of lost and flagged ones, by code
	Complete bool           `json:"complete"`
	Newest   *pipeline.Ref  `json:"newest,omitempty"`
}

// StatusFile writes the status of a build, for programs that look on. What cannot be written is
// left: the build goes on.
type StatusFile struct {
	dir    string
	now    func() time.Time
	last   time.Time
	counts []engine.Count
}

// statusInterval is the time between two writings.
const statusInterval = time.Second

// NewStatusFile returns the status file of an output folder.
func NewStatusFile(dir string, now func() time.Time) *StatusFile {
	return &StatusFile{dir: dir, now: now}
}

// Observe takes counts as Reporter.Observe does.
func (f *StatusFile) Observe(counts []engine.Count) {
	f.counts = counts
	if now := f.now(); now.Sub(f.last) >= statusInterval {
		f.last = now
		f.write(Status{Steps: stepsOf(counts)})
	}
}

// Close writes the last counts, and how the build ended.
func (f *StatusFile) Close(err error) {
	s := Status{Steps: stepsOf(f.counts), Ended: true}
	if err != nil {
		s.Error = err.Error()
	}
	f.write(s)
}

func stepsOf(counts []engine.Count) []StepStatus {
	var out []StepStatus
	for _, c := range counts {
		s := StepStatus{
			Name: c.Step, From: c.From, Known: knownUnits(c), Done: c.Summary.Units, Reused: c.Summary.Reused,
			Running: c.Running, Out: c.Summary.Out, Lost: c.Summary.Lost, Flagged: c.Summary.Flagged, Reasons: c.Summary.Reasons, Complete: c.Complete,
		}
		if c.Newest.ID != "" {
			s.Newest = &c.Newest
		}
		out = append(out, s)
	}
	return out
}

// write replaces the file. Readers see the old one or the new one.
func (f *StatusFile) write(s Status) {
	data, err := json.Marshal(s)
	if err != nil {
		return
	}
	temp := filepath.Join(f.dir, StatusName+".new")
	if os.WriteFile(temp, data, 0o644) != nil || os.Rename(temp, filepath.Join(f.dir, StatusName)) != nil {
		_ = os.Remove(temp)
	}
}

// mostStatus bounds the file.
const mostStatus = 16 << 20

// ReadStatus returns the status of the build in an output folder, and when it was written.
func ReadStatus(dir string) (s Status, at time.Time, err error) {
	name := filepath.Join(dir, StatusName)
	data, err := atomicfile.Read(name, mostStatus)
	if err != nil {
		return s, at, err
	}
	info, err := os.Stat(name)
	if err = errors.Join(err, json.Unmarshal(data, &s)); err != nil {
		return s, at, fmt.Errorf("read %s: %w", name, err)
	}
	return s, info.ModTime(), nil
}
