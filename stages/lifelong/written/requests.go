package written

import (
	"fmt"
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline/model"
)

// What requests carry. No author of a session sees what pictures show, a later fact, or a
// question; no reader sees a value.

type voices struct {
	Domain      string       `json:"domain"`
	User        Persona      `json:"user"`
	Assistant   string       `json:"assistant_manner"`
	Cast        []CastMember `json:"cast"`
	Goals       []string     `json:"goals"`
	Constraints []string     `json:"constraints"`
	Preferences []string     `json:"preferences"`
}

func (p Plan) voices() voices {
	return voices{p.Domain, p.Persona, p.Assistant, p.Cast, p.Goals, p.Constraints, p.Preferences}
}

type dialogueInput struct {
	Life    voices                                 `json:"life"`
	SoFar   soFar                                  `json:"so_far"`
	Last    []Turn                                 `json:"last"`
	Session sessionSlice                           `json:"session"`
	Refused []model.RejectedAnswer[dialogueAnswer] `json:"refused"`
}

type soFar struct {
	Sessions []string `json:"sessions"`
	Holds    []string `json:"holds"`
	Said     []string `json:"said_along_the_way"`
}

type sessionSlice struct {
	Date        string             `json:"date"`
	Hour        string             `json:"hour"`
	Mondays     []string           `json:"mondays"`
	Event       string             `json:"event"`
	Mood        string             `json:"mood"`
	Told        []toldFact         `json:"told"`
	Interfering []toldInterference `json:"interference"`
	Pictures    []sentPicture      `json:"pictures"`
	LeaveOpen   []string           `json:"leave_open"`
	Turns       int                `json:"turns"`
	Words       int                `json:"words"`
}

type toldFact struct {
	What  string `json:"what"`
	Value string `json:"value"`
	When  string `json:"happened_on,omitempty"`
	Op    string `json:"change"`
	Old   string `json:"until_now,omitempty"`
	Cause string `json:"cause,omitempty"`
}

type toldInterference struct {
	Kind     string `json:"kind"`
	What     string `json:"about"`
	Value    string `json:"said"`
	UndoneBy string `json:"undone_by"`
	Really   string `json:"really,omitempty"`
}

type sentPicture struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"`
	Occasion string `json:"occasion"`
}

type dialogueAnswer struct {
	Turns []Turn `json:"turns"`
}

func (w *lifeWriter) dialogueInput(n int) dialogueInput {
	p := w.life.Plan
	at := p.Sessions[n]
	in := dialogueInput{Life: p.voices(), SoFar: soFar{Sessions: []string{}, Holds: []string{}, Said: slices.Clone(w.said)}}
	in.Session = sessionSlice{Date: weekday(at.Date), Hour: at.Hour, Mondays: calendar(at.Date), Event: at.Event, Mood: at.Mood, Told: []toldFact{}, Turns: w.turnsOf(n), Words: w.cfg.Words}
	for i, s := range p.Sessions[:n] {
		in.SoFar.Sessions = append(in.SoFar.Sessions, fmt.Sprintf("S%02d, %s: %s", i, s.Date, s.Event))
	}
	if n > 0 {
		last := w.life.Sessions[n-1].Turns
		in.Last = last[max(0, len(last)-w.cfg.Last):]
	}
	for _, f := range p.Live(n - 1) {
		if f.Mode == Told {
			in.SoFar.Holds = append(in.SoFar.Holds, f.Key().String()+": "+f.Value)
		} else {
			in.SoFar.Holds = append(in.SoFar.Holds, f.Key().String()+": in a picture, which was sent")
		}
	}
	for _, f := range p.Facts {
		if f.Session == n && f.Mode == Told {
			in.Session.Told = append(in.Session.Told, p.toldFact(f))
		}
	}
	for _, i := range p.Interfering {
		if f, ok := p.FactByID(i.Against); ok && i.Session == n {
			t := toldInterference{Kind: i.Kind, What: f.Key().String(), Value: i.Value, UndoneBy: i.UndoneBy}
			if f.Mode == Told {
				t.Really = f.Value
			}
			in.Session.Interfering = append(in.Session.Interfering, t)
		}
	}
	for _, x := range p.Pictures {
		if x.Session == n {
			in.Session.Pictures = append(in.Session.Pictures, sentPicture{x.ID, x.Kind, x.Occasion})
		}
	}
	for _, a := range p.Absent {
		in.Session.LeaveOpen = append(in.Session.LeaveOpen, Key{a.Thing, a.Aspect}.String())
	}
	for _, o := range p.Outside {
		if f, ok := p.FactByID(o.Fact); ok && f.Session <= n {
			in.Session.LeaveOpen = append(in.Session.LeaveOpen, o.Relation+", of "+f.Value)
		}
	}
	return in
}

