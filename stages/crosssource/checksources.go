package crosssource

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/oracle"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// checkSources checks who owns the sources of a simulated task: all participants of chats
// speak, profiles belong to participants, and pictures are called by their names.
func checkSources(sessions []schemas.Session, p pipeline.Premises) error {
	chatting, called := map[string]bool{}, map[string]string{}
	for _, s := range sessions {
		if err := checkPictureNames(s, called); err != nil {
			return err
		}
		if !isChat(s.Kind) {
			continue
		}
		for _, who := range s.Participants {
			chatting[who] = true
		}
		if who := silentParticipant(s); who != "" {
			return fmt.Errorf("%s takes part in %s and says nothing there", who, s.SessionID)
		}
	}
	for _, s := range sessions {
		if err := checkOwner(s, chatting); err != nil {
			return err
		}
	}
	for _, m := range p.Media {
		if len(m.Recipe.Segments) == 0 && m.License != license {
			return fmt.Errorf("medium %s was drawn for the task, and has the licence %q; what is simulated has %s", m.MediaID, m.License, license)
		}
	}
	return nil
}

func isChat(kind string) bool {
	return kind == schemas.KindGroupChat || kind == schemas.KindPrivateChat
}

func silentParticipant(s schemas.Session) string {
	for _, who := range s.Participants {
		if !slices.ContainsFunc(s.Turns, func(t schemas.Turn) bool { return t.Speaker == who }) {
			return who
		}
	}
	return ""
}

// checkOwner checks that a profile is named after its one owner, who talks in a chat or
// is named in the profile, and that other sources have no owner.
func checkOwner(s schemas.Session, chatting map[string]bool) error {
	switch {
	case isChat(s.Kind):
		return nil
	case s.Kind != schemas.KindProfile && len(s.Participants) > 0:
		return fmt.Errorf("source %s is a %s and has the participants %q", s.SessionID, s.Kind, s.Participants)
	case s.Kind != schemas.KindProfile:
		return nil
	case len(s.Participants) != 1:
		return fmt.Errorf("profile %s is of %q; want one person", s.SessionID, s.Participants)
	}
	owner := s.Participants[0]
	known := chatting[owner] || slices.ContainsFunc(s.Turns, func(t schemas.Turn) bool { return strings.Contains(t.Text, owner) })
	if want := "profile_" + strings.ReplaceAll(strings.ToLower(owner), " ", "_"); s.Title != want || !known {
		return fmt.Errorf("profile %s of %s is called %q, want %q; that its owner takes part in a chat or is named in it is %t", s.SessionID, owner, s.Title, want, known)
	}
	return nil
}

// figureHandle is what a picture is called in words.
var figureHandle = regexp.MustCompile(`Fig\. [0-9a-f]{8}(?:-\d+)?`)

// checkPictureNames checks that the words of a turn use the name of its picture, and that
// no two turns show one name. called maps names to turns so far.
func checkPictureNames(s schemas.Session, called map[string]string) error {
	for _, t := range s.Turns {
		var names []string
		for _, a := range t.Attachments {
			if of := called[a.AttachmentID]; of != "" {
				return fmt.Errorf("turns %s and %s both show %s", of, t.TurnID, a.AttachmentID)
			}
			called[a.AttachmentID] = t.TurnID
			names = append(names, a.AttachmentID)
		}
		for _, said := range figureHandle.FindAllString(t.Text, -1) {
			if len(names) > 0 && !slices.Contains(names, said) {
				return fmt.Errorf("turn %s speaks of %s and shows %q", t.TurnID, said, names)
			}
		}
	}
	return nil
}

func checkSameOptions(q schemas.Question, other *schemas.Question) error {
	if other == nil || len(other.Revisions) > 0 {
		return nil
	}
	if one, two := optionTexts(q), optionTexts(*other); !slices.Equal(one, two) {
		return fmt.Errorf("it offers %q, and its twin %s offers %q", one, other.QuestionID, two)
	}
	return nil
}

func optionTexts(q schemas.Question) (out []string) {
	for _, o := range q.Options {
		out = append(out, o.Text)
	}
	for _, t := range q.Tools {
		out = append(out, t.Name)
	}
	slices.Sort(out)
	return out
}

