package lifelong

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/format"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/oracle/screenreader"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/written"
)

const (
	namePlanRow  = "lifelong.plan_row"
	tablePlanRow = "lifelong_plans"
	// labelOrigin says of a question where its content comes from.
	labelOrigin = "origin"
)

// PlanRow is a row of the table lifelong_plans: the plan of a written life, what readers
// found in its sessions, and who wrote and read. All that is asked follows from it.
type PlanRow struct {
	PlanID  string         `json:"plan_id"`
	TaskID  string         `json:"task_id"`
	Origin  string         `json:"origin"`
	Author  string         `json:"author"`
	Readers []string       `json:"readers"`
	Month   string         `json:"month"`
	Facts   []PlannedPoint `json:"facts" table:"rows=lifelong_plan_facts,key=fact_id,by=order"`
	// Life is the written.Life as JSON, without the text of its turns, which the sessions
	// have.
	Life string `json:"life"`
}

// PlannedPoint is a fact or an interference of a plan, and how readers found it.
type PlannedPoint struct {
	FactID     string   `json:"fact_id"`
	PlanID     string   `json:"plan_id"`
	Order      int32    `json:"order"` // from 1
	SessionID  string   `json:"session_id"`
	Role       string   `json:"role"` // fact or the kind of an interference
	Thing      string   `json:"thing"`
	Aspect     string   `json:"aspect"`
	Value      string   `json:"value"`
	Kind       string   `json:"kind"`
	Mode       string   `json:"mode"`
	Op         string   `json:"op"`
	Supersedes []string `json:"supersedes"`
	// Turns are those from which readers took it; Found of so many Readers did.
	Turns   []string `json:"turns"`
	Found   int32    `json:"found"`
	Readers int32    `json:"readers"`
}

type assembleStage struct {
	cfg     CheckpointConfig
	drawing *drawStage
}

func newAssemble(c CheckpointConfig) (pipeline.Stage, error) {
	d, err := newDraw(struct{}{})
	if err != nil {
		return nil, err
	}
	return &assembleStage{c, d.(*drawStage)}, c.check()
}

// Spec declares what is given.
func (*assembleStage) Spec() pipeline.Spec {
	var types []string
	for _, t := range question.Types() {
		types = append(types, questionType(t))
	}
	return pipeline.Spec{
		Accepts: []string{written.NameLife}, Types: types,
		Emits: []string{schemas.NameTask, schemas.NameSession, schemas.NameCheckpoint, schemas.NameQuestion, nameStanding, namePlanRow, namePicture, schemas.NameMedia},
	}
}

// Map draws the pictures of a written life and emits its task, sessions with points,
// checkpoints, questions and plan.
func (s *assembleStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	l, err := pipeline.Decode[written.Life](in)
	if err != nil {
		return nil, err
	}
	if why := l.Check(); len(why) > 0 {
		return nil, pipeline.Reject(written.CodePlan, "%s", strings.Join(why, "; "))
	}
	var out pipeline.RecordBuilder
	task := taskID(in.ID)
	media, err := s.drawPictures(ctx, scope, l, &out)
	if err != nil {
		return nil, err
	}
	w := newWrittenTask(task, l, media)
	out.Add(schemas.NameTask, task, w.task())
	var ids []string
	for _, one := range w.sessions {
		ids = append(ids, one.SessionID)
		out.Add(schemas.NameSession, one.SessionID, one)
	}
	ends := s.cfg.checkpointEnds(len(w.sessions), begun)
	for i, end := range ends {
		c := schemas.Checkpoint{CheckpointID: schemas.CheckpointIDOf(task, i), TaskID: task, Order: int32(i), Sessions: ids[:end+1]}
		out.Add(schemas.NameCheckpoint, c.CheckpointID, c)
	}
	if err := s.addQuestions(scope, w, ends, &out); err != nil {
		return nil, pipeline.Reject(written.CodePlan, "%v", err)
	}
	row, err := w.planRow()
	if err != nil {
		return nil, err
	}
	out.Add(namePlanRow, row.PlanID, row)
	return out.Records()
}

