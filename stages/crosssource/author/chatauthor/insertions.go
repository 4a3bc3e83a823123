package chatauthor

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// SharedThing is what the author knows of what is shared: by whom, of what kind, what it is
// called, and, where it writes what is said around it, what it holds (SMMBench E.9).
type SharedThing struct {
	By    string `json:"by,omitempty"`
	Kind  string `json:"kind"`
	Name  string `json:"name,omitempty"`
	Title string `json:"title,omitempty"`
	Holds string `json:"holds,omitempty"`
}

// Anchor asks after which message of a window something is shared (SMMBench E.8).
type Anchor struct {
	Window   []IndexedMessage                 `json:"window"`
	Exchange SharedThing                      `json:"exchange"`
	Refused  []model.RejectedAnswer[Anchored] `json:"refused"`
}

// IndexedMessage is a message and its index, from 1.
type IndexedMessage struct {
	Index int `json:"index"`
	Message
}

// Anchored is an index or NONE.
type Anchored struct {
	Anchor string `json:"anchor"`
}

// noAnchor says that no place of the window is suitable: the planned one stays.
const noAnchor = "NONE"

// minApart is how many turns lie between two things that are shared in a chat.
const minApart = 2

// placeSlots asks for a place for each piece, in order, within its window and between its
// neighbours. A slot without a piece stays, since another arrangement has a piece there.
// A moved piece takes over the times of its new place: times and stream positions are
// planned for all sources together. The gate placement checks gaps and order later.
func (w *chatWriter) placeSlots(ctx context.Context) error {
	for i := range w.channel.Slots {
		s := &w.channel.Slots[i]
		if s.Piece == nil || w.cfg.Window == 0 {
			continue
		}
		from, to := max(1, s.After-w.cfg.Window), min(w.channel.Base, s.After+w.cfg.Window)
		if i > 0 {
			from = max(from, w.channel.Slots[i-1].After+minApart)
		}
		if i+1 < len(w.channel.Slots) {
			to = min(to, w.channel.Slots[i+1].After-minApart)
		}
		if from >= to {
			continue
		}
		if err := w.askForAnchor(ctx, i, from, to); err != nil {
			return err
		}
	}
	return nil
}

// askForAnchor asks for the place of a slot after one of the base turns from..to, from 1.
func (w *chatWriter) askForAnchor(ctx context.Context, at, from, to int) error {
	s := &w.channel.Slots[at]
	in := Anchor{Exchange: sharedThing(*s)}
	for n := from; n <= to; n++ {
		l := w.channel.Own[n-1]
		in.Window = append(in.Window, IndexedMessage{n, Message{l.Speaker, l.Text}})
	}
	chosen := func(a Anchored) (int, bool) {
		n, err := strconv.Atoi(a.Anchor)
		return n, err == nil && n >= from && n <= to
	}
	got, refused, err := w.anchor.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Anchored]) Anchor {
			in.Refused = r
			return in
		},
		func(a model.Answer[Anchored]) ([]string, error) {
			if _, ok := chosen(a.Value); !ok && a.Value.Anchor != noAnchor {
				return []string{fmt.Sprintf("%s is no index of the window; give %d to %d, or NONE", a.Value.Anchor, from, to)}, nil
			}
			return nil, nil
		})
	if err = answerError(err, refused, codeAnchor); err != nil {
		if !w.fallBack(ctx, err, codeAnchor, "anchor", at+1) {
			return err
		}
		return nil
	}
	if n, ok := chosen(got.Value); ok {
		s.After = n
	}
	return nil
}

func sharedThing(s placement.Slot) SharedThing {
	out := SharedThing{By: s.Piece.Speaker, Kind: "message", Name: s.Piece.Handle}
	switch {
	case s.Piece.Parts[0].Media != "":
		out.Kind = "picture"
	case s.Piece.Handle != "":
		out.Kind = "table"
	case len(s.Piece.Parts) > 1:
		out.Kind = "pages"
	}
	return out
}

// Thread asks for what is said around something that is shared (SMMBench E.9).
type Thread struct {
	Theme    string                           `json:"theme"`
	Before   []Message                        `json:"before"`
	After    []Message                        `json:"after"`
	Exchange SharedThing                      `json:"exchange"`
	Wanted   []WantedLine                     `json:"wanted"`
	Refused  []model.RejectedAnswer[Threaded] `json:"refused"`
}

// WantedLine is a line that is to be written: before, announce, inline or after.
type WantedLine struct {
	Speaker string `json:"speaker"`
	Does    string `json:"does"`
}

// Threaded are lines, in the order in which they are wanted.
type Threaded struct {
	Lines []string `json:"lines"`
}

// following is how many turns after the place the author reads.
const following = 3