// checkPlainSources checks that the sources of a simulated task have no field in which
// words could contradict the answer: no arcs, dates and points, titles of topics only,
// turns in order of time without steps, and only names beside pictures and tables.
func checkPlainSources(t schemas.Task, sessions []schemas.Session, p pipeline.Premises) error {
	var stream []schemas.Turn
	for _, s := range sessions {
		if err := cmp.Or(checkSourceFields(s, t.Scenario), checkHandles(s, p)); err != nil {
			return err
		}
		stream = append(stream, s.Turns...)
	}
	slices.SortStableFunc(stream, func(a, b schemas.Turn) int { return cmp.Compare(a.Position, b.Position) })
	for i := range stream[:max(len(stream), 1)-1] {
		if one, next := stream[i], stream[i+1]; one.Timestamp > next.Timestamp || one.Timestamp == "" {
			return fmt.Errorf("turn %s is of %q, and %s, which follows it in the stream, of %q", one.TurnID, one.Timestamp, next.TurnID, next.Timestamp)
		}
	}
	for _, m := range p.Media {
		if m.Caption != "" {
			return fmt.Errorf("medium %s has the caption %q; those that are drawn have theirs where they are shown", m.MediaID, m.Caption)
		}
	}
	return nil
}

// checkSourceFields checks that a source has only kind, title, owners and turns, and
// turns only words and pictures.
func checkSourceFields(s schemas.Session, theme string) error {
	want := schemas.Session{SessionID: s.SessionID, TaskID: s.TaskID, Kind: s.Kind, Participants: s.Participants, Title: s.Title, Order: s.Order}
	bare := s
	bare.Turns, bare.Earlier = nil, nil
	if got, want := fmt.Sprintf("%+v", bare), fmt.Sprintf("%+v", want); got != want {
		return fmt.Errorf("source %s is %s; want %s", s.SessionID, got, want)
	}
	if topics, of := strings.CutPrefix(s.Title, s.Kind+"_"+theme+"_"); s.Kind != schemas.KindProfile && (!of || !topicsForm().MatchString(topics)) {
		return fmt.Errorf("source %s is called %q; want its kind, topics with %s before all, and eight digits", s.SessionID, s.Title, theme)
	}
	for _, t := range s.Turns {
		role := schemas.TurnEnvironment
		if t.Speaker != "" {
			role = schemas.TurnUser
		}
		if t.Role != role || t.Observation+t.Reasoning+t.Action+t.Feedback != "" {
			return fmt.Errorf("turn %s is by %q as %s, with the step %q; want %s and none", t.TurnID, t.Speaker, t.Role, t.Observation+t.Reasoning+t.Action+t.Feedback, role)
		}
	}
	return nil
}

// topicsForm are the further topics of a title and the digits after them.
var topicsForm = sync.OnceValue(func() *regexp.Regexp {
	var all []string
	for _, t := range simulate.Themes() {
		all = append(all, regexp.QuoteMeta(strings.ReplaceAll(t, " ", "_")))
	}
	return regexp.MustCompile("^(?:(?:" + strings.Join(all, "|") + ")_)*[0-9a-f]{8}$")
})

// tableHandle is the name of a table and what it is of.
var tableHandle = regexp.MustCompile(`^Table\. [0-9a-f]{8} \([A-Z][a-z]+: (.+)\)$`)

// checkHandles checks that pictures and tables are shown with their names and no other
// words, unless a model wrote the chats.
func checkHandles(s schemas.Session, p pipeline.Premises) error {
	frame, err := basetalk.Framed()
	if err != nil {
		return err
	}
	written := slices.Contains(p.Plugins, "crosssource.converse")
	for i, t := range s.Turns {
		for _, a := range t.Attachments {
			if t.Text != "("+a.AttachmentID+")" && !written && !(strings.Contains(t.Text, a.AttachmentID) && frame.Names(t.Text)) {
				return fmt.Errorf("turn %s shows %s with the words %q; want its name and nothing else", t.TurnID, a.AttachmentID, t.Text)
			}
		}
		m := tableHandle.FindStringSubmatch(t.Text)
		switch table := strings.HasPrefix(t.Text, "Table. ") && strings.Contains(t.Text, "(") && i+1 < len(s.Turns) && strings.Contains(s.Turns[i+1].Text, " | "); {
		case table && m == nil, table && m[1] != codes && !strings.HasSuffix(s.Turns[i+1].Text, " | "+m[1]):
			return fmt.Errorf("turn %s calls a table %q, with the columns %q; want what these are of", t.TurnID, t.Text, s.Turns[i+1].Text)
		}
	}
	return nil
}

// codes is what a table is called that says what they stand for.
const codes = "codes"

// interrogative is how a question asks for somebody or something.
var interrogative = regexp.MustCompile(`(?i:\b(who|where|which firm)\b)`)

// checkInterrogative checks that a question asks who, where or which firm as its answer
// requires.
func checkInterrogative(q schemas.Question, r oracle.Result) error {
	m := interrogative.FindStringSubmatch(q.Question)
	if m == nil || r.Right == "" {
		return nil
	}
	if want := simulate.Interrogative(r.Right); !strings.EqualFold(m[1], want) {
		return fmt.Errorf("it asks %q, and the answer %q is one to %q", m[1], r.Right, want)
	}
	return nil
}
