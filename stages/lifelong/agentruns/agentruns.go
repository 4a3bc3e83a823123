// Package agentruns turns recorded runs of agents into tasks of WorldMemArena's agentic
// regime: what actions made true becomes memory points, and questions ask what held when
// the run was over. All of it follows from the actions by rules; the sessions are those
// of the source.
package agentruns

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/format"
)

// TypePlace is the type of the questions: where something was in the end.
const TypePlace = "lifelong_run_place"

// Register adds the stage and its type of question.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "lifelong.runs", "1", "give runs of agents memory points by what their actions did, a checkpoint at their end, and ask where things were then (WorldMemArena 4)", newRuns)
	r.AddQuestionType(pipeline.QuestionType{Name: TypePlace, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}})
	pipeline.AddStage(r, "lifelong.browsing", "1", "give runs in browsers memory points by what was typed, chosen and answered, a checkpoint at their end, and ask what was typed last and at which step (WorldMemArena 4)", newBrowserStage)
	for _, t := range []string{TypeText, TypeStep} {
		r.AddQuestionType(pipeline.QuestionType{Name: t, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}})
	}
	r.AddDerivation(browserFamily, browserDerivation())
	for _, family := range Families() {
		r.AddDerivation(family, derivation(family))
	}
	for _, family := range append(Families(), browserFamily) {
		r.Explain(family, pipeline.Terms{
			Says:   "Runs of agents: what their actions did.",
			Types:  map[string]string{TypePlace: "where something was in the end", TypeText: "what was typed last", TypeStep: "at which step something was done"},
			Labels: map[string]string{format.LabelAxis: "question type of WorldMemArena", schemas.LabelFact: "name of the fact asked for"},
		})
	}
}

// Config has no settings.
type Config struct{}

type runsStage struct{}

func newRuns(Config) (pipeline.Stage, error) { return runsStage{}, nil }

// Spec implements pipeline.Stage.
func (runsStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameSession, schemas.NameTask},
		Emits:   []string{schemas.NameSession, schemas.NameTask, schemas.NameCheckpoint, schemas.NameQuestion},
	}
}

// CodeNothing is the code of runs whose actions change nothing that the rules know: they
// get no points, and nothing is asked about them.
const CodeNothing = "no-change"

// Fold implements pipeline.Fold. Sessions come in the order of their ids, so those of a
// task follow each other, and no more than one task is held. The places of all runs are
// gathered first, for wrong options.
func (runsStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	places := map[string]bool{}
	err := eachTask(ctx, in, func(task []schemas.Session) error {
		for _, c := range Changes(task) {
			if c.Aspect == aspectPlace && c.Value != inHand {
				places[c.Value] = true
			}
		}
		return nil
	}, func(pipeline.Record) error { return nil })
	if err != nil {
		return err
	}
	g := runAsker{scope, slices.Sorted(maps.Keys(places)), emit}
	return eachTask(ctx, in, g.emitRun, emit)
}

// eachTask calls one with the ordered sessions of each task, and other with every other
// record.
func eachTask(ctx context.Context, in pipeline.Collection, one func([]schemas.Session) error, other func(pipeline.Record) error) error {
	var task []schemas.Session
	done := map[string]bool{}
	flush := func() error {
		if len(task) == 0 {
			return nil
		}
		if done[task[0].TaskID] {
			return fmt.Errorf("the sessions of task %s do not follow each other", task[0].TaskID)
		}
		done[task[0].TaskID] = true
		slices.SortFunc(task, func(a, b schemas.Session) int { return cmp.Compare(a.Order, b.Order) })
		err := one(task)
		task = nil
		return err
	}
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if rec.Schema != schemas.NameSession {
			if err := other(rec); err != nil {
				return err
			}
			continue
		}
		s, err := pipeline.Decode[schemas.Session](rec)
		if err != nil {
			return err
		}
		if len(task) > 0 && task[0].TaskID != s.TaskID {
			if err := flush(); err != nil {
				return err
			}
		}
		task = append(task, s)
	}
	return flush()
}

type runAsker struct {
	scope  *pipeline.Scope
	places []string
	emit   func(pipeline.Record) error
}

// emitRun emits the sessions of a run with their points, its checkpoint and its
// questions.
func (g runAsker) emitRun(task []schemas.Session) error {
	id := task[0].TaskID
	changes := Changes(task)
	if len(changes) == 0 {
		g.scope.Reject(id, pipeline.Reject(CodeNothing, "no action of its %d sessions changes what the rules know; its sessions go on without points", len(task)))
	}
	addPoints(task, changes)
	var out pipeline.RecordBuilder
	check := schemas.Checkpoint{CheckpointID: schemas.CheckpointIDOf(id, 0), TaskID: id}
	for _, s := range task {
		check.Sessions = append(check.Sessions, s.SessionID)
		out.Add(schemas.NameSession, s.SessionID, s.DeriveFields(task))
	}
	if qs := g.questions(task, changes, check.CheckpointID); len(qs) > 0 {
		out.Add(schemas.NameCheckpoint, check.CheckpointID, check)
		for _, q := range qs {
			out.Add(schemas.NameQuestion, q.QuestionID, q)
		}
	}
	records, err := out.Records()
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := g.emit(r); err != nil {
			return err
		}
	}
	return nil
}

