// Package oracle recomputes the answers of the visual family from the tables of a
// release: the dates of sessions, what pictures show, and the words of a question. It
// shares no code with the simulation and the stages that write the questions, so that
// it does not repeat their errors.
package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/schemas"
)

// Picture is a row of the table of pictures.
type Picture struct {
	Media string
	Noun  string
	// Minimal is the minimal caption, Kind photo or screenshot.
	Minimal, Kind string
	// Absent names expected things that the picture does not show.
	Absent []string
	Things []Thing
}

// Thing is a thing that a picture shows.
type Thing struct {
	Name, Class, Prep string
	Plural            bool
	Tells             map[string]string
}

// ParseTells parses "aspect=value; aspect=value".
func (th *Thing) ParseTells(text string) error {
	th.Tells = map[string]string{}
	for _, part := range strings.Split(text, "; ") {
		aspect, value, ok := strings.Cut(part, "=")
		if _, twice := th.Tells[aspect]; !ok || twice || captionPhrases()[aspect] == "" || value == "" {
			return fmt.Errorf("what is told, %q, is no list of aspect=value", text)
		}
		th.Tells[aspect] = value
	}
	return nil
}

// sharedPicture is a picture where it was shared.
type sharedPicture struct {
	Picture
	name       string // "the second photo of 3 May 2025"
	session    schemas.Session
	round      [2]schemas.Turn
	attachment schemas.Attachment
}

// Conversation is a task's sessions with their pictures in order of time.
type Conversation struct {
	pictures []sharedPicture
	sessions []schemas.Session // in order
}

// NewConversation reads a conversation. Pictures are by media id.
func NewConversation(sessions []schemas.Session, pictures map[string]Picture) (*Conversation, error) {
	sorted := slices.Clone(sessions)
	slices.SortFunc(sorted, func(a, b schemas.Session) int { return int(a.Order - b.Order) })
	t := &Conversation{sessions: sorted}
	for _, s := range sorted {
		for i, turn := range s.Turns {
			for _, a := range turn.Attachments {
				p, known := pictures[a.MediaID]
				if !known {
					return nil, fmt.Errorf("turn %s shows %s, of which nothing is noted", turn.TurnID, a.MediaID)
				}
				if i+1 == len(s.Turns) {
					return nil, fmt.Errorf("turn %s shows a picture and is not answered", turn.TurnID)
				}
				t.pictures = append(t.pictures, sharedPicture{Picture: p, session: s, round: [2]schemas.Turn{turn, s.Turns[i+1]}, attachment: a})
			}
		}
	}
	return t, t.namePictures()
}

// namePictures sets the names of pictures in questions.
func (t *Conversation) namePictures() error {
	number := func(i int) (place, of int) {
		for j, other := range t.pictures {
			if other.session.Date == t.pictures[i].session.Date && other.Noun == t.pictures[i].Noun {
				of++
				if j < i {
					place++
				}
			}
		}
		return place, of
	}
	for i := range t.pictures {
		day, err := time.Parse("2006-01-02", t.pictures[i].session.Date)
		if err != nil {
			return fmt.Errorf("session %s: %w", t.pictures[i].session.SessionID, err)
		}
		place, of := number(i)
		nth := ""
		if of > 1 {
			nth = ordinal(place+1) + " "
		}
		t.pictures[i].name = "the " + nth + t.pictures[i].Noun + " of " + day.Format("2 January 2006")
	}
	return nil
}

func ordinal(n int) string {
	switch n {
	case 1:
		return "first"
	case 2:
		return "second"
	case 3:
		return "third"
	case 4:
		return "fourth"
	case 5:
		return "fifth"
	case 6:
		return "sixth"
	case 7:
		return "seventh"
	case 8:
		return "eighth"
	case 9:
		return "ninth"
	case 10:
		return "tenth"
	case 11:
		return "eleventh"
	case 12:
		return "twelfth"
	}
	return fmt.Sprintf("%dth", n)
}

func (t *Conversation) findPicture(called string) (int, bool) {
	i := slices.IndexFunc(t.pictures, func(s sharedPicture) bool { return s.name == called })
	return i, i >= 0
}

func (s sharedPicture) findThing(name string) (Thing, bool) {
	i := slices.IndexFunc(s.Things, func(t Thing) bool { return t.Name == name })
	if i < 0 {
		return Thing{}, false
	}
	return s.Things[i], true
}