// writeThreads asks for the lines around each piece, and as many where another
// arrangement has a piece.
func (w *chatWriter) writeThreads(ctx context.Context) error {
	for i := range w.channel.Slots {
		write := w.askForThread
		if w.channel.Slots[i].Piece == nil {
			write = w.fillSlot
		}
		if err := write(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (w *chatWriter) fillSlot(ctx context.Context, at int) error {
	s := &w.channel.Slots[at]
	v, err := w.slotVoice("filled", s.Name)
	if err != nil {
		return err
	}
	topic := len(w.topics) * s.After / (w.channel.Base + 1)
	for i, cue := range v.PlanTurns(s.Turns, 1) {
		cue.Topic = topic
		cue.Long = false
		if i == 0 { // the talk goes on
			cue.Act = "elaborate"
		}
		l, err := w.writeTurn(ctx, fmt.Sprintf("slot-%d-turn", at+1), i, cue, slices.Concat(w.channel.Own[:s.After], s.Said))
		if err != nil {
			return fmt.Errorf("turns in slot %d: %w", at+1, err)
		}
		l.Act = "before"
		s.Said = append(s.Said, l)
	}
	return nil
}

// slotVoice is seeded by the name of the slot, so that both arrangements agree.
func (w *chatWriter) slotVoice(what, name string) (*basetalk.Voice, error) {
	return basetalk.NewVoice(w.scope.Rand(what, name), w.channel.Themes[:1], w.channel.Cast)
}

// askForThread asks for the lines around one piece; rules stand in if no answer passes.
func (w *chatWriter) askForThread(ctx context.Context, at int) error {
	s := &w.channel.Slots[at]
	in, lines, err := w.threadRequest(*s)
	if err != nil || len(lines) == 0 {
		return err
	}
	got, refused, err := w.thread.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Threaded]) Thread {
			in.Refused = r
			return in
		},
		func(a model.Answer[Threaded]) ([]string, error) {
			return w.checkThread(in, s.Piece.Asked, a.Value.Lines), nil
		})
	if err = answerError(err, refused, codeThread); err != nil {
		if !w.fallBack(ctx, err, codeThread, "thread", at+1) {
			return err
		}
		return nil
	}
	for i := range lines {
		lines[i].Text = strings.TrimSpace(got.Value.Lines[i])
	}
	s.By, s.Said = in.Exchange.By, lines
	return nil
}

func (w *chatWriter) threadRequest(s placement.Slot) (Thread, []basetalk.Line, error) {
	own := w.channel.Own
	in := Thread{
		Theme: w.channel.Themes[0], Before: messages(own[max(0, s.After-w.cfg.Memory):s.After]), After: messages(own[s.After:min(len(own), s.After+following)]),
		Exchange: sharedThing(s),
	}
	in.Exchange.Title, in.Exchange.Holds = s.Piece.Title, truncate(s.Piece.Content(), mostHeld)
	v, err := w.slotVoice("around", s.Name)
	if err != nil {
		return in, nil, err
	}
	if in.Exchange.By == "" {
		last := ""
		if n := len(in.Before); n > 0 {
			last = in.Before[n-1].Speaker
		}
		in.Exchange.By = v.Other(last)
	}
	lines := wantedLines(v, s, in.Exchange.By)
	for _, l := range lines {
		in.Wanted = append(in.Wanted, WantedLine{l.Speaker, describeAct(l.Act)})
	}
	return in, lines, nil
}

// wantedLines returns the lines around a piece without words. The sharer speaks last
// before it; others lead up to it and answer.
func wantedLines(v *basetalk.Voice, s placement.Slot, by string) []basetalk.Line {
	var out []basetalk.Line
	for i := range s.Before {
		who := by
		if i < s.Before-1 {
			who = v.Other(by)
		}
		out = append(out, basetalk.Line{Speaker: who, Act: "before"})
	}
	if s.Rule != "" {
		out = append(out, basetalk.Line{Speaker: by, Act: s.Rule})
	}
	last := by
	for range s.Trail {
		last = v.Other(last)
		out = append(out, basetalk.Line{Speaker: last, Act: "after"})
	}
	return out
}

func describeAct(act string) string {
	switch act {
	case "before", "after", "inline":
		return act
	}
	return "announce"
}

const (
	mostLine = 360
	mostHeld = 1200 // characters of what is shared
	copied   = 5    // words in a row that a line may not take from it
)

func truncate(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n]) + "…"
	}
	return text
}

// number finds numbers, by which a line would tell what a piece holds.
var number = regexp.MustCompile(`[0-9]+(?:[.,:][0-9]+)*`)

// checkThread returns what is wrong with lines. Their author has seen the piece, so that they
// can react to it; they may tell none of what is asked, no number of it and no run of words.
func (w *chatWriter) checkThread(in Thread, asked []string, lines []string) (why []string) {
	if len(lines) != len(in.Wanted) {
		return []string{fmt.Sprintf("there are %d lines; give %d", len(lines), len(in.Wanted))}
	}
	for i, text := range lines {
		text = strings.TrimSpace(text)
		why = append(why, w.checkLine(text)...)
		if n := utf8.RuneCountInString(text); n > mostLine {
			why = append(why, fmt.Sprintf("line %d has %d characters; write %d at most", i+1, n, mostLine))
		}
		does, name := in.Wanted[i].Does, in.Exchange.Name
		named := does == "announce" || does == "inline"
		if named && name != "" && !strings.Contains(text, name) {
			why = append(why, fmt.Sprintf("line %d does not say %q, the name of what is shared", i+1, name))
		}
		for _, m := range handle.FindAllString(text, -1) {
			if !named || m != name {
				why = append(why, fmt.Sprintf("line %d speaks of %q, which it must not", i+1, m))
			}
		}
		if tells(strings.ReplaceAll(text, name, ""), in.Exchange.Holds, asked) {
			why = append(why, fmt.Sprintf("line %d repeats a number, a value or words of what is shared; react to it without them", i+1))
		}
	}
	return why
}

// tells reports a line that says what is asked, or a number or a run of words of a piece.
func tells(line, piece string, asked []string) bool {
	if slices.ContainsFunc(asked, func(a string) bool { return answercues.ContainsWords(line, a) }) {
		return true
	}
	if slices.ContainsFunc(number.FindAllString(line, -1), func(n string) bool { return slices.Contains(number.FindAllString(piece, -1), n) }) {
		return true
	}
	said := answercues.Words(line)
	for i := 0; i+copied <= len(said); i++ {
		if answercues.ContainsWords(piece, strings.Join(said[i:i+copied], " ")) {
			return true
		}
	}
	return false
}