// addPoints adds a memory point for each change to its session. A later change of the
// same subject supersedes the point before it.
func addPoints(task []schemas.Session, changes []Change) {
	last := map[string]string{}
	for _, c := range changes {
		s := &task[c.Session]
		p := schemas.MemoryPoint{
			MemoryID: schemas.PointIDOf(s.SessionID, len(s.Points)+1), SessionID: s.SessionID, Content: c.Content(), Type: "state", Importance: c.Weight(),
			Subject: c.Subject(), Attributes: map[string]string{"thing": c.Thing, c.Aspect: c.Value}, Modality: schemas.ModalityText, EvidenceTurns: []string{c.Turn},
		}
		if old := last[p.Subject]; old != "" {
			p.IsUpdate, p.UpdateType, p.Supersedes = true, schemas.UpdateRevise, []string{old}
		}
		last[p.Subject] = p.MemoryID
		s.Points = append(s.Points, p)
	}
}

// questions ask where each thing that was moved ended up.
func (g runAsker) questions(task []schemas.Session, changes []Change, checkpoint string) (out []schemas.Question) {
	byThing := map[string][]Change{}
	var order []string
	for _, c := range changes {
		if c.Aspect != aspectPlace {
			continue
		}
		if byThing[c.Thing] == nil {
			order = append(order, c.Thing)
		}
		byThing[c.Thing] = append(byThing[c.Thing], c)
	}
	for _, thing := range order {
		moves := byThing[thing]
		end := moves[len(moves)-1]
		if end.Value == inHand {
			continue // it was not put down
		}
		out = append(out, g.question(task, moves, len(out)+1, checkpoint))
	}
	return out
}

func (g runAsker) question(task []schemas.Session, moves []Change, n int, checkpoint string) schemas.Question {
	id, end := task[0].TaskID, moves[len(moves)-1]
	q := schemas.Question{
		QuestionID: fmt.Sprintf("%s/Q%04d", id, n), Family: taskFamily(task), TaskID: id, CheckpointID: checkpoint, Type: TypePlace, Media: []string{},
		Question: "Where was the " + end.Thing + " when the run was over?", AnswerText: "at the " + end.Value, Split: schemas.DefaultSplit,
		Labels: map[string]string{format.LabelAxis: "FR", schemas.LabelFact: id + "/" + end.Subject()}, Options: []schemas.Option{},
	}
	g.addOptions(&q, moves)
	placed := 0
	for i, m := range moves {
		e := stepEvidence(task[m.Session], m.Turn)
		e.Order, e.Role = int32(i+1), schemas.RoleSuperseded
		if m.Value != inHand {
			placed++
		}
		if i == len(moves)-1 {
			e.Role = schemas.RoleUpdate
		}
		q.Evidence = append(q.Evidence, e)
	}
	if placed > 1 {
		q.Labels[format.LabelAxis] = "DU"
	}
	return q
}

// addOptions adds options if there are three other places: former places of the thing
// first, then places of all runs.
func (g runAsker) addOptions(q *schemas.Question, moves []Change) {
	right := moves[len(moves)-1].Value
	rnd := g.scope.Rand(q.QuestionID)
	var wrong []string
	for _, m := range moves {
		wrong = append(wrong, m.Value)
	}
	for _, i := range rnd.Perm(len(g.places)) {
		wrong = append(wrong, g.places[i])
	}
	options := []schemas.Option{{Text: q.AnswerText, Role: schemas.RoleCorrect}}
	for _, w := range wrong {
		o := schemas.Option{Text: "at the " + w, Role: schemas.RoleDistractor}
		if w != right && w != inHand && !slices.Contains(options, o) && len(options) < 4 {
			options = append(options, o)
		}
	}
	if len(options) < 4 {
		q.QuestionMCQ = q.Question
		return
	}
	rnd.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	q.SetOptions(options...)
}

func taskFamily(task []schemas.Session) string {
	name, _, _ := strings.Cut(task[0].TaskID, "/")
	return name
}

func stepEvidence(s schemas.Session, turn string) schemas.Evidence {
	e := schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: turn, SessionID: s.SessionID, Modality: schemas.ModalityText}
	for _, t := range s.Turns {
		if t.TurnID == turn {
			e.Text = schemas.QuoteTurns(s.Date, t)
			for _, a := range t.Attachments {
				e.Modality, e.Media = schemas.ModalityImage, a.MediaID
				e.Caption, e.MinimalCaption, e.TaskAwareCaption = a.Caption, a.MinimalCaption, a.TaskAwareCaption
			}
		}
	}
	return e
}

