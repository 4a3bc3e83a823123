package crosssource

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

type writing struct{}

func newWrite(struct{}) (pipeline.Stage, error) { return writing{}, nil }

// Spec declares what is written.
func (writing) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameChannel}, Emits: []string{schemas.NameTask, schemas.NameSession, namePlaced}}
}

// Spot is where a piece of evidence stands.
type Spot struct {
	TaskID    string `json:"task_id"`
	ItemID    string `json:"item_id"`
	UnitID    string `json:"unit_id"`
	SessionID string `json:"session_id"`
	// Kind is that of the session, Speaker who says it, Participants who reads it.
	Kind         string   `json:"kind"`
	Speaker      string   `json:"speaker,omitempty"`
	Participants []string `json:"participants"`
	Handle       string   `json:"handle,omitempty"`
	// Turns are those of the piece, without what leads up to it.
	Turns []schemas.Turn `json:"turns"`
	// Around is what is said right before and after it.
	Around []string `json:"around"`
}

// Map writes a source: first its own turns, which nobody who writes them knows any
// evidence of, then what is inserted (SMMBench B.4, B.5).
func (writing) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	c, err := pipeline.Decode[placement.Channel](in)
	if err != nil {
		return nil, err
	}
	if n := c.Turns(); n != len(c.Times) || n != len(c.Positions) || n == 0 {
		return nil, fmt.Errorf("source %s has %d turns, %d times and %d places", c.SessionID, n, len(c.Times), len(c.Positions))
	}
	w, err := newWriter(scope, c)
	if err != nil {
		return nil, err
	}
	own, err := w.own()
	if err != nil {
		return nil, fmt.Errorf("turns of %s: %w", c.SessionID, err)
	}
	if err := w.weave(ctx, own); err != nil {
		return nil, err
	}
	var out pipeline.Made
	if c.Task != nil {
		out.Add(schemas.NameTask, c.TaskID, *c.Task)
	}
	out.Add(schemas.NameSession, c.SessionID, w.session)
	for _, s := range w.spots {
		out.Add(namePlaced, c.SessionID+"/"+s.UnitID, s)
	}
	return out.Records()
}

// weave adds the source's own turns with what stands between them.
func (w *writer) weave(ctx context.Context, own []basetalk.Line) error {
	n := 0
	for _, s := range w.c.Slots {
		if err := ctx.Err(); err != nil {
			return err
		}
		for ; n < s.After; n++ {
			w.line(own[n])
			w.before = own[n]
		}
		if err := w.slot(s); err != nil {
			return fmt.Errorf("insert %s into %s: %w", s.Name, w.c.SessionID, err)
		}
	}
	for ; n < len(own); n++ {
		w.line(own[n])
	}
	return nil
}

// writer writes one source. What it draws for a slot hangs on the name of the piece
// alone: wherever that stands, it is led up to and answered in the same words but for
// the names of who speaks and of the things that are spoken of there, and so is what takes
// its place.
type writer struct {
	c       placement.Channel
	scope   *pipeline.Scope
	session schemas.Session
	spots   []Spot
	last    string        // who spoke last
	before  basetalk.Line // of the source's own turns
}

func newWriter(scope *pipeline.Scope, c placement.Channel) (*writer, error) {
	w := &writer{c: c, scope: scope}
	w.session = schemas.Session{
		SessionID: c.SessionID, TaskID: c.TaskID, Kind: c.Kind, Title: c.Title, Order: c.Order, Participants: []string{},
	}
	for _, p := range c.Cast {
		if w.chat() || c.Kind == schemas.KindProfile {
			w.session.Participants = append(w.session.Participants, p.Name)
		}
	}
	return w, nil
}

func moment(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }

func (w *writer) chat() bool {
	return isChat(w.c.Kind)
}

// own are the source's own turns.
func (w *writer) own() ([]basetalk.Line, error) {
	if n := len(w.c.Own); n > 0 && n != w.c.Base {
		return nil, fmt.Errorf("%d of %d turns are written", n, w.c.Base)
	} else if n > 0 {
		return w.c.Own, nil
	}
	v, err := basetalk.NewVoice(w.scope.Rand("own", w.c.Key), w.c.Themes, w.c.Cast)
	if err != nil {
		return nil, err
	}
	v.Mention(w.c.Seen, w.c.Topics)
	if w.chat() {
		var inserted []int
		for _, s := range w.c.Slots {
			inserted = append(inserted, s.After)
		}
		return v.Chat(w.c.Base, inserted...)
	}
	return w.papers(v, w.c.Base, 0)
}

