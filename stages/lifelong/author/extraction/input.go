package extraction

import (
	"slices"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

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

// sessionAttempt is the work on one session: what is asked, and what came of the last answer.
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

// newAttempt says what is asked about a session.
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

// passageOf tells a session.
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

// passagesBefore are the last sessions, as many as may be read: whole ones, of the oldest only
// the end.
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
