package crosssource

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/placement"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

type writeStage struct{}

func newWrite(struct{}) (pipeline.Stage, error) { return writeStage{}, nil }

// Spec declares what is written.
func (writeStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameChannel}, Emits: []string{schemas.NameTask, schemas.NameSession, namePosition}}
}

// PiecePosition is where a piece of evidence stands.
type PiecePosition struct {
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
func (writeStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
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
	own, err := w.baseTurns()
	if err != nil {
		return nil, fmt.Errorf("turns of %s: %w", c.SessionID, err)
	}
	if err := w.writeAll(ctx, own); err != nil {
		return nil, err
	}
	var out pipeline.RecordBuilder
	if c.Task != nil {
		out.Add(schemas.NameTask, c.TaskID, *c.Task)
	}
	out.Add(schemas.NameSession, c.SessionID, w.session)
	for _, s := range w.positions {
		out.Add(namePosition, c.SessionID+"/"+s.UnitID, s)
	}
	return out.Records()
}

// writeAll adds the base turns with the slots between them.
func (w *writer) writeAll(ctx context.Context, own []basetalk.Line) error {
	n := 0
	for _, s := range w.channel.Slots {
		if err := ctx.Err(); err != nil {
			return err
		}
		for ; n < s.After; n++ {
			w.addLine(own[n])
			w.before = own[n]
		}
		if err := w.writeSlot(s); err != nil {
			return fmt.Errorf("insert %s into %s: %w", s.Name, w.channel.SessionID, err)
		}
	}
	for ; n < len(own); n++ {
		w.addLine(own[n])
	}
	return nil
}

// writer writes one source. Random choices for a slot depend only on the name of its
// piece: wherever the piece stands, it is led up to and answered in the same words,
// except for the names of speakers and of things spoken of.
type writer struct {
	channel   placement.Channel
	scope     *pipeline.Scope
	session   schemas.Session
	positions []PiecePosition
	last      string        // who spoke last
	before    basetalk.Line // of the source's own turns
}

func newWriter(scope *pipeline.Scope, c placement.Channel) (*writer, error) {
	w := &writer{channel: c, scope: scope}
	w.session = schemas.Session{
		SessionID: c.SessionID, TaskID: c.TaskID, Kind: c.Kind, Title: c.Title, Order: c.Order, Participants: []string{},
	}
	for _, p := range c.Cast {
		if w.isChat() || c.Kind == schemas.KindProfile {
			w.session.Participants = append(w.session.Participants, p.Name)
		}
	}
	return w, nil
}

func (w *writer) isChat() bool {
	return isChat(w.channel.Kind)
}

func (w *writer) baseTurns() ([]basetalk.Line, error) {
	if n := len(w.channel.Own); n > 0 && n != w.channel.Base {
		return nil, fmt.Errorf("%d of %d turns are written", n, w.channel.Base)
	} else if n > 0 {
		return w.channel.Own, nil
	}
	v, err := basetalk.NewVoice(w.scope.Rand("own", w.channel.Key), w.channel.Themes, w.channel.Cast)
	if err != nil {
		return nil, err
	}
	v.Mention(w.channel.Mentions, w.channel.Topics)
	if w.isChat() {
		var inserted []int
		for _, s := range w.channel.Slots {
			inserted = append(inserted, s.After)
		}
		return v.Chat(w.channel.Base, inserted...)
	}
	return w.paperTurns(v, w.channel.Base, 0)
}

// section is how many paragraphs of a document are about the same things.
const section = 4

func (w *writer) paperTurns(v *basetalk.Voice, n, from int) ([]basetalk.Line, error) {
	rule := "paragraph"
	switch w.channel.Kind {
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

func (w *writer) addLine(l basetalk.Line) *schemas.Turn {
	n := len(w.session.Turns)
	w.last = cmp.Or(l.Speaker, w.last)
	t := schemas.Turn{
		TurnID: schemas.TurnIDOf(w.channel.SessionID, n+1), SessionID: w.channel.SessionID, Order: int32(n + 1), Position: w.channel.Positions[n], Timestamp: time.Unix(w.channel.Times[n], 0).UTC().Format(time.RFC3339),
		Role: schemas.TurnEnvironment, Speaker: l.Speaker, Text: l.Text,
	}
	if l.Speaker != "" {
		t.Role = schemas.TurnUser
	}
	w.session.Turns = append(w.session.Turns, t)
	return &w.session.Turns[n]
}

func (w *writer) writeSlot(s placement.Slot) error {
	v, err := basetalk.NewVoice(w.scope.Rand("slot", s.Name), w.channel.Themes[:1], w.channel.Cast)
	if err != nil {
		return err
	}
	v.About(w.before)
	v.Mention(w.channel.Mentions, w.channel.Topics)
	from := len(w.session.Turns)
	switch {
	case len(s.Said) > 0:
		w.writeModelThread(s)
	case s.Piece == nil:
		err = w.writeFiller(v, s.Turns)
	case w.isChat():
		err = w.writeThread(v, s)
	default:
		w.writePiece(s, "")
	}
	if got := len(w.session.Turns) - from; err == nil && got != s.Turns {
		return fmt.Errorf("it takes %d turns and %d were planned", got, s.Turns)
	}
	return err
}

// writeFiller fills a slot whose piece is elsewhere in this arrangement.
func (w *writer) writeFiller(v *basetalk.Voice, turns int) error {
	lines, err := w.paperTurns(v, turns, 1)
	if w.isChat() {
		lines, err = v.Aside(turns, w.last)
	}
	for _, l := range lines {
		w.addLine(l)
	}
	return err
}

// writeModelThread writes a slot with the model's lines around its piece, or in its
// place.
func (w *writer) writeModelThread(s placement.Slot) {
	from, after := len(w.session.Turns), []basetalk.Line{}
	for _, l := range s.Said {
		switch l.Act {
		case "after":
			after = append(after, l)
		case "inline": // in the place of its bare name
			s.Piece.Parts[0].Text = l.Text
		default:
			w.addLine(l)
		}
	}
	at := len(w.session.Turns)
	if s.Piece != nil {
		w.writePiece(s, s.By)
	}
	end := len(w.session.Turns)
	for _, l := range after {
		w.addLine(l)
	}
	if s.Piece != nil {
		w.noteAround(from, at, end)
	}
}

// writePiece writes the turns of a piece and records its position.
func (w *writer) writePiece(s placement.Slot, who string) {
	spot := PiecePosition{
		TaskID: w.channel.TaskID, ItemID: s.Piece.Item, UnitID: s.Piece.Unit, SessionID: w.channel.SessionID, Kind: w.channel.Kind, Speaker: who, Participants: w.session.Participants,
		Handle: s.Piece.Handle, Around: []string{},
	}
	for i, p := range s.Piece.Parts {
		t := w.addLine(basetalk.Line{Speaker: who, Text: p.Text})
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
	w.positions = append(w.positions, spot)
}

// writeThread writes a piece in a chat: lead-up, announcement, piece and answers. None of
// the lines tells its content.
func (w *writer) writeThread(v *basetalk.Voice, s placement.Slot) error {
	named := w.peopleNamed(*s.Piece)
	who := cmp.Or(s.Piece.Speaker, v.Other(append(named, w.last)...))
	if s.Rule == "quote" && slices.Contains(named, who) {
		s.Rule = "quoted"
	}
	from := len(w.session.Turns)
	given := w.scope.Rand("given", s.Name).IntN(2) == 0
	for i := range s.Before {
		speaker, rule := who, "before"
		if i < s.Before-1 || s.Before == 1 && given { // somebody gives the word to who has something
			speaker, rule, w.last = v.Other(who), "prompt", who
		} else if i > 0 {
			rule = "ready"
		}
		if err := w.addAround(v, s, rule, speaker, ""); err != nil {
			return err
		}
	}
	if err := w.announce(v, s, who); err != nil {
		return err
	}
	w.writePiece(s, who)
	at := len(w.session.Turns) - len(s.Piece.Parts)
	if err := w.addAnswers(v, s, who); err != nil {
		return err
	}
	w.noteAround(from, at, at+len(s.Piece.Parts))
	return nil
}

// announce announces a piece in a turn before it or in place of its bare name.
func (w *writer) announce(v *basetalk.Voice, s placement.Slot, who string) error {
	switch s.Rule {
	case "":
		return nil
	case "inline":
		text, err := v.Scaffold(s.Rule, who, w.last, s.Piece.Handle, "")
		if err == nil {
			s.Piece.Parts[0].Text = text
		}
		return err
	}
	return w.addAround(v, s, s.Rule, who, "")
}

// peopleNamed returns the chat's people whom a piece names: others say it if possible.
func (w *writer) peopleNamed(p placement.Piece) (out []string) {
	for _, who := range w.session.Participants {
		if slices.ContainsFunc(p.Parts, func(x placement.Part) bool { return strings.Contains(x.Text, who) }) {
			out = append(out, who)
		}
	}
	return out
}

// addAnswers adds answers to the sharer of a piece, who has the next word if no other person
// is there.
func (w *writer) addAnswers(v *basetalk.Voice, s placement.Slot, who string) error {
	replied, topic := "", ""
	if w.scope.Rand("reacts", s.Name).IntN(3) > 0 {
		_, topic = simulate.TopicOf(s.Piece.Parts[0].Text)
	}
	for range s.Trail {
		speaker, rule := v.Other(replied, who), "after"
		switch {
		case speaker == who:
			rule = "welcome"
		case s.Piece.Taste && s.Piece.Speaker != "":
			rule = "heard"
		case topic != "" && replied == "":
			rule = "after_topic"
		}
		if speaker != who {
			w.last = who
		}
		if err := w.addAround(v, s, rule, speaker, topic); err != nil {
			return err
		}
		replied = speaker
	}
	return nil
}

func (w *writer) addAround(v *basetalk.Voice, s placement.Slot, rule, speaker, topic string) error {
	text, err := v.Scaffold(rule, speaker, w.last, s.Piece.Handle, topic)
	if err == nil {
		w.addLine(basetalk.Line{Speaker: speaker, Text: text})
	}
	return err
}

// noteAround records the lines around the last piece, whose turns are [at, end).
func (w *writer) noteAround(from, at, end int) {
	spot := &w.positions[len(w.positions)-1]
	for n, t := range w.session.Turns[from:] {
		if from+n < at || from+n >= end {
			spot.Around = append(spot.Around, t.Text)
		}
	}
}
