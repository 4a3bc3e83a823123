package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// CheckFrames says where a session is not of the kind that its turns are of, or is somebody
// else's: the first one is the profile of who its sentences tell of, in the others that
// person talks with an assistant, or an agent acts.
func (t *Task) CheckFrames() error {
	owner := ""
	for n, s := range t.sessions {
		if err := checkBareTurns(s); err != nil {
			return err
		}
		if n == 0 {
			var err error
			if owner, err = t.profileOwner(s); err != nil {
				return err
			}
			continue
		}
		kind, who := schemas.KindDialogue, []string{owner, schemas.TurnAssistant}
		has := map[string]bool{}
		for _, turn := range s.Turns {
			has[turn.Role] = true
		}
		if has[schemas.TurnAgent] {
			kind, who = schemas.KindTrajectory, []string{schemas.TurnUser, schemas.TurnAgent}
		}
		switch {
		case s.Kind != kind || has[schemas.TurnAgent] && has[schemas.TurnAssistant]:
			return fmt.Errorf("session %s is said to be a %s, and by its turns it is a %s", s.SessionID, s.Kind, kind)
		case !slices.Equal(s.Participants, who) || s.Title != "":
			return fmt.Errorf("session %s, %q, is of %q; want none and %q", s.SessionID, s.Title, s.Participants, who)
		}
	}
	return nil
}

// profileOwner is whom a profile tells of, in each of its sentences.
func (t *Task) profileOwner(s schemas.Session) (string, error) {
	if s.Kind != schemas.KindProfile || s.Title != "Profile" || len(s.Participants) != 1 {
		return "", fmt.Errorf("session %s is a %s, %q, of %q; want the profile of one person", s.SessionID, s.Kind, s.Title, s.Participants)
	}
	owner := s.Participants[0]
	if len(s.Turns) == 0 || !strings.HasPrefix(s.Turns[0].Text, "I am "+owner+". ") {
		return "", fmt.Errorf("session %s is the profile of %s, and does not begin with who speaks", s.SessionID, owner)
	}
	for _, one := range t.filter(func(o statement) bool { return o.session == 0 && o.thing != owner }) {
		return "", fmt.Errorf("session %s is the profile of %s, and tells of %s", s.SessionID, owner, one.thing)
	}
	return owner, nil
}

// checkBareTurns wants turns to have no time and no place in a stream, and only those of agents to be
// steps: what stands there nobody reads, and nothing follows from it.
func checkBareTurns(s schemas.Session) error {
	for _, t := range s.Turns {
		step := t.Observation + t.Reasoning + t.Action + t.Feedback
		if t.Timestamp != "" || t.Position != 0 || t.Role != schemas.TurnAgent && step != "" || t.Role == schemas.TurnAgent && t.Text != "" {
			return fmt.Errorf("turn %s by %s is of %q at place %d, with the words %q and the step %q; want no time and no place, and words or a step", t.TurnID, t.Role, t.Timestamp, t.Position, t.Text, step)
		}
	}
	return nil
}

// Summary is what a task is said to be: how many sessions it has with whom, and pictures.
func Summary(sessions []schemas.Session) string {
	shown, who := 0, ""
	for _, s := range sessions {
		if s.Kind == schemas.KindProfile && len(s.Participants) == 1 {
			who = s.Participants[0]
		}
		for _, t := range s.Turns {
			shown += len(t.Attachments)
		}
	}
	return fmt.Sprintf("%d sessions with %s, %d pictures", len(sessions), who, shown)
}
