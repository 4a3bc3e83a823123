package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// How questions are kept apart, so that none is answered from those before it.
const (
	// IsolationState has the system save its state after the history, and load it before
	// each form of each question.
	IsolationState = "state"
	// IsolationProcess starts the system anew for each form of each question, and tells it
	// the history again.
	IsolationProcess = "process"
	// IsolationNone asks one question after the other: the system may remember them.
	IsolationNone = "none"
)

// Isolations lists them, the default first where a system can do it.
func Isolations() []string { return []string{IsolationState, IsolationProcess, IsolationNone} }

// chooseIsolation takes state where the system offers it, and a process a question
// otherwise.
func chooseIsolation(wanted string, caps Capabilities, s System) (string, error) {
	_, restarts := s.(Restartable)
	unusable := func(format string, args ...any) error {
		return &SystemError{"get_capabilities", Unusable, fmt.Sprintf(format, args...)}
	}
	switch {
	case wanted == IsolationState && !caps.State:
		return "", unusable(`it does not offer save_state and load_state ("state": true), which --isolation state needs`)
	case wanted == IsolationProcess && !restarts, wanted == "" && !caps.State && !restarts:
		return "", unusable(`a server cannot be started anew for each question; let it offer save_state and load_state ("state": true), or say --isolation none: then questions are not asked alone, and the log says so`)
	case wanted != "":
		return wanted, nil
	case caps.State:
		return IsolationState, nil
	}
	return IsolationProcess, nil
}

// atOnce is how many questions are asked at once.
func (d *runner) atOnce() int {
	s, restarts := d.system.(Restartable)
	if d.isolation == IsolationProcess || restarts && s.Concurrent() {
		return max(1, d.opts.Parallel)
	}
	return 1
}

// standAt returns a system that knows the history up to a turn, or the evidence that the
// view shows, and no other question. End is called when the form was asked.
func (d *runner) standAt(ctx context.Context, t task, at int, q schemas.Question, state json.RawMessage, rec *questionLog) (s System, end func() error, err error) {
	s, end = d.system, func() error { return nil }
	evidence := d.show.view.Evidence != ""
	origin, restarts := d.system.(Restartable)
	if d.isolation == IsolationProcess || evidence && restarts && origin.Concurrent() {
		s = origin.Restart()
		end = s.Close
	}
	switch {
	case evidence:
		err = d.tellEvidence(ctx, s, q, rec)
	case d.isolation == IsolationProcess:
		err = rec.Times.timed("replay", func() error { return d.tellAgain(ctx, s, t, at) })
	case d.isolation == IsolationState:
		err = rec.Times.timed("load_state", func() error { return s.LoadState(ctx, state) })
	}
	if err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return s, end, nil
}

// tellAgain tells a new process the history up to a turn.
func (d *runner) tellAgain(ctx context.Context, s System, t task, at int) error {
	if err := d.greet(ctx, s, t.id); err != nil {
		return err
	}
	for _, step := range t.steps[:at+1] {
		turn, err := d.show.turn(ctx, step)
		if err != nil {
			return err
		}
		if err := s.Ingest(ctx, turn); err != nil {
			return err
		}
		if step.ended != "" {
			if err := s.EndSession(ctx, step.ended); err != nil {
				return err
			}
		}
	}
	return nil
}

// tellEvidence tells a system what the view shows of a question's evidence, and nothing
// before it.
func (d *runner) tellEvidence(ctx context.Context, s System, q schemas.Question, rec *questionLog) error {
	turns, err := d.show.evidence(ctx, q)
	if err != nil {
		return err
	}
	return rec.Times.timed("evidence", func() error {
		if err := d.greet(ctx, s, q.TaskID); err != nil {
			return err
		}
		for _, turn := range turns {
			if err := s.Ingest(ctx, turn); err != nil {
				return err
			}
		}
		if len(turns) == 0 {
			return nil
		}
		return s.EndSession(ctx, turns[0].SessionID)
	})
}

// greet begins a task. A new process is greeted as the first was.
func (d *runner) greet(ctx context.Context, s System, task string) error {
	if d.isolation == IsolationProcess {
		if _, err := s.Capabilities(ctx); err != nil {
			return err
		}
	}
	return s.Reset(ctx, task)
}

// Forecast is what a run takes: Forms of Questions are asked, and so many turns told, in
// Processes. Tokens and Pictures bound what a language model is sent.
type Forecast struct {
	Isolation          string
	Tasks, Questions   int
	Forms, Turns, Told int
	Processes          int
	Tokens, Pictures   int
}

// forecast counts over all tasks, finished ones among them.
func (d *runner) forecast() (f Forecast, err error) {
	f.Isolation, f.Processes = d.isolation, 1
	model, asks := d.system.(modelAsker)
	for t, err := range d.show.book.tasks() {
		if err != nil {
			return f, err
		}
		if t, err = d.selectQuestions(t, &taskLog{}); err != nil {
			return f, err
		}
		asked := slices.ContainsFunc(t.steps, func(s step) bool { return len(s.asked) > 0 })
		if !asked {
			continue
		}
		f.Tasks, f.Turns = f.Tasks+1, f.Turns+len(t.steps)
		var told historySize
		for at, s := range t.steps {
			told.add(s.turn)
			for _, q := range s.asked {
				forms, size := 1, told
				if d.opts.Forms != nil {
					forms = len(d.opts.Forms(q))
				}
				f.Questions, f.Forms = f.Questions+1, f.Forms+forms
				if d.isolation == IsolationProcess {
					f.Processes, f.Told = f.Processes+forms, f.Told+forms*(at+1)
				}
				if d.show.view.Evidence != "" {
					if size, err = d.show.size(q); err != nil {
						return f, err
					}
				}
				if asks && d.caps.Answers {
					tokens, pictures := model.callSize(size, d.opts.TopK)
					f.Tokens, f.Pictures = f.Tokens+forms*tokens, f.Pictures+forms*pictures
				}
			}
		}
	}
	if d.show.view.Evidence != "" {
		f.Turns, f.Told = 0, 0
	}
	f.Told += f.Turns
	return f, nil
}

// historySize is how much a history holds.
type historySize struct{ turns, characters, pictures int }

func (h *historySize) add(t *schemas.Turn) {
	h.turns++
	h.characters += len(t.Text) + len(t.Observation) + len(t.Reasoning) + len(t.Action) + len(t.Feedback)
	h.pictures += len(t.Attachments)
	for _, a := range t.Attachments {
		h.characters += len(a.Caption)
	}
}

// size is how much a view of the evidence shows of a question.
func (m messages) size(q schemas.Question) (h historySize, err error) {
	shown, err := m.view.show(q, m.pictures)
	h.turns, h.pictures = len(shown.Passages), shown.MaxPictures()
	for _, p := range shown.Passages {
		h.characters += len(p.Text) + len(p.Caption)
	}
	return h, err
}

// modelAsker is a system that puts each question to a language model: callSize is how many
// tokens and pictures one call takes at most.
type modelAsker interface {
	callSize(h historySize, topK int) (tokens, pictures int)
}
