// Package dialogue joins all sessions of a task in one record, of any author, and
// splits them into rounds, the units of evidence.
package dialogue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Name is the schema of a Dialogue.
const Name = "visual.dialogue"

// Dialogue is a task with its sessions, in their order.
type Dialogue struct {
	Task     schemas.Task      `json:"task"`
	Sessions []schemas.Session `json:"sessions"`
}

// Register adds the stage visual.dialogues.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "visual.dialogues", "1", "hand on the sessions of a task together, so that one can ask about all of them", newGatherStage)
}

type gatherStage struct{}

func newGatherStage(struct{}) (pipeline.Stage, error) { return gatherStage{}, nil }

func (gatherStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameTask, schemas.NameSession}, Emits: []string{Name}}
}

// pendingDialogue is a task of which some records have been read.
type pendingDialogue struct {
	dialogue Dialogue
	taskRead bool // its own record was read
	missing  int  // records that are still to come
}

// Fold counts the records of each task and then reads them again, so that it holds a
// task only from its first record to its last.
func (gatherStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	tasks := map[string]*pendingDialogue{}
	if err := visitSessions(ctx, in, func(task string, _ pipeline.Record) error {
		if tasks[task] == nil {
			tasks[task] = &pendingDialogue{}
		}
		tasks[task].missing++
		return nil
	}); err != nil {
		return err
	}
	return visitSessions(ctx, in, func(task string, rec pipeline.Record) error {
		o := tasks[task]
		if err := o.add(rec); err != nil {
			return err
		}
		if o.missing > 0 {
			return nil
		}
		delete(tasks, task)
		out, err := o.build(task)
		if why := (*pipeline.Rejection)(nil); errors.As(err, &why) {
			scope.Reject(task, why)
			return nil
		}
		if err != nil {
			return err
		}
		return emit(out)
	})
}

// visitSessions calls visit for each task and session with the id of its task.
func visitSessions(ctx context.Context, in pipeline.Collection, visit func(task string, rec pipeline.Record) error) error {
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		task := rec.ID
		switch rec.Schema {
		case schemas.NameTask:
		case schemas.NameSession:
			s, err := pipeline.Decode[schemas.Session](rec)
			if err != nil {
				return err
			}
			task = s.TaskID
		default:
			continue
		}
		if err := visit(task, rec); err != nil {
			return err
		}
	}
	return nil
}

func (o *pendingDialogue) add(rec pipeline.Record) (err error) {
	o.missing--
	if rec.Schema == schemas.NameTask {
		o.taskRead = true
		o.dialogue.Task, err = pipeline.Decode[schemas.Task](rec)
		return err
	}
	s, err := pipeline.Decode[schemas.Session](rec)
	o.dialogue.Sessions = append(o.dialogue.Sessions, s)
	return err
}

func (o *pendingDialogue) build(task string) (pipeline.Record, error) {
	switch {
	case !o.taskRead:
		return pipeline.Record{}, pipeline.Reject("no-task", "its %d sessions belong to a task that is not read; read from what gives it too", len(o.dialogue.Sessions))
	case len(o.dialogue.Sessions) == 0:
		return pipeline.Record{}, pipeline.Reject("no-session", "it has no session that anything could be asked about")
	}
	slices.SortFunc(o.dialogue.Sessions, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
	return pipeline.NewRecord(Name, task, o.dialogue)
}

// Round is the unit of evidence: a turn of the user with the assistant's answer, or any
// other turn by itself.
type Round struct {
	// ID is the round's name in prompts (D3:2): the number of its session among the
	// dialogues, and its number in the session, from 1.
	ID      string
	Session *schemas.Session
	Turns   []schemas.Turn
}

// Rounds returns the rounds of the conversations in order. Profiles and documents have
// none.
func (d Dialogue) Rounds() []Round {
	var out []Round
	sessions := 0
	for i := range d.Sessions {
		s := &d.Sessions[i]
		if !slices.Contains([]string{schemas.KindDialogue, schemas.KindPrivateChat, schemas.KindGroupChat}, s.Kind) {
			continue
		}
		sessions++
		n := 0
		for at := 0; at < len(s.Turns); at++ {
			r := Round{Session: s, Turns: s.Turns[at : at+1]}
			if at+1 < len(s.Turns) && s.Turns[at].Role == schemas.TurnUser && s.Turns[at+1].Role == schemas.TurnAssistant {
				r.Turns = s.Turns[at : at+2]
				at++
			}
			n++
			r.ID = fmt.Sprintf("D%d:%d", sessions, n)
			out = append(out, r)
		}
	}
	return out
}

// Pictures returns the attachments of a round that have a picture.
func (r Round) Pictures() []schemas.Attachment {
	var out []schemas.Attachment
	for _, t := range r.Turns {
		for _, a := range t.Attachments {
			if a.MediaID != "" {
				out = append(out, a)
			}
		}
	}
	return out
}

// Evidence returns the round as evidence of one role: its text with the first picture,
// then further pictures. The caller sets Order.
func (r Round) Evidence(role string) []schemas.Evidence {
	of := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: r.Turns[0].TurnID, Role: role, SessionID: r.Session.SessionID}
	first := of
	first.Text = schemas.QuoteTurns(r.Session.Date, r.Turns...)
	out := []schemas.Evidence{first}
	for i, a := range r.Pictures() {
		if i > 0 {
			out = append(out, of)
		}
		e := &out[len(out)-1]
		e.Modality, e.Media = schemas.ModalityImage, a.MediaID
		e.Caption, e.MinimalCaption, e.TaskAwareCaption = a.Caption, a.MinimalCaption, a.TaskAwareCaption
	}
	return out
}

func (gatherStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{Out: pipeline.Volume{
		Name: {Records: in[schemas.NameTask].Records, Rough: in[schemas.NameTask].Rough},
		// what those who ask need to know of it
		VolumePictures: {Records: PictureCount(in)},
		VolumeSessions: in[schemas.NameSession],
	}}
}

// VolumePictures counts the pictures in sessions, VolumeSessions the sessions.
const (
	VolumePictures = "visual.pictures"
	VolumeSessions = "visual.sessions"
)

// PictureCount returns the number of pictures in the sessions of a volume: as many as
// plugins of the family counted, or else as there are media.
func PictureCount(in pipeline.Volume) float64 {
	return max(in[VolumePictures].Records, in[schemas.NameMedia].Records)
}
