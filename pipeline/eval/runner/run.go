package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Options say how a system is driven.
type Options struct {
	// TopK is how many memories count for a question, Captions which captions stand
	// with pictures; empty is CaptionsDense for systems that see none and
	// CaptionsMinimal for those that do.
	TopK     int
	Captions string
	// Restarts is how often a system that died, hung or broke the protocol is started
	// again for one task.
	Restarts int
	// Forms are the ways in which a question is put, those of a scorer; nil puts it as
	// it stands.
	Forms func(schemas.Question) []score.Form
	// Done is told of each task that has ended.
	Done func(Outcome)
}

// Outcome is how one task ended. Err is a *SystemError where the system gave out.
type Outcome struct {
	Task      string
	Turns     int
	Questions int
	Answered  int
	Restarts  int
	Resumed   bool
	Err       error
}

type runner struct {
	system System
	show   messages
	caps   Capabilities
	opts   Options
	log    *runFolder
}

// GoldTurns gives the turns of the evidence of each question of a release, those of
// distractors aside.
func GoldTurns(c release.Contents) func(question string) []string {
	turns := map[string][]string{}
	for _, q := range c.Questions {
		for _, e := range q.Evidence {
			if e.Kind == schemas.EvidenceTurn && e.Role != schemas.RoleDistractor {
				turns[q.QuestionID] = append(turns[q.QuestionID], e.Ref)
			}
		}
	}
	return func(question string) []string { return turns[question] }
}

// Run drives a system through all tasks of a release and writes what it did below dir.
// A run that was broken off goes on behind the last task that was complete. The error
// of a system that is unusable, or of dir, ends it; a task in which the system gives
// out is an Outcome.
func Run(ctx context.Context, reg *pipeline.Registry, c release.Contents, s System, dir string, o Options) (sum Totals, err error) {
	caps, err := s.Capabilities(ctx)
	if err != nil {
		return Totals{}, err
	}
	if o.Captions == "" {
		o.Captions = CaptionsDense
		if caps.Pictures != "" {
			o.Captions = CaptionsMinimal
		}
	}
	b, err := newTaskSource(reg, c, o.Forms)
	if err != nil {
		return Totals{}, err
	}
	log, err := openRunFolder(dir, runSettings{Protocol, c.Manifest.Name, c.Manifest.Version, pipeline.DigestOf([]byte(c.Sums)), caps, o.TopK, o.Captions, o.Forms != nil})
	if err != nil {
		return Totals{}, err
	}
	defer func() { err = errors.Join(err, log.close()) }()
	d := &runner{system: s, show: messages{b, o.Captions, caps.Pictures}, caps: caps, opts: o, log: log}
	n := 0
	for t, err := range b.tasks() {
		if err != nil {
			return Totals{}, err
		}
		n++
		out, err := d.runTask(ctx, n, t)
		if err != nil {
			return Totals{}, err
		}
		if o.Done != nil {
			o.Done(out)
		}
	}
	return log.writeTotals(n)
}

// runTask runs a task unless an earlier run finished it.
func (d *runner) runTask(ctx context.Context, n int, t task) (Outcome, error) {
	if out, done, err := d.log.finished(n, t.id); err != nil || done {
		return out, err
	}
	for try := 0; ; try++ {
		l := &taskLog{task: t.id}
		err := d.tellTask(ctx, t, l)
		var fault *SystemError
		if err != nil && !errors.As(err, &fault) {
			return Outcome{}, err
		}
		if err == nil || fault.Fault == Refused || fault.Fault == Unusable || try == d.opts.Restarts {
			l.end = taskEnd{Task: t.id, Turns: len(t.steps), Questions: l.questions, Answered: l.answered, Restarts: try}
			if fault != nil {
				l.end.Fault = fault.Error()
			}
			return l.end.outcome(), d.log.writeTask(n, l)
		}
	}
}

// tellTask gives the system a task from its beginning.
func (d *runner) tellTask(ctx context.Context, t task, l *taskLog) error {
	if err := l.timed("reset", func() error { return d.system.Reset(ctx, t.id) }); err != nil {
		return err
	}
	for _, s := range t.steps {
		turn, err := d.show.turn(ctx, s)
		if err != nil {
			return err
		}
		if err := l.timed("ingest_turn", func() error { return d.system.Ingest(ctx, turn) }); err != nil {
			return err
		}
		if s.ended != "" {
			if err := d.endSession(ctx, s.ended, l); err != nil {
				return err
			}
		}
		for _, q := range s.asked {
			if err := d.ask(ctx, q, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// endSession ends a session and records what the system then holds.
func (d *runner) endSession(ctx context.Context, session string, l *taskLog) error {
	if err := l.timed("end_session", func() error { return d.system.EndSession(ctx, session) }); err != nil {
		return err
	}
	held := memoryLine{Session: session}
	if d.caps.Delta {
		err := l.timed("export_memory_delta", func() (err error) { held.Changes, err = d.system.Delta(ctx, session); return })
		if err != nil {
			return err
		}
	}
	if d.caps.Snapshot {
		err := l.timed("snapshot_memories", func() (err error) { held.Memories, err = d.system.Snapshot(ctx); return })
		if err != nil {
			return err
		}
	}
	l.holdings = append(l.holdings, held)
	return nil
}

// ask retrieves once for a question and answers each of its forms. A refusal leaves the
// question without an answer and the task going on.
func (d *runner) ask(ctx context.Context, q schemas.Question, l *taskLog) error {
	l.questions++
	query, err := d.show.query(ctx, q, nil, d.opts.TopK)
	if err != nil {
		return err
	}
	found := retrievalLine{ID: q.QuestionID}
	err = l.timed("retrieve", func() (err error) { found.Items, err = d.system.Retrieve(ctx, query); return })
	if refused(err) {
		found.Refused, err = err.Error(), nil
	}
	if err != nil {
		return err
	}
	found.Items = slices.Clip(found.Items)
	l.retrievals = append(l.retrievals, found)
	if !d.caps.Answers || found.Refused != "" {
		return nil
	}
	return d.answer(ctx, q, found.Items, l)
}

// answer asks for an answer to each form of a question.
func (d *runner) answer(ctx context.Context, q schemas.Question, items []Item, l *taskLog) error {
	forms := []score.Form{{ID: q.QuestionID, Options: q.Options}}
	if d.opts.Forms != nil {
		forms = d.opts.Forms(q)
	}
	whole := true
	for _, f := range forms {
		query, err := d.show.query(ctx, q, f.Options, d.opts.TopK)
		if err != nil {
			return err
		}
		query.Items = items
		given := answerLine{ID: f.ID}
		err = l.timed("answer", func() (err error) { given.Prediction, err = d.system.Answer(ctx, query); return })
		if refused(err) {
			whole = false
			continue
		}
		if err != nil {
			return err
		}
		l.answers = append(l.answers, given)
	}
	if whole {
		l.answered++
	}
	return nil
}

func refused(err error) bool {
	var fault *SystemError
	return errors.As(err, &fault) && fault.Fault == Refused
}

// timed adds the duration of a call to those of its method. Durations are kept apart
// from everything else, for they differ from run to run.
func (l *taskLog) timed(method string, call func() error) error {
	begun := time.Now()
	err := call()
	if l.times == nil {
		l.times = map[string]callTimes{}
	}
	s := l.times[method]
	s.Calls++
	s.Seconds += time.Since(begun).Seconds()
	l.times[method] = s
	if err != nil {
		return fmt.Errorf("task %s: %w", l.task, err)
	}
	return nil
}
