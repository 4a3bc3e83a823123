package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Options say how a system is driven.
type Options struct {
	// TopK is how many memories count for a question.
	TopK int
	// View is what the system is shown; see Views. Empty is the whole history, with
	// CaptionsDense for systems that see no pictures and CaptionsMinimal for the others.
	View string
	// Isolation is how questions are kept apart; empty takes the best that the system has.
	Isolation string
	// Parallel is how many questions are asked at once, where they are asked of a process
	// each or of a system that takes several.
	Parallel int
	// Restarts is how often a system that died, hung or broke the protocol is started
	// again for one task.
	Restarts int
	// Forms are the ways in which a question is put, those of a scorer; nil puts it as
	// it stands.
	Forms func(schemas.Question) []score.Form
	// Merged are groups of tasks, each of which has one history; nil keeps each task to its own.
	Merged [][]string
	// Chosen says which questions of the release there are, for the log.
	Chosen string
	// Pictures are those of the release; nil opens them for this run.
	Pictures *Pictures
	// Started is told what the run will take, before the first message to the system.
	Started func(Forecast)
	// Done is told of each task that has ended.
	Done func(Outcome)
}

// Outcome is how one task ended. Err is a *SystemError where the system gave out.
type Outcome struct {
	Task      string
	Turns     int
	Questions int
	Answered  int
	// LeftOut questions have not what the view shows; Open ones have no answer yet, for a
	// model's batch is out or its server failed.
	LeftOut, Open int
	Restarts      int
	Resumed       bool
	Err           error
}

type runner struct {
	system    System
	show      messages
	caps      Capabilities
	isolation string
	opts      Options
	log       *runFolder
}

// GoldTurns gives the turns of the evidence that each question of a release needs.
func GoldTurns(c release.Contents) func(question string) []string {
	turns := map[string][]string{}
	for _, q := range c.Questions {
		for _, e := range q.Needed() {
			if e.Kind == schemas.EvidenceTurn {
				turns[q.QuestionID] = append(turns[q.QuestionID], e.Ref)
			}
		}
	}
	return func(question string) []string { return turns[question] }
}

