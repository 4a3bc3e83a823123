package trajectory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/internal/benchmark"
	"github.com/memforge/memforge/sources/internal/evidence"
)

// Limits of a run: texts in bytes.
const (
	maxSteps = 20_000
	maxText  = 32 << 10
)

// emitter turns runs into records.
type emitter struct {
	family string
	// steps is the most that a session has.
	steps   int
	scope   *pipeline.Scope
	emit    func(pipeline.Record) error
	files   *benchmark.Files
	album   *evidence.Album
	emitted map[string]bool
}

// SplitSessions splits steps into sessions: where a step opens one, and after so many.
func SplitSessions(steps []Step, most int) (out [][]Step) {
	for i, s := range steps {
		if last := len(out) - 1; i == 0 || s.Opens || len(out[last]) == most {
			out = append(out, []Step{s})
		} else {
			out[last] = append(out[last], s)
		}
	}
	return out
}

// emitRun emits the records of a run and rejects what no record holds.
func (g *emitter) emitRun(ctx context.Context, r *Run) error {
	task := g.family + "/" + r.Name
	if n := len(r.Steps); n > maxSteps {
		r.Reject("steps", CodeLong, "%d steps, more than %d: those behind are left out", n, maxSteps)
		r.Steps = r.Steps[:maxSteps]
	}
	r.dropBadTimes()
	r.truncateTexts()
	var media []string
	cut := SplitSessions(r.Steps, g.steps)
	sessions := 0
	for i, steps := range cut {
		s, shown, err := g.buildSession(ctx, r, task, sessions, steps)
		if err != nil {
			return err
		}
		if i == 0 {
			s.open(r)
		}
		if i == len(cut)-1 && r.Outcome != "" {
			s.add(schemas.Turn{Role: schemas.TurnEnvironment, Feedback: r.Outcome})
		}
		given, err := g.emitRecord(schemas.NameSession, s.SessionID, s.number())
		if err != nil {
			return err
		}
		if given {
			sessions++
			media = append(media, shown...)
		}
	}
	g.rejectLosses(task, r)
	if sessions == 0 {
		g.scope.Reject(task, pipeline.Reject(CodeRun, "no session of it can be given"))
		return nil
	}
	slices.Sort(media)
	_, err := g.emitRecord(schemas.NameTask, task, schemas.Task{TaskID: task, Family: g.family, Domain: r.Domain, Scenario: r.Scenario, Summary: r.Goal, Media: slices.Compact(media)})
	return err
}

func (g *emitter) rejectLosses(task string, r *Run) {
	slices.SortStableFunc(r.losses, func(a, b loss) int {
		return cmp.Or(strings.Compare(a.place, b.place), strings.Compare(a.code, b.code))
	})
	for _, l := range r.losses {
		g.scope.Reject(task+"/"+l.place, l.rejection())
	}
}