// section is how many paragraphs of a document are about the same things.
const section = 4

// papers are turns of what is no chat, of which so many stand before.
func (w *writer) papers(v *basetalk.Voice, n, from int) ([]basetalk.Line, error) {
	rule := "paragraph"
	switch w.c.Kind {
	case schemas.KindProfile:
		rule = "entry"
	case schemas.KindTable, schemas.KindImage:
		rule = "cell"
	}
	out := make([]basetalk.Line, n)
	for i := range out {
		rule := rule
		if rule == "paragraph" && (i+from)%section == 0 {
			rule = "section"
		}
		text, err := v.Paper(rule)
		if err != nil {
			return nil, err
		}
		out[i].Text = text
	}
	return out, nil
}

// line adds a turn.
func (w *writer) line(l basetalk.Line) *schemas.Turn {
	n := len(w.session.Turns)
	w.last = cmp.Or(l.Speaker, w.last)
	t := schemas.Turn{
		TurnID: schemas.TurnIDOf(w.c.SessionID, n+1), SessionID: w.c.SessionID, Order: int32(n + 1), Position: w.c.Positions[n], Timestamp: moment(w.c.Times[n]),
		Role: schemas.TurnEnvironment, Speaker: l.Speaker, Text: l.Text,
	}
	if l.Speaker != "" {
		t.Role = schemas.TurnUser
	}
	w.session.Turns = append(w.session.Turns, t)
	return &w.session.Turns[n]
}

// slot writes what is inserted at a place.
func (w *writer) slot(s placement.Slot) error {
	v, err := basetalk.NewVoice(w.scope.Rand("slot", s.Name), w.c.Themes[:1], w.c.Cast)
	if err != nil {
		return err
	}
	v.About(w.before)
	v.Mention(w.c.Seen, w.c.Topics)
	from := len(w.session.Turns)
	switch {
	case len(s.Said) > 0:
		w.said(s)
	case s.Piece == nil:
		err = w.filler(v, s.Turns)
	case w.chat():
		err = w.thread(v, s)
	default:
		w.piece(s, "")
	}
	if got := len(w.session.Turns) - from; err == nil && got != s.Turns {
		return fmt.Errorf("it takes %d turns and %d were planned", got, s.Turns)
	}
	return err
}

// filler is what stands in a slot whose piece is elsewhere in this arrangement.
func (w *writer) filler(v *basetalk.Voice, turns int) error {
	lines, err := w.papers(v, turns, 1)
	if w.chat() {
		lines, err = v.Aside(turns, w.last)
	}
	for _, l := range lines {
		w.line(l)
	}
	return err
}

// said is a slot for which a model wrote what is said around its piece, or in its place.
func (w *writer) said(s placement.Slot) {
	from, after := len(w.session.Turns), []basetalk.Line{}
	for _, l := range s.Said {
		switch l.Act {
		case "after":
			after = append(after, l)
		case "inline": // in the place of its bare name
			s.Piece.Parts[0].Text = l.Text
		default:
			w.line(l)
		}
	}
	at := len(w.session.Turns)
	if s.Piece != nil {
		w.piece(s, s.By)
	}
	end := len(w.session.Turns)
	for _, l := range after {
		w.line(l)
	}
	if s.Piece != nil {
		w.beside(from, at, end)
	}
}

// piece writes the turns of a piece, and notes where they are.
func (w *writer) piece(s placement.Slot, who string) {
	spot := Spot{
		TaskID: w.c.TaskID, ItemID: s.Piece.Item, UnitID: s.Piece.Unit, SessionID: w.c.SessionID, Kind: w.c.Kind, Speaker: who, Participants: w.session.Participants,
		Handle: s.Piece.Handle, Around: []string{},
	}
	for i, p := range s.Piece.Parts {
		t := w.line(basetalk.Line{Speaker: who, Text: p.Text})
		if p.Media != "" {
			name := s.Piece.Handle
			if i > 0 {
				name += fmt.Sprintf("-%d", i+1)
			}
			t.Attachments = []schemas.Attachment{{
				AttachmentID: name, MediaID: p.Media, Type: cmp.Or(s.Piece.Kind, "photo"), Caption: p.Caption, MinimalCaption: p.Minimal, TaskAwareCaption: p.Caption,
			}}
		}
		spot.Turns = append(spot.Turns, *t)
	}
	w.spots = append(w.spots, spot)
}