// Run drives a system through all tasks of a release and writes what it did below dir.
// A run that was broken off goes on behind the last question that was complete, or, with
// IsolationNone, the last task. The error of a system that is unusable, or of dir, ends it;
// a task in which the system gives out is an Outcome.
func Run(ctx context.Context, reg *pipeline.Registry, c release.Contents, s System, dir string, o Options) (sum Totals, err error) {
	caps, err := s.Capabilities(ctx)
	if err != nil {
		return Totals{}, err
	}
	shown, err := ViewNamed(o.View)
	if err != nil {
		return Totals{}, err
	}
	isolation, err := chooseIsolation(o.Isolation, caps, s)
	if err != nil {
		return Totals{}, err
	}
	if o.Pictures == nil {
		o.Pictures = NewPictures(c, "")
		defer func() { err = errors.Join(err, o.Pictures.Close()) }()
	}
	b, err := newTaskSource(reg, c)
	if err != nil {
		return Totals{}, err
	}
	b.merged = o.Merged
	show := newMessages(b, shown, caps.Pictures, o.Pictures)
	shown.Captions = show.captions
	log, err := openRunFolder(dir, runSettings{
		Protocol: Protocol, Release: c.Manifest.Name, Version: c.Manifest.Version, Sums: pipeline.DigestOf([]byte(c.Sums)), System: caps,
		TopK: o.TopK, View: shown, Isolation: isolation, Forms: o.Forms != nil, Chosen: o.Chosen, Merged: o.Merged,
	})
	if err != nil {
		return Totals{}, err
	}
	defer func() { err = errors.Join(err, log.close()) }()
	d := &runner{system: s, show: show, caps: caps, isolation: isolation, opts: o, log: log}
	if o.Started != nil {
		f, err := d.forecast()
		if err != nil {
			return Totals{}, err
		}
		o.Started(f)
	}
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
func (d *runner) runTask(ctx context.Context, n int, t task) (out Outcome, err error) {
	if out, done, err := d.log.finished(n, t.id); err != nil || done {
		return out, err
	}
	l, err := d.log.openTask(n, t.id, d.isolation != IsolationNone)
	if err != nil {
		return Outcome{}, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	if t, err = d.selectQuestions(t, l); err != nil {
		return Outcome{}, err
	}
	asks := l.plan(t)
	for try := 0; ; try++ {
		l.begin()
		var err error
		if asks {
			err = d.tellTask(ctx, t, l)
		}
		var fault *SystemError
		if err != nil && !errors.As(err, &fault) {
			return Outcome{}, err
		}
		if err == nil || fault.Fault == Refused || fault.Fault == Unusable || try == d.opts.Restarts {
			l.finish(t, try, fault)
			return l.end.outcome(), d.log.writeTask(n, l)
		}
	}
}

// selectQuestions takes the questions out of a task that cannot be shown under the view.
func (d *runner) selectQuestions(t task, l *taskLog) (task, error) {
	t.steps = slices.Clone(t.steps)
	for i := range t.steps {
		var asked []schemas.Question
		for _, q := range t.steps[i].asked {
			code, reason, err := d.show.leaveOut(q, t)
			if t.unmerged {
				code, reason = codeNotMerged, "the history of its task is merged with no other"
			}
			switch {
			case err != nil:
				return t, fmt.Errorf("question %s: %w", q.QuestionID, err)
			case code != "":
				l.leftOut = append(l.leftOut, LeftOut{q.QuestionID, code, reason})
			default:
				asked = append(asked, q)
			}
		}
		t.steps[i].asked = asked
	}
	return t, nil
}

// tellTask gives the system a task from its beginning. Under a view of the evidence there is
// no history but that of each question.
func (d *runner) tellTask(ctx context.Context, t task, l *taskLog) error {
	if d.show.view.Evidence != "" {
		for at := range t.steps {
			if err := d.askAll(ctx, t, at, l); err != nil {
				return err
			}
		}
		return nil
	}
	if err := l.times.timed("reset", func() error { return d.system.Reset(ctx, t.id) }); err != nil {
		return l.fail(err)
	}
	for at, s := range t.steps {
		turn, err := d.show.turn(ctx, s)
		if err != nil {
			return err
		}
		if err := l.times.timed("ingest_turn", func() error { return d.system.Ingest(ctx, turn) }); err != nil {
			return l.fail(err)
		}
		if s.ended != "" {
			if err := d.endSession(ctx, s.ended, l); err != nil {
				return l.fail(err)
			}
		}
		if err := d.askAll(ctx, t, at, l); err != nil {
			return err
		}
	}
	return nil
}

// endSession ends a session and records what the system then holds.
func (d *runner) endSession(ctx context.Context, session string, l *taskLog) error {
	if err := l.times.timed("end_session", func() error { return d.system.EndSession(ctx, session) }); err != nil {
		return err
	}
	held := memoryLine{Session: session}
	if d.caps.Delta {
		err := l.times.timed("export_memory_delta", func() (err error) { held.Changes, err = d.system.Delta(ctx, session); return })
		if err != nil {
			return err
		}
	}
	if d.caps.Snapshot {
		err := l.times.timed("snapshot_memories", func() (err error) { held.Memories, err = d.system.Snapshot(ctx); return })
		if err != nil {
			return err
		}
	}
	l.holdings = append(l.holdings, held)
	return nil
}

// askAll asks the questions that come after a turn, those aside that were answered before.
func (d *runner) askAll(ctx context.Context, t task, at int, l *taskLog) error {
	open := slices.DeleteFunc(slices.Clone(t.steps[at].asked), func(q schemas.Question) bool { return l.has(q.QuestionID) })
	if len(open) == 0 {
		return nil
	}
	var state json.RawMessage
	saves := d.isolation == IsolationState && d.show.view.Evidence == ""
	if saves {
		err := l.times.timed("save_state", func() (err error) { state, err = d.system.SaveState(ctx); return })
		if err != nil {
			return l.fail(err)
		}
	}
	// After a failure no other question is begun; those on their way may be paid for, and end.
	var group errgroup.Group
	var failed atomic.Bool
	group.SetLimit(d.atOnce())
	for _, q := range open {
		group.Go(func() error {
			if failed.Load() {
				return nil
			}
			rec := questionLog{ID: q.QuestionID, Times: methodTimes{}}
			err := d.askQuestion(ctx, t, at, q, state, &rec)
			if reason, later := comesLater(err); later {
				l.leaveOpen(reason)
				return nil
			}
			if err == nil {
				err = l.add(rec)
			}
			failed.Store(failed.Load() || err != nil)
			return l.fail(err)
		})
	}
	if err := group.Wait(); err != nil || !saves {
		return err
	}
	return l.fail(l.times.timed("load_state", func() error { return d.system.LoadState(ctx, state) }))
}

// comesLater reports an answer that is not there yet: it waits in a batch, or its server
// fails on this request.
func comesLater(err error) (reason string, later bool) {
	var why *pipeline.Rejection
	if errors.As(err, &why) && why.Transient {
		return why.Reason, true
	}
	return "", false
}

// askQuestion puts each form of a question to a system that knows the history alone. It
// retrieves once. A refusal leaves the form without an answer and the task going on.
func (d *runner) askQuestion(ctx context.Context, t task, at int, q schemas.Question, state json.RawMessage, rec *questionLog) error {
	forms := []score.Form{{ID: q.QuestionID, Options: q.Options}}
	if d.opts.Forms != nil {
		forms = d.opts.Forms(q)
	}
	rec.Answered = d.caps.Answers
	rec.Retrieval.ID = q.QuestionID
	for i, f := range forms {
		s, end, err := d.standAt(ctx, t, at, q, state, rec)
		if err != nil {
			return err
		}
		if i == 0 {
			err = d.retrieve(ctx, s, q, rec)
		}
		if err == nil && d.caps.Answers && rec.Retrieval.Refused == "" {
			err = d.answer(ctx, s, q, f, rec)
		}
		if err = errors.Join(err, end()); err != nil {
			return err
		}
		if !d.caps.Answers || rec.Retrieval.Refused != "" {
			rec.Answered = false
			break
		}
	}
	return nil
}

func (d *runner) retrieve(ctx context.Context, s System, q schemas.Question, rec *questionLog) error {
	query, err := d.show.query(ctx, q, nil, d.opts.TopK)
	if err != nil {
		return err
	}
	err = rec.Times.timed("retrieve", func() (err error) { rec.Retrieval.Items, err = s.Retrieve(ctx, query); return })
	if refused(err) {
		rec.Retrieval.Refused, err = err.Error(), nil
	}
	rec.Retrieval.Items = slices.Clip(rec.Retrieval.Items)
	return err
}

func (d *runner) answer(ctx context.Context, s System, q schemas.Question, f score.Form, rec *questionLog) error {
	query, err := d.show.query(ctx, q, f.Options, d.opts.TopK)
	if err != nil {
		return err
	}
	query.Items = rec.Retrieval.Items
	var given Reply
	begun := time.Now()
	err = rec.Times.timed("answer", func() (err error) { given, err = s.Answer(ctx, query); return })
	if refused(err) {
		rec.Answered = false
		return nil
	}
	if err == nil {
		rec.Answers = append(rec.Answers, answerLine{f.ID, given.Answer})
		rec.Usage = append(rec.Usage, usageLine{f.ID, time.Since(begun).Seconds(), given.Usage})
	}
	return err
}

func refused(err error) bool {
	var fault *SystemError
	return errors.As(err, &fault) && fault.Fault == Refused
}