// drawPictures adds the pictures of a life and returns their media ids by name.
func (s *assembleStage) drawPictures(ctx context.Context, scope *pipeline.Scope, l written.Life, out *pipeline.RecordBuilder) (map[string]string, error) {
	studio := s.drawing.studios.Get().(*draw.Studio)
	defer s.drawing.studios.Put(studio)
	theme := widget.Light(draw.Hex(accent(scope.Rand(l.Plan.ID))))
	media, seen := map[string]string{}, map[string]bool{}
	for _, x := range l.Plan.Pictures {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		picture := writtenPicture(x)
		m, err := s.drawing.storePicture(ctx, scope, studio, theme, picture)
		if err != nil {
			return nil, fmt.Errorf("picture %s of %s: %w", x.ID, l.Plan.ID, err)
		}
		media[x.ID] = m.MediaID
		if seen[m.MediaID] {
			continue
		}
		seen[m.MediaID] = true
		out.Add(schemas.NameMedia, m.MediaID, m, pipeline.Digest(m.MediaID))
		row := renderedPicture(m.MediaID, picture)
		out.Add(namePicture, row.PictureID, row, pipeline.Digest(m.MediaID))
	}
	return media, nil
}

// writtenPicture returns a picture of a plan as it is drawn. Rows of a chart name the unit.
func writtenPicture(x written.Picture) simulate.Picture {
	out := simulate.Picture{Kind: x.Kind, Title: x.Title, Rows: slices.Clone(x.Rows), Hidden: true, Unit: x.Unit}
	if x.Kind == written.Chart {
		for i := range out.Rows {
			out.Rows[i][0] = x.Unit + " in " + out.Rows[i][0]
		}
	}
	return out
}

// newReadBack returns a function that draws a picture of a plan and reads it, and says what
// it finds otherwise.
func newReadBack() func(written.Picture) error {
	reader := sync.OnceValues(screenreader.New)
	return func(x written.Picture) error {
		r, err := reader()
		if err != nil {
			return err
		}
		picture := writtenPicture(x)
		c, err := drawPicture(draw.NewStudio(), widget.Light(draw.Hex(0x2563eb)), picture)
		if err != nil {
			return err
		}
		if j := compareReading(r, c.Image(), renderedPicture("", picture)); j.Outcome != pipeline.Pass {
			return errors.New(j.Reason)
		}
		return nil
	}
}

func (s *assembleStage) addQuestions(scope *pipeline.Scope, w *writtenTask, ends []int, out *pipeline.RecordBuilder) error {
	places := schemas.BalancedPlaces(scope.Rand(w.life.Plan.ID, "places"), len(w.life.Questions), question.Options)
	for n, asked := range w.life.Questions {
		at := slices.Index(ends, asked.End)
		if at < 0 {
			return fmt.Errorf("question %d of %s is asked after session %d, and checkpoints end after %v; configure as many checkpoints as the stage that worded it", n+1, w.life.Plan.ID, asked.End, ends)
		}
		q, g, err := w.question(n)
		if err != nil {
			return err
		}
		q.CheckpointID, q.Split = schemas.CheckpointIDOf(w.id, at), schemas.DefaultSplit
		rnd := scope.Rand(w.life.Plan.ID, "options", fmt.Sprint(n))
		var list []schemas.Option
		for _, i := range rnd.Perm(len(g.Wrong)) {
			list = append(list, schemas.Option{Text: g.Wrong[i], Role: schemas.RoleDistractor})
		}
		q.SetOptions(slices.Insert(list, places[n], schemas.Option{Text: g.Right, Role: schemas.RoleCorrect})...)
		out.Add(schemas.NameQuestion, q.QuestionID, q)
		row := w.standing(q, asked, g)
		out.Add(nameStanding, row.StandingID, row)
	}
	return nil
}

// writtenTask is a written life as a release holds it.
type writtenTask struct {
	id       string
	life     written.Life
	media    map[string]string // by the name of a picture
	sessions []schemas.Session
	agreed   []map[string]written.Agreement // by session
	points   map[string]string              // memory ids by fact
}

func newWrittenTask(id string, l written.Life, media map[string]string) *writtenTask {
	w := &writtenTask{id: id, life: l, media: media, points: map[string]string{}}
	for n, s := range l.Sessions {
		w.sessions = append(w.sessions, w.session(n, s))
		w.agreed = append(w.agreed, l.Plan.Agreements(n, s))
	}
	w.addPoints()
	for i := range w.sessions {
		w.sessions[i] = w.sessions[i].DeriveFields(w.sessions)
	}
	return w
}

func (w *writtenTask) task() schemas.Task {
	domain := w.life.Plan.Domain
	return schemas.Task{
		TaskID: w.id, Family: family, Domain: domain, Scenario: scenarioOf(domain), SourceRecords: []string{strings.TrimPrefix(w.id, family+"/")},
		Media: schemas.ShownMedia(w.sessions), Summary: oracle.Summary(w.sessions),
	}
}

