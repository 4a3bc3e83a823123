// Package extraction has a model write down what a memory should hold after each session
// of a task (WorldMemArena 4), from the session, a window of earlier ones and the points
// that hold by then. Each point is checked by rule: it rests on turns and pictures that
// are there, its value stands in them, and what it takes the place of holds. Points of a
// session that pass are added to those before it, so the next session is read with the
// state that follows from them; nothing stores that state.
//
// A session that states points already, because a world made it or people annotated it,
// is what the model is compared with. Whose sessions they are does not matter.
package extraction

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Names of the prompt, of the role that is asked, and of the schemas: conversations
// are held whole by visual.dialogues.
const (
	job          = "lifelong.points"
	role         = "author"
	nameDialogue = "visual.dialogue"
	// Name is the schema of an Extraction, Table the table that holds them.
	Name  = "lifelong.extraction"
	Table = "lifelong_extractions"
)

// Codes of what is not taken. Nothing of a release is lost by it, so they count as flagged.
const (
	// CodeRepeated is a point that holds already.
	CodeRepeated = "repeated-point"
	// CodeBad is a point that fails a check after the last attempt, CodeNone a session
	// of which no answer can be used.
	CodeBad  = "bad-point"
	CodeNone = "no-points"
)

// Config of the stage.
type Config struct {
	Give     bool `json:"give" doc:"the points written become those of the sessions; otherwise sessions go on as they are, and points are only compared"`
	Window   int  `json:"window" doc:"how many earlier sessions the author reads beside each"`
	Chars    int  `json:"chars" doc:"most characters of earlier sessions that it reads; the oldest are left out"`
	Live     int  `json:"live" doc:"most points that hold which it is told, the latest"`
	Pictures int  `json:"pictures" doc:"most pictures of a session that it sees; no more than its model takes"`
	Attempts int  `json:"attempts" doc:"how often the points of a session are asked for, with the reasons against the earlier answers, before those that pass are taken alone"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	*c = Config{Window: 1, Chars: 12_000, Live: 300, Pictures: 8, Attempts: 2}
}

// dialogue is a task with its sessions in their order, as visual.dialogues gives it.
type dialogue struct {
	Task     schemas.Task      `json:"task"`
	Sessions []schemas.Session `json:"sessions"`
}

type stage struct {
	cfg Config
	job *model.Job[Input, Proposed]
}

// Register adds the stage, its table and the gates over it.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "lifelong.extract", "1", "have an author write what is to be remembered after each session, and hold it against what is known of that (WorldMemArena 4)", newStage)
	pipeline.AddTable[Extraction](r, Table, Name, []string{"extraction_id"})
	addGates(r)
}

func newStage(c Config) (pipeline.Stage, error) {
	t, err := model.NewJob[Input, Proposed](job)
	if err != nil {
		return nil, err
	}
	return &stage{c, t}, cmp.Or(pipeline.CheckRange("window", c.Window, 0, 20), pipeline.CheckRange("chars", c.Chars, 0, 1_000_000), pipeline.CheckRange("live", c.Live, 1, 5000), pipeline.CheckRange("pictures", c.Pictures, 0, 64), pipeline.CheckRange("attempts", c.Attempts, 1, 5))
}

// Spec implements pipeline.Stage.
func (s *stage) Spec() pipeline.Spec {
	ask := s.job.For(role)
	ask.Otherwise = "leave the stage out: simulated sessions have the points of their world"
	return pipeline.Spec{Accepts: []string{nameDialogue, schemas.NameQuestion}, Emits: []string{schemas.NameSession, Name, schemas.NameQuestion}, Resource: pipeline.Model, Asks: []pipeline.Ask{ask}}
}

// Map extracts the points of a task, session by session, in the order of time. A question
// that comes with its sessions goes on with them as it is.
func (s *stage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	if in.Schema == schemas.NameQuestion {
		return []pipeline.Record{in}, nil
	}
	d, err := pipeline.Decode[dialogue](in)
	if err != nil {
		return nil, err
	}
	w := &taskWork{stage: s, scope: scope}
	for _, given := range d.Sessions {
		one := given
		one.Points, one.Earlier = nil, nil
		if err := w.extractSession(ctx, one); err != nil {
			return nil, fmt.Errorf("extract the points of %s: %w", given.SessionID, err)
		}
	}
	var out pipeline.RecordBuilder
	for i, given := range d.Sessions {
		if s.cfg.Give {
			given = w.done[i]
		}
		out.Add(schemas.NameSession, given.SessionID, given)
	}
	for _, row := range comparePoints(d.Sessions, w.done) {
		out.Add(Name, row.ExtractionID, row)
	}
	for i := range w.lost {
		scope.Reject(w.lost[i].ID, &w.lost[i])
	}
	return out.Records()
}

// taskWork extracts the points of one task.
type taskWork struct {
	*stage
	scope *pipeline.Scope
	// done are the sessions so far, with the points that were extracted.
	done []schemas.Session
	lost []pipeline.Rejection
}

// extractSession asks for the points of a session until all pass. After the last attempt
// it keeps those that pass and rejects the others.
func (w *taskWork) extractSession(ctx context.Context, s schemas.Session) error {
	r := w.newAttempt(s)
	_, refused, err := w.job.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(before []model.RejectedAnswer[Proposed]) Input {
			r.in.Refused = before
			return r.in
		},
		func(a model.Answer[Proposed]) ([]string, error) { return r.readAnswer(a.Value.Points), nil }, r.images...)
	if why, ok := model.PermanentRejection(ctx, err); ok {
		w.reject(s.SessionID, CodeNone, "%s", why.Reason)
		err = nil
	}
	if err != nil {
		return err
	}
	for _, l := range r.dropped {
		code := CodeBad
		if l.repeated {
			code = CodeRepeated
		}
		w.reject(fmt.Sprintf("%s/%s-%02d", s.SessionID, code, l.number), code, "%s (attempts: %d)", l.why, max(1, len(refused)))
	}
	s.Points = r.kept
	s = s.DeriveFields(append(w.done, s))
	w.done = append(w.done, s)
	return nil
}

func (w *taskWork) reject(id, code, format string, args ...any) {
	why := pipeline.Reject(code, format, args...)
	why.ID, why.Flagged = id, true
	w.lost = append(w.lost, *why)
}

// Input is all that the author is told.
type Input struct {
	Before  []Passage                        `json:"before"`
	Live    []Known                          `json:"live"`
	LeftOut int                              `json:"left_out"`
	Session Passage                          `json:"session"`
	Shown   int                              `json:"shown"`
	Refused []model.RejectedAnswer[Proposed] `json:"refused"`
}

// Passage is a session as it is told.
type Passage struct {
	Kind  string `json:"kind"`
	Date  string `json:"date,omitempty"`
	Turns []Line `json:"turns"`
}

// Line is a turn. Numbers are given in the session that is asked about alone.
type Line struct {
	Number   int            `json:"number,omitempty"`
	By       string         `json:"by"`
	Said     string         `json:"said"`
	Pictures []ShownPicture `json:"pictures,omitempty"`
}

// ShownPicture is a picture of a turn and how it was described.
type ShownPicture struct {
	Number  int    `json:"number,omitempty"`
	Caption string `json:"caption"`
}

// Known is a point that holds.
type Known struct {
	Number  int    `json:"number"`
	Thing   string `json:"thing"`
	Aspect  string `json:"aspect"`
	Content string `json:"content"`
}

// sessionAttempt is the work on one session: the request, and what became of the last
// answer.
type sessionAttempt struct {
	session schemas.Session
	before  []schemas.Session
	in      Input
	images  []pipeline.Digest
	// pictures are those of the session, by their numbers; live the points that hold.
	pictures []schemas.Attachment
	live     []schemas.GoldPoint
	kept     []schemas.MemoryPoint
	dropped  []droppedPoint
}

func (w *taskWork) newAttempt(s schemas.Session) *sessionAttempt {
	r := &sessionAttempt{session: s, before: w.done, in: Input{Before: []Passage{}, Live: []Known{}}}
	r.live = slices.DeleteFunc(schemas.GoldBefore(w.done, s.Order), func(p schemas.GoldPoint) bool { return !p.Holds() })
	if n := len(r.live) - w.cfg.Live; n > 0 {
		r.in.LeftOut, r.live = n, r.live[n:]
	}
	for i, p := range r.live {
		r.in.Live = append(r.in.Live, Known{i + 1, p.Attributes["thing"], p.Attributes["aspect"], p.Content})
	}
	r.in.Before = passagesBefore(w.done, w.cfg.Window, w.cfg.Chars)
	r.in.Session = passageOf(s)
	for i := range r.in.Session.Turns {
		l := &r.in.Session.Turns[i]
		l.Number = i + 1
		for n, a := range s.Turns[i].Attachments {
			r.pictures = append(r.pictures, a)
			l.Pictures[n].Number = len(r.pictures)
		}
	}
	for _, a := range r.pictures[:min(len(r.pictures), w.cfg.Pictures)] {
		if a.MediaID == "" { // its file is lost; numbers and pictures stay in step
			break
		}
		r.images = append(r.images, pipeline.Digest(a.MediaID))
	}
	r.in.Shown = len(r.images)
	return r
}

func passageOf(s schemas.Session) Passage {
	out := Passage{Kind: s.Kind, Date: s.Date, Turns: []Line{}}
	for _, t := range s.Turns {
		l := Line{By: t.Speaker, Said: sessions.TurnText(t)}
		if l.By == "" {
			l.By = t.Role
		}
		for _, a := range t.Attachments {
			l.Pictures = append(l.Pictures, ShownPicture{Caption: a.Caption})
		}
		out.Turns = append(out.Turns, l)
	}
	return out
}

// passagesBefore returns as many preceding sessions as fit; of the oldest it may return
// only the end.
func passagesBefore(done []schemas.Session, most, chars int) []Passage {
	out := []Passage{}
	for i := len(done) - 1; i >= max(0, len(done)-most); i-- {
		p := passageOf(done[i])
		from := len(p.Turns)
		for from > 0 && chars >= 0 {
			from--
			chars -= len(p.Turns[from].Said)
			for _, a := range p.Turns[from].Pictures {
				chars -= len(a.Caption)
			}
		}
		if chars < 0 {
			from++
		}
		if p.Turns = p.Turns[from:]; len(p.Turns) > 0 {
			out = append(out, p)
		}
		if chars < 0 {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// What a session weighs that nobody has seen, how many points it gives, and how many more
// requests are put because an answer cannot be used, for want of a measurement.
const (
	sessionChars  = 4000
	sessionPoints = 13
	pointTokens   = 140
	sessionShown  = 3
	knownTokens   = 30
	againShare    = 0.25
	megapixels    = 0.3
	// How visual.dialogues counts what conversations hold.
	volumeSessions = "visual.sessions"
	volumePictures = "visual.pictures"
)

// Forecast implements pipeline.Forecaster: a request a session, with the pictures of it
// and half of the points that a task ends with.
func (s *stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n, tasks := in[volumeSessions].Records, in[nameDialogue].Records
	calls := n
	if s.cfg.Attempts > 1 {
		calls *= 1 + againShare
	}
	shown, known := 0.0, 0.0
	if n > 0 && tasks > 0 {
		shown = min(float64(s.cfg.Pictures), max(sessionShown, in[volumePictures].Records/n))
		known = min(float64(s.cfg.Live), sessionPoints*n/tasks/2)
	}
	text := model.TextTokens(sessionChars + min(float64(s.cfg.Chars), sessionChars*float64(s.cfg.Window)))
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameSession: {Records: n, Rough: true}, schemas.NameQuestion: in[schemas.NameQuestion], Name: {Records: 2 * sessionPoints * n, Rough: true},
		},
		Calls: calls, Images: calls * shown,
		TokensIn:  calls * (s.job.PromptTokens() + text + known*knownTokens + model.ImageTokens(megapixels*shown)),
		TokensOut: calls * sessionPoints * pointTokens,
	}
}
