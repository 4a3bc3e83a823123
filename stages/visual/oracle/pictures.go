// Package replay works the gold of the visual family out again, from the tables of a
// release alone: the dates of sessions, what pictures were noted to show, and the
// words of a question. It shares no code with the simulation and the stages that
// wrote the questions, so that a fault of theirs is none of its own.
package oracle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memforge/memforge/schemas"
)

// Picture is what is known of one picture.
type Picture struct {
	Media string
	Noun  string
	// Minimal says of what kind it is, Kind whether it is a photo or a screenshot.
	Minimal, Kind string
	// Absent names what is expected and not there.
	Absent []string
	Things []Thing
}

// Thing is something that a picture shows.
type Thing struct {
	Name, Class, Prep string
	Plural            bool
	Tells             map[string]string
}

// Read takes "aspect=value; aspect=value" as what the thing tells.
func (th *Thing) Read(text string) error {
	th.Tells = map[string]string{}
	for _, part := range strings.Split(text, "; ") {
		aspect, value, ok := strings.Cut(part, "=")
		if _, twice := th.Tells[aspect]; !ok || twice || phrases()[aspect] == "" || value == "" {
			return fmt.Errorf("what is told, %q, is no list of aspect=value", text)
		}
		th.Tells[aspect] = value
	}
	return nil
}

// shot is a picture where it was shared.
type shot struct {
	Picture
	called  string // "the second photo of 3 May 2025"
	session schemas.Session
	round   [2]schemas.Turn
	shown   schemas.Attachment
}

// Task is a conversation with its pictures in order of time.
type Task struct {
	shots    []shot
	sessions []schemas.Session // in order
}

// New reads a conversation. Pictures are by media id.
func New(sessions []schemas.Session, pictures map[string]Picture) (*Task, error) {
	sorted := slices.Clone(sessions)
	slices.SortFunc(sorted, func(a, b schemas.Session) int { return int(a.Order - b.Order) })
	t := &Task{sessions: sorted}
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
				t.shots = append(t.shots, shot{Picture: p, session: s, round: [2]schemas.Turn{turn, s.Turns[i+1]}, shown: a})
			}
		}
	}
	return t, t.name()
}

// name gives every shot the words by which questions know it.
func (t *Task) name() error {
	number := func(i int) (place, of int) {
		for j, other := range t.shots {
			if other.session.Date == t.shots[i].session.Date && other.Noun == t.shots[i].Noun {
				of++
				if j < i {
					place++
				}
			}
		}
		return place, of
	}
	for i := range t.shots {
		day, err := time.Parse("2006-01-02", t.shots[i].session.Date)
		if err != nil {
			return fmt.Errorf("session %s: %w", t.shots[i].session.SessionID, err)
		}
		place, of := number(i)
		nth := ""
		if of > 1 {
			nth = nthWord(place+1) + " "
		}
		t.shots[i].called = "the " + nth + t.shots[i].Noun + " of " + day.Format("2 January 2006")
	}
	return nil
}

func nthWord(n int) string {
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

// find is the place of the shot that some words name.
func (t *Task) find(called string) (int, bool) {
	i := slices.IndexFunc(t.shots, func(s shot) bool { return s.called == called })
	return i, i >= 0
}

// thing finds a thing in a shot by its name.
func (s shot) thing(name string) (Thing, bool) {
	i := slices.IndexFunc(s.Things, func(t Thing) bool { return t.Name == name })
	if i < 0 {
		return Thing{}, false
	}
	return s.Things[i], true
}