func (w *writtenTask) session(n int, s written.Session) schemas.Session {
	p := w.life.Plan
	at := p.Sessions[n]
	arc := p.Arcs[slices.IndexFunc(p.Arcs, func(a written.Arc) bool { return a.ID == at.Arc })]
	out := schemas.Session{
		SessionID: schemas.SessionIDOf(w.id, n), TaskID: w.id, Kind: schemas.KindDialogue, Order: int32(n), Date: at.Date,
		Participants: []string{p.Persona.Name, schemas.TurnAssistant}, Arc: arc.Thing, ArcRole: schemas.ArcSide, EventType: at.Event, OnMainLine: arc.Main,
	}
	if arc.Main {
		out.ArcRole = schemas.ArcMain
	}
	pictures := 0
	for i, t := range s.Turns {
		turn := schemas.Turn{TurnID: written.TurnID(w.id, n, i+1), SessionID: out.SessionID, Order: int32(i + 1), Role: t.By, Text: t.Text}
		for _, name := range t.Pictures {
			pictures++
			x := p.Pictures[slices.IndexFunc(p.Pictures, func(x written.Picture) bool { return x.ID == name })]
			said := buildCaptions(renderedPicture(w.media[name], writtenPicture(x)), "")
			turn.Attachments = append(turn.Attachments, schemas.Attachment{
				AttachmentID: schemas.AttachmentIDOf(out.SessionID, pictures), MediaID: w.media[name],
				Type: said.sort, Caption: said.bare, MinimalCaption: said.minimal, TaskAwareCaption: said.full,
			})
		}
		out.Turns = append(out.Turns, turn)
	}
	return out
}

// addPoints gives each session a memory point for each fact and interference on which its
// readers agree.
func (w *writtenTask) addPoints() {
	p := w.life.Plan
	for _, f := range p.Facts {
		if !w.agreed[f.Session][f.ID].Agreed() {
			continue
		}
		point := w.newPoint(f.Session, f.Key(), f.Value)
		point.Content, point.Importance = contentOf(p, f), float64(f.Importance)/3
		for _, id := range f.Supersedes {
			if old := w.points[id]; old != "" {
				point.Supersedes, point.IsUpdate = append(point.Supersedes, old), true
			}
		}
		switch {
		case !point.IsUpdate:
		case f.Op == written.Append:
		default:
			point.UpdateType = f.Op
		}
		switch {
		case f.Op == written.Delete:
			point.Attributes["status"] = "ended"
			delete(point.Attributes, schemas.PointValue)
		case f.Kind == written.Rule:
			point.Type = "rule"
		case f.Session == 0:
			point.Type = "profile"
		}
		w.citeTurns(&point, f)
		w.points[f.ID] = point.MemoryID
		w.sessions[f.Session].Points = append(w.sessions[f.Session].Points, point)
	}
	for _, i := range p.Interfering {
		against := w.points[i.Against]
		if !w.agreed[i.Session][i.ID].Agreed() || against == "" {
			continue
		}
		f, _ := p.FactByID(i.Against)
		point := w.newPoint(i.Session, f.Key(), i.Value)
		point.Type, point.IsInterference, point.Resembles, point.DiffersIn = "interference", true, against, "status"
		point.Content = fmt.Sprintf("The %s of %s is %s", f.Aspect, f.Thing, written.Display(f.Kind, i.Value))
		point.Attributes["status"] = i.Kind
		point.EvidenceTurns = w.turnIDs(i.Session, w.agreed[i.Session][i.ID].Turns)
		w.sessions[i.Session].Points = append(w.sessions[i.Session].Points, point)
	}
}

func (w *writtenTask) newPoint(n int, k written.Key, value string) schemas.MemoryPoint {
	s := w.sessions[n]
	return schemas.MemoryPoint{
		MemoryID: schemas.PointIDOf(s.SessionID, len(s.Points)+1), SessionID: s.SessionID, Subject: k.Thing + "/" + k.Aspect, Type: "fact", Modality: schemas.ModalityText, Importance: 0.5,
		Attributes: map[string]string{schemas.PointThing: k.Thing, schemas.PointAspect: k.Aspect, schemas.PointValue: value, "status": holds, "who": "user"},
	}
}

