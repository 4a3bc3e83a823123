package lifelong

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/oracle/screenreader"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// Standing is a row of the table lifelong_standings: when a question is asked, when its
// evidence was said and, if it is unanswerable, all lines about its thing. The gates
// no-future, boundary and taught read nothing else.
type Standing struct {
	StandingID string `json:"standing_id"`
	QuestionID string `json:"question_id"`
	TaskID     string `json:"task_id"`
	Type       string `json:"type"`
	// Last is the order of the last session that the checkpoint covers.
	Last   int32           `json:"last"`
	Pieces []StandingPiece `json:"pieces"`
	Answer string          `json:"answer"`
	// Aspect is what is asked of a thing and never told, Lines what names the thing.
	// Where a rule is applied, Lines are what teaches it, and Asked is the question.
	Aspect string   `json:"aspect"`
	Lines  []string `json:"lines"`
	Asked  string   `json:"asked"`
}

// StandingPiece is a piece of evidence and the order of its session.
type StandingPiece struct {
	Ref       string `json:"ref"`
	SessionID string `json:"session_id"`
	Order     int32  `json:"order"`
}

func newStanding(q schemas.Question, d question.Draft, all []schemas.Session, end int) Standing {
	out := Standing{StandingID: standingID(q.QuestionID), QuestionID: q.QuestionID, TaskID: q.TaskID, Type: d.Type, Last: int32(end), Answer: d.Right, Pieces: []StandingPiece{}, Lines: []string{}}
	for _, p := range d.Pieces {
		s := all[p.Event.Session]
		out.Pieces = append(out.Pieces, StandingPiece{Ref: s.Turns[eventTurn(p.Event)].TurnID, SessionID: s.SessionID, Order: s.Order})
	}
	out.addLines(q, d.Key.Entity, d.Key.Aspect, all)
	return out
}

func standingID(question string) string { return question + "/standing" }

// addLines adds what gates read of an unanswerable question and of one that applies a
// rule.
func (s *Standing) addLines(q schemas.Question, thing, aspect string, all []schemas.Session) {
	switch s.Type {
	case question.MB:
		s.Aspect, s.Lines = aspect, oracle.Mentions(all, thing, int(s.Last))
	case question.TTL:
		s.Asked = q.Question
		for _, p := range s.Pieces {
			for _, t := range all[p.Order].Turns {
				if t.TurnID == p.Ref {
					s.Lines = append(s.Lines, t.Text)
				}
			}
		}
	}
}

func addGates(r *pipeline.Registry) {
	pipeline.AddGate(r, "life-sessions", "4", "the sessions of a life are sound, each and together, and give to remember what follows from them (WorldMemArena C.2)", func(struct{}) (pipeline.Gate, error) {
		return simulationGate{structural.NewForSchema(nameSimulation, "", structural.Each(judgeSimulation))}, nil
	})
	pipeline.AddGate(r, "trace-legible", "1", "a picture of a life shows what its row says, as a reader finds that knows how letters look and not how pictures are drawn", newLegible)
	pipeline.AddGate(r, "no-future", "2", "nothing that a question rests on is later than its checkpoint (WorldMemArena 4)", func(struct{}) (pipeline.Gate, error) {
		return structural.NewForSchema(nameStanding, "", structural.Each(judgeNoFuture)), nil
	})
	pipeline.AddGate(r, "boundary", "1", "what a memory must not know was said in no turn, caption or picture (WorldMemArena table 4)", func(struct{}) (pipeline.Gate, error) {
		return structural.NewForSchema(nameStanding, "", structural.Each(judgeBoundary)), nil
	})
	pipeline.AddGate(r, "taught", "4", "a rule that is to be applied was taught, and gives the answer (WorldMemArena table 4)", func(struct{}) (pipeline.Gate, error) {
		return structural.NewForSchema(nameStanding, "", structural.Each(judgeRuleTaught)), nil
	})
}

func judgeRuleTaught(s Standing) pipeline.Judgement {
	if s.Type != question.TTL {
		return pipeline.NotApplicable.Because("no-rule", "the question applies no rule")
	}
	var lesson schemas.Session
	for _, l := range s.Lines {
		lesson.Turns = append(lesson.Turns, schemas.Turn{Role: schemas.TurnUser, Text: l})
	}
	switch r, err := oracle.New([]schemas.Session{lesson}, nil).Answer(s.Asked, 0); {
	case err != nil:
		return pipeline.Fail.Because("not-taught", "%d lines teach no rule that %q asks for: %v", len(s.Lines), s.Asked, err)
	case r.Right != s.Answer:
		return pipeline.Fail.Because("other-answer", "by the rule as it is taught the answer is %q, and it is said to be %q", r.Right, s.Answer)
	}
	return structural.Pass()
}

