package crosssource

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// checkSources wants the sources of a simulated task to be whose their words say: chats of
// those who speak there, profiles of somebody who takes part in a chat, and pictures that
// are called in words what they are called where they hang.
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

// silentParticipant is who takes part in a chat and says nothing there.
func silentParticipant(s schemas.Session) string {
	for _, who := range s.Participants {
		if !slices.ContainsFunc(s.Turns, func(t schemas.Turn) bool { return t.Speaker == who }) {
			return who
		}
	}
	return ""
}

// checkOwner wants a profile to be called after the one person whose it is, who talks in a
// chat or is named in it, and everything else that is no chat to be nobody's.
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

// checkPictureNames wants the words of a turn to call its picture what it is called, and no two
// turns to show one of that name. called are the turns of names so far.
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

// checkSameOptions wants a question and its twin to offer the same.
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