// contentOf returns the text of a point. An update differs from the text that it supersedes
// in more than one word.
func contentOf(p written.Plan, f written.Fact) string {
	of := f.Aspect + " of " + f.Thing
	old := ""
	if len(f.Supersedes) > 0 {
		before, _ := p.FactByID(f.Supersedes[0])
		old = written.Display(before.Kind, before.Value)
	}
	switch {
	case f.Op == written.Delete:
		return fmt.Sprintf("There is no %s any more; it was %s", of, old)
	case old != "":
		return fmt.Sprintf("%s took the place of %s as the %s", written.Display(f.Kind, f.Value), old, of)
	}
	return fmt.Sprintf("The %s is %s", of, written.Display(f.Kind, f.Value))
}

// citeTurns sets the evidence of a point.
func (w *writtenTask) citeTurns(point *schemas.MemoryPoint, f written.Fact) {
	if f.Mode == written.Told {
		point.EvidenceTurns = w.turnIDs(f.Session, w.agreed[f.Session][f.ID].Turns)
		return
	}
	turn := w.life.Sessions[f.Session].TurnOfPicture(f.Picture)
	point.EvidenceTurns, point.EvidenceMedia, point.Modality = w.turnIDs(f.Session, []int{turn}), []string{w.media[f.Picture]}, schemas.ModalityImage
}

func (w *writtenTask) turnIDs(n int, turns []int) []string {
	out := []string{}
	for _, t := range turns {
		out = append(out, written.TurnID(w.id, n, t))
	}
	return out
}

// question returns question n without options and checkpoint, and its gold.
func (w *writtenTask) question(n int) (schemas.Question, written.Gold, error) {
	asked := w.life.Questions[n]
	g, err := w.life.Plan.Gold(asked)
	if err != nil {
		return schemas.Question{}, g, err
	}
	q := schemas.Question{
		QuestionID: fmt.Sprintf("%s/Q%04d", w.id, n+1), Family: family, TaskID: w.id, Type: questionType(asked.Type), Question: asked.Text, Media: []string{}, Evidence: []schemas.Evidence{},
		Labels: map[string]string{labelOrigin: w.life.Origin.Kind, schemas.LabelFact: strings.TrimPrefix(w.id, family+"/") + "/" + g.Fact},
	}
	last, err := w.citePieces(&q, g)
	if err != nil {
		return q, g, fmt.Errorf("question %s: %w", q.QuestionID, err)
	}
	pieces := len(slices.DeleteFunc(slices.Clone(g.Pieces), func(p written.Piece) bool {
		return p.Role != schemas.RoleClue && p.Role != schemas.RoleUpdate
	}))
	setLabels(&q, asked.Type, w.life.Plan.Domain, pieces, g.Updates, asked.End-last)
	if g.Outside != "" {
		q.Labels[labelOutside] = g.Outside
	}
	return q, g, nil
}

// citePieces sets the evidence of a question, in the order of time, and returns the last
// session on which its answer rests. A turn that is cited twice has the role that it has
// for the answer.
func (w *writtenTask) citePieces(q *schemas.Question, g written.Gold) (last int, err error) {
	weight := []string{schemas.RoleDistractor, schemas.RoleSuperseded, schemas.RoleClue, schemas.RoleUpdate}
	for _, piece := range g.Pieces {
		session, evidence, err := w.cite(piece)
		if err != nil {
			return 0, err
		}
		for _, e := range evidence {
			at := slices.IndexFunc(q.Evidence, func(o schemas.Evidence) bool { return o.Ref == e.Ref })
			if e.Role = piece.Role; at < 0 {
				q.Evidence = append(q.Evidence, e)
			} else if slices.Index(weight, e.Role) > slices.Index(weight, q.Evidence[at].Role) {
				q.Evidence[at].Role = e.Role
			}
			if e.Media != "" && !slices.Contains(q.Media, e.Media) {
				q.Media = append(q.Media, e.Media)
			}
		}
		if piece.Role == schemas.RoleClue || piece.Role == schemas.RoleUpdate {
			last = max(last, session)
		}
	}
	slices.SortStableFunc(q.Evidence, func(a, b schemas.Evidence) int { return strings.Compare(a.Ref, b.Ref) })
	for i := range q.Evidence {
		q.Evidence[i].Order = int32(i + 1)
	}
	return last, nil
}

// setLabels sets the labels by which questions of the family are grouped.
func setLabels(q *schemas.Question, axis, domain string, pieces, updates, distance int) {
	q.Labels[labelPieces], q.Labels[labelUpdates], q.Labels[labelDistance] = fmt.Sprint(pieces), fmt.Sprint(updates), fmt.Sprint(distance)
	q.Labels[labelDifficulty], q.Labels[format.LabelAxis], q.Labels[labelDomain] = rateDifficulty(pieces, updates, distance), strings.ToUpper(axis), domain
}