func judgeNoFuture(s Standing) pipeline.Judgement {
	if len(s.Pieces) == 0 && s.Type != question.MB {
		return pipeline.Fail.Because("no-evidence", "the question rests on nothing")
	}
	for _, p := range s.Pieces {
		switch {
		case p.Order > s.Last:
			return pipeline.Fail.Because("future", "it rests on %s of session %d, and is asked after session %d", p.Ref, p.Order, s.Last)
		case p.SessionID != schemas.SessionIDOf(s.TaskID, int(p.Order)) || !strings.HasPrefix(p.Ref, p.SessionID+"/"):
			return pipeline.Fail.Because("wrong-session", "%s of %s is said to be of session %d", p.Ref, p.SessionID, p.Order)
		}
	}
	return structural.Pass()
}

func judgeBoundary(s Standing) pipeline.Judgement {
	if s.Type != question.MB {
		return pipeline.NotApplicable.Because("answerable", "the question has an answer")
	}
	if s.Answer != schemas.AnswerNone || s.Aspect == "" || len(s.Lines) == 0 {
		return pipeline.Fail.Because("no-abstention", "it asks for the aspect %q of what %d lines name, and the answer is %q", s.Aspect, len(s.Lines), s.Answer)
	}
	for _, l := range s.Lines {
		if strings.Contains(strings.ToLower(l), strings.ToLower(s.Aspect)) {
			return pipeline.Fail.Because("answer-present", "%s", fmt.Sprintf("the %s is told in %q", s.Aspect, l))
		}
	}
	return structural.Pass()
}

// LegibleConfig says which pictures are read.
type LegibleConfig struct {
	Screens bool `json:"screens" doc:"read the screens of agents too, each of which takes twice the time of another picture"`
}

// largest bounds a picture: bytes of its file, and pixels, far more than any has that is
// drawn here.
const largest = 4 << 20

// legibleGate is the gate trace-legible: a reader that does not know how pictures are
// drawn must read the row of a picture from its pixels. So pictures cannot be exchanged,
// or the rows from which gold is derived, unnoticed.
type legibleGate struct {
	cfg LegibleConfig
	// reader learns when the first picture comes: a Spec, for which audits build each
	// gate many times, needs none.
	reader func() (*screenreader.Reader, error)
}

func newLegible(c LegibleConfig) (pipeline.Gate, error) {
	return legibleGate{c, sync.OnceValues(screenreader.New)}, nil
}

// Spec implements pipeline.Gate.
func (legibleGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{namePicture}} }

// Judge reads each picture.
func (g legibleGate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) (out []pipeline.Judgement, err error) {
	for _, r := range items {
		x, err := pipeline.Decode[RenderedPicture](r)
		if err != nil {
			return nil, err
		}
		if x.Kind == simulate.Screen && !g.cfg.Screens {
			out = append(out, pipeline.NotApplicable.Because("screen", "screens are not read here"))
			continue
		}
		data, err := scope.ReadBlob(ctx, pipeline.Digest(x.MediaID), largest)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", r.ID, err)
		}
		j, err := g.judgePicture(data, x)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

func (g legibleGate) judgePicture(data []byte, x RenderedPicture) (pipeline.Judgement, error) {
	img, _, err := still.Decode(data, "image/png", still.Limits{Bytes: largest, Pixels: largest})
	if err != nil {
		return pipeline.Fail.Because("bad-picture", "it does not decode: %v", err), nil
	}
	r, err := g.reader()
	if err != nil {
		return pipeline.Judgement{}, err
	}
	return compareReading(r, img, x), nil
}

func compareReading(r *screenreader.Reader, img image.Image, x RenderedPicture) pipeline.Judgement {
	seen, err := r.Read(img, x.Kind)
	if err != nil {
		return pipeline.Fail.Because("illegible", "%v", err)
	}
	if want := x.oraclePicture(); seen.Title != want.Title || !slices.Equal(seen.Rows, want.Rows) {
		return pipeline.Fail.Because("other-content", "it reads %q with %q, and its row says %q with %q", seen.Title, seen.Rows, want.Title, want.Rows)
	}
	return pipeline.Judgement{Outcome: pipeline.Pass}
}
