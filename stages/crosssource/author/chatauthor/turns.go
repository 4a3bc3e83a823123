package chatauthor

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

// Message is a turn of a chat as the author reads it.
type Message struct {
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
}

// Subtopics asks what a chat passes through.
type Subtopics struct {
	Themes  []string                        `json:"themes"`
	People  []basetalk.Person               `json:"people"`
	Count   int                             `json:"count"`
	Refused []model.RejectedAnswer[Planned] `json:"refused"`
}

// Planned are sub-topics in their order.
type Planned struct {
	Topics []string `json:"topics"`
}

// Turn asks for the next message. It is all that the author knows of the chat.
type Turn struct {
	Theme   string                          `json:"theme"`
	Topic   string                          `json:"topic"`
	Speaker Portrait                        `json:"speaker"`
	Others  []string                        `json:"others"`
	Turns   []Message                       `json:"turns"`
	Act     string                          `json:"act"`
	Length  string                          `json:"length"`
	Refused []model.RejectedAnswer[Written] `json:"refused"`
}

// Written is a message.
type Written struct {
	Text string `json:"text"`
}

// planTopics asks for sub-topics (SMMBench E.5). The themes stand in if no answer passes.
func (w *chatWriter) planTopics(ctx context.Context) error {
	in := Subtopics{Themes: w.channel.Themes, People: w.channel.Cast, Count: basetalk.Subtopics(w.scope.Rand("topics", w.channel.Key), w.channel.Base)}
	got, refused, err := w.subtopics.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Planned]) Subtopics {
			in.Refused = r
			return in
		},
		func(a model.Answer[Planned]) ([]string, error) { return checkTopics(in.Count, a.Value.Topics), nil })
	if err = answerError(err, refused, codeTopics); err != nil {
		w.topics = w.channel.Themes
		if !w.fallBack(ctx, err, codeTopics, "topics", 0) {
			return err
		}
		return nil
	}
	w.topics = got.Value.Topics
	return nil
}

// answerError returns err, or an error with the refusals of all answers.
func answerError[Out any](err error, refused []model.RejectedAnswer[Out], code string) error {
	if err != nil || len(refused) == 0 {
		return err
	}
	return pipeline.Reject(code, "written by rule: %s (after %d attempts)", strings.Join(refused[len(refused)-1].Reasons, "; "), len(refused))
}

const mostTopic = 200

func checkTopics(count int, topics []string) (why []string) {
	if len(topics) != count {
		return []string{fmt.Sprintf("there are %d sub-topics; give %d", len(topics), count)}
	}
	for i, t := range topics {
		switch {
		case strings.TrimSpace(t) == "" || utf8.RuneCountInString(t) > mostTopic || answercues.HasControl(t):
			why = append(why, fmt.Sprintf("sub-topic %d is empty, longer than %d characters or not one line", i+1, mostTopic))
		case slices.Contains(topics[:i], t):
			why = append(why, fmt.Sprintf("sub-topic %d stands there twice", i+1))
		}
	}
	return why
}

// writeTurns asks for the base turns of the chat, one after the other (SMMBench E.6).
func (w *chatWriter) writeTurns(ctx context.Context) error {
	for i, cue := range w.voice.PlanTurns(w.channel.Base, len(w.topics)) {
		l, err := w.writeTurn(ctx, "turn", i, cue, w.channel.Own)
		if err != nil {
			return fmt.Errorf("turn %d: %w", i+1, err)
		}
		w.channel.Own = append(w.channel.Own, l)
	}
	return nil
}

// writeTurn returns the author's next turn, or one by rule if no answer passes.
func (w *chatWriter) writeTurn(ctx context.Context, what string, i int, cue basetalk.Cue, after []basetalk.Line) (basetalk.Line, error) {
	recent := messages(after[max(0, len(after)-w.cfg.Memory):])
	in := Turn{Theme: w.channel.Themes[0], Topic: w.topics[cue.Topic], Speaker: w.portrait(cue.Speaker, w.channel.Cast), Others: w.otherSpeakers(cue.Speaker.Name), Turns: recent, Act: cue.Act, Length: "short"}
	if cue.Long {
		in.Length = "long"
	}
	got, refused, err := w.turn.AskUntilUsable(ctx, w.scope, role, w.cfg.Attempts,
		func(r []model.RejectedAnswer[Written]) Turn {
			in.Refused = r
			return in
		},
		func(a model.Answer[Written]) ([]string, error) {
			return w.checkTurn(strings.TrimSpace(a.Value.Text), cue.Long, recent), nil
		})
	if err = answerError(err, refused, codeTurn); err == nil {
		return basetalk.Line{Speaker: cue.Speaker.Name, Act: cue.Act, Text: strings.TrimSpace(got.Value.Text)}, nil
	}
	if !w.fallBack(ctx, err, codeTurn, what, i+1) {
		return basetalk.Line{}, err
	}
	last := ""
	if n := len(recent); n > 0 {
		last = recent[n-1].Speaker
	}
	return w.voice.Say(cue, last)
}

func messages(lines []basetalk.Line) []Message {
	out := make([]Message, len(lines))
	for i, l := range lines {
		out[i] = Message{Speaker: l.Speaker, Text: l.Text}
	}
	return out
}

func (w *chatWriter) otherSpeakers(than string) []string {
	out := []string{}
	for _, p := range w.channel.Cast {
		if p.Name != than {
			out = append(out, p.Name)
		}
	}
	return out
}

// Most characters of a short and a long message, and the fewest of a long one.
const (
	mostShort            = 420
	fewestLong, mostLong = 160, 1800
)

// handle is what pictures and tables are called; a model may not invent one.
var handle = regexp.MustCompile(`\b(Fig|Table)\. ?[0-9a-f]{8}\b`)

func (w *chatWriter) checkTurn(text string, long bool, recent []Message) []string {
	why := w.checkLine(text)
	n := utf8.RuneCountInString(text)
	switch {
	case long && (n < fewestLong || n > mostLong):
		why = append(why, fmt.Sprintf("the message has %d characters; a long one has five to eight sentences, %d to %d characters", n, fewestLong, mostLong))
	case !long && n > mostShort:
		why = append(why, fmt.Sprintf("the message has %d characters; a short one has one or two sentences, %d characters at most", n, mostShort))
	}
	if m := handle.FindString(text); m != "" {
		why = append(why, fmt.Sprintf("the message speaks of %q; nothing is shared here", m))
	}
	for _, r := range recent {
		if r.Text == text {
			why = append(why, "the message was sent already, word for word")
		}
	}
	return why
}

func (w *chatWriter) checkLine(text string) (why []string) {
	if text == "" || answercues.HasControl(text) {
		why = append(why, fmt.Sprintf("%q is empty, or not one paragraph of plain text", text))
	}
	for _, p := range w.channel.Cast {
		if strings.HasPrefix(text, p.Name+":") {
			why = append(why, fmt.Sprintf("%q begins with a name; give the message alone", text))
		}
	}
	return why
}