// cite returns the evidence of a fact or an interference, and its session.
func (w *writtenTask) cite(piece written.Piece) (int, []schemas.Evidence, error) {
	n, turns := 0, []int(nil)
	f, isFact := w.life.Plan.FactByID(piece.ID)
	if isFact {
		n = f.Session
		turns = w.agreed[n][f.ID].Turns
		if f.Mode == written.Shown {
			turns = []int{w.life.Sessions[n].TurnOfPicture(f.Picture)}
		}
	} else {
		at := slices.IndexFunc(w.life.Plan.Interfering, func(i written.Interference) bool { return i.ID == piece.ID })
		n = w.life.Plan.Interfering[at].Session
		turns = w.agreed[n][piece.ID].Turns
	}
	if len(turns) == 0 || !w.agreed[n][piece.ID].Agreed() {
		return n, nil, fmt.Errorf("it rests on %s, on which the readers of session %d do not agree", piece.ID, n)
	}
	var out []schemas.Evidence
	for _, t := range turns {
		e := roundEvidence(w.sessions[n], t-1)
		for _, a := range w.sessions[n].Turns[t-1].Attachments {
			if isFact && a.MediaID == w.media[f.Picture] {
				e.Media, e.Caption, e.MinimalCaption, e.TaskAwareCaption = a.MediaID, a.Caption, a.MinimalCaption, a.TaskAwareCaption
			}
		}
		if isFact && f.Mode == written.Told {
			e.Modality = schemas.ModalityText
		}
		out = append(out, e)
	}
	return n, out, nil
}

func (w *writtenTask) standing(q schemas.Question, asked written.Question, g written.Gold) Standing {
	out := Standing{StandingID: standingID(q.QuestionID), QuestionID: q.QuestionID, TaskID: w.id, Type: asked.Type, Last: int32(asked.End), Answer: g.Right, Pieces: []StandingPiece{}, Lines: []string{}}
	for _, e := range q.Evidence {
		at := slices.IndexFunc(w.sessions, func(s schemas.Session) bool { return s.SessionID == e.SessionID })
		out.Pieces = append(out.Pieces, StandingPiece{Ref: e.Ref, SessionID: e.SessionID, Order: int32(at)})
	}
	return out
}

// planRow returns the row of the plan.
func (w *writtenTask) planRow() (PlanRow, error) {
	l := w.life
	l.Sessions = slices.Clone(l.Sessions)
	for i := range l.Sessions {
		l.Sessions[i].Turns = slices.Clone(l.Sessions[i].Turns)
		for t := range l.Sessions[i].Turns {
			l.Sessions[i].Turns[t].Text = ""
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return PlanRow{}, fmt.Errorf("plan of %s: %w", w.id, err)
	}
	row := PlanRow{PlanID: w.id + "/plan", TaskID: w.id, Origin: l.Origin.Kind, Author: l.Origin.Author, Readers: l.Origin.Readers, Month: l.Origin.Month, Life: string(text)}
	for _, f := range l.Plan.Facts {
		row.Facts = append(row.Facts, w.plannedPoint(f.ID, f.Session, PlannedPoint{
			Role: "fact", Thing: f.Thing, Aspect: f.Aspect, Value: f.Value, Kind: f.Kind, Mode: f.Mode, Op: f.Op, Supersedes: w.factIDs(f.Supersedes),
		}))
	}
	for _, i := range l.Plan.Interfering {
		f, _ := l.Plan.FactByID(i.Against)
		row.Facts = append(row.Facts, w.plannedPoint(i.ID, i.Session, PlannedPoint{
			Role: i.Kind, Thing: f.Thing, Aspect: f.Aspect, Value: i.Value, Kind: f.Kind, Mode: written.Told, Supersedes: []string{},
		}))
	}
	for i := range row.Facts {
		row.Facts[i].PlanID, row.Facts[i].Order = row.PlanID, int32(i+1)
	}
	return row, nil
}

// plannedPoint adds to a point what identifies it and how readers found it.
func (w *writtenTask) plannedPoint(id string, n int, out PlannedPoint) PlannedPoint {
	a := w.agreed[n][id]
	out.FactID, out.SessionID = w.id+"/"+id, schemas.SessionIDOf(w.id, n)
	out.Turns, out.Found, out.Readers = w.turnIDs(n, a.Turns), int32(a.Found), int32(a.Readers)
	return out
}

func (w *writtenTask) factIDs(ids []string) []string {
	out := []string{}
	for _, id := range ids {
		out = append(out, w.id+"/"+id)
	}
	return out
}