// What can be otherwise about a thing.
const (
	aspectPlace  = "place"
	aspectSwitch = "switch"
	aspectDoor   = "door"
	aspectForm   = "form"
)

// inHand is the place of what the agent holds.
const inHand = "hand"

// Change is what one action made true.
type Change struct {
	// Session is the place of its session in the task, Turn the id of the step.
	Session int
	Turn    string
	// Thing is what changed, in words ("desk lamp", "second book").
	Thing, Aspect, Value string
}

// Subject returns what the change is about: one value of it holds at a time.
func (c Change) Subject() string { return c.Thing + "/" + c.Aspect }

// Content says the change in words.
func (c Change) Content() string {
	switch {
	case c.Value == inHand:
		return fmt.Sprintf("The agent holds the %s.", c.Thing)
	case c.Aspect == aspectPlace:
		return fmt.Sprintf("The %s was put down at the %s.", c.Thing, c.Value)
	}
	return fmt.Sprintf("The %s is %s now.", c.Thing, c.Value)
}

// Weight returns its importance: where things are and what became of them matters more than
// what was opened on the way.
func (c Change) Weight() float64 {
	if c.Aspect == aspectPlace || c.Aspect == aspectForm {
		return 1
	}
	return 0.5
}

// verbEffects lists what each action verb changes. The action names the place.
func verbEffects() map[string]struct{ aspect, value string } {
	return map[string]struct{ aspect, value string }{
		"PickupObject":    {aspectPlace, inHand},
		"PutObject":       {aspectPlace, ""},
		"SliceObject":     {aspectForm, "sliced"},
		"ToggleObjectOn":  {aspectSwitch, "on"},
		"ToggleObjectOff": {aspectSwitch, "off"},
		"OpenObject":      {aspectDoor, "open"},
		"CloseObject":     {aspectDoor, "closed"},
	}
}

// Changes returns what the actions of a task made true, in order. An action that is none of
// the known ones, or whose thing or place has no name, changes nothing.
func Changes(task []schemas.Session) (out []Change) {
	all, names := verbEffects(), thingNames{map[string]string{}, map[string]int{}}
	for n, s := range task {
		for _, t := range s.Turns {
			parts := strings.Fields(t.Action)
			if len(parts) < 2 {
				continue
			}
			does, known := all[parts[0]]
			c := Change{Session: n, Turn: t.TurnID, Aspect: does.aspect, Value: does.value}
			if !known || kindOf(parts[1]) == "" {
				continue
			}
			if c.Value == "" && (len(parts) < 3 || kindOf(parts[2]) == "") {
				continue
			}
			c.Thing = names.nameOf(parts[1])
			if c.Value == "" {
				c.Value = names.nameOf(parts[2])
			}
			out = append(out, c)
		}
	}
	return out
}

// thingNames names things by their kind, and by number where a task has several: "book",
// "second book". Upstream tells them apart by their first position.
type thingNames struct {
	ids   map[string]string
	kinds map[string]int
}

func (n thingNames) nameOf(id string) string {
	if name, known := n.ids[id]; known {
		return name
	}
	name := kindOf(id)
	n.kinds[name]++
	switch k := n.kinds[name]; {
	case k == 2:
		name = "second " + name
	case k == 3:
		name = "third " + name
	case k > 3:
		name = fmt.Sprintf("%s number %d", name, k)
	}
	n.ids[id] = name
	return name
}

// kindOf returns the kind in an id like DeskLamp|-01.85|+00.59|-00.79. A part cut off a
// thing is named at the end: Apple|-00.12|+00.84|+01.22|AppleSliced_3. It is empty for an
// id that begins with its place.
func kindOf(id string) string {
	parts := strings.Split(id, "|")
	piece, _, _ := strings.Cut(parts[len(parts)-1], "_")
	if whole, sliced := strings.CutSuffix(piece, "Sliced"); sliced && whole != "" && len(parts) > 1 {
		return "slice of " + splitName(whole)
	}
	return splitName(parts[0])
}

func splitName(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// By the 14 runs of ALFRED that were counted: questions a run, and what a session takes,
// in seconds.
const (
	questionsPerRun = 2
	sessionCPU      = 1e-3
)

// Forecast implements pipeline.Forecaster: sessions and tasks go on, and a run has one
// checkpoint.
func (runsStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	tasks, sessions := in[schemas.NameTask], in[schemas.NameSession]
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameTask: tasks, schemas.NameSession: sessions, schemas.NameCheckpoint: {Records: tasks.Records, Rough: true},
			schemas.NameQuestion: {Records: questionsPerRun * tasks.Records, Rough: true},
		},
		CPU: sessionCPU * sessions.Records,
	}
}