func (p Plan) toldFact(f Fact) toldFact {
	t := toldFact{What: f.Key().String(), Value: f.Value, When: f.When, Op: f.Op, Cause: f.Cause}
	if c, ok := p.FactByID(f.Cause); ok {
		t.Cause = c.Key().String() + ": " + c.Value
	}
	for _, id := range f.Supersedes {
		if old, ok := p.FactByID(id); ok && old.Mode == Told {
			t.Old = old.Value
		}
	}
	if f.Rule != nil {
		r := f.Rule
		t.Value = fmt.Sprintf("%s: up to %d %s %s; above it %s; but %s: %s", r.Quantity, r.Limit, r.Unit, r.Within, r.Above, r.Exception, r.Then)
	}
	return t
}

func weekday(date string) string {
	if d, err := time.Parse(time.DateOnly, date); err == nil {
		return d.Format("Monday 2 January 2006")
	}
	return date
}

// sessionText is a session as readers get it.
type sessionText struct {
	Date  string     `json:"date"`
	Turns []lineText `json:"turns"`
}

type lineText struct {
	Number   int    `json:"number"`
	By       string `json:"by"`
	Text     string `json:"text"`
	Pictures int    `json:"pictures,omitempty"`
}

func (w *lifeWriter) sessionText(n int, s Session) sessionText {
	out := sessionText{Date: weekday(w.life.Plan.Sessions[n].Date)}
	for i, t := range s.Turns {
		out.Turns = append(out.Turns, lineText{i + 1, t.By, t.Text, len(t.Pictures)})
	}
	return out
}

type readingInput struct {
	Cast    []CastMember `json:"cast"`
	Session sessionText  `json:"session"`
	Form    []formKey    `json:"form"`
}

type formKey struct {
	Number int    `json:"number"`
	Thing  string `json:"thing"`
	Aspect string `json:"aspect"`
	Kind   string `json:"kind"`
}

type readingAnswer struct {
	Found  []Found `json:"found"`
	Beside []struct {
		Says  string `json:"says"`
		Turns []int  `json:"turns"`
	} `json:"beside"`
}

func (w *lifeWriter) readingInput(n int, s Session, keys []Key) readingInput {
	p := w.life.Plan
	in := readingInput{Cast: append([]CastMember{{p.Persona.Name, "the user"}}, p.Cast...), Session: w.sessionText(n, s)}
	for i, k := range keys {
		kind := State
		if at := slices.IndexFunc(p.Facts, func(f Fact) bool { return f.Key() == k }); at >= 0 {
			kind = p.Facts[at].Kind
		}
		in.Form = append(in.Form, formKey{i + 1, k.Thing, k.Aspect, kind})
	}
	return in
}

type compareInput struct {
	Session sessionText    `json:"session"`
	Plan    []string       `json:"plan"`
	Pairs   []valuePair    `json:"pairs"`
	Beside  []numberedText `json:"beside"`
}

type valuePair struct {
	Number  int    `json:"number"`
	Of      string `json:"of"`
	Planned string `json:"planned"`
	Read    string `json:"read"`
}

type numberedText struct {
	Number int    `json:"number"`
	Says   string `json:"says"`
	Turns  []int  `json:"turns"`
}

type compareAnswer struct {
	Pairs  []judgedNumber `json:"pairs"`
	Beside []judgedNumber `json:"beside"`
}

type judgedNumber struct {
	Number int    `json:"number"`
	Answer string `json:"answer"`
	Why    string `json:"why"`
}

// judgeFacts tells the judge what holds up to a session and what the next ones bring.
func (p Plan) judgeFacts(n int) (out []string) {
	for _, f := range p.Facts {
		if f.Session > n+2 {
			continue
		}
		text := fmt.Sprintf("%s, from session %d, %s: the %s is %s", f.ID, f.Session, f.Mode, f.Key(), f.Value)
		if f.Op == Delete {
			text = fmt.Sprintf("%s, from session %d: the %s has ended", f.ID, f.Session, f.Key())
		}
		if f.Session > n {
			text += " (later)"
		}
		out = append(out, text)
	}
	for _, i := range p.Interfering {
		if f, ok := p.FactByID(i.Against); ok && i.Session <= n {
			out = append(out, fmt.Sprintf("%s, session %d, does not hold (%s): the %s is %s", i.ID, i.Session, i.Kind, f.Key(), i.Value))
		}
	}
	return out
}

type mendInput struct {
	Life    voices                             `json:"life"`
	Session sessionText                        `json:"session"`
	Told    []toldFact                         `json:"told"`
	Holds   []string                           `json:"holds"`
	Reasons []string                           `json:"reasons"`
	Refused []model.RejectedAnswer[mendAnswer] `json:"refused"`
}

type mendAnswer struct {
	Turns []numberedTurn `json:"turns"`
}

type numberedTurn struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
}