// emitRecord emits a record, or rejects one that is too large.
func (g *emitter) emitRecord(schema, id string, v any, blobs ...pipeline.Digest) (given bool, err error) {
	rec, err := pipeline.NewRecord(schema, id, v, blobs...)
	if why := (*pipeline.Rejection)(nil); errors.As(err, &why) {
		g.scope.Reject(id, why)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, g.emit(rec)
}

type sessionBuilder struct{ schemas.Session }

// buildSession returns the session of some steps, and the pictures that it shows.
func (g *emitter) buildSession(ctx context.Context, r *Run, task string, order int, steps []Step) (*sessionBuilder, []string, error) {
	s := &sessionBuilder{schemas.Session{
		SessionID: schemas.SessionIDOf(task, order), TaskID: task, SourceID: g.scope.Name(), Kind: schemas.KindTrajectory, Order: int32(order),
		Participants: []string{schemas.TurnUser, cmp.Or(r.Agent, schemas.TurnAgent)}, EventType: steps[0].Event,
	}}
	var shown []string
	for _, step := range steps {
		if step.Says != "" {
			s.add(schemas.Turn{Role: schemas.TurnUser, Text: step.Says})
		}
		turn := schemas.Turn{
			Role: schemas.TurnAgent, Speaker: r.Agent, Timestamp: step.Time,
			Observation: step.Observation, Reasoning: step.Reasoning, Action: step.Action, Feedback: step.Feedback,
		}
		for _, shot := range step.Shots {
			id, err := g.emitPicture(ctx, r, step, shot)
			if err != nil {
				return nil, nil, fmt.Errorf("run %s: step %s: %w", r.Name, step.Ref, err)
			}
			if id != "" {
				shown = append(shown, id)
				turn.Attachments = append(turn.Attachments, schemas.Attachment{AttachmentID: schemas.AttachmentIDOf(s.SessionID, len(shown)), MediaID: id, Type: "screenshot", Caption: shot.Caption})
			}
		}
		s.add(turn)
	}
	return s, shown, nil
}

// emitPicture emits the record of a picture and returns its media id, or "" after
// rejecting it.
func (g *emitter) emitPicture(ctx context.Context, r *Run, step Step, shot Shot) (id string, err error) {
	var why *pipeline.Rejection
	if len(shot.Data) > 0 {
		id, why, err = g.album.AddBytes(ctx, shot.Data)
	} else {
		id, why, err = g.album.AddNamed(ctx, g.files, shot.Name)
	}
	if err != nil {
		return "", err
	}
	if why != nil {
		r.Reject(step.Ref+"/picture", why.Code, "%s", why.Reason)
		return "", nil
	}
	if g.emitted[id] {
		return id, nil
	}
	g.emitted[id] = true
	for _, m := range g.album.Rows([]string{id}) {
		if _, err := g.emitRecord(schemas.NameMedia, id, m, pipeline.Digest(id)); err != nil {
			return "", err
		}
	}
	return id, nil
}

func (s *sessionBuilder) add(t schemas.Turn) { s.Turns = append(s.Turns, t) }

// open puts the goal and the known facts before all steps.
func (s *sessionBuilder) open(r *Run) {
	front := []schemas.Turn{{Role: schemas.TurnUser, Text: r.Goal}}
	if len(r.Facts) > 0 {
		front = append(front, schemas.Turn{Role: schemas.TurnEnvironment, Text: strings.Join(r.Facts, "\n")})
	}
	s.Turns = append(front, s.Turns...)
}

func (s *sessionBuilder) number() schemas.Session {
	for i := range s.Turns {
		t := &s.Turns[i]
		t.Order, t.SessionID, t.TurnID = int32(i+1), s.SessionID, schemas.TurnIDOf(s.SessionID, i+1)
	}
	return s.Session
}

func (r *Run) dropBadTimes() {
	var last time.Time
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.Time == "" {
			continue
		}
		at, err := time.Parse(time.RFC3339, s.Time)
		switch {
		case err != nil:
			r.Reject(s.Ref+"/time", CodeTime, "%q is no RFC 3339 time", s.Time)
			s.Time = ""
		case at.Before(last):
			r.Reject(s.Ref+"/time", CodeBack, "%s is before the step ahead of it", s.Time)
			s.Time = ""
		default:
			last = at
		}
	}
}

func (r *Run) truncateTexts() {
	cut := func(place string, s *string) {
		if n := len(*s); n > maxText {
			r.Reject(place, CodeCut, "%d bytes, of which the first %d are given", n, maxText)
			*s = strings.ToValidUTF8((*s)[:maxText], "")
		}
	}
	cut("goal", &r.Goal)
	for i := range r.Facts {
		cut(fmt.Sprintf("facts[%d]", i), &r.Facts[i])
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		for name, text := range map[string]*string{"says": &s.Says, "observation": &s.Observation, "reasoning": &s.Reasoning, "action": &s.Action, "feedback": &s.Feedback} {
			cut(s.Ref+"/"+name, text)
		}
	}
}
