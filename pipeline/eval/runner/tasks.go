package runner

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// task is the turns of a task in the order of time, with the questions asked after some
// of them.
type task struct {
	id    string
	steps []step
	// unmerged says that the run merges histories, and this one with no other.
	unmerged bool
}

// step is one turn. Ended is the session that it ends, if it does; asked are the
// questions of checkpoints that are complete with it.
type step struct {
	session *schemas.Session
	turn    *schemas.Turn
	ended   string
	asked   []schemas.Question
}

// taskSource reads the tasks of a release.
type taskSource struct {
	contents    release.Contents
	merged      [][]string // groups of tasks whose histories are one
	sessions    pipeline.Table
	checkpoints map[string][]string // sessions by checkpoint
	questions   map[string][]schemas.Question
	media       map[string]schemas.Media
}

func newTaskSource(reg *pipeline.Registry, c release.Contents) (*taskSource, error) {
	b := &taskSource{contents: c, checkpoints: map[string][]string{}, questions: map[string][]schemas.Question{}, media: map[string]schemas.Media{}}
	b.sessions, _ = reg.Table(schemas.NameSession)
	points, _ := reg.Table(schemas.NameCheckpoint)
	for rec, err := range c.Records(points) {
		if err != nil {
			return nil, err
		}
		p, err := pipeline.Decode[schemas.Checkpoint](rec)
		if err != nil {
			return nil, err
		}
		b.checkpoints[p.CheckpointID] = p.Sessions
	}
	for _, q := range c.Questions {
		b.questions[q.TaskID] = append(b.questions[q.TaskID], q)
	}
	for _, m := range c.Media {
		b.media[m.MediaID] = m
	}
	return b, nil
}

// singleTasks yields the tasks of the release that ask something: first those that have
// sessions, in the order of these, then those that have media alone.
func (b *taskSource) singleTasks() iter.Seq2[task, error] {
	return func(yield func(task, error) bool) {
		done := map[string]bool{}
		for sessions, err := range b.histories() {
			if err != nil {
				yield(task{}, err)
				return
			}
			id := sessions[0].TaskID
			if done[id] {
				yield(task{}, fmt.Errorf("the sessions of task %s do not lie together in the release", id))
				return
			}
			done[id] = true
			if len(b.questions[id]) == 0 {
				continue
			}
			t, err := b.taskOf(id, sessions)
			if !yield(t, err) || err != nil {
				return
			}
		}
		for _, t := range b.contents.Tasks {
			if done[t.TaskID] || len(b.questions[t.TaskID]) == 0 {
				continue
			}
			got, err := b.taskOf(t.TaskID, []schemas.Session{mediaHistory(t)})
			if !yield(got, err) || err != nil {
				return
			}
		}
	}
}

// histories yields the sessions of each task that has any.
func (b *taskSource) histories() iter.Seq2[[]schemas.Session, error] {
	return func(yield func([]schemas.Session, error) bool) {
		var held []schemas.Session
		for rec, err := range b.contents.Records(b.sessions) {
			if err != nil {
				yield(nil, err)
				return
			}
			s, err := pipeline.Decode[schemas.Session](rec)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(held) > 0 && held[0].TaskID != s.TaskID {
				if !yield(held, nil) {
					return
				}
				held = nil
			}
			held = append(held, s)
		}
		if len(held) > 0 {
			yield(held, nil)
		}
	}
}

// mediaHistory returns a history for a task without sessions: a turn for each of its
// media.
func mediaHistory(t schemas.Task) schemas.Session {
	s := schemas.Session{SessionID: schemas.SessionIDOf(t.TaskID, 1), TaskID: t.TaskID, Kind: schemas.KindImage}
	for i, m := range t.Media {
		id := schemas.TurnIDOf(s.SessionID, i+1)
		s.Turns = append(s.Turns, schemas.Turn{
			TurnID: id, SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnEnvironment,
			Attachments: []schemas.Attachment{{AttachmentID: schemas.AttachmentIDOf(s.SessionID, i+1), MediaID: m}},
		})
	}
	return s
}

// taskOf puts the turns of a task in the order of time and each question where it is
// asked: after the last session that its checkpoint covers, else at the end.
func (b *taskSource) taskOf(id string, sessions []schemas.Session) (task, error) {
	t := task{id: id, steps: mergeTurns(sessions)}
	if len(t.steps) == 0 {
		return t, fmt.Errorf("task %s has questions, and neither sessions nor media that a system could be shown: have the stage that makes it emit records of schema %s", id, schemas.NameSession)
	}
	last := map[string]int{}
	for i, s := range t.steps {
		last[s.session.SessionID] = i
	}
	for session, at := range last {
		t.steps[at].ended = session
	}
	for _, q := range b.questions[id] {
		at := len(t.steps) - 1
		if q.CheckpointID != "" {
			at = 0
			for _, session := range b.checkpoints[q.CheckpointID] {
				at = max(at, last[session])
			}
		}
		t.steps[at].asked = append(t.steps[at].asked, q)
	}
	return t, nil
}

// mergeTurns returns the turns of all sessions in one stream: by position where all
// turns have one, else session by session.
func mergeTurns(sessions []schemas.Session) []step {
	slices.SortStableFunc(sessions, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
	var out []step
	placed := true
	for i := range sessions {
		s := &sessions[i]
		for j := range s.Turns {
			out = append(out, step{session: s, turn: &s.Turns[j]})
			placed = placed && position(out[len(out)-1]) > 0
		}
	}
	if placed {
		slices.SortStableFunc(out, func(a, b step) int { return cmp.Compare(position(a), position(b)) })
	}
	return out
}

func position(s step) int64 { return cmp.Or(s.turn.Position, s.session.Position) }
