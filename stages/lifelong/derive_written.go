package lifelong

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/written"
)

// settle works an answer out from evidence alone. What written sessions say is for readers
// to judge, so nothing follows from it by rule.
func settle(q schemas.Question, pieces []schemas.Evidence) (string, error) {
	if q.Labels[labelOrigin] == written.OriginWritten {
		return "", &pipeline.UnderivedError{Reason: "its sessions are written in free words"}
	}
	return oracle.Settle(q, pieces)
}

// writtenTaskOf makes a written task again from its plan, the words of its sessions and the
// rows of its pictures.
func writtenTaskOf(id string, p pipeline.Premises) (*writtenTask, []schemas.Session, error) {
	rows, err := pipeline.PremiseRecords[PlanRow](p, namePlanRow)
	if err != nil {
		return nil, nil, err
	}
	all, err := sessionsOfTask(p)
	if err != nil {
		return nil, nil, err
	}
	if len(rows) != 1 || rows[0].TaskID != id {
		return nil, nil, fmt.Errorf("the task has %d plans; it has one of its own", len(rows))
	}
	var l written.Life
	if err := json.Unmarshal([]byte(rows[0].Life), &l); err != nil {
		return nil, nil, fmt.Errorf("plan of %s: %w", id, err)
	}
	if len(all) != len(l.Sessions) {
		return nil, nil, fmt.Errorf("%d sessions are released, and %d were read", len(all), len(l.Sessions))
	}
	for n, s := range all {
		if len(s.Turns) != len(l.Sessions[n].Turns) {
			return nil, nil, fmt.Errorf("session %s has %d turns, and readers read %d", s.SessionID, len(s.Turns), len(l.Sessions[n].Turns))
		}
		for i := range s.Turns {
			l.Sessions[n].Turns[i].Text = s.Turns[i].Text
		}
	}
	if why := l.Check(); len(why) > 0 {
		return nil, nil, fmt.Errorf("plan of %s: %s", id, why[0])
	}
	media, err := shownPictures(l, all, p)
	if err != nil {
		return nil, nil, err
	}
	w := newWrittenTask(id, l, media)
	again, err := w.planRow()
	if err != nil {
		return nil, nil, err
	}
	if fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", rows[0]) {
		return nil, nil, fmt.Errorf("row %s of table %s is not what follows from its plan and readings", rows[0].PlanID, tablePlanRow)
	}
	return w, all, nil
}

// shownPictures returns the media ids of a plan's pictures, as turns attach them. Each must
// show what the plan says.
func shownPictures(l written.Life, all []schemas.Session, p pipeline.Premises) (map[string]string, error) {
	rows, err := pipeline.PremiseRecords[RenderedPicture](p, namePicture)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, x := range l.Plan.Pictures {
		turn := l.Sessions[x.Session].TurnOfPicture(x.ID)
		if turn == 0 || turn > len(all[x.Session].Turns) {
			return nil, fmt.Errorf("no turn of session %d sends picture %s", x.Session, x.ID)
		}
		at, attached := slices.Index(l.Sessions[x.Session].Turns[turn-1].Pictures, x.ID), all[x.Session].Turns[turn-1].Attachments
		if at >= len(attached) {
			return nil, fmt.Errorf("turn %d of session %d does not attach picture %s", turn, x.Session, x.ID)
		}
		id := attached[at].MediaID
		row := slices.IndexFunc(rows, func(r RenderedPicture) bool { return r.MediaID == id })
		if row < 0 || fmt.Sprintf("%+v", rows[row]) != fmt.Sprintf("%+v", renderedPicture(id, writtenPicture(x))) {
			return nil, fmt.Errorf("picture %s of session %d does not show what its plan says", id, x.Session)
		}
		out[x.ID] = id
	}
	return out, nil
}

func deriveWrittenQuestion(q schemas.Question, p pipeline.Premises) (pipeline.Derived[schemas.Question], error) {
	var out pipeline.Derived[schemas.Question]
	w, all, err := writtenTaskOf(q.TaskID, p)
	if err != nil {
		return out, err
	}
	var n int
	if _, err := fmt.Sscanf(q.QuestionID, w.id+"/Q%d", &n); err != nil || n < 1 || n > len(w.life.Questions) || fmt.Sprintf("%s/Q%04d", w.id, n) != q.QuestionID {
		return out, fmt.Errorf("question %s is not numbered as those of its plan are", q.QuestionID)
	}
	end, err := p.LastSession(q.CheckpointID, len(all))
	if err != nil {
		return out, err
	}
	asked := w.life.Questions[n-1]
	if asked.End != end {
		return out, fmt.Errorf("question %s is asked after session %d, and its checkpoint ends with session %d", q.QuestionID, asked.End, end)
	}
	item, g, err := w.question(n - 1)
	if err != nil {
		return out, err
	}
	item.CheckpointID, item.Split = q.CheckpointID, schemas.DefaultSplit
	var options []schemas.Option
	left := append([]string{g.Right}, g.Wrong...)
	for _, o := range q.Options {
		at := slices.Index(left, o.Text)
		if at < 0 {
			return out, fmt.Errorf("option %q of question %s does not follow from its plan", o.Text, q.QuestionID)
		}
		left = slices.Delete(left, at, at+1)
		role := schemas.RoleDistractor
		if o.Text == g.Right {
			role = schemas.RoleCorrect
		}
		options = append(options, schemas.Option{Text: o.Text, Role: role})
	}
	if len(left) > 0 {
		return out, fmt.Errorf("question %s lacks the options %q of its plan", q.QuestionID, left)
	}
	item.SetOptions(options...)
	if err := checkWrittenStanding(w.standing(q, asked, g), p); err != nil {
		return out, err
	}
	return pipeline.Derived[schemas.Question]{Item: item}, nil
}

func checkWrittenStanding(want Standing, p pipeline.Premises) error {
	rows, err := pipeline.PremiseRecords[Standing](p, nameStanding)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(s Standing) bool { return s.StandingID == want.StandingID })
	if at < 0 && (p.Flagged || len(rows) == 0) {
		return nil
	}
	if at < 0 || fmt.Sprintf("%+v", rows[at]) != fmt.Sprintf("%+v", want) {
		return fmt.Errorf("table %s does not have the row of %s that follows from its plan", tableStanding, want.QuestionID)
	}
	return nil
}

func deriveWrittenTask(t schemas.Task, p pipeline.Premises) (pipeline.Derived[schemas.Task], error) {
	var none pipeline.Derived[schemas.Task]
	w, all, err := writtenTaskOf(t.TaskID, p)
	if err != nil {
		return none, err
	}
	for n, s := range all {
		if got, want := fmt.Sprintf("%+v", s), fmt.Sprintf("%+v", w.sessions[n]); got != want {
			return none, fmt.Errorf("session %s is not what follows from its plan and readings", s.SessionID)
		}
	}
	return pipeline.Derived[schemas.Task]{Item: w.task()}, checkAskedOnce(t, p)
}
